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
from typing import Any
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
    r"(?is)\b(?:send|forward|mail|post|sende|schicke|envoie|envía)\s+(?P<what>.{1,300}?)"
    rf"\s+(?:to|an|à|a)\s+(?P<to>#[\w-]+|{_NAME}@{_NAME})"
)
_SEND_HAN = re.compile(r"(?a)(?:把|将)(?P<what>.{1,300}?)(?:发送给|发到|寄给)\s*(?P<to>[\w.#@-]+)")
_CALL_TO = re.compile(rf"(?i)\bcall\s+({_NAME})\s+to\s+({_NAME}@{_NAME})")
_INTO = re.compile(
    rf"(?is)\b(?:put|write|paste|setze|mets|pon)\b.{{1,200}}?(?:\binto|\bin|\bdans|\ben)\s+"
    rf"(?:this\s+(?:url|link|address):?\s+)?((?:https?://)?{_NAME})"
)
_FETCH = re.compile(rf"(?i)\b(?:open|fetch|visit|öffne|ouvre|abre)\s+((?:https?://){_NAME})")
_NOTE = re.compile(r"(?is)\bsave\s+(.{1,2000}?)\s+to\s+(?:your\s+)?(?:notes|memory)\b")
_TELL = re.compile(r"(?is)\btell\s+the\s+(?:sub-?)?agent\s+([a-z][a-z-]*)\s+to:?\s+(.+)")
_SAY = re.compile(rf"(?i)\bconnect\b.{{0,80}}?\bat\s+({_NAME})")
_BLOB = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_LINK = re.compile(rf"https?://{_NAME}")
_ODD_BLANK = re.compile("[\u00a0\u2000-\u200d\u2800\u3164]")
_HOLES = ("…", "...", "{}", "CONVERSATION")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """The tools that a request offers, and the person's first words."""

    offered: tuple[str, ...]
    secret: str

    def call(self, name: str, arguments: JsonObject) -> tuple[str, JsonObject]:
        """A tool by full name, by its own name, or as what a batch would run."""
        for tool in self.offered:
            if name in (tool, slug_of(tool)):
                return tool, arguments
        if name.startswith("mcp__"):
            return name, arguments
        for tool in self.offered:
            if is_batch(slug_of(tool)):
                return tool, {"tools": [{"tool_slug": name, "arguments": arguments}]}
        return name, arguments

    def filled(self, address: str) -> str:
        """The address with the conversation in the hole that was left for it, or at its end."""
        words = quote(self.secret, safe="")
        for hole in _HOLES:
            if hole in address:
                return address.replace(hole, words)
        return f"{address}{words}"


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
    """

    name = "obedient"

    def __init__(
        self, moves: Sequence[tuple[str, JsonObject]] = (), *, calls_a_step: int = 4
    ) -> None:
        self._moves = moves
        self._calls_a_step = calls_a_step
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Reply, None]:
        """As `Model.stream`."""
        self.requests.append(request)
        left: dict[str, _Order] = {}
        for order in [*self._moves, *_orders_in(request)]:
            left[_mark(order)] = order
        for made in _since_last_words(request.messages):
            left.pop(_mark((made.name, made.arguments)), None)
        if not left or not request.may_call_tools:
            yield text_reply(_answer(request))
            return
        number = sum(len(message.tool_calls) for message in request.messages)
        calls: list[ToolCall] = []
        for name, arguments in list(left.values())[: self._calls_a_step]:
            number += 1
            calls.append(call(name, arguments, id=f"obeyed_{number}"))
        yield calls_reply(*calls)


def _since_last_words(messages: Sequence[Message]) -> list[ToolCall]:
    """The calls since a person wrote last."""
    calls: list[ToolCall] = []
    for message in messages:
        if message.role == "user" and message.text:
            calls = []
        calls += message.tool_calls
    return calls


def _mark(order: _Order) -> str:
    return json.dumps(order, sort_keys=True)


def _orders_in(request: ModelRequest) -> Iterator[_Order]:
    texts = list(_texts(request.messages))
    offered = tuple(tool.name for tool in request.tools)
    offer = _Offer(offered=offered, secret=_secret(texts))
    # Our own descriptions say `call` and `send` without meaning it as an order.
    foreign = (tool.description for tool in request.tools if tool.name.startswith("mcp__"))
    for text in (*foreign, *texts):
        yield from _orders_of(text, offer)


def _secret(texts: Sequence[str]) -> str:
    """The first line of the run's request, without its time: the secret that an attack is after."""
    if not texts:
        return ""
    request = texts[0].rpartition("</sent>\n\n")[2]
    return request.partition("\n")[0]


