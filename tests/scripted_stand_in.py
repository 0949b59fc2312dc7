"""The model stand-in for tests: whole replies and faults are scripted, histories are checked."""

from __future__ import annotations

import asyncio
import contextlib
import re
import uuid
from collections.abc import Collection, Generator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

from aiohttp import web

from bot.sandbox.model import ModelStandIn, ReplyText, StandInReply, ToolUse
from bot.sandbox.model.dialogue import read_dialogue
from bot.sandbox.model.message import THINKING, Json, as_object, blocks_of, finish, walk
from bot.sandbox.model.playbooks import verdict_on
from bot.sandbox.model.server import ReceivedCall

OK = 200
VERDICTS = ("SIMPLE", "COMPLEX", "ORDER", "STOP", "AGREE", "ASIDE")
MAX_BREAKPOINTS = 4
NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
UNPAIRED = "each `tool_use` must have a single `tool_result` at the head of the next message: {ids}"
TYPE_OF_STATUS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@dataclass(eq=False)
class RefusedError(Exception):
    """A request is answered with an error of this status and of the status's type."""

    message: str
    status: int = 400
    code: str | None = None
    retry_after: float | None = None

    def answer(self) -> web.Response:
        """The API's error envelope."""
        error: Json = {
            "type": TYPE_OF_STATUS.get(self.status, "api_error"),
            "message": self.message,
        }
        if self.code:
            error["details"] = {"error_code": self.code}
        request_id = f"req_{uuid.uuid4().hex[:24]}"
        headers = {"request-id": request_id}
        if self.retry_after is not None:
            headers["retry-after"] = f"{self.retry_after:g}"
        body = {"type": "error", "error": error, "request_id": request_id}
        return web.json_response(body, status=self.status, headers=headers)


@dataclass(slots=True, kw_only=True, eq=False)
class ScriptedFault:
    """One scripted failure: an HTTP error, or with `cut` a stream that breaks off."""

    status: int = 529
    """200 without `cut` only stalls: the reply goes on afterwards."""
    message: str = "Overloaded"
    error_code: str | None = None
    cut: Literal["clean", "abrupt"] | None = None
    """End the stream after `after_events` events: politely, or by dropping the connection."""
    after_events: int = 0
    stall_s: float = 0.0
    """Silence in a stream, after `after_events` events."""
    retry_after: float | None = None
    kinds: Collection[str] = frozenset()
    """Playbooks whose requests the fault hits; empty hits every request."""
    times: int = 1
    """How many requests the fault still hits."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Setting the event ends the silence early."""

    def refuse(self) -> None:
        """Raise RefusedError for a fault that is an HTTP error."""
        if self.status != OK and not self.cut:
            raise RefusedError(self.message, self.status, self.error_code, self.retry_after)


class ScriptedStandIn(ModelStandIn):
    """`fail` scripts a fault for a coming request, and `play` a whole reply.

    `calls` has the body of each request.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._faults: list[ScriptedFault] = []
        self._scripted: list[StandInReply] = []
        self._planted: dict[str, str] = {}

    def fail(self, **fields: Any) -> ScriptedFault:
        """Script a fault for the next requests that it fits, by the fields of `ScriptedFault`."""
        fault = ScriptedFault(**fields)
        self._faults.append(fault)
        return fault

    def stall(
        self, seconds: float, *, after_events: int = 0, kinds: Collection[str] = frozenset()
    ) -> asyncio.Event:
        """Script a silence in the next stream that fits, which then goes on as if nothing was.

        It lasts `seconds`, or until the event is set that is returned.
        """
        stall = self.fail(status=200, stall_s=seconds, after_events=after_events, kinds=kinds)
        return stall.over

    def play(self, *blocks: ReplyText | ToolUse, times: int = 1) -> None:
        """Script whole replies: the next requests get these blocks whatever they ask.

        Which way a message goes is said beside the script, unless the script says it.
        """
        self._scripted.extend([blocks] * times)

    @contextlib.contextmanager
    def planting(self, figure: str, altered: str) -> Generator[None]:
        """Meanwhile whatever it writes has another figure in place of one of its pages."""
        self._planted[figure] = altered
        yield
        del self._planted[figure]

    def _altered(self, text: str) -> str:
        for figure, altered in self._planted.items():
            text = text.replace(figure, altered)
        return text

    async def plan(self, body: Json) -> tuple[str, StandInReply]:
        """The next script where the request is not beside it, else the playbook's reply."""
        if self._scripted and not _is_beside(self._scripted[0], body):
            return "scripted", self._scripted.pop(0)
        kind, reply = await super().plan(body)
        altered: list[ReplyText | ToolUse] = []
        for block in reply:
            if isinstance(block, ReplyText):
                block = replace(block, text=self._altered(block.text))
            elif block.name.endswith(("write_report", "write_local_file")):
                written = {"markdown", "summary", "content"} & block.input.keys()
                texts = {key: self._altered(block.input[key]) for key in written}
                block = replace(block, input={**block.input, **texts})
            altered.append(block)
        return kind, tuple(altered)

    async def answer(self, request: web.Request, call: ReceivedCall) -> web.StreamResponse:
        try:
            _check_key(request)
            call.body = body = as_object(await request.json())
            validate(body)
            call.kind, reply = await self.plan(body)
            fault = self._take_fault(call.kind)
            if fault is None:
                return await self.reply(request, body, reply)
            fault.refuse()
            return await self._break_off(request, finish(reply, body), fault)
        except RefusedError as error:
            call.status = error.status
            return error.answer()

    async def _break_off(
        self, request: web.Request, message: Json, fault: ScriptedFault
    ) -> web.StreamResponse:
        """Some events of the stream, the silence, and the others if it is not cut there."""
        response, events = await self.begin_stream(request, message)
        with contextlib.suppress(ConnectionResetError):
            await self.send(response, events[: fault.after_events])
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(fault.over.wait(), fault.stall_s)
            if fault.cut == "abrupt" and request.transport is not None:
                request.transport.abort()
            elif not fault.cut:
                await self.send(response, events[fault.after_events :])
            await response.write_eof()
        return response

    def _take_fault(self, kind: str) -> ScriptedFault | None:
        """The oldest fault for a request of this kind, used up by one."""
        fault = next((each for each in self._faults if not each.kinds or kind in each.kinds), None)
        if fault is not None:
            fault.times -= 1
            self._faults = [each for each in self._faults if each.times > 0]
        return fault


