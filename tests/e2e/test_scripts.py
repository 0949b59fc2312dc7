"""A page whose text is made by its scripts, from the command to the answer."""

from pathlib import Path

import pytest

from tests.browser import chromium_path
from tests.e2e.command_line import run_sandbox

ASK = "Summarise http://app.botmetrics.test/reports/state-of-bots-2026"
ONLY_BY_SCRIPT = "lost one message in 400,000"


@pytest.mark.proves("browser.sandbox")
async def test_a_page_that_needs_scripts_is_read_and_cited(tmp_path: Path) -> None:
    ran = await run_sandbox(tmp_path, ASK, browser=chromium_path())
    assert ONLY_BY_SCRIPT in ran.json()["turns"][0]["answer"]


@pytest.mark.proves("browser.sandbox")
async def test_without_a_browser_the_answer_says_what_is_missing(tmp_path: Path) -> None:
    answer = (await run_sandbox(tmp_path, ASK)).json()["turns"][0]["answer"]
    assert "needs a browser, and none is set up here" in answer
    assert ONLY_BY_SCRIPT not in answer
