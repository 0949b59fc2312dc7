"""Chromium for tests: one browser for a test module, an empty page for each test.

A conftest imports the fixtures; a module that uses them runs on the browser's loop with
`pytestmark = pytest.mark.asyncio(loop_scope="module")`.
"""

import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, ViewportSize, async_playwright, expect

COMMANDS = ("chromium", "chromium-browser", "google-chrome")
WINDOW: ViewportSize = {"width": 1440, "height": 900}
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
async def browser() -> AsyncGenerator[Browser]:
    """A headless browser for the tests of one module."""
    path = chromium_path()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        await browser.close()


@asynccontextmanager
async def fresh_page(browser: Browser) -> AsyncGenerator[Page]:
    """An empty page in a context of its own: no storage or cookies of another one."""
    context = await browser.new_context(
        timezone_id="Europe/Berlin", locale="en-GB", viewport=WINDOW, reduced_motion="reduce"
    )
    context.set_default_timeout(WAIT_MS)
    yield await context.new_page()
    await context.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser_window(browser: Browser) -> AsyncGenerator[Page]:
    """One page for a module: a page of its own costs a test half a second of a processor."""
    async with fresh_page(browser) as page:
        yield page


@pytest_asyncio.fixture(loop_scope="module")
async def browser_page(browser_window: Page) -> AsyncGenerator[Page]:
    """An empty page: no storage, cookies, size or theme of another test."""
    yield browser_window
    await browser_window.goto("about:blank")
    await browser_window.set_viewport_size(WINDOW)
    await browser_window.emulate_media(color_scheme="light")
    await browser_window.context.clear_cookies()
    devtools: Any = await browser_window.context.new_cdp_session(browser_window)
    everything = {"origin": "*", "storageTypes": "all"}
    await devtools.send("Storage.clearDataForOrigin", everything)
    await devtools.detach()
