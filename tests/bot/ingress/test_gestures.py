"""One gesture is one message to the agent, in whatever shapes and order Slack delivers it."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_core.messages import JsonObject
from agent_core.sessions import Database, Ledger
from agent_core.sessions.leases import Leases, new_process_id
from bot.ingress import Ingress, Rules
from bot.presenter import Signs
from bot.slack_api import People, SystemClock
from tests.bot.ingress.world import World, connected_world

Shape = Literal["retry", "same_envelope", "both_events", "two_ts"]
SHAPES: tuple[Shape, ...] = ("retry", "same_envelope", "both_events", "two_ts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One envelope. A lost one reached nobody: it could not be recorded."""

    gesture: int
    event: JsonObject
    is_lost: bool = False


@st.composite
def deliveries(draw: st.DrawFn) -> list[Delivery]:
    """Up to eight gestures in any of the shapes, all their deliveries shuffled.

    Of each gesture at least one delivery is not lost, and it may be any.
    """
    all_of_them: list[Delivery] = []
    for gesture in range(draw(st.integers(1, 8))):
        events = _events(gesture, draw(st.sampled_from(SHAPES)), draw(st.integers(1, 3)))
        kept = draw(st.sampled_from(range(len(events))))
        all_of_them += [
            Delivery(
                gesture=gesture,
                event=event,
                is_lost=number != kept and draw(st.booleans()),
            )
            for number, event in enumerate(events)
        ]
    return draw(st.permutations(all_of_them))


def _events(gesture: int, shape: Shape, times: int) -> list[JsonObject]:
    post: JsonObject = {
        "type": "message",
        "ts": f"{1_783_536_983 + 10 * gesture}.000001",
        "text": f"gesture {gesture}",
        "client_msg_id": f"m{gesture}",
    }
    mention = {**post, "type": "app_mention"}
    match shape:
        case "retry" | "same_envelope":
            return [post] * (times + 1)
        case "both_events":
            return [post, mention] * times
        case "two_ts":
            return [post, {**post, "ts": f"{1_783_536_984 + 10 * gesture}.000001"}] * times


@dataclass(slots=True)
class DurableLedger:
    """The ledger on SQLite, which takes nothing of what is lost."""

    ledger: Ledger
    lost: list[JsonObject] = field(default_factory=list[JsonObject])

    async def record(self, key: str, second_key: str, body: JsonObject) -> bool:
        if any(body is each for each in self.lost):
            raise ConnectionError("the ledger is away")
        return await self.ledger.record(key, second_key, body)

    async def settle(self, key: str) -> None:
        await self.ledger.settle(key)

    async def forget(self, key: str, second_key: str) -> None:
        await self.ledger.forget(key, second_key)

    async def release(self, key: str) -> None:
        await self.ledger.release(key)

    async def unsettled(self) -> list[JsonObject]:
        return await self.ledger.unsettled()


@asynccontextmanager
async def durable_ledger() -> AsyncGenerator[DurableLedger]:
    with TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder)}/state.sqlite")
        await database.open()
        leases = Leases(database, new_process_id())
        await leases.enter()
        try:
            yield DurableLedger(Ledger(database, leases))
        finally:
            await database.close()


async def deliver(world: World, ledger: DurableLedger, all_of_them: list[Delivery]) -> None:
    """Each delivery as a task of its own, begun in order; what fails is not acknowledged."""
    ingress = Ingress(
        world.front,
        ledger=ledger,
        files=world.files,
        api=world.api,
        rules=Rules(identity=world.identity),
        signs=Signs(world.api),
        people=People(world.api),
        clock=SystemClock(),
    )

    async def bring(body: JsonObject) -> None:
        try:
            arrival = await ingress.receive(body)
        except ConnectionError:
            return
        if arrival is not None:
            await ingress.hand_over(arrival)

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
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(deliveries())
async def test_each_gesture_is_handed_over_once_and_none_is_dropped_over_a_restart(
   
    all_of_them: list[Delivery],
) -> None:
    async with connected_world(bot_events=()) as world, durable_ledger() as ledger:
        for _ in range(2):
            await deliver(world, ledger, all_of_them)

        expected = {f"gesture {delivery.gesture}": 1 for delivery in all_of_them}
        assert Counter(world.front.texts) == expected
        assert await ledger.unsettled() == []


