"""Puts the ingress together and onto a Bolt app."""

import re
from typing import Any

from slack_bolt.app.async_app import AsyncApp

from bot.ingress import posts
from bot.ingress.authorise import Rules
from bot.ingress.background import Background
from bot.ingress.catch_up import CatchUp, NothingMissed
from bot.ingress.corrections import Corrections
from bot.ingress.gate import Gate
from bot.ingress.handover import Handover
from bot.ingress.ingress import Ingress
from bot.ingress.reading import Reading
from bot.ingress.revising import Revising
from bot.ingress.roots import Roots
from bot.ingress.seams import FileKeeper, Front, Ledger, Signs
from bot.ingress.stopping import Stopping
from bot.ingress.tries import Tries
from bot.ingress.unheard import Unheard
from bot.slack_api import Clock, People, SlackApi

EVENTS = posts.EVENTS
"""The event types that are listened to. The manifest subscribes to these and no others."""


def register(
    bolt: AsyncApp,
    front: Front,
    *,
    ledger: Ledger,
    files: FileKeeper,
    api: SlackApi,
    rules: Rules,
    signs: Signs,
    people: People | None = None,
    catch_up: CatchUp | None = None,
) -> Ingress:
    """Listen to posts on the app and hand those for the bot to the front door.

    Nothing is acknowledged before it is in the ledger. Event types without a listener are
    acknowledged and left, so register further listeners before this one.
    """
    ingress = assemble(
        front,
        ledger=ledger,
        files=files,
        api=api,
        rules=rules,
        signs=signs,
        people=people or People(api),
        clock=api.clock,
    )
    unheard = Unheard()
    if catch_up is not None:
        catch_up.join(ingress)
    posts.listen(bolt, ingress, unheard, catch_up or NothingMissed())

    async def leave(body: dict[str, Any]) -> None:
        """An event nobody listens to. Unacknowledged it would come again."""
        unheard.note(body)

    app: Any = bolt  # Bolt's decorators are not typed
    app.event(re.compile(".*"))(leave)
    return ingress


def assemble(
    front: Front,
    *,
    ledger: Ledger,
    files: FileKeeper,
    api: SlackApi,
    rules: Rules,
    signs: Signs,
    people: People,
    clock: Clock,
) -> Ingress:
    """An ingress that nothing is connected to yet; `clock` times its tries."""
    corrections, reading = Corrections(), Reading(people, rules.identity)
    gate = Gate(front, ledger, people, Roots(api, rules.identity), rules)
    handover = Handover(
        front=front,
        ledger=ledger,
        files=files,
        api=api,
        background=Background(api, people, rules.identity),
        reading=reading,
        corrections=corrections,
    )
    revising = Revising(
        front=front, ledger=ledger, gate=gate, api=api, reading=reading, corrections=corrections
    )
    return Ingress(
        gate=gate,
        handover=handover,
        revising=revising,
        corrections=corrections,
        stopping=Stopping(front, corrections, reading),
        signs=signs,
        tries=Tries(clock),
    )
