"""The word "stop" waits for nothing."""

import asyncio

import pytest

from tests.bot.ingress.world import World

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

    assert world.front.called_off == {"read this": "ben"}
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
    assert world.front.stopped == [f"{direct} before {order} by ann"]
    assert world.front.texts == ([] if works_in_channel else ["please stop"])
    assert world.ledger.unfinished == set()


async def test_a_stop_at_the_top_of_a_direct_conversation_calls_off_what_was_said_there(
    world: World,
) -> None:
    world.files.may_go_on.clear()
    await world.say("ann", dm=True, text="read this", files=LOG)
    await world.files.asked.wait()
    await world.say("ann", dm=True, text="stop")
    async with asyncio.timeout(10):
        await world.front.got_one.wait()
    world.files.may_go_on.set()
    await world.settle()

    assert world.front.texts == ["stop"]


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
