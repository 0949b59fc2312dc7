"""Writing: sending, completion, drafts, files, editing, reacting, and what follows a failure."""

from typing import Any

import pytest
from playwright.async_api import FilePayload, Locator, expect

from tests.bot.sandbox.page.stage import Stage, listener

pytest_plugins = ("tests.bot.sandbox.page.staging",)
pytestmark = pytest.mark.asyncio(loop_scope="module")

DROP = """([pane, name, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name, {type: "text/plain"}));
    const target = document.querySelector(pane);
    for (const kind of ["dragenter", "dragover", "drop"]) {
        target.dispatchEvent(new DragEvent(kind, {dataTransfer: transfer, bubbles: true}));
    }
}"""


def offers(stage: Stage) -> Locator:
    return stage.main.get_by_role("listbox").get_by_role("option")


async def test_a_mention_is_completed_sent_and_answered_in_its_thread(stage: Stage) -> None:
    await stage.open()
    await stage.composer.press_sequentially("@uni")
    await expect(offers(stage)).to_have_count(1)
    await expect(offers(stage).first).to_contain_text("universal-agent")
    await stage.composer.press("Enter")
    await expect(stage.composer).to_have_value("@universal-agent ")
    await stage.composer.press_sequentially("hello")
    await stage.composer.press("Enter")
    await expect(stage.composer).to_have_value("")
    asked = stage.main.locator("article", has_text="hello").first
    await asked.get_by_role("button", name="1 reply").click()
    await expect(stage.thread.get_by_text("echo:")).to_be_visible()
    await stage.reply.fill("go on")
    await stage.reply.press("Enter")
    await expect(stage.thread.locator("article", has_text="go on")).to_be_visible()
    mentions = [d.payload["event"] for d in stage.slack.deliveries if d.event_type == "app_mention"]
    assert [mention["text"] for mention in mentions] == [f"{stage.slack.mention} hello"]


async def test_shift_enter_breaks_the_line_and_enter_sends(stage: Stage) -> None:
    await stage.open()
    await stage.composer.press_sequentially("one")
    await stage.composer.press("Shift+Enter")
    await stage.composer.press_sequentially("two")
    await stage.composer.press("Enter")
    await expect(stage.main.locator("article")).to_have_count(1)
    assert [post.text for post in stage.slack.posts("general")] == ["one\ntwo"]


async def test_channels_people_and_emoji_are_completed(stage: Stage) -> None:
    await stage.open()
    for typed, expected in (("#ene", "#energy "), ("cc @be", "cc @ben "), (":tad", ":tada: ")):
        await stage.composer.fill("")
        await stage.composer.press_sequentially(typed)
        await expect(offers(stage).first).to_be_visible()
        await stage.composer.press("Tab")
        await expect(stage.composer).to_have_value(expected)
    await stage.composer.press_sequentially("@")
    await expect(offers(stage).first).to_contain_text("universal-agent")
    await stage.composer.press("Escape")
    await expect(offers(stage)).to_have_count(0)
    await expect(stage.composer).to_be_focused()


async def test_a_draft_belongs_to_a_person_and_a_channel_or_thread(stage: Stage) -> None:
    root = await stage.slack.say("ben", "general", "a root")
    await stage.open(f"{stage.channel('general')}/{root}")
    await stage.composer.fill("for general")
    await stage.reply.fill("for the thread")
    await stage.entry("energy").click()
    await expect(stage.composer).to_have_value("")
    await stage.composer.fill("for energy")
    await stage.entry("general").click()
    await expect(stage.composer).to_have_value("for general")
    await stage.act_as("ben")
    await expect(stage.composer).to_have_value("")
    await stage.composer.fill("of ben")
    await stage.act_as("ann")
    await expect(stage.composer).to_have_value("for general")
    await stage.browser.reload()
    await expect(stage.composer).to_have_value("for general")
    await stage.act_as("ben")
    await expect(stage.composer).to_have_value("of ben")
    await stage.act_as("ann")
    await stage.post(root).hover()
    await stage.post(root).get_by_role("button", name="Reply in thread").click()
    await expect(stage.reply).to_have_value("for the thread")
    await stage.entry("energy").click()
    await expect(stage.composer).to_have_value("for energy")


async def test_a_failed_act_says_why_and_loses_nothing(stage: Stage) -> None:
    await stage.open()
    text = "x" * 40_001
    await stage.composer.fill(text)
    await stage.composer.press("Enter")
    await expect(stage.alert).to_contain_text("A message has at most 40,000 characters")
    await expect(stage.composer).to_have_value(text)
    assert stage.slack.posts("general") == []
    await stage.alert.get_by_role("button", name="Dismiss").click()
    await expect(stage.alert).to_have_count(0)


