"""Who is answered, where, and with what the thread already holds."""

import asyncio
from pathlib import Path

import pytest

from agent_core.events import RouteChosen
from bot.sandbox.model import Text
from tests.e2e.world import World

pytestmark = pytest.mark.asyncio(loop_scope="module")

SIMPLE = Text(text="SIMPLE")
"""Fits the classifier and, being said by both, is the fast answer too."""


async def test_a_direct_message_is_answered_in_its_own_thread(world: World) -> None:
    world.model.play(SIMPLE, times=2)
    ts = await world.slack.say("ann", text="Hello, are you there?", dm=True)
    place = world.slack.dm_id("ann")
    await world.answered(ts, channel=place)
    assert world.answers(ts, channel=place) == ["SIMPLE"]


async def test_a_reply_in_a_thread_that_began_with_a_mention_needs_none(world: World) -> None:
    root = await world.ask_simply("What is a thread?")
    world.model.play(SIMPLE, times=2)
    reply = await world.slack.say("ann", "general", "And a channel?", thread_ts=root)
    await world.answered(reply)
    assert world.answers(root) == ["SIMPLE", "SIMPLE"]


async def test_a_reply_that_mentions_someone_else_is_left_alone(world: World) -> None:
    root = await world.ask_simply("What is a thread?")
    ben = f"<@{world.slack.people['ben']}>"
    await world.slack.say("ann", "general", f"{ben} what do you think?", thread_ts=root)
    await world.nothing_more_happens()
    assert world.answers(root) == ["SIMPLE"]


async def test_a_thread_of_people_is_answered_only_when_mentioned(world: World) -> None:
    root = await world.slack.say("ann", "general", "Lunch is on *Thursday* at the Blue Door")
    await world.slack.say("ben", "general", "I cannot come before one", thread_ts=root)
    await world.nothing_more_happens()
    assert world.answers(root) == []
    assert not await world.runtime.knows(world.session_id(root))

    world.model.play(Text(text="Thursday at one, at the Blue Door."))
    asked = await world.mention("go ahead", user="cleo", thread_ts=root)
    await world.answered(asked)
    seen = world.words_seen_by_the_model()
    assert "Ann" in seen
    assert "Lunch is on" in seen
    assert "Ben" in seen
    assert "I cannot come before one" in seen
    assert "never an instruction" in seen

    await world.slack.say("ann", "general", "Good, see you then", thread_ts=root)
    await world.nothing_more_happens()
    assert world.answers(root) == ["Thursday at one, at the Blue Door."]


async def test_mention_and_message_of_one_post_are_one_turn(world: World) -> None:
    calls = len(world.model.calls)
    root = await world.ask_simply("What is one?")
    await world.nothing_more_happens()
    types = [d.event_type for d in world.slack.deliveries if d.payload["event"].get("ts") == root]
    assert sorted(map(str, types)) == ["app_mention", "message"]
    assert world.answers(root) == ["SIMPLE"]
    assert len(world.model.calls) == calls + 2 + world.calls_of_nothing


async def test_the_same_event_delivered_again_is_one_turn(world: World) -> None:
    root = await world.ask_simply("What is twice?")
    for attempt, reason in ((1, "timeout"), (2, "http_error")):
        again = await world.slack.redeliver(attempt=attempt, reason=reason)
        assert again.acked_at_s is not None
    await world.nothing_more_happens()
    assert world.answers(root) == ["SIMPLE"]


@pytest.mark.parametrize("author", ["robot", "guest"])
async def test_other_bots_and_guests_are_not_worked_for(world: World, author: str) -> None:
    ts = await world.mention("What is this?", user=author)
    await world.nothing_more_happens()
    assert world.answers(ts) == []
    assert not await world.runtime.knows(world.session_id(ts))


async def test_a_stranger_in_a_shared_channel_is_not_worked_for(world: World) -> None:
    ts = await world.mention("What is this?", user="stranger", channel="shared")
    await world.nothing_more_happens()
    assert world.answers(ts, channel="shared") == []
    assert not await world.runtime.knows(world.session_id(ts, "shared"))


async def test_an_attached_file_reaches_the_workspace_and_the_loop(world: World) -> None:
    world.model.play(Text(text="Two lines."))
    content = "first line\nsecond line — ü\n".encode()
    files = [("notes of May.txt", content, "text/plain")]
    ts = await world.mention("What is in it?", files=files)
    turn = await world.answered(ts)
    [attachment] = turn.inbound.attachments
    workspace = await world.workspace(ts)
    assert (workspace / attachment.path).read_bytes() == content
    assert attachment.path in world.words_seen_by_the_model()
    [route] = [e for e in await world.events(ts) if isinstance(e, RouteChosen)]
    assert route.route == "COMPLEX"


async def test_two_people_in_one_thread_share_its_history(world: World) -> None:
    world.model.play(Text(text="The blue one is taller."), Text(text=""))
    root = await world.ask("continue comparing the towers")
    world.model.play(Text(text="By four metres."))
    reply = await world.slack.say("ben", "general", "continue: by how much?", thread_ts=root)
    turn = await world.answered(reply)
    assert turn.inbound.author_name.startswith("Ben")
    seen = world.words_seen_by_the_model()
    assert "continue comparing the towers" in seen
    assert "The blue one is taller." in seen
    assert world.answers(root) == ["The blue one is taller.", "By four metres."]


async def test_two_threads_at_once_do_not_mix(world: World) -> None:
    calls = len(world.model.calls)
    topics = {"batteries": "ann", "heat pumps": "ben"}
    asked = [
        await world.mention(f"Find out what pages say about {topic}", user=user)
        for topic, user in topics.items()
    ]
    async with asyncio.TaskGroup() as group:
        for ts in asked:
            group.create_task(world.answered(ts))
    bodies = [str(call.body) for call in world.model.calls[calls:]]
    assert all(("batteries" in body) != ("heat pumps" in body) for body in bodies)
    [first], [second] = (world.answers(ts) for ts in asked)
    assert "gridwatch" in first
    assert "gridwatch" not in second
    assert "warmhouse" in second
    assert "warmhouse" not in first
    assert await world.workspace(asked[0]) != await world.workspace(asked[1])
    assert isinstance(await world.workspace(asked[0]), Path)
