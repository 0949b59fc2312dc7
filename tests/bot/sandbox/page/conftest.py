"""What the tests of the page share: a browser, and the page in it over a stand-in with a bot."""

from collections.abc import AsyncGenerator

import pytest_asyncio
from playwright.async_api import Page as BrowserPage

from bot.sandbox.page import SandboxPage
from bot.sandbox.slack import App
from tests.bot.sandbox.page.stage import COMMANDS, SHORTCUTS, Stage
from tests.bot.sandbox.slack.echo_bot import EchoBot, socket_mode
from tests.browser import browser, browser_page, browser_window
from tests.faulty_slack import FaultySlack

__all__ = ["browser", "browser_page", "browser_window", "stage"]


@pytest_asyncio.fixture(loop_scope="module")
async def stage(browser_page: BrowserPage) -> AsyncGenerator[Stage]:
    """The page as Ann has it before her, with the echo bot connected."""
    faults: list[str] = []
    browser_page.on("pageerror", lambda error: faults.append(str(error)))
    async with (
        FaultySlack(App(commands=COMMANDS, shortcuts=SHORTCUTS)) as slack,
        SandboxPage(slack) as site,
    ):
        bot = EchoBot(slack)
        async with socket_mode(bot.app, slack):
            yield Stage(slack=slack, bot=bot, site=site, browser=browser_page)
            await browser_page.goto("about:blank")
    assert faults == []
