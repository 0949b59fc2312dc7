"""What a request to a model must be like, stated without a line of the product's own repair.

The rules are those of the Messages API, as the sandbox's model stand-in has them.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from agent_core.context.history import LOST_RESULT
from agent_core.messages import JsonObject, Message, Opaque, Text, ToolCall, ToolResult
from agent_core.models import ModelRequest, Reply
from agent_core.models.anthropic_messages import request_body
from bot.sandbox.model.server import RefusedError, validate

MARK = "[turn "
"""In the words that open each turn, so that its own part of a history can be told."""
KEPT = re.compile(r"The whole is in (tool_results/\S+):")
KEPT_CHARS = 1_000
WORKSPACE = re.compile(r"/\S+/session_\d+_\d+_[0-9a-f]{6}")


def faults_of(request: ModelRequest) -> list[str]:
    """Every rule that the request breaks, in words; empty when it is valid."""
    roles = [message.role for message in request.messages]
    is_turned = all(before != after for before, after in pairwise(roles))
    found = [] if is_turned else ["two neighbours have the same role"]
    body = request_body("claude-sonnet-5-5", request)
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        validate(_without_signatures(body))
    except (RefusedError, ValueError) as error:
        found.append(f"the stand-in says: {error}")
    return found


def _without_signatures(body: JsonObject) -> JsonObject:
    """The stand-in takes only thinking that it signed itself; what is redacted it cannot check."""
    messages: list[JsonObject] = []
    for message in body["messages"]:
        blocks: list[Any] = [
            {"type": "redacted_thinking", "data": "x"} if block["type"] == "thinking" else block
            for block in message["content"]
        ]
        messages.append({**message, "content": blocks})
    return {**body, "messages": messages}


def faults_of_results(request: ModelRequest) -> Iterator[str]:
    """Where a result was lost, or the file that a cut one names does not begin as it does."""
    workspace = WORKSPACE.search(request.system)
    parts = [part for message in request.messages for part in message.parts]
    for result in (part for part in parts if isinstance(part, ToolResult)):
        if result.text == LOST_RESULT:
            yield f"the result of {result.call_id} was lost, and nothing had been killed"
        kept = KEPT.search(result.text)
        if workspace and kept and not _begins_alike(Path(workspace[0], kept[1]), result.text):
            yield f"{kept[1]} is not the whole of the result that names it"


def _begins_alike(file: Path, text: str) -> bool:
    return file.is_file() and file.read_bytes().decode()[:KEPT_CHARS] == text[:KEPT_CHARS]


class Issued:
    """The replies that a model gave, each with the conversation that it answered."""

    def __init__(self) -> None:
        self._replies: defaultdict[str, list[Message]] = defaultdict(list)
        self._thoughts: list[JsonObject] = []

    def add(self, request: ModelRequest, reply: Reply) -> None:
        self._replies[_prefixes(request.messages)[-1]].append(reply.message)
        self._thoughts += [part.block for part in reply.message.parts if isinstance(part, Opaque)]

    def faults_of(self, request: ModelRequest) -> list[str]:
        """Where the turn's own replies are not in the request as they were given."""
        found: list[str] = []
        for place, message in enumerate(request.messages):
            blocks = [part.block for part in message.parts if isinstance(part, Opaque)]
            if any(block not in self._thoughts for block in blocks):
                found.append(f"message {place}: thinking is not as it was given")
        prefixes = _prefixes(request.messages)
        for place in range(_opening(request.messages) + 1, len(request.messages), 2):
            given = self._replies[prefixes[place]]
            if not any(_is_same(reply, request.messages[place]) for reply in given):
                found.append(f"message {place}: the reply is not as it was given, or not in place")
        return found


def _prefixes(messages: Sequence[Message]) -> list[str]:
    """What stands for the first 0, 1, 2, … messages."""
    hasher = hashlib.sha256()
    prefixes = [hasher.hexdigest()]
    for message in messages:
        hasher.update(repr(message).encode("utf-8", "replace"))
        prefixes.append(hasher.hexdigest())
    return prefixes


def _opening(messages: Sequence[Message]) -> int:
    """The place of the message that opens the turn; a child run's history is its own from 0 on."""
    places = [
        place
        for place, message in enumerate(messages)
        if message.role == "user" and MARK in message.text
    ]
    return max(places, default=0)


def _is_same(given: Message, sent: Message) -> bool:
    """The same thinking and calls in the same order, the same texts; ids and names of calls may
    have been brought into a form that can be sent, and texts go before the last call."""
    return _frame(given) == _frame(sent) and _texts(given) == _texts(sent)


def _frame(message: Message) -> list[object]:
    return [
        part.arguments if isinstance(part, ToolCall) else part
        for part in message.parts
        if not isinstance(part, Text)
    ]


def _texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, Text) and part.text.strip()]
