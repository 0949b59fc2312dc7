"""Finding one's way: addresses, persons, unread marks, panes and the focus, narrow windows."""

import re

import pytest
from playwright.async_api import expect

from bot.sandbox.page import Page
from tests.bot.sandbox.page.stage import Stage

pytest_plugins = ("tests.bot.sandbox.page.staging",)
pytestmark = pytest.mark.asyncio(loop_scope="module")

OWN_PORT = 22_000  # below the ports that systems give away: it is still free after a pause
PHONE = {"width": 390, "height": 844}
REPORT = b"<!doctype html><p id=words>Still here</p><script>words.textContent='ran'</script>"


async def upload_report(stage: Stage) -> str:
    """A question with a report below it; returns the root's ts."""
    root = await stage.slack.say("ann", "general", "a report, please")
    await stage.client.files_upload_v2(
        channel=stage.channel("general"),
        thread_ts=root,
        file=REPORT,
        filename="report.html",
        title="The report",
    )
    return root


async def test_an_address_leads_to_a_channel_and_its_thread(stage: Stage) -> None:
    root = await stage.slack.say("ben", "energy", "the root")
    reply = await stage.slack.say("cleo", "energy", "the reply", thread_ts=root)
    await stage.open(f"{stage.channel('energy')}/{root}")
    await expect(stage.reply_post(reply)).to_be_visible()
    await expect(stage.entry("energy")).to_have_attribute("aria-current", "page")
    await stage.entry("news").click()
    await expect(stage.thread).to_be_hidden()
    await stage.browser.go_back()
    await expect(stage.reply_post(reply)).to_be_visible()
    await stage.open("C0GONE/1.2")
    await expect(stage.entry("general")).to_have_attribute("aria-current", "page")


async def test_acting_as_another_keeps_the_place(stage: Stage) -> None:
    root = await stage.slack.say("ben", "energy", "the root")
    await stage.open(f"{stage.channel('energy')}/{root}")
    await stage.act_as("ben")
    await expect(stage.reply_post(root)).to_be_visible()
    await stage.reply.fill("it is me")
    await stage.reply.press("Enter")
    mine = stage.thread.locator("article", has_text="it is me")
    await expect(mine).to_be_visible()
    assert stage.slack.thread("energy", root)[-1].user == stage.slack.people["ben"]
    await stage.entry("universal-agent").click()
    await expect(stage.composer).to_have_attribute("aria-label", "Message universal-agent")
    await stage.composer.fill("hello ")
    await stage.act_as("cleo")
    await stage.composer.press_sequentially("from cleo")
    await stage.composer.press("Enter")
    await expect(stage.main.locator("article").first).to_contain_text("Cleo Lind")
    assert stage.slack.posts(stage.slack.dm_id("cleo"))[0].text == "from cleo"
    assert stage.slack.posts(stage.slack.dm_id("ben")) == []
    await stage.act_as("ben")
    await expect(stage.composer).to_have_value("hello ")


async def test_unread_posts_are_counted_until_they_are_looked_at(stage: Stage) -> None:
    await stage.open()
    for number in range(2):
        await stage.slack.say("ben", "energy", f"news {number}")
    await expect(stage.entry("energy")).to_have_accessible_name("energy, 2 unread messages")
    await expect(stage.browser).to_have_title(re.compile(r"^\(2\)"))
    await stage.entry("energy").click()
    await expect(stage.main.get_by_text("New", exact=True)).to_be_visible()
    await expect(stage.entry("energy")).to_have_accessible_name("energy")
    await stage.act_as("cleo")
    await stage.entry("general").click()
    await expect(stage.entry("energy")).to_have_accessible_name("energy")
    await stage.slack.say("ann", "energy", "one more")
    await expect(stage.entry("energy")).to_have_accessible_name("energy, 1 unread message")


async def test_a_report_opens_beside_its_thread_and_runs_no_script(stage: Stage) -> None:
    root = await upload_report(stage)
    await stage.open(f"{stage.channel('general')}/{root}")
    opener = stage.thread.get_by_role("button", name="Open The report")
    await opener.click()
    pane = stage.browser.locator("aside[aria-label='File']")
    frame = pane.locator("iframe")
    await expect(frame).to_have_attribute("sandbox", "")
    await expect(frame.content_frame.locator("#words")).to_have_text("Still here")
    await expect(stage.thread).to_be_visible()
    await stage.browser.keyboard.press("Escape")
    await expect(pane).to_be_hidden()
    await expect(opener).to_be_focused()


