"""The process that renders one page: crawl4ai drives Chromium, which has no network of its own.

`python -m mcp_local.browser.page URL CHROMIUM` prints JSON with `html` or `error`. Every request
of the page is answered by the guarded fetcher or refused; what goes past the interception meets a
proxy and a resolver that do not exist.
"""

import asyncio
import json
import os
import sys
from contextlib import suppress
from typing import Any, cast

from crawl4ai import BrowserConfig, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncPlaywrightCrawlerStrategy
from crawl4ai.browser_manager import BrowserManager
from playwright.async_api import BrowserContext, Error, Page, Request, Route

from mcp_local.browser import LEAN, NETWORK_OFF, NO_SANDBOX
from mcp_local.errors import FetchDenied, FetchError
from mcp_local.fetch.client import USER_AGENT, Client, Limits
from mcp_local.fetch.urls import Allowance
from mcp_local.settings import Settings

MAX_REQUESTS = 100
MAX_BYTES = 20_000_000
"""Of all answers together."""
MAX_ANSWER_BYTES = 10_000_000
TEXT_TYPES = frozenset({"document", "script", "xhr", "fetch"})
"""Other requests, such as for images, bring no text and are refused."""

_SCRIPTS_OFF = """
globalThis.open = () => null;
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"])
    delete globalThis[name];
if (globalThis.navigator && navigator.serviceWorker)
    ServiceWorkerContainer.prototype.register = () => Promise.reject(new Error("off"));
"""


class NotStarted(Exception):
    """There is no browser, for a reason in which no page has a part."""


class Manager(BrowserManager):
    """Crawl4ai starts the browser that Playwright downloaded; this one starts the machine's."""

    chromium = ""

    async def start(self) -> None:
        try:
            await super().start()
        except Error as error:
            message = str(error)
            is_sandbox = "No usable sandbox" in message or "zygote_host" in message
            raise NotStarted(NO_SANDBOX if is_sandbox else "it could not be started") from error

    def _build_browser_args(self) -> dict[str, Any]:
        made = super()._build_browser_args()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return {**cast("dict[str, Any]", made), "executable_path": self.chromium}


class Guard:
    """Answers a page's requests from the guarded fetcher, within a budget."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._requests = 0
        self._bytes = 0

    async def answer(self, route: Route, request: Request) -> None:
        """The only way of the page to the network."""
        left = MAX_BYTES - self._bytes
        is_text = request.resource_type in TEXT_TYPES and request.method == "GET"
        if not is_text or self._requests >= MAX_REQUESTS or left <= 0:
            await route.abort("blockedbyclient")
            return
        self._requests += 1
        try:
            limits = Limits(max_bytes=min(left, MAX_ANSWER_BYTES), total_s=15.0)
            response = await self._client.get(request.url, limits=limits)
        except FetchDenied:
            self._requests -= 1
            await route.abort("accessdenied")
        except FetchError:
            await route.abort("failed")
        else:
            self._bytes += len(response.body)
            await route.fulfill(
                status=response.status, content_type=response.content_type, body=response.body
            )


async def render(url: str, chromium: str) -> str:
    """The page's HTML, once it has loaded and its requests have come to rest.

    Without a URL the browser is only started.
    """
    config = BrowserConfig(
        user_agent=USER_AGENT,
        accept_downloads=False,
        ignore_https_errors=False,
        extra_args=[*NETWORK_OFF, *LEAN],
        init_scripts=[_SCRIPTS_OFF],
        verbose=False,
    )
    strategy: Any = AsyncPlaywrightCrawlerStrategy(browser_config=config)
    strategy.browser_manager = Manager(browser_config=config, logger=strategy.logger)
    strategy.browser_manager.chromium = chromium
    async with Client(Allowance.from_settings(Settings())) as client:
        guard = Guard(client)

        async def on_context(page: Page, context: BrowserContext, **_: Any) -> None:
            await context.route("**/*", guard.answer)
            await context.route_web_socket("**/*", lambda socket: socket.close())
            page.on("dialog", lambda dialog: dialog.dismiss())

        async def at_rest(page: Page, **_: Any) -> None:
            with suppress(Error):  # some pages never come to rest
                await page.wait_for_load_state("networkidle", timeout=8_000)

        strategy.set_hook("on_page_context_created", on_context)
        strategy.set_hook("before_retrieve_html", at_rest)
        async with strategy:
            if not url.startswith(("http://", "https://")):
                return ""
            run = CrawlerRunConfig(
                wait_until="domcontentloaded", page_timeout=20_000, verbose=False
            )
            return (await strategy.crawl(url, config=run)).html


async def main() -> None:
    """Render the page of the command line, unless whoever wants it is gone before."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    parent = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(parent), sys.stdin)
    rendering = asyncio.create_task(render(*sys.argv[1:]))
    gone = asyncio.create_task(parent.read())
    await asyncio.wait({rendering, gone}, return_when=asyncio.FIRST_COMPLETED)
    if not rendering.done():
        rendering.cancel()  # closes the browser
        await asyncio.wait({rendering}, timeout=5)
    elif error := rendering.exception():
        is_ours = isinstance(error, NotStarted)
        json.dump({"error": str(error) if is_ours else "could not be opened in it"}, answers)
    else:
        json.dump({"html": rendering.result()[:MAX_ANSWER_BYTES]}, answers)
    answers.close()
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
