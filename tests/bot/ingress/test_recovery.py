"""What was recorded and not handed over is not lost."""

import asyncio
from dataclasses import replace

import pytest

from bot.ingress.ingress import TRIES
from bot.words import BOT
from tests.bot.ingress.world import World, body_key, forgetful_ingress, recorded_mention, replay_all


async def test_a_recorded_payload_waits_while_slack_is_away(world: World) -> None:
    await world.say("ann", "general", f"{world.mention} hi")
    await world.settle()
    (body,) = world.ledger.bodies
    world.ledger.settled.clear()
    world.slack.fail("users.info", error="invalid_auth", times=TRIES)
    later = forgetful_ingress(world)

    await later.replay(body)
    assert world.ledger.settled == []
    assert later.in_vain == {body_key(body)}
    await later.replay(body)
    assert len(world.ledger.settled) == 1






@pytest.mark.proves("ledger.told_once")
async def test_a_hand_over_that_keeps_failing_waits_and_the_asker_is_told_once(
    world: World,
) -> None:
    ingress, arrival = await recorded_mention(world)
    (body,) = world.ledger.bodies
    world.front.failures = 100
    await ingress.hand_over(arrival)
    await ingress.replay(body)
    await forgetful_ingress(world).replay(body)

    assert world.front.messages == []
    assert world.ledger.settled == []
    assert world.bot_texts(arrival) == [BOT.say("en", "ingress-parked")]

    world.front.failures = 0
    await forgetful_ingress(world).replay(body)
    assert world.front.texts == ["hi"]


async def test_one_bad_payload_does_not_hold_up_the_others(world: World) -> None:
    _, arrival = await recorded_mention(world)
    (body,) = world.ledger.bodies
    no_calendar_has_this = "9999999999999999.000001"
    bad = {**body, "event": {**body["event"], "ts": no_calendar_has_this}}

    await replay_all(forgetful_ingress(world), [bad, body])

    assert world.front.texts == ["hi"]
    assert world.ledger.settled == [arrival.told.key]


async def test_a_post_stays_behind_what_an_earlier_process_left_of_its_thread(
    world: World,
) -> None:
    ingress, arrival = await recorded_mention(world, files=[("a.log", b"12345", "text/plain")])
    world.files.may_go_on.clear()
    assert arrival.post is not None
    later = replace(arrival.post, ts="1999999999.000001", wire_text="later", files=())
    async with asyncio.TaskGroup() as group:
        group.create_task(replay_all(ingress, world.ledger.bodies))
        await world.files.asked.wait()
        group.create_task(ingress.hand_over(replace(arrival, told=later)))
        await world.slack.wait_for(lambda _: "eyes" in world.signs_shown())
        world.files.may_go_on.set()

    assert world.front.texts == ["hi", "later"]
