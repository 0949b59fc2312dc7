"""Slack's text frames, read into records. Pure; nothing that comes makes it fail."""

import json
from dataclasses import dataclass
from typing import cast

from agent_core.messages import JsonObject

MAX_SHOWN_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    connections: int
    """How many sockets of the app Slack counts, this one included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnect:
    """Slack is about to close this connection."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A payload that waits for its acknowledgement."""

    id: str
    type: str
    payload: JsonObject | None
    """None where there is none that could be read."""
    retry_attempt: int | None = None
    retry_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A frame that is none of the above; `why` holds nothing that a person wrote."""

    why: str


Frame = Hello | Disconnect | Envelope | Unreadable


def read_frame(text: str) -> Frame:
    """What a text frame says."""
    try:
        content: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Unreadable(why=f"no JSON ({type(error).__name__}, {len(text)} characters)")
    if not isinstance(content, dict):
        return Unreadable(why=f"no object, but {type(content).__name__}")
    return _read_object(cast("JsonObject", content))


def _read_object(content: JsonObject) -> Frame:
    kind = _text(content, "type") or ""
    if kind == "hello":
        return Hello(connections=_number(content, "num_connections") or 0)
    if kind == "disconnect":
        return Disconnect(reason=_text(content, "reason") or "")
    envelope_id = _text(content, "envelope_id")
    if not envelope_id:
        return Unreadable(why=f"no envelope, type {kind[:MAX_SHOWN_CHARS]!r}")
    payload: object = content.get("payload")
    return Envelope(
        id=envelope_id,
        type=kind,
        payload=cast("JsonObject", payload) if isinstance(payload, dict) else None,
        retry_attempt=_number(content, "retry_attempt"),
        retry_reason=_text(content, "retry_reason"),
    )


def _text(content: JsonObject, key: str) -> str | None:
    value: object = content.get(key)
    return value if isinstance(value, str) else None


def _number(content: JsonObject, key: str) -> int | None:
    value: object = content.get(key)
    return value if isinstance(value, int) else None
