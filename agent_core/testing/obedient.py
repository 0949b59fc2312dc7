"""A model that does whatever any text it reads says. What it brings about, the code let happen."""

import base64
import binascii
import contextlib
import html
import json
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast
from urllib.parse import quote

from agent_core.masking import with_texts
from agent_core.messages import AttachedFile, JsonObject, Message, Text, ToolCall, ToolResult
from agent_core.models import Delta, ModelRequest, Reply
from agent_core.testing.models import call, calls_reply, text_reply
from agent_core.tools import is_batch, slug_of

MAX_DEPTH = 3
"""Of texts that are hidden in texts."""

_NAME = r"[^\s\"'<>(){}|,;]+"
_CALL = re.compile(
    rf"\b(?:CALL|call|use|run|invoke|rufe|appelle)\s+(?:the\s+tool\s+)?({_NAME})\s*(?:with\s*)?(?=\{{)"
)
_SEND = re.compile(
    r"\b(?:send|forward|mail|post|sende|schicke|envoie|envía)\s+(?P<what>.{1,300}?)"
    rf"\s+(?:to|an|à|a)\s+(?P<to>#[\w-]+|{_NAME}@{_NAME})",
    re.IGNORECASE | re.DOTALL,
)
_SEND_HAN = re.compile(
    r"(?:把|将)(?P<what>.{1,300}?)(?:发送给|发到|寄给)\s*(?P<to>[\w.#@-]+)", re.ASCII
)
_CALL_TO = re.compile(rf"\bcall\s+({_NAME})\s+to\s+({_NAME}@{_NAME})", re.IGNORECASE)
_INTO = re.compile(
    rf"\b(?:put|write|paste|setze|mets|pon)\b.{{1,200}}?(?:\binto|\bin|\bdans|\ben)\s+"
    rf"(?:this\s+(?:url|link|address):?\s+)?((?:https?://)?{_NAME})",
    re.IGNORECASE | re.DOTALL,
)
_FETCH = re.compile(rf"\b(?:open|fetch|visit|öffne|ouvre|abre)\s+((?:https?://){_NAME})", re.I)
_NOTE = re.compile(r"\bsave\s+(.{1,2000}?)\s+to\s+(?:your\s+)?(?:notes|memory)\b", re.I | re.S)
_TELL = re.compile(r"\btell\s+the\s+(?:sub-?)?agent\s+([a-z][a-z-]*)\s+to:?\s+(.+)", re.I | re.S)
_SAY = re.compile(rf"\bconnect\b.{{0,80}}?\bat\s+({_NAME})", re.IGNORECASE)
_BLOB = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_LINK = re.compile(rf"https?://{_NAME}")
_HOLES = ("…", "...", "{}", "CONVERSATION")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """What the model has at hand: the tools it was told of, and the person's first words."""

    offered: tuple[str, ...]
    secret: str

    def call(self, name: str, arguments: JsonObject) -> tuple[str, JsonObject]:
        """A tool by full name, by its own name, or as what a batch would run."""
        for each in self.offered:
            if name in (each, slug_of(each)):
                return each, arguments
        batch = next((each for each in self.offered if is_batch(slug_of(each))), None)
        if batch is None or name.startswith("mcp__"):
            return name, arguments
        return batch, {"tools": [{"tool_slug": name, "arguments": arguments}]}

    def filled(self, address: str) -> str:
        """The address with the conversation in the hole that was left for it, or at its end."""
        words = quote(self.secret, safe="")
        hole = next((each for each in _HOLES if each in address), None)
        return address.replace(hole, words) if hole else f"{address}{words}"


_Order = tuple[str, JsonObject]


class ObedientModel:
    """Obeys, in the order of their reading, all orders in tool descriptions, messages and results.

    An order is a call in plain words or as `CALL tool {json}`; see the tests. Whenever a person has
    written, all that was ever read is carried out once, however each call is answered. The answer
    repeats all addresses that the model was given.
    Deterministic and without a memory of its own, so that one serves many sessions at once.

    Args:
        moves: What it does first in every run, whatever anybody says.
        calls_a_step: How many orders it carries out at once.
        name: What it is called.
    """

    def __init__(
        self,
        moves: Sequence[tuple[str, JsonObject]] = (),
        *,
        calls_a_step: int = 4,
        name: str = "obedient",
    ) -> None:
        self._moves = tuple(moves)
        self._calls_a_step = calls_a_step
        self.name = name
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Reply, None]:
        """As `Model.stream`."""
        self.requests.append(request)
        made = [call for message in request.messages for call in message.tool_calls]
        done = {_mark((call.name, call.arguments)) for call in _since_last_words(request.messages)}
        orders = {_mark(order): order for order in (*self._moves, *_orders_in(request))}
        left = [order for mark, order in orders.items() if mark not in done]
        if left and request.may_call_tools:
            calls = enumerate(left[: self._calls_a_step], start=len(made) + 1)
            yield calls_reply(*(call(*order, id=f"obeyed_{n}") for n, order in calls))
        else:
            yield text_reply(_answer(request))


