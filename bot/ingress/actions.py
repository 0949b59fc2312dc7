"""Gestures on their way in: read, recorded, acknowledged, authorised, and handed to handlers.

`bot/clicks` says what each of them carries, `register` which payloads are gestures.
Who may press and send off is decided as for posts. A handler that cannot do what a person wants
raises `Refused`; here, and nowhere else, the person is told why, and nobody else is.
"""

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cachetools import LRUCache

from agent_core.background import Background, GivenUp, retry
from agent_core.errors import SessionError
from agent_core.messages import JsonObject
from agent_core.runtime import Ledger
from bot.clicks import (
    COMMAND_TEXT,
    NO_SESSION,
    ChannelClick,
    Command,
    Errors,
    Gesture,
    HomeOpened,
    Refused,
    decode,
)
from bot.inbound import (
    CHOSEN,
    PRESSED,
    SUBMITTED,
    Sender,
    is_opening,
    object_in,
    objects_in,
    text_in,
)
from bot.ingress.filter import Rules, authorise, refusal, screen
from bot.render import limits
from bot.slack_api import (
    People,
    Person,
    SlackApi,
    SlackError,
    language_of,
)
from bot.threads import ThreadRef, user_id

ANSWER_WITHIN_S = 2.5
"""Slack waits three seconds for what becomes of a modal, and then says that the app failed."""

MAX_REMEMBERED = 5_000
_FORBIDDEN = re.compile(r"-not-your|^ingress-refusal-|^$")
"""Sentences for who may not do what others may."""

Handler = Callable[[Any, Gesture, Any], Awaitable[Errors | None]]
"""Carries out a gesture: its payload, the gesture, and the person who made it.

Errors keep a modal open; None closes it, and it closes by itself when this takes too long. After an
error or a crash a gesture may come again, with the same key. Two may come at the same time. The
person is None only for a payload that stands for everybody, where Slack does not know them.
"""

logger = logging.getLogger(__name__)


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
            logger.info("%s takes long: a modal closes, a command is answered later", gesture.key)
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
            logger.info("a gesture of the type %s is not known and is left", body.get("type"))
            return None
        return gesture

    async def _let_in(self, gesture: Gesture, body: JsonObject) -> bool:
        """Whether it is to be handled: new, or sent again after errors. It is durable then."""
        if dropped := screen(gesture.sender, self._rules):
            logger.info("dropped %s: %s", gesture.key, dropped)
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
            errors = await retry(
                lambda: self._carry_out(gesture), name=gesture.key, sleep=self._api.clock.sleep
            )
        except GivenUp:
            logger.exception("%s is given up", gesture.key)
            errors = await self._tell(gesture, Refused("ingress-in-vain"))
        self._handled[gesture.key] = errors
        self.under_way.start(self._settle(gesture.key), name="settle a gesture")
        return errors

    async def _carry_out(self, gesture: Gesture) -> Errors:
        try:
            person = await self._people.person(gesture.sender.user)
            if type(gesture.payload) not in self.for_everybody:
                await self._require_served(gesture, person)
            handler = self._handlers[type(gesture.payload)]
            return await handler(gesture.payload, gesture, person) or {}
        except Refused as refused:
            if _FORBIDDEN.search(refused.sentence):
                await self._ledger.refuse(gesture.key, gesture.by, refused.sentence)
            return await self._tell(gesture, refused)

    async def _require_served(self, gesture: Gesture, person: Person | None) -> None:
        """Raises Refused for a person whom the bot does not serve here.

        A view stands in no channel; the button that opened it was judged by its own.
        """
        sender = gesture.sender
        rules = self._rules if sender.channel else replace(self._rules, channels=None)
        served = authorise(sender, await rules.here(sender, person), person)
        if not isinstance(served, Person):
            logger.info("denied %s: %s", gesture.key, served)
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
            await self._ledger.settle(key)
        except Exception:
            logger.exception("%s is settled later", key)
            self.in_vain.add(key)


def read_gesture(body: JsonObject) -> Gesture | None:
    """What the person did; None where the payload does not say who did what."""
    try:
        if "command" in body:
            return _read_command(body)
        if is_opening(body):
            return _read_opening(body)
        if body.get("type") == SUBMITTED:
            return _read_submission(body)
        return _read_press(body)
    except SessionError:
        return None


def without_links(body: JsonObject) -> JsonObject:
    """The payload without the addresses of pressed buttons, which may be meant for one person."""
    if body.get("type") != PRESSED:
        return body
    actions = [
        {name: value for name, value in action.items() if name != "url"}
        for action in objects_in(body, "actions")
    ]
    return {**body, "actions": actions}


def _read_opening(body: JsonObject) -> Gesture | None:
    event = object_in(body, "event")
    sender = Sender(
        team=text_in(body, "team_id"),
        app_id=text_in(body, "api_app_id"),
        channel=text_in(event, "channel"),
        user=text_in(event, "user"),
    )
    payload = HomeOpened(tab=text_in(event, "tab"))
    opened_ts = text_in(event, "event_ts")
    if not opened_ts:
        return None
    return Gesture(
        key=f"press:{sender.team}:{sender.user}:{opened_ts}:{payload.kind}",
        payload=payload,
        sender=sender,
        by=user_id(sender.team, sender.user),
        pressed_ts=opened_ts,
    )


