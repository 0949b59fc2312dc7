"""Gestures: what people do with buttons, menus, forms and commands, read from Slack's payloads.

Pure. Read `bot/clicks` first: it says what each of them carries.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agent_core.errors import SessionError
from agent_core.ids import SessionId, UserId
from agent_core.messages import JsonObject
from bot.clicks import AskShortcut, ChannelClick, Command, HomeOpened, Payload, decode
from bot.inbound import Sender, object_in, objects_in, text_in
from bot.threads import ThreadRef, user_id

PRESSED, SUBMITTED, CHOSEN = "block_actions", "view_submission", "message_action"
NO_SESSION = SessionId("")
COMMAND_TEXT = "text"
"""The field of a command, and of its answer."""

Errors = Mapping[str, str]
"""What is wrong with a form: a sentence by the id of the block that it is about; of a command its
answer, which nobody but its author sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gesture:
    """One thing that a person did, with who did it and where."""

    key: str
    """Its identity: a press has its own, and so has a form that is sent again with other values."""
    payload: Payload
    sender: Sender
    by: UserId
    answered: Literal["alone", "in_form", "as_command"] = "alone"
    """Where what is said to the person goes: a post for them alone, or the answer to Slack."""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """What was entered into a form, by block id; what was left empty is empty."""
    first_field: str = ""
    """The block at which an error may stand that is about no other."""
    session: SessionId = NO_SESSION
    """That of the thread with the button; empty in a view."""
    thread_ts: str = ""
    """The root of that thread; empty too for a post that no thread has begun with."""
    message_ts: str = ""
    """The post with the button; empty in a view."""
    pressed_ts: str = ""
    trigger_id: str = ""
    """Opens one modal, for three seconds; empty where it is too late for that."""
    response_url: str = ""
    """By which a post that this person alone sees is taken away, for half an hour; else empty."""


def is_gesture(body: JsonObject) -> bool:
    """Whether a payload is a press, a form, a command or an opening, readable or not."""
    return (
        body.get("type") in {PRESSED, SUBMITTED, CHOSEN} or "command" in body or _is_opening(body)
    )


def read_gesture(body: JsonObject) -> Gesture | None:
    """What the person did; None where the payload does not say who did what."""
    try:
        if "command" in body:
            return _read_command(body)
        if _is_opening(body):
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


def _is_opening(body: JsonObject) -> bool:
    return object_in(body, "event").get("type") == "app_home_opened"


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
        payload = AskShortcut(author=text_in(message, "user"))
        payload = payload if name == payload.kind else None
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