async def test_escape_closes_the_panes_in_order_and_the_focus_goes_back(stage: Stage) -> None:
    root = await stage.slack.say("ben", "general", "a root")
    await stage.slack.say("cleo", "general", "a reply", thread_ts=root)
    await stage.open()
    summary = stage.post(root).get_by_role("button", name="1 reply")
    await summary.focus()
    await stage.browser.keyboard.press("Enter")
    await expect(stage.reply).to_be_focused()
    toggle = stage.browser.get_by_role("button", name="API calls", exact=True)
    await toggle.focus()
    await stage.browser.keyboard.press("Enter")
    await expect(stage.calls).to_be_visible()
    await stage.browser.keyboard.press("Escape")
    await expect(stage.calls).to_be_hidden()
    await expect(toggle).to_be_focused()
    await stage.browser.keyboard.press("Escape")
    await expect(stage.thread).to_be_hidden()
    await expect(summary).to_be_focused()


async def test_each_call_is_listed_with_its_time_and_errors_stand_out(stage: Stage) -> None:
    await stage.client.chat_postMessage(channel=stage.channel("general"), text="fine")
    with pytest.raises(Exception, match="not_in_channel"):
        await stage.client.chat_postMessage(channel=stage.channel("random"), text="refused")
    await stage.open()
    await stage.browser.get_by_role("button", name="API calls", exact=True).click()
    calls = stage.calls.get_by_role("listitem")
    fine = calls.filter(has_text="chat.postMessage").first
    await expect(fine).to_contain_text(re.compile(r"\d+ ms\d\d:\d\d:\d\d"))
    await fine.locator("summary").click()
    await expect(fine.get_by_label("Details")).to_contain_text('"text": "fine"')
    await stage.calls.get_by_role("button", name="Failed").click()
    await expect(calls).to_have_count(1)
    await expect(calls).to_contain_text("not_in_channel")


async def test_what_is_sent_before_another_persons_place_is_drawn_goes_there(stage: Stage) -> None:
    await stage.open()
    await stage.entry("universal-agent").click()
    await stage.act_as("ben")
    await expect(stage.browser.get_by_text("Live ·")).to_be_attached()
    await stage.hold_frames()
    await stage.act_as("cleo")
    await stage.composer.press_sequentially("from cleo")
    await stage.snapshot_has_come()
    await stage.composer.press("Enter")
    await stage.release_frames()
    await expect(stage.main.locator("article").first).to_contain_text("Cleo Lind")
    assert stage.slack.posts(stage.slack.dm_id("cleo"))[0].text == "from cleo"


async def test_a_lost_connection_is_said_and_mended(stage: Stage) -> None:
    async with Page(stage.slack, port=OWN_PORT) as stage.site:
        await stage.open()
        await stage.composer.fill("unsent")
        port = int(stage.site.url.rsplit(":", 1)[1].rstrip("/"))
    await expect(stage.browser.get_by_text("The connection to the sandbox is lost")).to_be_visible()
    await stage.composer.press("Enter")
    await expect(stage.alert).to_contain_text("The sandbox could not be reached.")
    async with Page(stage.slack, port=port):
        missed = await stage.slack.say("ben", "general", "while you were away")
        await expect(stage.post(missed)).to_be_visible()
        await expect(stage.browser.get_by_text("Live · 1 bot socket open")).to_be_visible()
        await expect(stage.composer).to_have_value("unsent")
        await stage.browser.goto("about:blank")


async def test_the_quick_switch_goes_where_a_few_letters_say(stage: Stage) -> None:
    await stage.open()
    await stage.browser.keyboard.press("Control+k")
    await expect(stage.browser.get_by_role("combobox", name="Jump to")).to_be_focused()
    await stage.browser.keyboard.type("ener")
    await stage.browser.keyboard.press("Enter")
    await expect(stage.entry("energy")).to_have_attribute("aria-current", "page")
    await expect(stage.composer).to_be_focused()


async def test_f6_goes_round_the_panes(stage: Stage) -> None:
    root = await stage.slack.say("ben", "general", "a root")
    await stage.open(f"{stage.channel('general')}/{root}")
    await stage.reply.focus()
    for target in (stage.entry("general"), stage.composer, stage.reply):
        await stage.browser.keyboard.press("F6")
        await expect(target).to_be_focused()


async def test_the_bot_can_be_brought_into_a_channel(stage: Stage) -> None:
    await stage.open(stage.channel("random"))
    note = stage.main.get_by_text("universal-agent is not in this channel.")
    await expect(note).to_be_visible()
    await stage.main.get_by_role("button", name="Add it").click()
    await expect(note).to_be_hidden()


async def test_a_channel_that_takes_no_posts_says_why(stage: Stage) -> None:
    await stage.open(stage.channel("archived"))
    await expect(stage.main.get_by_text("This channel is archived.")).to_be_visible()
    await expect(stage.composer).to_be_hidden()
    await stage.act_as("ben")
    await stage.entry("announcements").click()
    await expect(stage.main.get_by_text("Only Ann Arbor may post here.")).to_be_visible()
    await expect(stage.composer).to_be_hidden()


