"""The page in a browser over a stand-in with the echo bot: what the browser's stories act on."""

from dataclasses import dataclass
from typing import Any, Literal

import aiohttp
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Locator, expect
from playwright.async_api import Page as BrowserPage

from bot.sandbox.page import SandboxPage
from tests.bot.sandbox.slack.echo_bot import Client, EchoBot
from tests.faulty_slack import FaultySlack

Body = dict[str, Any]
COMMANDS: tuple[Body, ...] = (
    {"command": "/ask", "description": "Ask the agent", "usage_hint": "[question]"},
)
SHORTCUTS: tuple[Body, ...] = (
    {"name": "Ask about this", "type": "message", "callback_id": "ask_about"},
)
SERIOUS = ("serious", "critical")


def plain(text: str) -> Body:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Body:
    return {"type": "mrkdwn", "text": text}


def button(action_id: str, words: str, **fields: object) -> Body:
    return {"type": "button", "action_id": action_id, "text": plain(words), "value": "1", **fields}


def actions(*elements: Body) -> Body:
    return {"type": "actions", "block_id": "row", "elements": list(elements)}


def field(block_id: str, label: str, **element: object) -> Body:
    """An input block, of text unless the element says otherwise."""
    shape = {"type": "plain_text_input", "action_id": f"{block_id}_in", **element}
    return {"type": "input", "block_id": block_id, "label": plain(label), "element": shape}


def form(*blocks: Body) -> Body:
    title, submit = plain("New report"), plain("Send")
    view = {"type": "modal", "callback_id": "form", "title": title, "submit": submit}
    return {**view, "blocks": list(blocks)}


@dataclass(slots=True, kw_only=True)
class Stage:
    """One person's browser, and everything behind it."""

    slack: FaultySlack
    bot: EchoBot
    site: SandboxPage
    browser: BrowserPage

    @property
    def client(self) -> Client:
        return self.bot.client

    @property
    def main(self) -> Locator:
        return self.browser.locator("main.pane-main")

    @property
    def thread(self) -> Locator:
        return self.browser.get_by_role("complementary", name="Thread")

    @property
    def file(self) -> Locator:
        return self.browser.get_by_role("complementary", name="File")

    @property
    def calls(self) -> Locator:
        return self.browser.get_by_role("complementary", name="API calls")

    @property
    def composer(self) -> Locator:
        return self.main.locator("textarea[aria-label^='Message ']")

    @property
    def reply(self) -> Locator:
        return self.thread.get_by_role("textbox", name="Reply in thread")

    @property
    def alert(self) -> Locator:
        return self.browser.get_by_role("alert")

    @property
    def dialog(self) -> Locator:
        return self.browser.get_by_role("dialog", name="New report")

    def channel(self, name: str) -> str:
        return self.slack.channels[name]

    def post(self, ts: str, *, within: Locator | None = None) -> Locator:
        """A post in the channel, or in another pane."""
        return (within or self.main).locator(f"article[data-ts='{ts}']")

    def entry(self, name: str) -> Locator:
        """The sidebar's button of a channel or of the app."""
        return self.browser.get_by_role("navigation").get_by_role("button", name=name).first

    async def open(self, place: str = "") -> None:
        """Open the page at a place (`C123`, `C123/169.1`, `home`) and wait until it is drawn."""
        await self.browser.goto("about:blank")
        await self.browser.goto(self.site.url + (f"#{place}" if place else ""))
        await expect(self.browser.get_by_text("Live ·")).to_be_attached()

    async def act_as(self, name: str) -> None:
        await self.browser.get_by_label("Act as").select_option(self.slack.users[name])

    async def show(self, *blocks: Body, text: str = "shown") -> Locator:
        """The bot posts blocks in #general, which is open."""
        answer = await self.client.chat_postMessage(
            channel=self.channel("general"), text=text, blocks=list(blocks)
        )
        return self.post(answer["ts"])

    async def upload(self, name: str, content: bytes, **about: str) -> Body:
        """A file whose bytes are there, not shared yet."""
        ticket = await self.client.files_getUploadURLExternal(
            filename=name, length=len(content), **about
        )
        async with aiohttp.ClientSession() as http, http.post(ticket["upload_url"], data=content):
            return {"id": ticket["file_id"], "title": name.partition(".")[0].title()}

    async def violations(self) -> list[str]:
        """What axe finds grave on the page as it is, by day and by night."""
        return [each for theme in ("light", "dark") for each in await grave(self.browser, theme)]


async def grave(page: BrowserPage, theme: Literal["light", "dark"]) -> list[str]:
    """Without motion, so that no colour is halfway."""
    await page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    axe: Any = Axe()  # its annotations are partial
    found: list[Body] = (await axe.run(page)).response["violations"]
    return [
        f"{theme}, {rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]
