"""What was recorded and not handled is taken up again while the bot runs."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from bot.ingress import TakingUp
from bot.slack_api import SystemClock
from bot.words import BOT
from tests.bot.ingress.world import World, recorded_mention

SOON_S = 0.02


@asynccontextmanager
async def running(taking_up: TakingUp) -> AsyncGenerator[None]:
    await taking_up.start()
    try:
        yield
    finally:
        await taking_up.close()


async def until_handed_over(world: World) -> None:
    async with asyncio.timeout(10):
        await world.front.got_one.wait()


@pytest.mark.proves("ledger.taken_up")
async def test_a_handling_that_failed_is_taken_up_again_without_a_restart(world: World) -> None:
    ingress, arrival = await recorded_mention(world)
    world.front.got_one.clear()
    world.front.failures = 7
    await ingress.hand_over(arrival)
    assert world.front.messages == []
    assert world.bot_texts(arrival) == [BOT.say("en", "ingress-parked")]

    async with running(TakingUp(world.ledger, ingress, clock=SystemClock(), every_s=SOON_S)):
        await until_handed_over(world)
    assert world.front.texts == ["hi"]
    assert world.bot_texts(arrival) == [BOT.say("en", "ingress-parked")]
    assert ingress.in_vain == set()




@pytest.mark.proves("ledger.taken_up")
async def test_what_a_dead_process_left_is_there_before_the_first_post(world: World) -> None:
    ingress, arrival = await recorded_mention(world, files=[("a.log", b"12345", "text/plain")])
    await world.ledger.release(arrival.told.key)
    async with running(TakingUp(world.ledger, ingress, clock=SystemClock())):
        later = {**arrival.body["event"], "ts": "1999999999.000001", "text": f"{world.mention} 2"}
        later |= {"thread_ts": arrival.body["event"]["ts"], "client_msg_id": "m2", "files": []}
        second = await ingress.receive({**arrival.body, "event": later})
        assert second is not None
        await ingress.hand_over(second)

    assert world.front.texts == ["hi", "2"]


async def test_a_ledger_that_cannot_be_asked_is_asked_again(world: World) -> None:
    ingress, arrival = await recorded_mention(world)
    world.front.got_one.clear()
    async with running(TakingUp(world.ledger, ingress, clock=SystemClock(), every_s=SOON_S)):
        await world.ledger.release(arrival.told.key)
        world.ledger.look_failures = 3
        await until_handed_over(world)

    assert world.front.texts == ["hi"]