async def test_a_phone_shows_one_pane_at_a_time(stage: Stage) -> None:
    root = await upload_report(stage)
    await stage.browser.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    await stage.open()
    await expect(stage.main).to_be_visible()
    await expect(stage.nav).to_be_hidden()
    await stage.post(root).get_by_role("button", name="1 reply").click()
    await expect(stage.thread).to_be_visible()
    await expect(stage.main).to_be_hidden()
    await stage.thread.get_by_role("button", name="Open The report").click()
    pane = stage.browser.locator("aside[aria-label='File']")
    await expect(stage.thread).to_be_hidden()
    await pane.get_by_role("button", name="Back").click()
    await stage.thread.get_by_role("button", name="Back").click()
    await stage.main.get_by_role("button", name="Back to channels").click()
    await expect(stage.main).to_be_hidden()
    await expect(stage.entry("general")).to_be_focused()
    await stage.entry("energy").click()
    await expect(stage.composer).to_have_attribute("aria-label", "Message #energy")
    await expect(stage.main.get_by_role("button", name="Back to channels")).to_be_focused()
    width = await stage.browser.evaluate("() => document.documentElement.scrollWidth")
    assert width == PHONE["width"]


async def test_the_theme_is_switched_and_remembered(stage: Stage) -> None:
    root = stage.browser.locator("html")
    await stage.open()
    await expect(root).to_have_attribute("data-theme", "light")
    await stage.browser.get_by_role("button", name="Switch to dark theme").click()
    await stage.browser.reload()
    await expect(root).to_have_attribute("data-theme", "dark")


async def test_a_channel_is_found_again_where_it_was_left(stage: Stage) -> None:
    for number in range(60):
        await stage.slack.say("ben", "general", f"line {number}")
    await stage.open()
    early = stage.main.get_by_text("line 5", exact=True)
    await early.scroll_into_view_if_needed()
    await stage.entry("energy").click()
    await expect(early).to_have_count(0)
    await stage.entry("general").click()
    await expect(early).to_be_in_viewport()


async def test_an_empty_channel_says_what_to_ask_and_puts_it_into_the_composer(
    stage: Stage,
) -> None:
    await stage.open(stage.channel("general"))
    tip = stage.main.get_by_text("Try: @universal-agent Write a comprehensive report on")
    await expect(tip).to_be_visible()
    await stage.main.get_by_role("button", name="Use this").click()
    await expect(stage.composer).to_be_focused()
    await expect(stage.composer).to_have_value(re.compile(r"^@universal-agent Write a compre"))
    await stage.composer.press("Enter")
    await expect(stage.main.locator("article")).to_have_count(1)
    await expect(tip).to_be_hidden()
    assert stage.slack.posts("general")[0].text.startswith(f"{stage.slack.mention} Write")


async def test_a_direct_channel_suggests_no_mention(stage: Stage) -> None:
    await stage.open()
    await stage.entry("universal-agent").click()
    await stage.browser.get_by_role("tab", name="Messages").click()
    await expect(stage.composer).to_be_visible()
    await expect(stage.main.get_by_text("Try: @")).to_be_hidden()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.txt", "plain words"),
        ("notes.md", "# Heading"),
        ("prices.csv", "tea,3"),
        ("facts.json", '{"tea": 3}'),
        ("run.log", "12:00 started"),
    ],
)
async def test_a_text_file_opens_beside_its_thread(stage: Stage, name: str, content: str) -> None:
    root = await stage.slack.say(
        "ben", "general", "look", files=[(name, f"{content} & <b>é</b>".encode(), None)]
    )
    await stage.slack.say("cleo", "general", "I did", thread_ts=root)
    await stage.open(f"{stage.channel('general')}/{root}")
    await stage.thread.get_by_role("button", name=f"Open {name}").click()
    pane = stage.browser.locator("aside[aria-label='File']")
    await expect(pane.locator("pre")).to_have_text(f"{content} & <b>é</b>")
    await expect(stage.thread).to_be_visible()


async def test_with_a_file_open_at_1280_pixels_the_api_calls_can_be_opened(stage: Stage) -> None:
    await stage.browser.set_viewport_size({"width": 1280, "height": 800})
    root = await stage.slack.say("ben", "general", "look", files=[("a.txt", b"words", None)])
    await stage.open(f"{stage.channel('general')}/{root}")
    await stage.thread.get_by_role("button", name="Open a.txt").click()
    pane = stage.browser.locator("aside[aria-label='File']")
    await expect(pane).to_be_visible()
    toggle = stage.browser.get_by_role("button", name="API calls", exact=True)
    await toggle.click()
    await expect(stage.calls).to_be_in_viewport(ratio=0.9)
    await expect(pane).to_be_in_viewport(ratio=0.9)
    await toggle.click()
    await expect(stage.calls).to_be_hidden()
    await expect(stage.thread).to_be_visible()