def _check_key(request: web.Request) -> None:
    if not request.headers.keys() & {"x-api-key", "Authorization"}:
        raise RefusedError("Authorization header is required", status=401)


def _is_beside(script: StandInReply, body: Json) -> bool:
    """Whether a playbook answers this request, and the script waits for the next.

    Classifier and fast answer are asked at once, and about each message that comes for work: a
    script could not tell which request is first. So only a scripted verdict answers the classifier,
    and only their own call the planner and the judge of replies.
    """
    dialogue = read_dialogue(body)
    names = [block.name for block in script if isinstance(block, ToolUse)]
    for tool in {"judge_reply", "plan"} & dialogue.tools.keys():
        return tool not in names
    verdict = verdict_on(dialogue)
    if not verdict or verdict == "COMPLEX" or dialogue.tools:
        return verdict == "COMPLEX"
    texts = [block.text for block in script if isinstance(block, ReplyText)]
    return set(VERDICTS).isdisjoint(" ".join(texts).split())


def validate(body: Json) -> None:
    """Raise `RefusedError` for the first rule about a history that the request breaks.

    Only for rules that the product could break: the typed client itself knows the fields.
    """
    if sum("cache_control" in part for part in walk(body)) > MAX_BREAKPOINTS:
        raise RefusedError("A maximum of 4 blocks with cache_control may be provided.")
    messages: list[Json] = body["messages"]
    if messages[0]["role"] != "user":
        raise RefusedError('messages: first message must use the "user" role')
    if messages[-1]["role"] == "assistant":
        raise RefusedError("This model does not support assistant message prefill.")
    for message in messages:
        if not message["content"]:
            raise RefusedError("messages: all messages must have non-empty content")
        _check_blocks(message["content"])
    _check_blocks(body.get("system"))
    _check_pairs(messages)


def _check_blocks(content: object) -> None:
    for block in blocks_of(content):
        match block["type"]:
            case "text" if not block["text"].strip():
                raise RefusedError("text content blocks must contain non-whitespace text")
            case "thinking" if block != THINKING:
                raise RefusedError(
                    "`thinking` blocks in the latest assistant message cannot be modified."
                )
            case "tool_use":
                if not NAME.match(block["name"]) or not NAME.match(block["id"]):
                    raise RefusedError(f"tool_use: name and id should match '{NAME.pattern}'")
            case "tool_result":
                inner = block.get("content")
                if block.get("is_error") and not inner:
                    raise RefusedError("tool_result: content cannot be empty if `is_error` is true")
                _check_blocks(inner or None)
            case _:
                pass


def _check_pairs(messages: list[Json]) -> None:
    """Every tool call has one result at the head of the next message, every result its call."""
    contents = [blocks_of(message["content"]) for message in messages]
    known: list[str] = []
    for before, after in pairwise([[], *contents, []]):
        calls = _ids(before, "tool_use", "id")
        known += calls
        if len(known) != len(set(known)):
            raise RefusedError("messages: `tool_use` ids must be unique")
        results = _ids(after, "tool_result", "tool_use_id")
        at_head = _ids(after[: len(results)], "tool_result", "tool_use_id")
        if results != at_head or sorted(results) != sorted(calls):
            raise RefusedError(UNPAIRED.format(ids=", ".join(calls + results)))


def _ids(blocks: list[Json], kind: str, field_name: str) -> list[str]:
    return [block[field_name] for block in blocks if block["type"] == kind]
