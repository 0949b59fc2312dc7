"""A payload is acknowledged as soon as it is durable, whatever else hangs."""

import asyncio
from itertools import cycle

import pytest

from tests.bot.ingress.world import World

HANG_S = 3.0
MAX_ACK_S = 2.5


@pytest.mark.proves("ledger.ack_in_time")
async def test_posts_of_one_thread_are_acknowledged_in_time_while_nobody_can_be_looked_up(
    world: World,
) -> None:
    root_ts = await world.say("robot", "general", "a thread of another bot")
    world.slack.fail("users.info", hang_s=HANG_S, times=100)
    texts = [f"post {number}" for number in range(10)]
    for user, text in zip(cycle(["ben", "cleo", "ann"]), texts, strict=False):
        await world.say(user, "general", f"{world.mention} {text}", thread_ts=root_ts)
    await world.slack.wait_for(
        lambda slack: (
            len(slack.deliveries) >= 2 * len(texts)
            and all(one.acked_at_s is not None for one in slack.deliveries)
        )
    )

    delays_s = [one.acked_at_s - one.sent_at_s for one in world.slack.deliveries if one.acked_at_s]
    assert max(delays_s) < MAX_ACK_S
    assert world.front.messages == []

    async with asyncio.timeout(3 * HANG_S):
        await world.ingress.drain()
    assert world.front.texts == texts


@pytest.mark.proves("ledger.ack_in_time")
async def test_a_reply_is_acknowledged_while_its_thread_cannot_be_read(world: World) -> None:
    root_ts = await world.say("ben", "general", "lunch?")
    await world.settle()
    world.slack.fail("conversations.replies", hang_s=HANG_S)
    await world.say("ann", "general", "where?", thread_ts=root_ts)
    await world.slack.wait_for(
        lambda slack: len(slack.deliveries) == 2 and slack.deliveries[-1].acked_at_s is not None,
        timeout_s=MAX_ACK_S,
    )

    assert len(world.ledger.unfinished) == 1
    async with asyncio.timeout(2 * HANG_S):
        await world.ingress.drain()
    assert world.front.messages == []
    assert world.ledger.unfinished == set()
