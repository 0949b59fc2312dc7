"""Chromium for tests: one browser for a test module, and its page empty for each test.

A conftest imports the fixtures; a module that uses them runs on the browser's loop with
`pytestmark = pytest.mark.asyncio(loop_scope="module")`.
"""

import shutil
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from playwright.async_api import Page, async_playwright, expect

COMMANDS = ("chromium", "chromium-browser", "google-chrome")
WAIT_MS = 30_000
"""A bound, not a pace: a busy machine may take so long."""

expect.set_options(timeout=WAIT_MS)


def chromium_path() -> str:
    """Where chromium is; skips the test, saying why, when there is none."""
    for command in COMMANDS:
        if path := shutil.which(command):
            return path
    pytest.skip(f"none of {', '.join(COMMANDS)} is installed")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncGenerator[Page]:
    """The window of a module's headless browser; without motion, which costs it more than all else.

    A page of its own would cost each test half a second of a processor.
    """
    path = chromium_path()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        context = await browser.new_context(
            timezone_id="Europe/Berlin", locale="en-GB", reduced_motion="reduce"
        )
        context.set_default_timeout(WAIT_MS)
        yield await context.new_page()
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def browser_page(browser: Page) -> AsyncGenerator[Page]:
    """An empty page: no storage, cookies, size or theme of another test."""
    await browser.set_viewport_size({"width": 1440, "height": 900})
    await browser.emulate_media(color_scheme="light")
    yield browser
    await browser.goto("about:blank")
    await browser.context.clear_cookies()
    storage = await browser.context.new_cdp_session(browser)
    everything = {"origin": "*", "storageTypes": "all"}
    await storage.send("Storage.clearDataForOrigin", everything)
    await storage.detach()
