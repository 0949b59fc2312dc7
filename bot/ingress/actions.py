"""The dispatch of gestures: recorded, acknowledged, authorised, and carried out by their handlers.

Who may press and send off is decided as for posts. A handler that cannot do what a person wants
raises `Refused`; here, and nowhere else, the person is told why, and nobody else is.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cachetools import LRUCache

from agent_core.background import Background, GivenUp
from agent_core.messages import JsonObject
from agent_core.runtime import Ledger
from bot.clicks import Refused
from bot.ingress.filter import Rules, authorise, refusal, screen
from bot.ingress.gestures import (
    COMMAND_TEXT,
    Errors,
    Gesture,
    read_gesture,
    without_links,
)
from bot.ingress.ingress import keep_trying
from bot.slack_api import (
    People,
    Person,
    SlackApi,
    SlackError,
    language_of,
)

ANSWER_WITHIN_S = 2.5
"""Slack waits three seconds for what becomes of a modal, and then says that the app failed."""

MAX_REMEMBERED = 5_000

Handler = Callable[[Any, Gesture, Any], Awaitable[Errors | None]]
"""Carries out a gesture: its payload, the gesture, and the person who made it.

Errors keep a modal open; None closes it, and it closes by itself when this takes too long. After an
error or a crash a gesture may come again, with the same key. Two may come at the same time. The
person is None only for a payload that stands for everybody, where Slack does not know them.
"""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Actions:
    """Each gesture is carried out once, a few times more where that fails, and then given up."""

    _handlers: Mapping[type, Handler]
    """By the class of the payload."""
    _ledger: Ledger
    _rules: Rules
    _people: People
    _api: SlackApi
    _answer_within_s: float = ANSWER_WITHIN_S
    for_everybody: Collection[type] = ()
    """Payloads that stand for people whom the bot does not serve, too: the handler decides."""
    in_vain: set[str] = field(init=False, default_factory=set[str])
    """Keys of gestures that could not be settled; whoever releases one takes it out."""
    under_way: Background = field(init=False, default_factory=Background)
    _handled: LRUCache[str, Errors] = field(
        init=False, default_factory=lambda: LRUCache(MAX_REMEMBERED)
    )
    """The newest that were carried out or given up, with the errors that were answered."""

    async def receive(self, body: JsonObject) -> JsonObject:
        """Record a gesture and begin with it. Returns what Slack is answered, empty for nothing.

        A press is answered at once, a form when its handler has decided or time is up. Raises
        DatabaseTrouble: then it is not to be acknowledged.
        """
        answer_at_s = asyncio.get_running_loop().time() + self._answer_within_s
        gesture = self._read(body)
        if gesture is None or not await self._let_in(gesture, body):
            return {}
        task = self.under_way.start(self._handle(gesture), name="gesture")
        if gesture.answered == "alone":
            return {}
        left_s = answer_at_s - asyncio.get_running_loop().time()
        await asyncio.wait({task}, timeout=max(0.0, left_s))
        if not task.done():
            _log.info("%s takes long: a modal closes, a command is answered later", gesture.key)
            self.under_way.start(self._answer_late(gesture, task), name="late answer")
            return {}
        errors = task.result()
        if gesture.answered == "as_command":
            return {"response_type": "ephemeral", **errors}
        if not errors:
            return {}
        return {"response_action": "errors", "errors": dict(errors)}

    async def replay(self, body: JsonObject) -> None:
        """Carry out a gesture that was recorded and not settled, here or by another process.

        It is too late to open a modal then, and to answer one.
        """
        gesture = self._read(body)
        if gesture is None:
            return
        if gesture.key in self._handled:
            await self._settle(gesture.key)
            return
        gesture = replace(gesture, trigger_id="")
        await self._answer_late(gesture, self._handle(gesture))

    def _read(self, body: JsonObject) -> Gesture | None:
        gesture = read_gesture(body)
        if gesture is None or type(gesture.payload) not in self._handlers:
            _log.info("a gesture of the type %s is not known and is left", body.get("type"))
            return None
        return gesture

    async def _let_in(self, gesture: Gesture, body: JsonObject) -> bool:
        """Whether it is to be handled: new, or sent again after errors. It is durable then."""
        if dropped := screen(gesture.sender, self._rules):
            _log.info("dropped %s: %s", gesture.key, dropped)
            return False
        if await self._ledger.record(gesture.key, "", without_links(body)):
            return True
        had_errors = bool(self._handled.get(gesture.key))
        if had_errors:
            del self._handled[gesture.key]
        return had_errors

    async def _handle(self, gesture: Gesture) -> Errors:
        """Never raises. The answer does not wait until the gesture is settled."""
        try:
            errors = await keep_trying(gesture.key, lambda: self._carry_out(gesture), self._api)
        except GivenUp:
            _log.error("%s is given up", gesture.key)
            errors = await self._tell(gesture, Refused("ingress-in-vain"))
        self._handled[gesture.key] = errors
        self.under_way.start(self._settle(gesture.key), name="settle a gesture")
        return errors

    async def _carry_out(self, gesture: Gesture) -> Errors:
        try:
            person = await self._people.person(gesture.sender.user)
            if type(gesture.payload) not in self.for_everybody:
                self._require_served(gesture, person)
            handler = self._handlers[type(gesture.payload)]
            return await handler(gesture.payload, gesture, person) or {}
        except Refused as refused:
            return await self._tell(gesture, refused)

    def _require_served(self, gesture: Gesture, person: Person | None) -> None:
        """Raises Refused for a person whom the bot does not serve here.

        A view stands in no channel; the button that opened it was judged by its own.
        """
        sender = gesture.sender
        rules = self._rules if sender.channel else replace(self._rules, channels=None)
        served = authorise(sender, rules, person)
        if not isinstance(served, Person):
            _log.info("denied %s: %s", gesture.key, served)
            raise refusal(served)

    async def _tell(self, gesture: Gesture, refused: Refused) -> Errors:
        """Tell the person alone, or as the answer to the form or the command."""
        try:
            language = language_of(await self._people.person(gesture.sender.user))
        except SlackError:
            language = ""
        text = refused.text(language)
        if gesture.answered == "alone":
            channel, user = gesture.sender.channel, gesture.sender.user
            await self._api.whisper(
                channel,
                user,
                text,
                thread_ts=gesture.thread_ts,
            )
            return {}
        block = refused.field if refused.field in gesture.values else gesture.first_field
        return {block: text} if block and text else {}

    async def _answer_late(self, gesture: Gesture, handling: Awaitable[Errors]) -> None:
        """Slack no longer waits for the answer to a command."""
        errors = await handling
        if gesture.answered == "as_command":
            channel, user = gesture.sender.channel, gesture.sender.user
            await self._api.whisper(channel, user, errors.get(COMMAND_TEXT, ""))

    async def _settle(self, key: str) -> None:
        """A gesture that cannot be settled now comes back, and is settled then."""
        try:
            await keep_trying(key, lambda: self._ledger.settle(key), self._api)
        except GivenUp:
            self.in_vain.add(key)
