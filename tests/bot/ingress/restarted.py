"""An ingress that remembers nobody, as after a restart."""

import asyncio
from collections.abc import Sequence
from typing import Any

from agent_core.messages import JsonObject
from bot.ingress import Ingress, Rules
from bot.ingress.changes import read_told
from bot.ingress.gate import Arrival
from bot.presenter import Signs
from bot.slack_api import People, SkippingClock
from bot.threads import ThreadRef
from tests.bot.ingress.world import World


async def recorded_mention(world: World, user: str = "ann", **more: Any) -> tuple[Ingress, Arrival]:
    """A mention as if it were in the ledger and not handed over yet, and an ingress to do it."""
    await world.say(user, "general", f"{world.mention} hi", **more)
    await world.settle()
    body = world.ledger.bodies[0]
    told = read_told(body, bot_user=world.identity.bot_user)
    assert told is not None
    world.front.messages.clear()
    world.front.sessions.clear()
    world.ledger.settled.clear()
    world.files.asked.clear()
    return forgetful_ingress(world), Arrival(told=told, body=body)


def thread_at(world: World, ts: str, channel: str = "") -> ThreadRef:
    place = channel or world.slack.channels["general"]
    return ThreadRef(team=world.slack.team_id, channel=place, root_ts=ts)


def forgetful_ingress(world: World, **lists: Any) -> Ingress:
    """An ingress that remembers nobody, as after a restart; its waits end at once."""
    return Ingress(
        world.front,
        ledger=world.ledger,
        files=world.files,
        api=world.api,
        rules=Rules(identity=world.identity, **lists),
        signs=Signs(world.api),
        people=People(world.api),
        clock=SkippingClock(),
    )


def body_key(body: JsonObject) -> str:
    """The key under which a post's payload is in the ledger."""
    event = body["event"]
    return f"{body['team_id']}:{event['channel']}:{event['ts']}"


async def replay_all(ingress: Ingress, bodies: Sequence[JsonObject]) -> None:
    """Have payloads handled again, all at once, as they are taken up from the ledger."""
    async with asyncio.TaskGroup() as group:
        for body in bodies:
            group.create_task(ingress.replay(body))
