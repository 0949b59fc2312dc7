"""An approval on the page, before two people: the wrong one cannot decide it, the right one can."""

from pathlib import Path

import pytest
from playwright.async_api import Page as BrowserPage
from playwright.async_api import expect

from agent_core.testing.models import ScriptedModel, call, calls_reply, text_reply
from bot.sandbox.page import Page
from tests.bot.sandbox.asking_bot import asking_stage

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_of_two_people_only_the_asker_decides(
    browser_page: BrowserPage, tmp_path: Path
) -> None:
    mail = calls_reply(call("mcp__post__SEND", {"to": "bob@example.com"}))
    model = ScriptedModel([mail, text_reply("I left it.")])
    async with asking_stage(tmp_path, model) as stage, Page(stage.slack) as site:
        await stage.driver.ask("mail Bob")
        place = f"{stage.slack.channels['general']}/{stage.driver.root_ts}"
        await browser_page.goto(f"{site.url}#{place}")
        thread = browser_page.locator("aside[aria-label='Thread']")
        people = browser_page.get_by_label("Act as")
        refusal = thread.get_by_text("Only the person who asked for this")

        await people.select_option(stage.slack.people["ben"])
        await thread.get_by_role("button", name="Approve", exact=True).click()
        await expect(refusal).to_be_visible()
        assert stage.sent == []

        await people.select_option(stage.slack.people["ann"])
        await expect(thread.get_by_text("to: bob@example.com")).to_be_visible()
        await expect(refusal).to_be_hidden()
        await thread.get_by_role("button", name="Reject…").click()
        form = browser_page.get_by_role("dialog")
        await form.get_by_role("textbox").fill("Use the other address")
        await form.get_by_role("button", name="Reject").click()
        await expect(thread.get_by_text("“Use the other address”")).to_be_visible()
        await expect(thread.get_by_text("I left it.")).to_be_visible()
        await expect(thread.get_by_role("button", name="Approve")).to_have_count(0)
        assert stage.sent == []
        await browser_page.goto("about:blank")
