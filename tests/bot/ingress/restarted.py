"""An ingress that remembers nobody, as after a restart."""

from typing import Any

from bot.ingress import Ingress, Rules
from bot.ingress.gate import Admitted, Gate
from bot.ingress.handover import Handover
from bot.ingress.roots import Roots
from bot.presenter import Signs
from bot.slack_api import People, SkippingClock
from bot.threads import ThreadRef
from tests.bot.ingress.world import World


async def admitted_mention(
    world: World, user: str = "ann", **more: Any
) -> tuple[Ingress, Admitted]:
    """A mention as if it were in the ledger and not handed over yet, and an ingress to do it."""
    await world.say(user, "general", f"{world.mention} hi", **more)
    await world.settle()
    decided = await forgetful_gate(world).judge(world.ledger.bodies[0])
    world.front.messages.clear()
    world.front.sessions.clear()
    world.ledger.settled.clear()
    world.files.asked.clear()
    assert isinstance(decided, Admitted)
    return forgetful_ingress(world), decided


def thread_at(world: World, ts: str, channel: str = "") -> ThreadRef:
    place = channel or world.slack.channels["general"]
    return ThreadRef(team=world.slack.team_id, channel=place, root_ts=ts)


def forgetful_gate(world: World, **lists: Any) -> Gate:
    rules = Rules(identity=world.identity, **lists)
    roots = Roots(world.api, world.identity)
    return Gate(world.front, world.ledger, People(world.api), roots, rules)


def forgetful_ingress(world: World, **lists: Any) -> Ingress:
    """An ingress that remembers nobody, as after a restart; its waits end at once."""
    handover = Handover(
        front=world.front,
        ledger=world.ledger,
        files=world.files,
        api=world.api,
        people=People(world.api),
        identity=world.identity,
    )
    return Ingress(forgetful_gate(world, **lists), handover, Signs(world.api), SkippingClock())
