"""A teammate among people, in a real browser: posting and reading, threads, persons, one's way."""

import re
from typing import Any

import pytest
from playwright.async_api import FilePayload, expect

from bot.sandbox.page import SandboxPage
from tests.bot.sandbox.page.stage import Stage, actions, button
from tests.bot.sandbox.slack.echo_bot import listener

pytestmark = pytest.mark.asyncio(loop_scope="module")

OWN_PORT = 22_000  # below the ports that systems give away: it is still free after a pause


async def test_own_posts_are_edited_and_deleted_and_others_only_reacted_to(stage: Stage) -> None:
    own = await stage.slack.say("ann", "general", stage.slack.typed("ask @ben in #energy"))
    other = await stage.slack.say("ben", "general", "lunch?")
    await stage.open()
    await stage.composer.press("ArrowUp")
    area = stage.post(own).get_by_label("Edit message")
    await expect(area).to_have_value("ask @ben in #energy")
    await area.fill("ask @cleo")
    await area.press("Enter")
    await expect(stage.post(own)).to_contain_text("ask @cleo(edited)")
    await stage.post(other).hover()
    await stage.post(other).get_by_role("button", name="Add reaction").click()
    await stage.browser.get_by_label("Search emoji").fill("tada")
    await stage.browser.keyboard.press("Enter")
    mine = stage.post(other).get_by_role("button", name="1 tada: You")
    await expect(mine).to_have_attribute("aria-pressed", "true")
    await mine.click()
    await expect(mine).to_have_count(0)
    for ts, deletes in ((other, 0), (own, 1)):
        await stage.post(ts).hover()
        await stage.post(ts).get_by_role("button", name="More actions").click()
        item = stage.browser.get_by_role("menuitem", name="Delete message")
        await expect(stage.browser.get_by_role("menuitem", name="Copy link")).to_be_visible()
        await expect(item).to_have_count(deletes)
        if not deletes:
            await stage.browser.keyboard.press("Escape")
    await item.click()
    await stage.browser.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    await expect(stage.post(own)).to_have_count(0)


async def test_deleted_private_and_very_long_posts_are_shown_as_such(stage: Stage) -> None:
    root = await stage.slack.say("ben", "general", "to be deleted")
    await stage.slack.say("cleo", "general", "too late", thread_ts=root)
    long = await stage.slack.say("ben", "general", "word " * 7_999 + "end")
    await stage.open()
    await stage.slack.delete("general", root)
    ann = stage.slack.people["ann"]
    await stage.client.chat_postEphemeral(channel=stage.channel("general"), user=ann, text="psst")
    await expect(stage.post(root)).to_contain_text("This message was deleted.")
    await expect(stage.post(root).get_by_role("button", name="1 reply")).to_be_visible()
    more = stage.post(long).get_by_role("button", name="Show more")
    await more.click()
    await expect(stage.post(long).get_by_role("button", name="Show less")).to_be_visible()
    private = stage.main.locator("article", has_text="psst")
    await expect(private).to_contain_text("Only visible to you")
    await stage.act_as("ben")
    await expect(private).to_have_count(0)


async def test_what_is_refused_is_said_and_nothing_is_lost(stage: Stage) -> None:
    asked: list[str] = []

    @listener(stage.bot.app.command("/ask"))
    async def ask(ack: Any, command: dict[str, Any]) -> None:
        asked.append(command["text"])
        await ack("On it.")

    await stage.open()
    for text, sentence in (("x" * 40_001, "at most 40,000"), ("/nothing x", "/nothing is not")):
        await stage.composer.fill(text)
        await stage.composer.press("Enter")
        await expect(stage.alert).to_contain_text(sentence)
        await expect(stage.composer).to_have_value(text)
        await stage.alert.get_by_role("button", name="Dismiss").click()
    await stage.composer.fill("/ask why?")
    await stage.composer.press("Enter")
    await expect(stage.main.locator("article")).to_contain_text("On it.")
    assert asked == ["why?"]