def _read_command(body: JsonObject) -> Gesture | None:
    sender = Sender(
        team=text_in(body, "team_id"),
        app_id=text_in(body, "api_app_id"),
        channel=text_in(body, "channel_id"),
        user=text_in(body, "user_id"),
    )
    trigger_id = text_in(body, "trigger_id")
    if not (sender.channel and trigger_id):
        return None
    return Gesture(
        key=f"submission:{sender.team}:{sender.user}:{trigger_id}",
        payload=Command(command=text_in(body, "command"), text=text_in(body, "text")),
        sender=sender,
        by=user_id(sender.team, sender.user),
        answered="as_command",
        first_field=COMMAND_TEXT,
    )


def _read_press(body: JsonObject) -> Gesture | None:
    container = object_in(body, "container")
    message = object_in(body, "message")
    if body.get("type") == CHOSEN:
        name = text_in(body, "callback_id")
        pressed_ts = text_in(body, "action_ts")
        first_words = text_in(message, "text")[: limits.LABEL_CHARS]
        about = {"author": text_in(message, "user"), "text": first_words}
        payload = decode(name, json.dumps(about))
    else:
        actions = objects_in(body, "actions")
        action: JsonObject = actions[0] if actions else {}
        name = text_in(action, "action_id")
        pressed_ts = text_in(action, "action_ts")
        # A menu of channels carries an id of Slack's and nothing of ours.
        if channel := text_in(action, "selected_conversation"):
            payload = ChannelClick(kind="home.channel", channel=channel)
        else:
            payload = decode(name, _value(action))
    sender = _interactive_sender(body)
    if payload is None or not pressed_ts:
        return None
    thread_ts = text_in(container, "thread_ts") or text_in(message, "thread_ts")
    message_ts = text_in(container, "message_ts") or text_in(message, "ts")
    session = NO_SESSION
    if message_ts:
        root_ts = thread_ts or message_ts
        session = ThreadRef(team=sender.team, channel=sender.channel, root_ts=root_ts).session
    return Gesture(
        key=f"press:{sender.team}:{sender.user}:{pressed_ts}:{name}",
        payload=payload,
        sender=sender,
        by=user_id(sender.team, sender.user),
        session=session,
        thread_ts=thread_ts,
        message_ts=message_ts,
        post=message,
        pressed_ts=pressed_ts,
        trigger_id=text_in(body, "trigger_id"),
        response_url=text_in(body, "response_url") if container.get("is_ephemeral") else "",
    )


def _read_submission(body: JsonObject) -> Gesture | None:
    view = object_in(body, "view")
    sender = _interactive_sender(body)
    view_id = text_in(view, "id")
    payload = decode(text_in(view, "callback_id"), text_in(view, "private_metadata"))
    if payload is None or not view_id:
        return None
    values = _values(object_in(object_in(view, "state"), "values"))
    # Slack does not change the hash of a view that was answered with errors.
    entered = json.dumps(values, sort_keys=True)
    digest = hashlib.sha256(entered.encode()).hexdigest()[:16]
    view_hash = text_in(view, "hash")
    inputs = [block for block in objects_in(view, "blocks") if block.get("type") == "input"]
    return Gesture(
        key=f"submission:{sender.team}:{sender.user}:{view_id}:{view_hash}:{digest}",
        payload=payload,
        sender=sender,
        by=user_id(sender.team, sender.user),
        answered="in_form",
        values=values,
        first_field=text_in(inputs[0], "block_id") if inputs else "",
    )


def _interactive_sender(body: JsonObject) -> Sender:
    """Who pressed or sent off. The team is that of the installation, also in a shared channel."""
    user = object_in(body, "user")
    view = object_in(body, "view")
    user_team = text_in(user, "team_id")
    team = text_in(view, "app_installed_team_id") or text_in(object_in(body, "team"), "id")
    channel = text_in(object_in(body, "channel"), "id")
    return Sender(
        team=team or text_in(view, "team_id") or user_team,
        app_id=text_in(body, "api_app_id"),
        channel=channel or text_in(object_in(body, "container"), "channel_id"),
        user=text_in(user, "id"),
        user_team=user_team,
    )


def _values(state: JsonObject) -> dict[str, str]:
    """What was entered; an input block has one element."""
    values: dict[str, str] = {}
    for block_id in state:
        elements = object_in(state, block_id)
        if elements:
            values[block_id] = _value(object_in(elements, next(iter(elements))))
    return values


def _value(element: JsonObject) -> str:
    """What an element shows: a button, a text, a menu or a choice of a conversation."""
    return (
        text_in(object_in(element, "selected_option"), "value")
        or text_in(element, "selected_conversation")
        or text_in(element, "value")
    )
