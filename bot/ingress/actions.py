"""The way in of presses, forms and commands: recorded, acknowledged, judged and handed over.

Who may press and send off is decided as for posts, and a refusal is said to the person alone.
"""

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field, replace

from cachetools import LRUCache

from agent_core.background import Background
from agent_core.messages import JsonObject
from agent_core.runtime import Ledger
from bot.ingress.authorise import Rules, authorise, refusal, screen
from bot.ingress.filter import InVain, tell_alone
from bot.ingress.gestures import (
    COMMAND_TEXT,
    Errors,
    Gesture,
    Gestures,
    Press,
    Submission,
    addressee,
    first_input,
    read_gesture,
    read_sender,
    without_links,
)
from bot.ingress.ingress import insist
from bot.slack_api import People, Person, SlackApi, SlackError, language_of
from bot.words import BOT

ANSWER_WITHIN_S = 2.5
"""Slack waits three seconds for what becomes of a modal, and then says that the app failed."""

MAX_REMEMBERED = 5_000

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Actions:
    """Each gesture is handed over once, a few times more where that fails, and then given up."""

    _gestures: Mapping[str, Gestures]
    """By what action ids and callback ids begin with; the longest that fits."""
    _ledger: Ledger
    _rules: Rules
    _people: People
    _api: SlackApi
    _answer_within_s: float = ANSWER_WITHIN_S
    for_readers: tuple[str, ...] = ()
    """What stands for people whom the bot does not serve, too: its handler decides itself."""
    in_vain: set[str] = field(init=False, default_factory=set[str])
    """Keys of what was handled and could not be settled; whoever releases one takes it out."""
    under_way: Background = field(init=False, default_factory=Background)
    _handled: LRUCache[str, Errors] = field(
        init=False, default_factory=lambda: LRUCache(MAX_REMEMBERED)
    )
    """The newest that were handled or given up, with the errors that were answered."""

    async def receive(self, body: JsonObject) -> JsonObject:
        """Record a gesture and begin with it. Returns what Slack is answered, empty for nothing.

        A press is answered at once, a submission when its handler has decided or time is up. Raises
        DatabaseTrouble: then it is not to be acknowledged.
        """
        answer_at_s = asyncio.get_running_loop().time() + self._answer_within_s
        gesture = read_gesture(body)
        handler = None if gesture is None else self._find_handler(gesture)
        if gesture is None or handler is None:
            name = "something unreadable" if gesture is None else repr(addressee(gesture)[:80])
            _log.info("%s of %s, which nobody knows, is left alone", body.get("type"), name)
            return {}
        if not await self._let_in(gesture, body):
            return {}
        task = self.under_way.start(self._handle(gesture, handler, body), name="gesture")
        if isinstance(gesture, Press):
            return {}
        return await self._wait_for(task, gesture, answer_at_s)

    async def replay(self, body: JsonObject) -> None:
        """Handle a gesture that was recorded and not settled, here or by another process.

        It is too late to open a modal then, and to answer one.
        """
        gesture = read_gesture(body)
        if gesture is None:
            return
        handler = self._find_handler(gesture)
        if handler is None or gesture.key in self._handled:
            await self._settle(gesture.key)
            return
        if isinstance(gesture, Press):
            gesture = replace(gesture, trigger_id="")
        handling = self._handle(gesture, handler, body)
        is_press = isinstance(gesture, Press)
        await (handling if is_press else self._answer_late(gesture, handling))

    def _find_handler(self, gesture: Gesture) -> Gestures | None:
        name = addressee(gesture)
        prefix = max(filter(name.startswith, self._gestures), key=len, default=None)
        return None if prefix is None else self._gestures[prefix]

    async def _let_in(self, gesture: Gesture, body: JsonObject) -> bool:
        """Whether it is to be handled: new, or sent again after errors. It is durable then."""
        if dropped := screen(read_sender(body), self._rules):
            _log.info("dropped %s: %s", gesture.key, dropped)
            return False
        if await self._ledger.record(gesture.key, "", without_links(body)):
            return True
        was_wrong = bool(self._handled.get(gesture.key))
        if was_wrong:
            del self._handled[gesture.key]
        return was_wrong

    async def _handle(self, gesture: Gesture, handler: Gestures, body: JsonObject) -> Errors:
        """Never raises. The answer does not wait until it is settled."""
        errors: Errors = {}

        async def attempt(_: bool) -> Errors:
            is_open = addressee(gesture).startswith(self.for_readers)
            refused = None if is_open else await self._refuse(gesture, body)
            if refused is not None:
                return refused
            if isinstance(gesture, Submission):
                return await handler.submit(gesture) or {}
            await handler.press(gesture)
            return {}

        try:
            errors = await insist(self._api.clock, gesture.key, attempt)
        except InVain:
            _log.error("%s is given up", gesture.key)
            errors = await self._give_up(gesture, body)
        self._handled[gesture.key] = errors
        self.under_way.start(self._settle(gesture.key), name="settle a gesture")
        return errors

    async def _give_up(self, gesture: Gesture, body: JsonObject) -> Errors:
        """Say that it came to nothing: to the person alone, or as the answer to the gesture."""
        try:
            language = await self._people.language(gesture.user)
        except SlackError:
            language = ""
        sentence = BOT.say(language, "ingress-in-vain")
        if isinstance(gesture, Press):
            thread_ts = gesture.thread_ts or None
            await tell_alone(
                self._api, gesture.channel, gesture.user, sentence, thread_ts=thread_ts
            )
            return {}
        place = COMMAND_TEXT if gesture.channel else first_input(body)
        return {place: sentence} if place else {}

    async def _refuse(self, gesture: Gesture, body: JsonObject) -> Errors | None:
        """None for somebody whom the bot serves; others are told why it does not, if at all.

        What comes of a refusal is the answer to the gesture, perhaps an empty one. A view stands
        in no channel; what opened it was judged by its own.
        """
        sender = read_sender(body)
        rules = self._rules if sender.channel else replace(self._rules, channels=None)
        person = await self._people.person(gesture.user)
        served = authorise(sender, rules, person)
        if isinstance(served, Person):
            return None
        _log.info("denied %s: %s", gesture.key, served)
        sentence = refusal(served, language_of(person))
        if isinstance(gesture, Press):
            thread_ts = gesture.thread_ts or None
            await tell_alone(
                self._api, gesture.channel, gesture.user, sentence, thread_ts=thread_ts
            )
            return {}
        place = COMMAND_TEXT if gesture.channel else first_input(body)
        return {place: sentence} if place and sentence else {}

    async def _wait_for(
        self, task: asyncio.Task[Errors], submission: Submission, answer_at_s: float
    ) -> JsonObject:
        left_s = answer_at_s - asyncio.get_running_loop().time()
        await asyncio.wait({task}, timeout=max(0.0, left_s))
        if not task.done():
            _log.info("%s takes long: a modal closes, a command is answered later", submission.key)
            self.under_way.start(self._answer_late(submission, task), name="late answer")
            return {}
        errors = task.result()
        if submission.channel:
            return {"response_type": "ephemeral", **errors}
        return {"response_action": "errors", "errors": dict(errors)} if errors else {}

    async def _answer_late(self, command: Submission, handling: Awaitable[Errors]) -> None:
        """Slack no longer waits for what a command comes to."""
        text = (await handling).get(COMMAND_TEXT, "")
        await tell_alone(self._api, command.channel, command.user, text, thread_ts=None)

    async def _settle(self, key: str) -> None:
        """What cannot be settled now comes back, and is settled then."""
        try:
            await insist(self._api.clock, key, lambda _: self._ledger.settle(key))
        except InVain:
            self.in_vain.add(key)
