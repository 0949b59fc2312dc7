"""Repair of a history just before a model gets it, and its pictures, loaded for that call.

No stored state can make a session die: providers reject a history whose calls and results do not
pair, and `repaired` says what it mends.
"""

import asyncio
import base64
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from agent_core.json_values import mended
from agent_core.messages import (
    AttachedFile,
    Message,
    Opaque,
    Part,
    Text,
    ToolCall,
    ToolResult,
)
from agent_core.models import Picture

MAX_NAME_CHARS = 128
_UNSENDABLE = re.compile(r"[^a-zA-Z0-9_-]")

PICTURE_WAS_SHOWN = "(You saw the picture in an earlier turn; read_local_file shows it again.)"
EMPTY_RESULT = "(The tool returned nothing.)"
LOST_RESULT = (
    "The result of this call is not available; it may or may not have run. "
    "Check before you repeat anything that has an effect."
)

MAX_PICTURES = 10
"""Of one request, the newest; providers take more, but each costs like a page of text."""
MAX_PICTURE_BYTES = 3_500_000
"""Of one picture; providers refuse more than 5 MB of base64."""
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
}
_SAFELY = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


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
    while True:
        better = _repair_once(history)
        if better == history:
            return history
        history = better


def _repair_once(messages: Sequence[Message]) -> tuple[Message, ...]:
    """One pass of the repair; it is repeated, as removing one fault may lay another bare."""
    merged = _merge(_without_blanks(messages))
    if merged and merged[0].role == "assistant":
        del merged[0]
    paired = _pair(merged)
    paired = _merge(_without_blanks(paired))
    if paired and paired[-1].role == "assistant":
        del paired[-1]
    return tuple(paired)


def settled(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Earlier turns as later ones send them.

    Without thinking, which is bound to its own turn, and without pictures, which a tool can show
    once more.
    """
    kept: list[Message] = []
    for message in messages:
        parts = [_unseen(part) for part in message.parts if not isinstance(part, Opaque)]
        if parts:
            kept.append(_with_parts(message, parts))
    return tuple(kept)


def spoken(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Only what people and the agent said, with files: no calls, no results, no thinking."""
    kept: list[Message] = []
    for message in messages:
        if not message.text:
            continue
        parts = [part for part in message.parts if isinstance(part, Text | AttachedFile)]
        kept.append(_with_parts(message, parts))
    return tuple(_merge(kept))


def _with_parts(message: Message, parts: Iterable[Part]) -> Message:
    return Message(role=message.role, parts=tuple(parts))


def _unseen(part: Part) -> Part:
    if not isinstance(part, AttachedFile | ToolResult) or not part.picture:
        return part
    text = f"{part.text}\n{PICTURE_WAS_SHOWN}"
    return replace(part, text=text, picture="")


def _without_blanks(messages: Iterable[Message]) -> Iterator[Message]:
    for message in messages:
        parts = [
            _writable(part)
            for part in message.parts
            if not isinstance(part, Text) or part.text.strip()
        ]
        if parts:
            yield _with_parts(message, parts)


def _writable(part: Part) -> Part:
    """The part as UTF-8 can write it, a result with at least a word in it."""
    if not isinstance(part, Text | ToolResult | AttachedFile):
        return part
    text = mended(part.text)
    if isinstance(part, ToolResult) and not text.strip():
        text = EMPTY_RESULT
    return replace(part, text=text)


def _merge(messages: Iterable[Message]) -> list[Message]:
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            parts = merged.pop().parts + message.parts
            message = _with_parts(message, parts)
        merged.append(message)
    return merged


def _pair(messages: Sequence[Message]) -> list[Message]:
    """Answer each assistant message's calls at the head of the user message behind it."""
    paired: list[Message] = []
    call_ids: set[str] = set()
    open_calls: tuple[ToolCall, ...] = ()
    for message in messages:
        if message.role == "assistant":
            message = _with_calls_last(_with_unique_calls(message, call_ids))
            open_calls = message.tool_calls
        else:
            message = _answered(open_calls, message.parts)
            open_calls = ()
        paired.append(message)
    if open_calls:
        paired.append(_answered(open_calls, ()))
    return paired


def _answered(calls: Sequence[ToolCall], parts: Sequence[Part]) -> Message:
    """A user message: the one result of each call, a neutral one where it is lost, then the rest.

    Results of other calls are dropped.
    """
    results: dict[str, ToolResult] = {}
    others: list[Part] = []
    for part in parts:
        if isinstance(part, ToolResult):
            results.setdefault(part.call_id, part)
        else:
            others.append(part)
    answers: list[Part] = []
    for call in calls:
        lost = ToolResult(call_id=call.id, text=LOST_RESULT, is_error=True)
        answers.append(results.get(call.id, lost))
    return Message(role="user", parts=(*answers, *others))


def _with_unique_calls(message: Message, call_ids: set[str]) -> Message:
    kept: list[Part] = []
    for part in message.parts:
        if not isinstance(part, ToolCall):
            kept.append(part)
        elif part.id not in call_ids:
            call_ids.add(part.id)
            name = _UNSENDABLE.sub("_", part.name)[:MAX_NAME_CHARS]
            kept.append(replace(part, name=name or "unnamed"))
    return _with_parts(message, kept)


def _with_calls_last(message: Message) -> Message:
    """Behind the last call providers expect its result: a text there goes before the call."""
    if not message.tool_calls:
        return message
    parts = list(message.parts)
    last = parts.index(message.tool_calls[-1])
    behind = sorted(parts[last + 1 :], key=lambda part: not isinstance(part, Text))
    is_text = [isinstance(part, Text) for part in behind]
    behind.insert(sum(is_text), parts[last])
    return _with_parts(message, [*parts[:last], *behind])


async def load_pictures(messages: Sequence[Message], workspace: Path) -> dict[str, Picture]:
    """The pictures of the messages' files by their paths; one that cannot be had is left out."""
    paths: list[str] = []
    for message in messages:
        parts = [part for part in message.parts if isinstance(part, AttachedFile | ToolResult)]
        paths.extend(part.picture for part in parts if part.picture)
    newest = list(dict.fromkeys(reversed(paths)))[:MAX_PICTURES]
    loaded: dict[str, Picture] = {}
    for path in newest:
        picture = await asyncio.to_thread(_picture, workspace, PurePosixPath(path))
        if picture is not None:
            loaded[path] = picture
    return loaded


def _picture(workspace: Path, path: PurePosixPath) -> Picture | None:
    """Only a plain file in a folder of the workspace, of a type that models take."""
    if path.is_absolute() or ".." in path.parts:
        return None
    try:
        folder = (workspace / path.parent).resolve(strict=True)
        if not folder.is_relative_to(workspace.resolve()):
            return None
        with os.fdopen(os.open(folder / path.name, _SAFELY), "rb") as file:
            data = file.read(MAX_PICTURE_BYTES + 1)
    except OSError:
        return None
    if len(data) > MAX_PICTURE_BYTES:
        return None
    for signature, media_type in _SIGNATURES.items():
        if data.startswith(signature):
            return Picture(media_type=media_type, data=base64.b64encode(data).decode())
    return None