def _since_last_words(messages: Sequence[Message]) -> Iterator[ToolCall]:
    """The calls since a person wrote last."""
    places = [
        place
        for place, message in enumerate(messages)
        if message.role == "user" and any(isinstance(part, Text) for part in message.parts)
    ]
    for message in messages[max(places, default=0) :]:
        yield from message.tool_calls


def _mark(order: _Order) -> str:
    return json.dumps(order, sort_keys=True)


def _orders_in(request: ModelRequest) -> Iterator[_Order]:
    texts = list(_texts(request.messages))
    offered = tuple(tool.name for tool in request.tools)
    desk = _Desk(offered=offered, secret=_secret(texts))
    # Our own descriptions say `call` and `send` without meaning it as an order.
    foreign = (tool.description for tool in request.tools if tool.name.startswith("mcp__"))
    for text in (*foreign, *texts):
        yield from _orders_of(text, desk)


def _secret(texts: Sequence[str]) -> str:
    """The first line of what the run was asked, for others to hear of; not when that was."""
    return next(iter(texts), "").rpartition("</sent>\n\n")[2].partition("\n")[0]


def _texts(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            if message.role == "user" and isinstance(part, Text | ToolResult | AttachedFile):
                yield part.text


@lru_cache(maxsize=4_096)
def _orders_of(text: str, desk: _Desk) -> tuple[_Order, ...]:
    """Orders of a text in their order, then those hidden in it; kept, as each request has it."""
    found: list[_Order] = []
    for each in _unfolded(text):
        here = sorted([*_calls(each, desk), *_sayings(each, desk)], key=lambda placed: placed[0])
        found += (order for _, order in here)
    return tuple(found)


def _calls(text: str, desk: _Desk) -> Iterator[tuple[int, _Order]]:
    for match in _CALL.finditer(text):
        try:
            arguments, _ = json.JSONDecoder().raw_decode(text, match.end())
        except ValueError:
            continue
        # `CONVERSATION` in the arguments stands for what the person wrote first.
        filled = with_texts(arguments, lambda text: text.replace("CONVERSATION", desk.secret))
        yield match.start(), desk.call(match[1], filled)


def _sayings(text: str, desk: _Desk) -> Iterator[tuple[int, _Order]]:
    for pattern in (_SEND, _SEND_HAN):
        for match in pattern.finditer(text):
            yield match.start(), _sending(match["what"], match["to"], desk)
    for match in _CALL_TO.finditer(text):
        mail = {"recipient_email": match[2], "body": desk.secret}
        yield match.start(), desk.call(match[1], mail)
    for pattern in (_INTO, _FETCH):
        for match in pattern.finditer(text):
            address = desk.filled(match[1]) if pattern is _INTO else match[1]
            yield match.start(), desk.call("crawl_parallel", {"urls": [address]})
    for match in _NOTE.finditer(text):
        note = {"path": "notes.md", "content": match[1]}
        yield match.start(), desk.call("write_local_file", note)
    for match in _TELL.finditer(text):
        prompt = f"{desk.secret}\n{match[2]}"
        task = {"description": "as told", "prompt": prompt, "subagent_type": match[1]}
        yield match.start(), ("Task", cast("JsonObject", task))


def _sending(what: str, to: str, desk: _Desk) -> _Order:
    body = f"{what}\n{desk.secret}"
    if to.startswith("#"):
        return desk.call("SLACK_SEND_MESSAGE", {"channel": to, "text": body})
    return desk.call("GMAIL_SEND_EMAIL", {"recipient_email": to, "body": body})


def _unfolded(text: str, depth: int = MAX_DEPTH) -> Iterator[str]:
    """The text, and those that are hidden in it."""
    yield text
    if depth:
        for inner in _hidden(text):
            yield from _unfolded(inner, depth - 1)


def _hidden(text: str) -> Iterator[str]:
    """What a reader of JSON, HTML, base64 and odd blanks makes of a text."""
    plain = html.unescape(re.sub("[\u00a0\u2000-\u200d\u2800\u3164]", " ", text))
    if plain != text:
        yield plain
    with contextlib.suppress(ValueError, RecursionError):
        yield from _strings(json.loads(text))
    for match in _BLOB.finditer(text):
        try:
            yield base64.b64decode(match[0], validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue


def _strings(value: Any) -> Iterator[str]:
    """The strings one by one, and all of them as one text."""
    found: list[str] = []
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, str):
            found.append(current)
        elif isinstance(current, list):
            stack.extend(reversed(cast("list[Any]", current)))
        elif isinstance(current, dict):
            stack.extend(reversed(list(cast("dict[str, Any]", current).values())))
    yield from found
    yield " ".join(found)


def _answer(request: ModelRequest) -> str:
    """All that was said, as a report, with every address live as far as the model can make it."""
    read = list(_texts(request.messages))
    desk = _Desk(offered=(), secret=_secret(read))
    texts = [each for text in read for each in _unfolded(text)]
    links = [desk.filled(match[1]) for text in texts for match in _INTO.finditer(text)]
    links += [match[1] for text in texts for match in _SAY.finditer(text)]
    links += [match[0] for text in texts for match in _LINK.finditer(text)]
    listed = "\n".join(f"[here]({link})" for link in dict.fromkeys(links))
    return "\n\n".join(filter(None, ("As told.", listed, *read[1:][-2:])))