async def test_a_slash_command_reaches_the_app_and_an_unknown_one_is_named(stage: Stage) -> None:
    asked: list[str] = []

    @listener(stage.bot.app.command("/ask"))
    async def ask(ack: Any, command: dict[str, Any]) -> None:
        asked.append(command["text"])
        await ack("On it.")

    await stage.open()
    await stage.composer.press_sequentially("/a")
    await expect(offers(stage).first).to_contain_text("/ask [question]")
    await stage.composer.press("Enter")
    await stage.composer.press_sequentially("why?")
    await stage.composer.press("Enter")
    private = stage.main.locator("article", has_text="On it.")
    await expect(private).to_contain_text("Only visible to you")
    assert asked == ["why?"]
    await stage.composer.fill("/nothing here")
    await stage.composer.press("Enter")
    await expect(stage.alert).to_contain_text("/nothing is not a command of this app.")
    await expect(stage.composer).to_have_value("/nothing here")


async def test_files_are_picked_or_dropped_taken_away_and_sent(stage: Stage) -> None:
    await stage.open()
    picked = FilePayload(name="notes.txt", mimeType="text/plain", buffer=b"some notes")
    await stage.main.locator("input[type=file]").set_input_files([picked])
    await stage.browser.evaluate(DROP, ["main", "more.txt", "dropped"])
    await stage.browser.evaluate(DROP, ["main", "wrong.txt", "not this"])
    await stage.main.get_by_role("button", name="Remove wrong.txt").click()
    await stage.composer.fill("two files")
    await stage.composer.press("Enter")
    await expect(stage.main.locator("article", has_text="two files")).to_contain_text("more.txt")
    await expect(stage.main.get_by_role("list", name="Files to send")).to_have_count(0)
    sent = [(file.name, file.content) for file in stage.slack.files]
    assert sent == [("notes.txt", b"some notes"), ("more.txt", b"dropped")]


async def test_a_reply_is_sent_to_the_channel_too_when_that_is_ticked(stage: Stage) -> None:
    root = await stage.slack.say("ben", "general", "a root")
    await stage.open(f"{stage.channel('general')}/{root}")
    await stage.thread.get_by_label("Also send to the channel").check()
    await stage.reply.fill("for everyone")
    await stage.reply.press("Enter")
    loud = stage.main.locator("article", has_text="for everyone")
    await expect(loud).to_contain_text("Replied to a thread: a root")
    await expect(stage.thread.locator("article", has_text="for everyone")).to_be_visible()


async def test_arrow_up_edits_the_last_own_post(stage: Stage) -> None:
    own = await stage.slack.say("ann", "general", stage.slack.typed("ask @ben in #energy"))
    await stage.slack.say("ben", "general", "not this one")
    await stage.open()
    await stage.composer.press("ArrowUp")
    area = stage.post(own).get_by_label("Edit message")
    await expect(area).to_have_value("ask @ben in #energy")
    await stage.browser.keyboard.press("Escape")
    await expect(stage.composer).to_be_focused()
    await stage.composer.press("ArrowUp")
    await area.fill("ask @cleo")
    await area.press("Enter")
    await expect(stage.post(own)).to_contain_text("ask @cleo")
    await expect(stage.composer).to_be_focused()
    assert stage.slack.find("general", own).text == f"ask <@{stage.slack.people['cleo']}>"


async def test_an_own_post_is_deleted_after_a_question(stage: Stage) -> None:
    own = await stage.slack.say("ann", "general", "never mind")
    other = await stage.slack.say("ben", "general", "not mine")
    await stage.open()
    for ts, deletes in ((other, 0), (own, 1)):
        await stage.post(ts).hover()
        await stage.post(ts).get_by_role("button", name="More actions").click()
        menu = stage.browser.get_by_role("menu")
        await expect(menu.get_by_role("menuitem", name="Copy link")).to_be_visible()
        await expect(menu.get_by_role("menuitem", name="Delete message")).to_have_count(deletes)
        if not deletes:
            await stage.browser.keyboard.press("Escape")
    await stage.browser.get_by_role("menuitem", name="Delete message").click()
    await stage.browser.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    await expect(stage.post(own)).to_have_count(0)
    await expect(stage.post(other)).to_be_visible()


async def test_a_reaction_is_picked_joined_and_taken_back(stage: Stage) -> None:
    ts = await stage.slack.say("ben", "general", "lunch?")
    await stage.open()
    await stage.post(ts).hover()
    await stage.post(ts).get_by_role("button", name="Add reaction").click()
    await stage.browser.get_by_label("Search emoji").fill("tada")
    await stage.browser.keyboard.press("Enter")
    mine = stage.post(ts).get_by_role("button", name="1 tada: You")
    await expect(mine).to_have_attribute("aria-pressed", "true")
    await stage.slack.react("cleo", "general", ts, "tada")
    both = stage.post(ts).get_by_role("button", name="2 tada: You and cleo")
    await both.click()
    await expect(stage.post(ts).get_by_role("button", name="1 tada: cleo")).to_be_visible()
