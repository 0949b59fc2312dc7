"""What was recorded and not handed over is not lost."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random

import pytest

from agent_core.background import TRIES, Background
from agent_core.messages import JsonObject
from agent_core.sessions import Database, Leases, Ledger, new_process_id
from bot.ingress import Ingress, take_up
from bot.words import BOT
from tests.agent_core.sessions.databases import opened
from tests.bot.ingress.world import (
    World,
    connected_world,
    forgetful_ingress,
    make_ingress,
    recorded_mention,
    replay_all,
)


async def test_a_recorded_payload_waits_while_slack_is_away(world: World) -> None:
    await world.say("ann", "general", f"{world.mention} hi")
    await world.settle()
    (body,) = world.ledger.bodies
    world.ledger.settled.clear()
    world.slack.fail("users.info", error="invalid_auth", times=TRIES)
    later = forgetful_ingress(world)

    await later.replay(body)
    assert world.ledger.settled == []
    assert later.in_vain == {world.key(body["event"]["ts"])}
    await later.replay(body)
    assert len(world.ledger.settled) == 1


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


async def test_one_bad_payload_does_not_hold_up_the_others(world: World) -> None:
    _, post = await recorded_mention(world)
    (body,) = world.ledger.bodies
    no_calendar_has_this = "9999999999999999.000001"
    bad = {**body, "event": {**body["event"], "ts": no_calendar_has_this}}

    await replay_all(forgetful_ingress(world), [bad, body])

    assert world.front.texts == ["hi"]
    assert world.ledger.settled == [post.key]


SOON_S = 0.02


@asynccontextmanager
async def taking_up(world: World, ingress: Ingress) -> AsyncGenerator[None]:
    """What is left is taken up now, and again and again."""
    look = partial(take_up, world.ledger, ingress, world.actions, {})
    await look()
    background = Background()
    background.repeat(look, pause=partial(asyncio.sleep, SOON_S), name="taking up")
    try:
        yield
    finally:
        await background.close()


async def until_handed_over(world: World) -> None:
    async with asyncio.timeout(10):
        await world.front.got_one.wait()


@pytest.mark.proves("ledger.taken_up")
async def test_a_handling_that_failed_is_taken_up_again_without_a_restart(world: World) -> None:
    ingress, post = await recorded_mention(world)
    world.front.got_one.clear()
    world.front.failures = 7
    await ingress.hand_over(post)
    assert world.front.messages == []
    assert world.bot_texts(post) == [BOT.say("en", "ingress-parked")]

    async with taking_up(world, ingress):
        await until_handed_over(world)
    assert world.front.texts == ["hi"]
    assert world.bot_texts(post) == [BOT.say("en", "ingress-parked")]
    assert ingress.in_vain == set()


@pytest.mark.proves("ledger.taken_up")
async def test_what_a_dead_process_left_is_there_before_the_first_post(world: World) -> None:
    ingress, post = await recorded_mention(world, files=[("a.log", b"12345", "text/plain")])
    await world.ledger.release(post.key)
    [body] = world.ledger.bodies
    async with taking_up(world, ingress):
        later = {**body["event"], "ts": "1999999999.000001", "text": f"{world.mention} 2"}
        later |= {"thread_ts": post.ts, "client_msg_id": "m2", "files": []}
        second = await ingress.receive({**body, "event": later})
        assert second is not None
        await ingress.hand_over(second)

    assert world.front.texts == ["hi", "2"]


@dataclass(frozen=True, slots=True)
class Delivery:
    """One envelope. A lost one reached nobody: it could not be recorded."""

    gesture: int
    event: JsonObject
    is_lost: bool


def deliveries(chance: Random) -> list[Delivery]:
    """Some gestures, delivered in the ways that Slack has, in any order; none is lost whole."""
    all_of_them: list[Delivery] = []
    for gesture in range(8):
        events = _events(gesture, chance.randint(1, 3))[gesture % 3]
        kept = chance.randrange(len(events))
        all_of_them += [
            Delivery(gesture, event, is_lost=number != kept and chance.random() < 0.5)
            for number, event in enumerate(events)
        ]
    return chance.sample(all_of_them, k=len(all_of_them))


def _events(gesture: int, times: int) -> list[list[JsonObject]]:
    """A post that is delivered again, that comes with a mention, and that has two `ts`."""
    post: JsonObject = {
        "type": "message",
        "ts": f"{1_783_536_983 + 10 * gesture}.000001",
        "text": f"gesture {gesture}",
        "client_msg_id": f"m{gesture}",
    }
    twin = {**post, "ts": f"{1_783_536_984 + 10 * gesture}.000001"}
    return [
        [post] * (times + 1),
        [post, {**post, "type": "app_mention"}] * times,
        [post, twin] * times,
    ]


class LosingLedger(Ledger):
    """The ledger on SQLite, which takes nothing of what is lost."""

    def __init__(self, database: Database, leases: Leases) -> None:
        super().__init__(database, leases)
        self.lost: list[JsonObject] = []

    async def record(
        self, key: str, second_key: str, body: JsonObject, at: datetime | None = None
    ) -> bool:
        if any(body is each for each in self.lost):
            raise ConnectionError("the ledger is away")
        return await super().record(key, second_key, body, at)


async def deliver(world: World, ledger: LosingLedger, all_of_them: list[Delivery]) -> None:
    """Each delivery as a task of its own, begun in order; what fails is not acknowledged."""
    ingress = make_ingress(world.front, ledger, world.api, world.rules, world.files)

    async def bring(body: JsonObject) -> None:
        try:
            told = await ingress.receive(body)
        except ConnectionError:
            return
        if told is not None:
            await ingress.hand_over(told)

    async with asyncio.TaskGroup() as group:
        for delivery in all_of_them:
            body = payload(world, delivery.event)
            if delivery.is_lost:
                ledger.lost.append(body)
            group.create_task(bring(body))


def payload(world: World, event: JsonObject) -> JsonObject:
    place = {"user": world.slack.people["ann"], "channel": world.slack.channels["general"]}
    text = f"{world.mention} {event['text']}"
    return {
        "type": "event_callback",
        "team_id": world.slack.team_id,
        "event": {**event, **place, "text": text},
    }


@pytest.mark.proves("ledger.one_turn")
@pytest.mark.parametrize("seed", range(10))
async def test_each_gesture_is_handed_over_once_and_none_is_dropped_over_a_restart(
    tmp_path: Path, seed: int
) -> None:
    all_of_them = deliveries(Random(seed))  # noqa: S311 (the same each time)
    async with (
        connected_world(bot_events=()) as world,
        opened(f"sqlite:///{tmp_path}/state.sqlite") as database,
    ):
        leases = Leases(database, new_process_id())
        await leases.enter()
        ledger = LosingLedger(database, leases)
        for _ in range(2):
            await deliver(world, ledger, all_of_them)

        expected = {f"gesture {delivery.gesture}": 1 for delivery in all_of_them}
        assert Counter(world.front.texts) == expected
        assert await ledger.unsettled() == []
