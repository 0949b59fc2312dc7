"""Presses, forms and commands, read from Slack's payloads, and who is given them. Pure."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from agent_core.messages import JsonObject
from bot.inbound import object_in, objects_in, text_in
from bot.ingress.authorise import Sender
from bot.threads import ThreadRef

PRESSED, SUBMITTED, CHOSEN = "block_actions", "view_submission", "message_action"
HOME_OPENED, COMMAND = "home.opened", "home.command"
"""As which action a person's opening of the app is pressed, its value being the tab, and as which
form a slash command is sent off."""
COMMAND_TEXT = "text"
"""The field of a command, and of its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A person used a button or a menu, or the menu of a post: its value is the post's author."""

    team: str
    user: str
    channel: str
    """Empty in a view."""
    thread_ts: str
    """The root of the thread; empty in a view, and for a post that no thread has begun with."""
    message_ts: str
    """Empty in a view."""
    view_id: str = ""
    action_id: str
    action_ts: str
    value: str
    """The button's, or that of what was chosen."""
    trigger_id: str
    """Opens one modal, for three seconds; empty where it is too late for that."""
    response_url: str = ""
    """By which a post that this person alone sees is taken away, for half an hour; else empty."""

    @property
    def key(self) -> str:
        """The gesture's identity: each press has its own, a delivery of it again has none."""
        return f"press:{self.team}:{self.user}:{self.action_ts}:{self.action_id}"

    @property
    def thread(self) -> ThreadRef:
        """Where it stands; not for a view."""
        root_ts = self.thread_ts or self.message_ts
        return ThreadRef(team=self.team, channel=self.channel, root_ts=root_ts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A person sent a modal off, or a slash command: a form of one field, under its trigger."""

    team: str
    user: str
    callback_id: str
    private_metadata: str
    values: Mapping[str, str]
    """By block id; what was left empty is empty."""
    view_id: str
    view_hash: str
    channel: str = ""
    """Where a command was written; empty for a modal."""

    @property
    def key(self) -> str:
        """The gesture's identity. A view that is sent again with other values has another one.

        Slack does not change the hash of a view that was answered with errors.
        """
        entered = json.dumps(dict(self.values), sort_keys=True)
        digest = hashlib.sha256(entered.encode()).hexdigest()[:16]
        return f"submission:{self.team}:{self.user}:{self.view_id}:{self.view_hash}:{digest}"


Gesture = Press | Submission
Errors = Mapping[str, str]
"""What is wrong with a submission: a sentence by the id of the block that it is about; of a command
its answer, which nobody but its author sees."""


class Gestures(Protocol):
    """Who shows buttons and modals, and is given what people do with them.

    After an error or a crash a gesture may come again, with the same key. Two presses may come at
    the same time, from one person or from two.
    """

    async def press(self, press: Press) -> None: ...

    async def submit(self, submission: Submission) -> Errors | None:
        """Errors keep the modal open; None closes it.

        The modal closes by itself when this takes too long, and errors are then not seen.
        """
        ...


def is_gesture(body: JsonObject) -> bool:
    """Whether a payload is a press, a form, a command or an opening, readable or not."""
    return (
        body.get("type") in {PRESSED, SUBMITTED, CHOSEN} or "command" in body or _is_opening(body)
    )


def read_gesture(body: JsonObject) -> Gesture | None:
    """What the person did; None where the payload does not say who did what."""
    if "command" in body:
        return _read_command(body)
    if _is_opening(body):
        return _read_opening(body)
    return _read_submission(body) if body.get("type") == SUBMITTED else _read_press(body)


def addressee(gesture: Gesture) -> str:
    """The name that the bot gave to what was used."""
    return gesture.action_id if isinstance(gesture, Press) else gesture.callback_id


def without_links(body: JsonObject) -> JsonObject:
    """The payload without the addresses of pressed buttons, which may be meant for one person."""
    if body.get("type") != PRESSED:
        return body
    actions = [
        {name: value for name, value in action.items() if name != "url"}
        for action in objects_in(body, "actions")
    ]
    return {**body, "actions": actions}


def read_sender(body: JsonObject) -> Sender:
    """What the payload says about itself and the person."""
    user, event = object_in(body, "user"), object_in(body, "event")
    if "command" in body or event:
        return Sender(
            team=text_in(body, "team_id"),
            app_id=text_in(body, "api_app_id"),
            channel=text_in(body, "channel_id") or text_in(event, "channel"),
            user=text_in(body, "user_id") or text_in(event, "user"),
        )
    return Sender(
        team=_team(body),
        app_id=text_in(body, "api_app_id"),
        channel=_channel(body),
        user=text_in(user, "id"),
        user_team=text_in(user, "team_id"),
    )


def first_input(body: JsonObject) -> str:
    """The id of the first block of a submitted view that an error may stand at, or empty."""
    blocks = objects_in(object_in(body, "view"), "blocks")
    return next(
        (text_in(block, "block_id") for block in blocks if block.get("type") == "input"), ""
    )


def _is_opening(body: JsonObject) -> bool:
    return object_in(body, "event").get("type") == "app_home_opened"


def _read_opening(body: JsonObject) -> Press | None:
    sender, event = read_sender(body), object_in(body, "event")
    opening = Press(
        team=sender.team,
        user=sender.user,
        channel=sender.channel,
        thread_ts="",
        message_ts="",
        action_id=HOME_OPENED,
        action_ts=text_in(event, "event_ts"),
        value=text_in(event, "tab"),
        trigger_id="",
    )
    return opening if opening.team and opening.user and opening.action_ts else None


def _read_command(body: JsonObject) -> Submission | None:
    sender = read_sender(body)
    command = Submission(
        team=sender.team,
        user=sender.user,
        channel=sender.channel,
        callback_id=COMMAND,
        private_metadata=text_in(body, "command"),
        values={COMMAND_TEXT: text_in(body, "text")},
        view_id=text_in(body, "trigger_id"),
        view_hash="",
    )
    known = command.team and command.user and command.channel and command.view_id
    return command if known else None


def _read_press(body: JsonObject) -> Press | None:
    actions = objects_in(body, "actions")
    action: JsonObject = actions[0] if actions else {}
    place, message = object_in(body, "container"), object_in(body, "message")
    if body.get("type") == CHOSEN:
        value, at = text_in(message, "user"), text_in(body, "action_ts")
        action = {"action_id": text_in(body, "callback_id"), "action_ts": at, "value": value}
    press = Press(
        team=_team(body),
        user=text_in(object_in(body, "user"), "id"),
        channel=_channel(body),
        thread_ts=text_in(place, "thread_ts") or text_in(message, "thread_ts"),
        message_ts=text_in(place, "message_ts") or text_in(message, "ts"),
        view_id=text_in(object_in(body, "view"), "id"),
        action_id=text_in(action, "action_id"),
        action_ts=text_in(action, "action_ts"),
        value=_value(action),
        trigger_id=text_in(body, "trigger_id"),
        response_url=text_in(body, "response_url") if place.get("is_ephemeral") else "",
    )
    known = press.team and press.user and press.action_id and press.action_ts
    return press if known else None


def _read_submission(body: JsonObject) -> Submission | None:
    view = object_in(body, "view")
    submission = Submission(
        team=_team(body),
        user=text_in(object_in(body, "user"), "id"),
        callback_id=text_in(view, "callback_id"),
        private_metadata=text_in(view, "private_metadata"),
        values=_values(object_in(object_in(view, "state"), "values")),
        view_id=text_in(view, "id"),
        view_hash=text_in(view, "hash"),
    )
    return submission if submission.team and submission.user and submission.view_id else None


def _team(body: JsonObject) -> str:
    """Where the app is installed: in Bolt's order, which knows of shared channels."""
    view = object_in(body, "view")
    return (
        text_in(view, "app_installed_team_id")
        or text_in(object_in(body, "team"), "id")
        or text_in(view, "team_id")
        or text_in(object_in(body, "user"), "team_id")
    )


def _channel(body: JsonObject) -> str:
    return text_in(object_in(body, "channel"), "id") or text_in(
        object_in(body, "container"), "channel_id"
    )


def _values(state: JsonObject) -> dict[str, str]:
    """An input block has one element."""
    return {
        block_id: _value(object_in(elements, next(iter(elements))))
        for block_id in state
        if (elements := object_in(state, block_id))
    }


def _value(element: JsonObject) -> str:
    """What an element shows: a button, a text, a menu or a choice of a conversation."""
    return (
        text_in(object_in(element, "selected_option"), "value")
        or text_in(element, "selected_conversation")
        or text_in(element, "value")
    )
