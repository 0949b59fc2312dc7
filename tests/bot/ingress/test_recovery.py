"""What was recorded and not handed over is not lost."""

import asyncio
from collections import Counter
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random

import pytest

from agent_core.messages import JsonObject
from agent_core.sessions import Leases, Ledger, new_process_id
from bot.ingress import take_up
from bot.words import BOT
from tests.agent_core.sessions.databases import opened
from tests.bot.ingress.world import (
    World,
    bring,
    connected_world,
    done,
    forgetful_ingress,
    make_ingress,
    post_payload,
    recorded_mention,
)


@pytest.mark.proves("ledger.told_once")
async def test_a_hand_over_that_keeps_failing_waits_and_the_asker_is_told_once(
    world: World,
) -> None:
    ingress, post = await recorded_mention(world)
    (body,) = world.ledger.bodies
    world.front.failures = 100
    await ingress.hand_over(post)
    await ingress.replay(body)
    await forgetful_ingress(world).replay(body)

    assert world.front.messages == []
    assert world.ledger.settled == []
    assert world.bot_texts(post) == [BOT.say("en", "ingress-parked")]

    world.front.failures = 0
    await forgetful_ingress(world).replay(body)
    assert world.front.texts == ["hi"]


@pytest.mark.proves("ledger.taken_up")
async def test_a_handling_that_failed_is_taken_up_again_without_a_restart(world: World) -> None:
    ingress, post = await recorded_mention(world)
    world.front.failures = 7
    await ingress.hand_over(post)
    assert world.front.messages == []
    assert world.bot_texts(post) == [BOT.say("en", "ingress-parked")]

    await take_up(world.ledger, ingress, world.actions, {})
    await done(ingress.under_way)
    assert world.front.texts == ["hi"]
    assert world.bot_texts(post) == [BOT.say("en", "ingress-parked")]
    assert ingress.in_vain == set()


@pytest.mark.proves("ledger.taken_up")
async def test_what_a_dead_process_left_is_there_before_the_first_post(world: World) -> None:
    ingress, post = await recorded_mention(world, files=[("a.log", b"12345", "text/plain")])
    await world.ledger.release(post.key)
    [body] = world.ledger.bodies
    await take_up(world.ledger, ingress, world.actions, {})
    later = {**body["event"], "ts": "1999999999.000001", "text": f"{world.mention} 2"}
    later |= {"thread_ts": post.ts, "client_msg_id": "m2", "files": []}
    await bring(world, {**body, "event": later}, ingress)

    assert world.front.texts == ["hi", "2"]


class LosingLedger(Ledger):
    """The ledger on SQLite, which cannot record a delivery that is lost."""

    async def record(
        self, key: str, second_key: str, body: JsonObject, at: datetime | None = None
    ) -> bool:
        if body["is_lost"]:
            raise ConnectionError("the ledger is away")
        return await super().record(key, second_key, body, at)


def deliveries(world: World, chance: Random) -> list[JsonObject]:
    """Some gestures, delivered in the ways that Slack has, in any order; none is lost whole."""
    bodies: list[JsonObject] = []
    for gesture in range(8):
        ts, twin_ts = (f"{1_783_536_983 + 10 * gesture + late}.000001" for late in (0, 1))
        text = f"{world.mention} gesture {gesture}"
        post = partial(post_payload, world, text=text, client_msg_id=f"m{gesture}")
        again = [post(ts), post(ts, type="app_mention"), post(twin_ts)][gesture % 3]
        ways = [post(ts), again] * chance.randint(1, 3)
        kept = chance.randrange(len(ways))
        for number, body in enumerate(ways):
            is_lost = number != kept and chance.random() < 0.5
            bodies.append({**body, "is_lost": is_lost})
    return chance.sample(bodies, k=len(bodies))


async def deliver(world: World, ledger: Ledger, bodies: list[JsonObject]) -> None:
    """Each delivery as a task of its own, begun in order; what fails is not acknowledged."""
    ingress = make_ingress(world.front, ledger, world.api, world.rules, world.files)

    async def try_to_bring(body: JsonObject) -> None:
        with suppress(ConnectionError):
            await bring(world, body, ingress)

    async with asyncio.TaskGroup() as group:
        for body in bodies:
            group.create_task(try_to_bring(body))


@pytest.mark.proves("ledger.one_turn")
@pytest.mark.parametrize("seed", range(10))
async def test_each_gesture_is_handed_over_once_and_none_is_dropped_over_a_restart(
    tmp_path: Path, seed: int
) -> None:
    async with (
        connected_world(bot_events=()) as world,
        opened(f"sqlite:///{tmp_path}/state.sqlite") as database,
    ):
        leases = Leases(database, new_process_id())
        await leases.enter()
        ledger = LosingLedger(database, leases)
        bodies = deliveries(world, Random(seed))  # noqa: S311 (the same each time)
        for _ in range(2):
            await deliver(world, ledger, bodies)

        assert Counter(world.front.texts) == {f"gesture {each}": 1 for each in range(8)}
        assert await ledger.unsettled() == []