async def test_files_are_picked_taken_away_and_sent(stage: Stage) -> None:
    await stage.open()
    picked = [
        FilePayload(name=name, mimeType="text/plain", buffer=b"a <b>file</b>")
        for name in ("notes.txt", "wrong.txt")
    ]
    await stage.main.locator("input[type=file]").set_input_files(picked)
    await stage.main.get_by_role("button", name="Remove wrong.txt").click()
    await stage.composer.press("Enter")
    await stage.main.get_by_role("button", name="Open notes.txt").click()
    await expect(stage.file.locator("pre")).to_have_text("a <b>file</b>")
    assert [file.name for file in stage.slack.files] == ["notes.txt"]


async def test_a_lost_connection_is_said_and_mended(stage: Stage) -> None:
    async with SandboxPage(stage.slack, port=OWN_PORT) as stage.site:
        await stage.open()
        await stage.composer.fill("unsent")
        port = int(stage.site.url.rsplit(":", 1)[1].rstrip("/"))
    await expect(stage.browser.get_by_text("The connection to the sandbox is lost")).to_be_visible()
    await stage.composer.press("Enter")
    await expect(stage.alert).to_contain_text("The sandbox could not be reached.")
    async with SandboxPage(stage.slack, port=port):
        missed = await stage.slack.say("ben", "general", "while you were away")
        await expect(stage.post(missed)).to_be_visible()
        await expect(stage.browser.get_by_text("Live · 1 bot socket open")).to_be_visible()
        await expect(stage.composer).to_have_value("unsent")
        await stage.browser.goto("about:blank")


async def test_the_keyboard_goes_everywhere_and_the_focus_comes_back(stage: Stage) -> None:
    root = await stage.slack.say("ben", "general", "a root")
    await stage.slack.say("cleo", "general", "a reply", thread_ts=root)
    await stage.open()
    press = stage.browser.keyboard.press
    await stage.main.get_by_role("log").focus()
    await press("ArrowUp")
    await expect(stage.post(root)).to_be_focused()
    summary = stage.post(root).get_by_role("button", name="1 reply")
    await summary.focus()
    await press("Enter")
    await expect(stage.reply).to_be_focused()
    for target in (stage.entry("general"), stage.composer, stage.reply):
        await press("F6")
        await expect(target).to_be_focused()
    toggle = stage.browser.get_by_role("button", name="API calls", exact=True)
    await toggle.focus()
    await press("Enter")
    await expect(stage.calls).to_be_visible()
    await press("Escape")
    await expect(toggle).to_be_focused()
    await press("Escape")
    await expect(summary).to_be_focused()
    await press("Control+k")
    await stage.browser.keyboard.type("ener")
    await press("Enter")
    await expect(stage.entry("energy")).to_have_attribute("aria-current", "page")
    await expect(stage.composer).to_be_focused()


async def test_a_channel_says_what_to_ask_or_why_one_cannot(stage: Stage) -> None:
    await stage.open(stage.channel("archived"))
    await expect(stage.main.get_by_text("This channel is archived.")).to_be_visible()
    await expect(stage.composer).to_be_hidden()
    await stage.entry("random").click()
    await stage.main.get_by_role("button", name="Add it").click()
    await expect(stage.main.get_by_text("is not in this channel.")).to_be_hidden()
    await stage.entry("general").click()
    await stage.main.get_by_role("button", name="Use this").click()
    await expect(stage.composer).to_have_value(re.compile(r"^@universal-agent Write a compre"))


async def test_a_link_to_a_post_leads_to_its_thread(stage: Stage) -> None:
    root = await stage.slack.say("ann", "energy", "how is it going?")
    reply = await stage.slack.say("ben", "energy", "very well", thread_ts=root)
    channel = stage.channel("energy")
    where = f"?thread_ts={root}&cid={channel}"
    link = f"https://sandbox.slack.com/archives/{channel}/p{reply.replace('.', '')}{where}"
    await stage.open()
    post = await stage.show(actions(button("home.open", "Open", url=link)))
    await post.get_by_role("link", name="Open").click()
    await expect(stage.post(reply, within=stage.thread)).to_contain_text("very well")
    await expect(stage.main.get_by_role("heading", level=1)).to_have_text("energy")
