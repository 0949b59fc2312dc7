"""Repairs and trims a history just before it is sent: no stored state can make a session die."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from agent_core.messages import AttachedFile, Message, Opaque, Part, Text, ToolCall, ToolResult
from agent_core.models.strict_json import mended

MAX_NAME_CHARS = 128
_UNSENDABLE = re.compile(r"[^a-zA-Z0-9_-]")

SHOWN_BEFORE = "(You saw the picture in an earlier turn; read_local_file shows it again.)"
NOTHING_SAID = "(The tool returned nothing.)"
LOST_RESULT = (
    "The result of this call is not available; it may or may not have run. "
    "Check before you repeat anything that has an effect."
)


def repaired(messages: Sequence[Message]) -> tuple[Message, ...]:
    """A valid history of the same content: each call answered in the next message, no orphans.

    Names of calls and texts are brought into the form that providers demand: a name that a model
    invented, or half a sign in a tool's result, must not make every later request fail.

    Calls without a result get a neutral one, as do results that are blank; texts behind the last
    call go before it; results without a call are dropped, as are blank texts and empty messages;
    neighbours of one role are merged; a leading assistant message is dropped. The result is empty
    or begins and ends with a user message.
    """
    history = tuple(messages)
    while (better := _repair_once(history)) != history:
        history = better
    return history


def _repair_once(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Removing one fault may lay another bare, so this is done until nothing changes."""
    merged = _merge(filter(None, map(_without_blanks, messages)))
    while merged and merged[0].role == "assistant":
        merged = merged[1:]
    paired = _merge(filter(None, map(_without_blanks, _pair(merged))))
    if paired and paired[-1].role == "assistant":
        paired = paired[:-1]
    return tuple(paired)


def settled(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Earlier turns as later ones send them.

    Without thinking, which is bound to its own turn, and without pictures, which a tool can show
    once more.
    """
    stripped = (
        Message(
            role=message.role,
            parts=tuple(_unseen(part) for part in message.parts if not isinstance(part, Opaque)),
        )
        for message in messages
    )
    return tuple(message for message in stripped if message.parts)


def spoken(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Only what people and the agent said, with files: no calls, no results, no thinking."""
    texts = (
        Message(
            role=message.role,
            parts=tuple(part for part in message.parts if isinstance(part, Text | AttachedFile)),
        )
        for message in messages
    )
    return tuple(_merge(message for message in texts if message.text))


def _unseen(part: Part) -> Part:
    if not isinstance(part, AttachedFile | ToolResult) or not part.picture:
        return part
    return replace(part, text=f"{part.text}\n{SHOWN_BEFORE}", picture="")


def _without_blanks(message: Message) -> Message | None:
    kept = tuple(
        _writable(part)
        for part in message.parts
        if not (isinstance(part, Text) and not part.text.strip())
    )
    return Message(role=message.role, parts=kept) if kept else None


def _writable(part: Part) -> Part:
    """The part as UTF-8 can write it, a result with at least a word in it."""
    if not isinstance(part, Text | ToolResult | AttachedFile):
        return part
    text = mended(part.text)
    if isinstance(part, ToolResult) and not text.strip():
        text = NOTHING_SAID
    return part if text == part.text else replace(part, text=text)


def _merge(messages: Iterable[Message]) -> list[Message]:
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            merged[-1] = Message(role=message.role, parts=(*merged[-1].parts, *message.parts))
        else:
            merged.append(message)
    return merged


def _pair(messages: Sequence[Message]) -> list[Message]:
    """Answer each assistant message's calls at the head of the user message behind it."""
    paired: list[Message] = []
    seen: set[str] = set()
    for index, message in enumerate(messages):
        if message.role == "assistant":
            paired.append(_with_calls_last(_with_unique_calls(message, seen)))
            if paired[-1].tool_calls and index + 1 == len(messages):
                paired.append(Message(role="user", parts=_answers(paired[-1], ())))
        else:
            results = tuple(part for part in message.parts if isinstance(part, ToolResult))
            others = tuple(part for part in message.parts if not isinstance(part, ToolResult))
            answers = _answers(paired[-1], results) if paired else ()
            paired.append(Message(role="user", parts=(*answers, *others)))
    return paired


def _with_unique_calls(message: Message, seen: set[str]) -> Message:
    kept: list[Part] = []
    for part in message.parts:
        if not isinstance(part, ToolCall):
            kept.append(part)
        elif part.id not in seen:
            seen.add(part.id)
            name = _UNSENDABLE.sub("_", part.name)[:MAX_NAME_CHARS] or "unnamed"
            kept.append(replace(part, name=name))
    return Message(role=message.role, parts=tuple(kept))


def _with_calls_last(message: Message) -> Message:
    """Behind the last call providers expect its result: a text there goes before the call."""
    places = [place for place, part in enumerate(message.parts) if isinstance(part, ToolCall)]
    last = places[-1] if places else len(message.parts)
    behind = message.parts[last + 1 :]
    texts = tuple(part for part in behind if isinstance(part, Text))
    others = tuple(part for part in behind if not isinstance(part, Text))
    moved = (*message.parts[:last], *texts, *message.parts[last : last + 1], *others)
    return Message(role=message.role, parts=moved)


def _answers(calls: Message, results: Sequence[ToolResult]) -> tuple[ToolResult, ...]:
    by_call = {result.call_id: result for result in reversed(results)}
    return tuple(
        by_call.get(call.id) or ToolResult(call_id=call.id, text=LOST_RESULT, is_error=True)
        for call in calls.tool_calls
    )
