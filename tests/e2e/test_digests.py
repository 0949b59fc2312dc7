"""Digests as a channel gets them: what is posted, what is in the thread, and what is new."""

import json
import re

import pytest

from agent_core.schedules.schedule import Schedule
from bot.sandbox.slack import Post
from tests.e2e.digests import ORDER, Office, digest_answer, office, shared_office
from tests.e2e.world import PROGRESS, SIMPLE_ANSWER

__all__ = ["office", "shared_office"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

GRID = "Grids grew by half (2026-03-20)"
FLOW = "Flow cells [are cheaper](http://news.gridwatch.test/b) (2026-03-21)"
SALT = "Salt lasts longer (2026-03-28)"
NOTHING = digest_answer(title="Nothing happened", details="")
MAX_LINES = 9
"""A headline, five lines, what is new, a note, and the foot."""


@pytest.mark.proves("digest.root", "digest.alone")
async def test_a_digest_is_one_short_post_with_links_and_a_thread_with_the_report(
    office: Office,
) -> None:
    schedule, before = await office.order(), len(office.world.slack.posts("energy"))
    [root] = await run(office, schedule)
    assert len(root.text.splitlines()) <= MAX_LINES
    assert f"Digest {schedule.number} · every weekday at 09:00" in root.text
    thread = replies(office, root)
    [report] = [file for post in thread for file in post.files]
    assert report.name.endswith(".html")
    assert any(post.words for post in thread if post.files)
    posts = office.world.slack.posts("energy")[before:]
    assert {post.root_ts for post in posts} == {root.ts}
    assert [post.text for post in posts if post.text.startswith(PROGRESS)] == []
    assert [post.reactions for post in posts if post.reactions] == []
    energy = office.world.slack.channels["energy"]
    shown = [call.method for call in office.world.slack.calls if energy in str(call.args)]
    assert [name for name in shown if name.startswith(("reactions.", "assistant."))] == []


@pytest.mark.proves("digest.alone", "digest.material")
async def test_a_run_cannot_ask_people_or_change_schedules_and_is_given_what_was_told_before(
    office: Office,
) -> None:
    schedule = await office.order()
    await run(office, schedule, GRID)
    await run(office, schedule, FLOW)
    request = office.world.requests_with("Told in earlier digests")[-1]
    material = str(request["messages"])
    assert "Grids grew by half (2026-03-20)" in material
    assert "never an instruction" in material
    assert "Grids grew by half" not in str(request["system"])
    tools = json.dumps([tool["name"] for tool in request["tools"]])
    assert "crawl" in tools
    assert "ask_user" not in tools
    assert "publish_digest" in tools
    assert "read_order" not in tools
    assert "schedule" not in tools


@pytest.mark.proves("digest.reply")
async def test_a_reply_without_a_mention_goes_on_with_what_was_told(office: Office) -> None:
    schedule = await office.order()
    [root] = await run(office, schedule, GRID, FLOW)
    world = office.world
    world.play_simple()
    question = "And which of them is cheaper?"
    reply = await world.slack.say("ben", "energy", question, thread_ts=root.ts)
    await world.answered(reply, channel="energy")
    assert world.answers(root.ts, channel="energy")[-1] == SIMPLE_ANSWER
    asked = [str(request["messages"]) for request in world.requests_with(question)]
    assert asked
    assert all("Flow cells" in messages for messages in asked)


@pytest.mark.proves("digest.since")
async def test_what_is_new_since_the_digest_before_is_stated(office: Office) -> None:
    schedule = await office.order()
    [first] = await run(office, schedule, GRID, FLOW)
    [same] = await run(office, schedule, FLOW, GRID)
    [more] = await run(office, schedule, GRID, SALT, FLOW)
    assert "_First edition._" in first.text
    assert "*new*" not in first.text + same.text
    assert "_Nothing new since " in same.text
    lines = more.text.splitlines()
    assert lines[1].startswith("• *new* Salt ")
    assert more.text.count("*new*") == 1
    assert any(line.startswith("_New since ") and line.endswith(": 1 of 3._") for line in lines)


@pytest.mark.proves("digest.only_new")
async def test_only_when_there_is_something_new_nothing_is_posted_without(office: Office) -> None:
    schedule = await office.order(f"{ORDER}, only when there is something new")
    counts = [
        len(await run(office, schedule, *lines)) for lines in ((GRID,), (GRID,), (), (GRID, SALT))
    ]
    assert counts == [1, 0, 0, 1]
    states = [slot.state for slot in await office.slots(schedule)]
    assert states == ["posted", "nothing_new", "nothing_new", "posted"]


@pytest.mark.proves("digest.only_new")
async def test_by_choice_one_line_says_that_there_is_nothing_new(office: Office) -> None:
    proposal = await office.say(ORDER)
    await office.press(proposal, "change")
    assert await office.fill_in(await office.form(), {"news": "say_so"}) == {}
    await office.world.slack.wait_for(
        lambda slack: "in one line" in slack.find(proposal.channel, proposal.ts).text
    )
    await office.press(proposal, "confirm")
    await office.decided(proposal)
    [schedule] = await office.schedules()
    [_] = await run(office, schedule, GRID)
    [same] = await run(office, schedule, GRID)
    assert re.fullmatch(r"\*battery storage\* · _Nothing new since .*_", same.text)
    assert replies(office, same) == []


async def run(office: Office, schedule: Schedule, *lines: str) -> list[Post]:
    """Let the next slot pass; what the bot posted into the channel meanwhile.

    The model answers with these lines; without any and at the first run it works by itself, and
    later it finds nothing.
    """
    already = len(office.roots())
    if lines:
        office.world.model.play(digest_answer(*lines))
    elif await office.slots(schedule):
        office.world.model.play(NOTHING)
    await office.go_to_slot(schedule)
    return office.roots()[already:]


def replies(office: Office, root: Post) -> list[Post]:
    thread = office.world.slack.thread(root.channel, root.ts)
    return [post for post in thread if post.is_reply]
