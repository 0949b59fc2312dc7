"""The page in a browser over a stand-in with the echo bot: what the tests of its shell act on."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Locator, expect
from playwright.async_api import Page as BrowserPage

from bot.sandbox.page import Command, Page, Shortcut
from bot.sandbox.slack import SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, EchoBot

COMMANDS: tuple[Command, ...] = (
    {"command": "/ask", "description": "Ask the agent", "usage_hint": "[question]"},
)
SHORTCUTS: tuple[Shortcut, ...] = (
    {"name": "Start a report", "type": "global", "callback_id": "start"},
    {"name": "Explain", "type": "message", "callback_id": "explain"},
)


def listener(register: Any) -> Callable[[Callable[..., Awaitable[None]]], None]:
    """One of slack-bolt's decorators, which have no useful types, with useful types."""

    def add(function: Callable[..., Awaitable[None]]) -> None:
        register(function)

    return add


@dataclass(slots=True, kw_only=True)
class Stage:
    """One person's browser, and everything behind it."""

    slack: SlackStandIn
    bot: EchoBot
    site: Page
    browser: BrowserPage
    faults: list[str] = field(default_factory=list[str])
    """What the page's scripts threw."""

    @property
    def client(self) -> Client:
        return self.bot.client

    @property
    def main(self) -> Locator:
        return self.browser.locator("main.pane-main")

    @property
    def thread(self) -> Locator:
        return self.browser.locator("aside[aria-label='Thread']")

    @property
    def composer(self) -> Locator:
        return self.main.locator("textarea[aria-label^='Message ']")

    @property
    def reply(self) -> Locator:
        return self.browser.get_by_label("Reply in thread").and_(self.browser.locator("textarea"))

    @property
    def nav(self) -> Locator:
        return self.browser.locator("nav[aria-label='Channels']")

    @property
    def calls(self) -> Locator:
        return self.browser.locator("aside[aria-label='API calls']")

    @property
    def alert(self) -> Locator:
        return self.browser.get_by_role("alert")

    def channel(self, name: str) -> str:
        return self.slack.channels[name]

    def post(self, ts: str) -> Locator:
        """A post in the channel."""
        return self.main.locator(f"article[data-ts='{ts}']")

    def reply_post(self, ts: str) -> Locator:
        """A post in the thread pane."""
        return self.thread.locator(f"article[data-ts='{ts}']")

    def entry(self, name: str) -> Locator:
        """The sidebar's button of a channel or of the app."""
        return self.nav.locator("button").filter(has_text=name)

    async def open(self, place: str = "") -> None:
        """Open the page at a place (`C123`, `C123/169.1`, `home`) and wait until it is drawn."""
        await self.browser.goto("about:blank")
        await self.browser.goto(self.site.url + (f"#{place}" if place else ""))
        await expect(self.browser.get_by_text("Live ·")).to_be_attached()

    async def act_as(self, name: str) -> None:
        await self.browser.get_by_label("Act as").select_option(self.slack.people[name])

    async def is_focused(self, locator: Locator) -> None:
        await expect(locator).to_be_focused()

    async def hold_frames(self) -> None:
        """From now on nothing is drawn by the frame, until `release_frames`."""
        await self.browser.evaluate(
            """() => {
                window.held = [];
                window.frames = window.requestAnimationFrame;
                window.requestAnimationFrame = (draw) => window.held.push(draw);
                window.snapshots = 0;
                window.EventSource = class extends EventSource {
                    constructor(address) {
                        super(address);
                        this.addEventListener("snapshot", () => (window.snapshots += 1));
                    }
                };
            }"""
        )

    async def snapshot_has_come(self) -> None:
        """Since the frames are held."""
        await self.browser.wait_for_function("window.snapshots > 0", polling=10)

    async def release_frames(self) -> None:
        await self.browser.evaluate(
            """() => {
                window.requestAnimationFrame = window.frames;
                for (const draw of window.held) draw();
            }"""
        )

    async def count_new_nodes(self) -> None:
        """From now on `new_posts` counts the posts that are drawn anew."""
        await self.browser.evaluate(
            """() => {
                window.drawn = [];
                new MutationObserver((records) => {
                    for (const node of records.flatMap((record) => [...record.addedNodes])) {
                        if (node.matches?.("article")) window.drawn.push(node.dataset.ts);
                    }
                }).observe(document.querySelector("main"), {childList: true, subtree: true});
            }"""
        )

    async def new_posts(self) -> list[str]:
        return await self.browser.evaluate("() => window.drawn")
