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


async def test_a_stop_in_one_thread_calls_nothing_off_in_another(world: World) -> None:
    world.files.may_go_on.clear()
    await world.say("ann", "general", f"{world.mention} read this", files=LOG)
    await world.files.asked.wait()
    await world.say("ann", "general", f"{world.mention} stop")
    async with asyncio.timeout(10):
        await world.front.got_one.wait()
    world.files.may_go_on.set()
    await world.settle()

    assert world.front.texts == ["stop", "read this"]


async def test_who_may_not_use_the_bot_calls_nothing_off(world: World) -> None:
    world.files.may_go_on.clear()
    ts = await world.say("ann", "general", f"{world.mention} read this", files=LOG)
    await world.files.asked.wait()
    await world.say("guest", "general", f"{world.mention} stop", thread_ts=ts)
    await world.slack.wait_for(lambda _: world.told("guest"))
    world.files.may_go_on.set()
    await world.settle()

    assert world.front.texts == ["read this"]
