"""Puts the ingress together and onto a Bolt app."""

import re
from typing import Any

from slack_bolt.app.async_app import AsyncApp

from bot.ingress import posts
from bot.ingress.authorise import Rules
from bot.ingress.gate import Gate
from bot.ingress.handover import Handover
from bot.ingress.ingress import Ingress
from bot.ingress.roots import Roots
from bot.ingress.seams import FileKeeper, Front, Ledger, Signs
from bot.ingress.unheard import Unheard
from bot.slack_api import People, SlackApi

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
) -> Ingress:
    """Listen to posts on the app and hand those for the bot to the front door.

    Nothing is acknowledged before it is in the ledger. Event types without a listener are
    acknowledged and left, so register further listeners before this one.
    """
    identity = rules.identity
    known = people or People(api)
    gate = Gate(front, ledger, known, Roots(api, identity), rules)
    handover = Handover(
        front=front, ledger=ledger, files=files, api=api, people=known, identity=identity
    )
    ingress = Ingress(gate, handover, signs, api.clock)
    unheard = Unheard()
    posts.listen(bolt, ingress, unheard)

    async def leave(body: dict[str, Any]) -> None:
        """An event nobody listens to. Unacknowledged it would come again."""
        unheard.note(body)

    app: Any = bolt  # Bolt's decorators are not typed
    app.event(re.compile(".*"))(leave)
    return ingress
