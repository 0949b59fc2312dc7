"""The `stage` fixture of the shell's tests, which the modules take as a plugin."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import pytest_asyncio
from playwright.async_api import Page as BrowserPage

from bot.sandbox.page import Page
from bot.sandbox.slack import SlackStandIn
from tests.bot.sandbox.page.stage import COMMANDS, SHORTCUTS, Stage
from tests.bot.sandbox.slack.echo_bot import EchoBot, socket_mode


@pytest_asyncio.fixture(loop_scope="module")
async def stage(browser_page: BrowserPage) -> AsyncGenerator[Stage]:
    """The page as Ann has it before her, with the echo bot connected."""
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(SlackStandIn())
        bot = EchoBot(slack)
        await stack.enter_async_context(socket_mode(bot.app, slack))
        site = await stack.enter_async_context(Page(slack, commands=COMMANDS, shortcuts=SHORTCUTS))
        stage = Stage(slack=slack, bot=bot, site=site, browser=browser_page)
        browser_page.on("pageerror", lambda error: stage.faults.append(str(error)))
        yield stage
        await browser_page.goto("about:blank")
    assert stage.faults == []