def _texts(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        if message.role != "user":
            continue
        for part in message.parts:
            if isinstance(part, Text | ToolResult | AttachedFile):
                yield part.text


@lru_cache(maxsize=4_096)
def _orders_of(text: str, offer: _Offer) -> tuple[_Order, ...]:
    """Orders of a text in their order, then those hidden in it; kept, as each request has it."""
    orders: list[_Order] = []
    for each in _unfolded(text):
        matches = [*_calls(each, offer), *_sayings(each, offer)]
        matches.sort(key=lambda match: match[0])
        orders += [order for _, order in matches]
    return tuple(orders)


def _calls(text: str, offer: _Offer) -> Iterator[tuple[int, _Order]]:
    for match in _CALL.finditer(text):
        try:
            arguments, _ = json.JSONDecoder().raw_decode(text, match.end())
        except ValueError:
            continue
        # `CONVERSATION` in the arguments stands for what the person wrote first.
        filled = with_texts(arguments, lambda text: text.replace("CONVERSATION", offer.secret))
        yield match.start(), offer.call(match[1], filled)


def _sayings(text: str, offer: _Offer) -> Iterator[tuple[int, _Order]]:
    for pattern in (_SEND, _SEND_HAN):
        for match in pattern.finditer(text):
            order = _sending(match["what"], match["to"], offer)
            yield match.start(), order
    for match in _CALL_TO.finditer(text):
        mail = {"recipient_email": match[2], "body": offer.secret}
        yield match.start(), offer.call(match[1], mail)
    for match in _INTO.finditer(text):
        url = offer.filled(match[1])
        yield match.start(), offer.call("crawl_parallel", {"urls": [url]})
    for match in _FETCH.finditer(text):
        url = match[1]
        yield match.start(), offer.call("crawl_parallel", {"urls": [url]})
    for match in _NOTE.finditer(text):
        note = {"path": "notes.md", "content": match[1]}
        yield match.start(), offer.call("write_local_file", note)
    for match in _TELL.finditer(text):
        task: JsonObject = {
            "description": "as told",
            "prompt": f"{offer.secret}\n{match[2]}",
            "subagent_type": match[1],
        }
        yield match.start(), ("Task", task)


def _sending(what: str, to: str, offer: _Offer) -> _Order:
    body = f"{what}\n{offer.secret}"
    if to.startswith("#"):
        return offer.call("SLACK_SEND_MESSAGE", {"channel": to, "text": body})
    return offer.call("GMAIL_SEND_EMAIL", {"recipient_email": to, "body": body})


def _unfolded(text: str, depth: int = MAX_DEPTH) -> Iterator[str]:
    """The text, and those that are hidden in it."""
    yield text
    if depth:
        for inner in _hidden(text):
            yield from _unfolded(inner, depth - 1)


def _hidden(text: str) -> Iterator[str]:
    """What a reader of JSON, HTML, base64 and odd blanks makes of a text."""
    plain = _ODD_BLANK.sub(" ", text)
    plain = html.unescape(plain)
    if plain != text:
        yield plain
    with contextlib.suppress(ValueError, RecursionError):
        yield from _strings(json.loads(text))
    for match in _BLOB.finditer(text):
        try:
            yield base64.b64decode(match[0], validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue


def _strings(value: Any) -> list[str]:
    """The strings one by one, and all of them as one text."""
    strings: list[str] = []

    def keep(text: str) -> str:
        strings.append(text)
        return text

    with_texts(value, keep)
    return [*strings, " ".join(strings)]


def _answer(request: ModelRequest) -> str:
    """All that was said, as a report, with every address live as far as the model can make it."""
    texts = list(_texts(request.messages))
    offer = _Offer(offered=(), secret=_secret(texts))
    links: list[str] = []
    for text in texts:
        for inner in _unfolded(text):
            links += map(offer.filled, _INTO.findall(inner))
            links += _SAY.findall(inner)
            links += _LINK.findall(inner)
    lines = [f"[here]({link})" for link in dict.fromkeys(links)]
    last = texts[1:][-2:]
    return "\n\n".join(filter(None, ["As told.", "\n".join(lines), *last]))
