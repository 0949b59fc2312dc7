"""What was recorded and not handed over is not lost."""

import asyncio
from dataclasses import replace

from bot.ingress.ingress import RETRY_WAITS_S
from bot.ingress.words import WORDS
from tests.bot.ingress.restarted import admitted_mention, forgetful_ingress
from tests.bot.ingress.world import World


async def test_a_recorded_payload_is_handled_after_a_restart(world: World) -> None:
    await world.say("ann", "general", f"{world.mention} hi")
    await world.settle()
    (body,) = world.ledger.bodies
    world.front.messages.clear()

    assert await world.ingress.replay(body)

    assert world.front.texts == ["hi"]


async def test_a_recorded_payload_waits_while_slack_is_away(world: World) -> None:
    await world.say("ann", "general", f"{world.mention} hi")
    await world.settle()
    (body,) = world.ledger.bodies
    world.ledger.settled.clear()
    world.slack.fail("users.info", error="invalid_auth", times=len(RETRY_WAITS_S) + 1)
    later = forgetful_ingress(world)

    assert not await later.replay(body)
    assert world.ledger.settled == []
    assert await later.replay(body)
    assert len(world.ledger.settled) == 1


async def test_a_recorded_payload_of_somebody_who_may_not_any_more_is_settled(
    world: World,
) -> None:
    await world.say("ann", "general", f"{world.mention} hi")
    await world.settle()
    (body,) = world.ledger.bodies
    world.front.messages.clear()
    world.ledger.settled.clear()

    assert await forgetful_ingress(world, users=frozenset[str]()).replay(body)
    assert world.front.messages == []
    assert len(world.ledger.settled) == 1


async def test_a_hand_over_that_fails_is_tried_again(world: World) -> None:
    ingress, admitted = await admitted_mention(world)
    world.front.failures = 3
    await ingress.hand_over(admitted)

    assert world.front.texts == ["hi"]
    assert len(world.ledger.settled) == 1
    assert world.bot_texts(admitted) == []


async def test_a_hand_over_that_keeps_failing_waits_and_the_asker_is_told_once(
    world: World,
) -> None:
    ingress, admitted = await admitted_mention(world)
    (body,) = world.ledger.bodies
    world.front.failures = 100
    await ingress.hand_over(admitted)
    assert not await forgetful_ingress(world).replay(body)

    assert world.front.messages == []
    assert world.ledger.settled == []
    assert world.bot_texts(admitted) == [WORDS["en"].parked]

    world.front.failures = 0
    assert await forgetful_ingress(world).replay(body)
    assert world.front.texts == ["hi"]


async def test_one_bad_payload_does_not_hold_up_the_others(world: World) -> None:
    _, admitted = await admitted_mention(world)
    (body,) = world.ledger.bodies
    no_calendar_has_this = "9999999999999999.000001"
    bad = {**body, "event": {**body["event"], "ts": no_calendar_has_this}}

    await forgetful_ingress(world).replay_all([bad, body])

    assert world.front.texts == ["hi"]
    assert world.ledger.settled == [admitted.post.key]


async def test_a_post_stays_behind_what_an_earlier_process_left_of_its_thread(
    world: World,
) -> None:
    ingress, admitted = await admitted_mention(world, files=[("a.log", b"12345", "text/plain")])
    world.files.may_go_on.clear()
    later = replace(admitted.post, ts="1999999999.000001", wire_text="later", files=())
    async with asyncio.TaskGroup() as group:
        group.create_task(ingress.replay_all(world.ledger.bodies))
        await world.files.asked.wait()
        group.create_task(ingress.hand_over(replace(admitted, post=later)))
        await world.slack.wait_for(lambda _: "eyes" in world.signs_shown())
        world.files.may_go_on.set()

    assert world.front.texts == ["hi", "later"]
