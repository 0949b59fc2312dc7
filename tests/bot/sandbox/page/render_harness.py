"""A page that loads nothing but the render modules, for tests that look at what they build."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest_asyncio
from aiohttp import web
from playwright.async_api import Browser, Page, expect

from bot.sandbox.page.assets import handle_asset
from tests.browser import WAIT_MS

HARNESS = """<!doctype html>
<html lang="en" data-theme="light">
<title>Renderer</title>
<link rel="stylesheet" href="/static/theme.css">
<link rel="stylesheet" href="/static/render.css">
<link rel="stylesheet" href="/harness.css">
<body><main></main><output hidden></output><script type="module" src="/harness.js"></script></body>
</html>"""
STYLE = "body { margin: 24px; background: var(--bg); } main { font-family: var(--font); }"
SCRIPT = """
import { blocks } from "/static/render/blocks.js";
import * as dates from "/static/render/dates.js";
import { fragment } from "/static/render/dom.js";
import { emoji } from "/static/render/emoji.js";
import { markdown } from "/static/render/markdown.js";
import { mrkdwn } from "/static/render/mrkdwn.js";
import { postBody } from "/static/render/post.js";
import * as views from "/static/render/view.js";

const said = [];
const output = document.querySelector("output");
const tell = (report) => { output.textContent = said.push(report); };
const options = (typed) => ["alpha", "beta"].map((name) => (
  { text: { type: "plain_text", text: `${typed} ${name}` }, value: `${typed}-${name}` }));
const ctx = {
  me: "U1",
  bot: { user_id: "UBOT", name: "ops-agent" },
  users: {
    U1: { id: "U1", name: "ann", real_name: "Ann Other", profile: { display_name: "ann" } },
    U2: { id: "U2", name: "ben", real_name: "Ben Bell", profile: { display_name: "" } },
    UBOT: { id: "UBOT", name: "ops-agent", is_bot: true, profile: {} },
  },
  channels: [
    { id: "C1", name: "general" },
    { id: "C2", name: "secret", is_private: true },
    { id: "D1", is_im: true, user: "UBOT" },
  ],
  now: () => 1_790_000_000,
  onAction: async (action) => tell({ action }),
  suggest: async (actionId, typed) => options(typed),
  openFile: (file) => tell({ file: file.id }),
  openChannel: (id) => tell({ channel: id }),
  openUser: (id) => tell({ user: id }),
};
const main = document.querySelector("main");
const put = (node) => { main.replaceChildren(node); return main.innerHTML; };
output.textContent = 0;
window.render = {
  said, ctx, main, dates, emoji, views,
  reset: () => { said.length = 0; output.textContent = 0; main.replaceChildren(); },
  blocks: (list) => put(blocks(list, ctx)),
  mrkdwn: (text) => put(fragment(mrkdwn(text, ctx))),
  markdown: (text) => put(fragment(markdown(text, ctx))),
  post: (post) => put(postBody(post, ctx)),
  view: (view) => put(views.view(view, ctx)),
};
"""
POLICY = "default-src 'self'; img-src 'self' https: data: blob:; base-uri 'none'"
SOURCES = {"/": ("text/html", HARNESS), "/harness.css": ("text/css", STYLE)} | {
    "/harness.js": ("text/javascript", SCRIPT)
}


async def _source(request: web.Request) -> web.StreamResponse:
    content_type, text = SOURCES[request.path]
    headers = {"Content-Security-Policy": POLICY}
    return web.Response(text=text, content_type=content_type, headers=headers)


@asynccontextmanager
async def harness_server() -> AsyncGenerator[str]:
    """The harness and the static files on a port of their own; yields the address."""
    app = web.Application()
    app.router.add_get("/static/{path:.+}", handle_asset)
    for path in SOURCES:
        app.router.add_get(path, _source)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


class Harness:
    """The renderer in a browser: each call shows one thing, in place of the one before it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.main = page.locator("main")

    async def show(self, kind: str, value: object) -> str:
        """Render with the named function; returns the HTML that came out."""
        html: str = await self.page.evaluate("([k, v]) => window.render[k](v)", [kind, value])
        return html

    async def blocks(self, *blocks: object) -> str:
        return await self.show("blocks", list(blocks))

    async def hears(self, count: int) -> None:
        """Wait until so many reports have come."""
        await expect(self.page.locator("output")).to_have_text(str(count))

    async def said(self) -> list[dict[str, Any]]:
        """What the renderer reported through its context, oldest first."""
        reports: list[dict[str, Any]] = await self.page.evaluate("window.render.said")
        return reports


async def open_harness(page: Page, url: str) -> Harness:
    """The page, loaded; requests to anywhere else are cut off."""
    await page.route(
        lambda address: not address.startswith(("http://127.0.0.1", "data:", "blob:")),
        lambda route: route.abort(),
    )
    await page.goto(url)
    await expect(page.locator("output")).to_have_text("0")
    return Harness(page)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def harness_page(browser: Browser) -> AsyncGenerator[Harness]:
    """One loaded page for a module: the renderer keeps nothing from one thing to the next."""
    context = await browser.new_context(timezone_id="Europe/Berlin", locale="en-GB")
    context.set_default_timeout(WAIT_MS)
    async with harness_server() as url:
        yield await open_harness(await context.new_page(), url)
    await context.close()


@pytest_asyncio.fixture(loop_scope="module")
async def harness(harness_page: Harness) -> Harness:
    """The page, emptied."""
    await harness_page.page.evaluate("window.render.reset()")
    return harness_page
