"""The word "stop" waits for nothing."""

import asyncio

import pytest

from bot.slack_api import Op
from tests.bot.ingress.world import World, thread_at

LOG = [("a.log", b"12345", "text/plain")]


@pytest.mark.proves("stop.passes")
async def test_a_stop_passes_a_post_that_is_still_handed_over_and_calls_it_off(
    world: World,
) -> None:
    world.files.may_go_on.clear()
    ts = await world.say("ann", "general", f"{world.mention} read this", files=LOG)
    await world.files.asked.wait()
    await world.say("ann", "general", "stop", thread_ts=ts)
    async with asyncio.timeout(10):
        await world.front.got_one.wait()
    assert world.front.texts == ["stop"]

    world.files.may_go_on.set()
    await world.settle()
    assert world.front.texts == ["stop"]
    assert world.ledger.unfinished == set()


@pytest.mark.proves("stop.passes")
async def test_what_a_stop_calls_off_while_the_agent_takes_it_is_not_called_deleted(
    world: World,
) -> None:
    world.front.slow = "read this"
    ts = await world.say("ann", "general", f"{world.mention} read this")
    await world.front.took_slow.wait()
    await world.say("ben", "general", "stop", thread_ts=ts)
    async with asyncio.timeout(10):
        await world.front.got_one.wait()
    world.front.may_take_slow.set()
    await world.settle()

    assert world.front.called_off == {"read this": "Ben Nevis"}
    assert world.front.withdrawn == []
    assert world.ledger.unfinished == set()


async def test_what_is_said_after_a_stop_is_not_called_off(world: World) -> None:
    world.files.may_go_on.clear()
    ts = await world.say("ann", dm=True, text="read this", files=LOG)
    await world.files.asked.wait()
    await world.say("ann", dm=True, text="Stop!", thread_ts=ts)
    await world.say("ann", dm=True, text="read that", thread_ts=ts)
    async with asyncio.timeout(10):
        await world.front.got_one.wait()
    world.files.may_go_on.set()
    await world.settle()

    assert world.front.texts == ["Stop!", "read that"]


@pytest.mark.parametrize("works_in_channel", [True, False])
async def test_a_stop_at_the_top_of_a_direct_conversation_stops_it_all_and_is_silent_if_it_did(
    world: World, works_in_channel: bool
) -> None:
    world.front.works_in_channel = works_in_channel
    order = await world.say("ann", dm=True, text="please stop")
    await world.settle()

    direct = world.slack.dm_id("ann")
    assert world.front.stopped == [f"{direct} before {order} by Ann Arbor"]
    assert world.front.texts == ([] if works_in_channel else ["please stop"])
    assert world.ledger.unfinished == set()


async def test_any_other_stop_is_for_its_thread_alone(world: World) -> None:
    root = await world.say("ann", dm=True, text="read this")
    await world.say("ann", dm=True, text="stop", thread_ts=root)
    await world.say("ann", dm=True, text="stop talking about bridges")
    await world.say("ann", "general", f"{world.mention} stop")
    await world.settle()

    assert world.front.stopped == []
    assert len(world.front.texts) == 4


async def test_who_may_not_use_the_bot_calls_nothing_off(world: World) -> None:
    world.files.may_go_on.clear()
    ts = await world.say("ann", "general", f"{world.mention} read this", files=LOG)
    await world.files.asked.wait()
    await world.say("guest", "general", f"{world.mention} stop", thread_ts=ts)
    await world.slack.wait_for(lambda _: world.told("guest"))
    world.files.may_go_on.set()
    await world.settle()

    assert world.front.texts == ["read this"]


async def came(world: World, event_type: str, count: int) -> None:
    """Wait until so many events of a type came and were handled."""
    await world.slack.wait_for(
        lambda slack: (
            [one.event_type for one in slack.deliveries].count(event_type) == count
            and all(one.acked_at_s is not None for one in slack.deliveries)
        )
    )
    await world.handled()


@pytest.mark.proves("manners.cross")
async def test_a_cross_on_the_askers_or_the_bots_post_stops_the_thread_once(world: World) -> None:
    ts = await world.say("ann", "general", f"{world.mention} read this")
    await world.settle()
    answer = await world.api.post(thread_at(world, ts), "On it", op=Op("op1"))
    await world.slack.react("ann", "general", ts, "x")
    await world.settle("reaction_added")
    await world.redeliver()
    await world.slack.react("ben", "general", answer.ts, "x")
    await came(world, "reaction_added", 3)

    session = thread_at(world, ts).session
    assert world.front.stopped == [f"{session} by Ann Arbor", f"{session} by Ben Nevis"]
    assert world.front.texts == ["read this"]
    assert world.ledger.unfinished == set()


async def test_no_other_reaction_and_no_other_post_stops_anything(world: World) -> None:
    ts = await world.say("ann", "general", f"{world.mention} read this")
    other = await world.say("ben", "general", "no way", thread_ts=ts)
    await world.settle()
    await world.api.post(thread_at(world, ts), "On it", op=Op("op1"))
    for user, post, name in [
        ("ann", ts, "eyes"),
        ("ben", ts, "x"),
        ("ben", other, "x"),
        ("guest", ts, "x"),
    ]:
        await world.slack.react(user, "general", post, name)
    await came(world, "reaction_added", 4)

    assert world.front.stopped == []
    assert world.ledger.unfinished == set()
