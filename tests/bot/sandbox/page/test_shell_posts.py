"""The message list: what arrives, what stays where it is, how posts are marked."""

import pytest
from playwright.async_api import expect

from tests.bot.sandbox.page.stage import Stage

pytest_plugins = ("tests.bot.sandbox.page.staging",)
pytestmark = pytest.mark.asyncio(loop_scope="module")

LOG = "main [role=log]"
FROM_BOTTOM = f"""() => {{
    const log = document.querySelector("{LOG}");
    return log.scrollHeight - log.scrollTop - log.clientHeight;
}}"""
ASK = {
    "type": "input",
    "block_id": "why",
    "label": {"type": "plain_text", "text": "Why?"},
    "element": {"type": "plain_text_input", "action_id": "why_in"},
}


async def fill_general(stage: Stage, count: int) -> None:
    for number in range(count):
        await stage.slack.say("ben", "general", f"line {number}")


async def test_a_new_post_is_seen_at_once_by_a_reader_at_the_bottom(stage: Stage) -> None:
    await fill_general(stage, 40)
    await stage.open()
    ts = await stage.slack.say("ben", "general", "the newest")
    await expect(stage.post(ts)).to_be_in_viewport()
    assert await stage.browser.evaluate(FROM_BOTTOM) < 2


async def test_a_reader_who_scrolled_up_stays_there_and_is_offered_the_way_down(
    stage: Stage,
) -> None:
    await fill_general(stage, 60)
    await stage.open()
    first = stage.main.get_by_text("line 5", exact=True)
    await first.scroll_into_view_if_needed()
    await expect(first).to_be_in_viewport()
    ts = await stage.slack.say("ben", "general", "the newest")
    down = stage.browser.get_by_role("button", name="New messages")
    await expect(down).to_be_visible()
    await expect(first).to_be_in_viewport()
    await down.click()
    await expect(stage.post(ts)).to_be_in_viewport()
    await expect(down).to_be_hidden()


async def test_among_five_hundred_posts_a_new_one_is_the_only_one_drawn(stage: Stage) -> None:
    await fill_general(stage, 500)
    await stage.open()
    await expect(stage.main.locator("article")).to_have_count(500)
    await stage.count_new_nodes()
    ts = await stage.slack.say("ben", "general", "one more")
    await expect(stage.post(ts)).to_be_visible()
    assert await stage.new_posts() == [ts]


async def test_what_was_half_typed_into_a_post_survives_changes_of_others(stage: Stage) -> None:
    other = await stage.slack.say("ben", "general", "before")
    answer = await stage.client.chat_postMessage(
        channel=stage.channel("general"), text="Why?", blocks=[ASK]
    )
    await stage.open()
    asking = stage.post(answer["ts"])
    await asking.get_by_label("Why?").fill("half a thou")
    await stage.slack.edit("ben", "general", other, "after")
    await stage.slack.react("ben", "general", answer["ts"], "eyes")
    await expect(stage.post(other)).to_contain_text("after")
    await expect(asking.get_by_role("button", name="1 eyes: ben")).to_be_visible()
    await expect(asking.get_by_label("Why?")).to_have_value("half a thou")
    await expect(asking.get_by_label("Why?")).to_be_focused()


async def test_posts_of_one_author_in_a_row_show_the_name_once(stage: Stage) -> None:
    first = await stage.slack.say("ben", "general", "one")
    second = await stage.slack.say("ben", "general", "two")
    third = await stage.slack.say("cleo", "general", "three")
    await stage.open()
    await expect(stage.main.get_by_text("Today", exact=True)).to_be_visible()
    await expect(stage.post(first).get_by_role("button", name="Ben Nevis")).to_be_visible()
    await expect(stage.post(second)).to_contain_text("two")
    await expect(stage.post(second).get_by_role("button", name="Ben Nevis")).to_have_count(0)
    await expect(stage.post(third).get_by_role("button", name="Cleo Lind")).to_be_visible()


async def test_edited_deleted_and_private_posts_say_so(stage: Stage) -> None:
    edited = await stage.slack.say("ben", "general", "draft")
    root = await stage.slack.say("ben", "general", "to be deleted")
    await stage.slack.say("cleo", "general", "too late", thread_ts=root)
    gone = await stage.slack.say("cleo", "general", "without a trace")
    await stage.open()
    await expect(stage.post(gone)).to_be_visible()
    await stage.slack.edit("ben", "general", edited, "final")
    await stage.slack.delete("general", root)
    await stage.slack.delete("general", gone)
    await stage.client.chat_postEphemeral(
        channel=stage.channel("general"), user=stage.slack.people["ann"], text="psst"
    )
    await expect(stage.post(edited)).to_contain_text("final")
    await expect(stage.post(edited)).to_contain_text("(edited)")
    await expect(stage.post(root)).to_contain_text("This message was deleted.")
    await expect(stage.post(root).get_by_role("button", name="1 reply")).to_be_visible()
    await expect(stage.post(gone)).to_have_count(0)
    private = stage.main.locator("article", has_text="psst")
    await expect(private).to_contain_text("Only visible to you")
    await stage.act_as("ben")
    await expect(private).to_have_count(0)


async def test_a_thread_is_summed_up_below_its_root_and_opens_beside(stage: Stage) -> None:
    root = await stage.slack.say("ann", "general", "a question")
    await stage.open()
    replies = [
        await stage.slack.say("ben", "general", f"answer {number}", thread_ts=root)
        for number in range(3)
    ]
    loud = await stage.slack.say("cleo", "general", "for all", thread_ts=root, reply_broadcast=True)
    summary = stage.post(root).get_by_role("button", name="4 replies")
    await expect(summary).to_contain_text("New: last reply just now")
    await expect(stage.post(replies[0])).to_have_count(0)
    await expect(stage.post(loud)).to_contain_text("Replied to a thread: a question")
    await summary.click()
    await expect(stage.reply_post(replies[2])).to_be_visible()
    await expect(stage.reply_post(loud)).to_contain_text("Also sent to #general")
    await expect(stage.reply).to_be_focused()
    await expect(summary).to_contain_text("Last reply just now")


async def test_a_very_long_post_is_folded_until_it_is_asked_for(stage: Stage) -> None:
    ts = await stage.slack.say("ben", "general", "word " * 7_999 + "end")
    await stage.open()
    more = stage.post(ts).get_by_role("button", name="Show more")
    await expect(more).to_have_attribute("aria-expanded", "false")
    folded = await stage.post(ts).bounding_box()
    assert folded is not None
    assert folded["height"] < 500
    await more.click()
    await expect(stage.post(ts).get_by_role("button", name="Show less")).to_be_visible()
    opened = await stage.post(ts).bounding_box()
    assert opened is not None
    assert opened["height"] > 2_000


async def test_a_new_post_is_told_to_screen_readers_with_author_and_place(stage: Stage) -> None:
    await stage.open()
    await stage.slack.say("ben", "energy", "the grid is up")
    told = stage.browser.locator("[aria-live=polite]", has_text="the grid is up")
    await expect(told).to_have_text("Ben Nevis in #energy: the grid is up")


async def test_arrows_move_from_post_to_post(stage: Stage) -> None:
    first = await stage.slack.say("ben", "general", "one")
    second = await stage.slack.say("cleo", "general", "two")
    await stage.open()
    await expect(stage.post(second)).to_be_visible()
    await stage.browser.locator(LOG).focus()
    await stage.browser.keyboard.press("ArrowUp")
    await expect(stage.post(second)).to_be_focused()
    await stage.browser.keyboard.press("ArrowUp")
    await expect(stage.post(first)).to_be_focused()
