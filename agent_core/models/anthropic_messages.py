"""The Messages API's wire: how a request is written, and a whole reply read from its events.

A request has its order, cache points and effort; a reply that is not whole is refused. Pure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never, cast

from agent_core.errors import ModelUnavailable, ReplyTruncated, RequestTooLarge
from agent_core.events import Usage
from agent_core.ids import ToolCallId
from agent_core.json_values import as_object, load_strictly, mended, mended_value
from agent_core.messages import (
    AttachedFile,
    JsonObject,
    Message,
    Opaque,
    Part,
    Text,
    ToolCall,
    ToolResult,
)
from agent_core.models import CallDelta, Delta, ModelRequest, Picture, Reply
from agent_core.models.citations import cite_natively, mark_of

_CACHE_POINT: JsonObject = {"type": "ephemeral"}
_CACHED_USER_MESSAGES = 2
SESSION_PART = "\n\n## This session\n"
"""What a system prompt has behind it differs between sessions: the rest is cached for all."""
_MODEL_ID = re.compile(r"claude-(?:fable|haiku|mythos|opus|sonnet)-(\d{1,2})(?!\d)")
_FIRST_MAJOR_WITH_EFFORT = 5
DECLINED_THE_REST = "[The model declined to go on here.]"


def _takes_effort(model: str) -> bool | None:
    """Whether a model accepts `output_config.effort`; those that do refuse a forced tool.

    None where the model is not known, which gets neither.
    """
    match = _MODEL_ID.search(model)
    if match is None:
        return None
    return int(match[1]) >= _FIRST_MAJOR_WITH_EFFORT


def request_body(model: str, request: ModelRequest, *, may_cite: bool = False) -> JsonObject:
    """The body of POST /v1/messages, without `stream`; at most four cache points.

    Args:
        model: Its id at the provider.
        request: What is said, and with which tools.
        may_cite: Whether the server knows native citations.
    """
    messages = _messages(request.messages, request.pictures)
    if may_cite:
        cite_natively(messages)
    body: JsonObject = {"model": model, "max_tokens": request.max_tokens, "messages": messages}
    if request.system:
        stable, heading, varying = request.system.partition(SESSION_PART)
        block = {"type": "text", "text": stable, "cache_control": _CACHE_POINT}
        body["system"] = [block]
        if heading:
            body["system"].append({"type": "text", "text": f"{heading.strip()}\n{varying}"})
    if request.tools:
        tools = [tool.for_model() for tool in request.tools]
        tools[-1]["cache_control"] = _CACHE_POINT
        body["tools"] = tools
        if not request.may_call_tools:
            body["tool_choice"] = {"type": "none"}
        elif request.must_call and _takes_effort(model) is False:
            body["tool_choice"] = {"type": "tool", "name": request.must_call}
    if request.effort and _takes_effort(model):
        body["output_config"] = {"effort": request.effort}
    return body


def _messages(messages: Sequence[Message], pictures: Mapping[str, Picture]) -> list[JsonObject]:
    written: list[JsonObject] = []
    for message in messages:
        content = _content(message, pictures)
        if content:
            written.append({"role": message.role, "content": content})
    from_user = [message for message in written if message["role"] == "user"]
    for message in from_user[-_CACHED_USER_MESSAGES:]:
        last = message["content"][-1]
        message["content"][-1] = {**last, "cache_control": _CACHE_POINT}
    return written


def _content(message: Message, pictures: Mapping[str, Picture]) -> list[JsonObject]:
    # Models write blank text between thinking and a call; the API refuses it when it comes back.
    parts = [part for part in message.parts if not isinstance(part, Text) or part.text.strip()]
    if message.role == "user":
        # The API refuses results that come after text.
        parts.sort(key=lambda part: not isinstance(part, ToolResult))
    blocks: list[JsonObject] = []
    for part in parts:
        blocks.extend(_blocks(part, pictures))
    return blocks


def _blocks(part: Part, pictures: Mapping[str, Picture]) -> list[JsonObject]:
    match part:
        case Text():
            return [{"type": "text", "text": part.text}]
        case AttachedFile():
            return [{"type": "text", "text": part.text}, *_image(part.picture, pictures)]
        case Opaque():
            return [dict(part.block)]
        case ToolCall():
            call: JsonObject = {
                "type": "tool_use",
                "id": part.id,
                "name": part.name,
                "input": part.arguments,
            }
            return [call]
        case ToolResult():
            return [_result(part, pictures)]
        case _:
            assert_never(part)


def _result(part: ToolResult, pictures: Mapping[str, Picture]) -> JsonObject:
    result: JsonObject = {"type": "tool_result", "tool_use_id": part.call_id}
    image = _image(part.picture, pictures)
    if image:
        result["content"] = [{"type": "text", "text": part.text}, *image]
    else:
        result["content"] = part.text
    if part.is_error:
        result["is_error"] = True
    return result


def _image(path: str, pictures: Mapping[str, Picture]) -> list[JsonObject]:
    picture = pictures.get(path)
    if picture is None:
        return []
    source = {"type": "base64", "media_type": picture.media_type, "data": picture.data}
    return [{"type": "image", "source": source}]


@dataclass(slots=True)
class _Block:
    raw: JsonObject
    input_pieces: list[str] = field(default_factory=list[str])
    marks: list[str] = field(default_factory=list[str])
    """Of the passages that it cites, in their order."""
    ended: bool = False

    @property
    def kind(self) -> str:
        return str(self.raw.get("type", ""))

    def extend(self, delta: JsonObject) -> Delta | CallDelta | None:
        """Add one delta; return what it adds to the answer's text or to a call's arguments."""
        match delta.get("type"):
            case "text_delta":
                if self.kind == "text" and (text := mended(self._append("text", delta))):
                    return Delta(text=text)
            case "input_json_delta":
                piece = str(delta.get("partial_json") or "")
                self.input_pieces.append(piece)
                if piece:
                    return CallDelta(tool=str(self.raw.get("name") or ""), text=piece)
            case "thinking_delta":
                self._append("thinking", delta)
            case "citations_delta":
                mark = mark_of(as_object(delta.get("citation")))
                if mark and mark not in self.marks:
                    self.marks.append(mark)
            case "signature_delta":
                self.raw["signature"] = delta.get("signature")
            case _:
                pass
        return None

    def end(self) -> Delta | None:
        """End the block; return the marks that follow its text, without those it has itself."""
        self.ended = True
        text = str(self.raw.get("text") or "")
        marks = "".join(mark for mark in self.marks if mark not in text)
        if not marks:
            return None
        return Delta(text=self._append("text", {"text": f" {marks}"}))

    def _append(self, key: str, delta: JsonObject) -> str:
        piece = str(delta.get(key) or "")
        self.raw[key] = str(self.raw.get(key) or "") + piece
        return piece


def _joined(blocks: Sequence[_Block]) -> list[_Block]:
    """The blocks with a text that cites in one with those beside it: it comes in small pieces."""
    joined: list[_Block] = []
    for block in blocks:
        last = joined[-1] if joined else block
        is_text = last is not block and last.kind == block.kind == "text"
        if is_text and (last.marks or block.marks):
            text = str(last.raw.get("text") or "") + str(block.raw.get("text") or "")
            joined[-1] = _Block({"type": "text", "text": text}, marks=last.marks + block.marks)
        else:
            joined.append(block)
    return joined


class ReplyAssembly:
    """Takes the stream's events in order; `reply` is the whole reply or says why there is none."""

    def __init__(self) -> None:
        self._started: JsonObject = {}
        self._blocks: dict[str, _Block] = {}
        """By index, in the order of their beginning."""
        self._usage: JsonObject = {}
        self._stop: JsonObject = {}
        self._ended = False

    def take(self, event: JsonObject) -> Delta | CallDelta | None:
        """Take one event; return what it adds to the answer or to a call, often nothing."""
        match event.get("type"):
            case "message_start":
                self._started = as_object(event.get("message"))
                self._count(self._started.get("usage"))
            case "content_block_start":
                block = _Block(dict(as_object(event.get("content_block"))))
                self._blocks[str(event.get("index"))] = block
            case "content_block_delta":
                return self._block(event).extend(as_object(event.get("delta")))
            case "content_block_stop":
                return self._block(event).end()
            case "message_delta":
                self._stop = as_object(event.get("delta"))
                self._count(event.get("usage"))
            case "message_stop":
                self._ended = True
            case _:  # a ping, or what came later than this code
                pass
        return None

    def reply(self) -> Reply:
        """The whole reply.

        Raises:
            ModelUnavailable: the stream was cut, or a tool call in it is not whole.
            ReplyTruncated: the output limit was hit inside a tool call.
            RequestTooLarge: the context window was full inside a tool call.
        """
        stop_reason = self._checked_stop_reason()
        blocks = list(self._blocks.values())
        if stop_reason == "refusal":
            blocks = [block for block in blocks if block.kind != "tool_use"]
        parts = tuple(map(self._part, _joined(blocks)))
        self._check_calls(parts, stop_reason)
        thoughts = [block.raw.get("thinking") for block in blocks if block.kind == "thinking"]
        return Reply(
            message=Message(role="assistant", parts=self._explained(parts, stop_reason)),
            stop_reason=stop_reason,
            usage=_usage(self._usage),
            model=str(self._started.get("model") or ""),
            thinking="\n\n".join(mended(str(thought)) for thought in thoughts if thought),
        )

    def _block(self, event: JsonObject) -> _Block:
        block = self._blocks.get(str(event.get("index")))
        if block is None:
            raise self._incomplete("a piece came for a block that never began")
        return block

    def _count(self, usage: object) -> None:
        # Counts are running totals; a later event that leaves one out does not reset it.
        self._usage.update((k, v) for k, v in as_object(usage).items() if v is not None)

    def _checked_stop_reason(self) -> str:
        stop_reason = self._stop.get("stop_reason")
        if not self._started or not self._ended or not stop_reason:
            raise self._incomplete("the stream ended before the message did")
        calls = any(block.kind == "tool_use" for block in self._blocks.values())
        if calls and stop_reason == "max_tokens":
            text = "The reply hit its output limit inside a tool call."
            raise ReplyTruncated(text, kind=stop_reason)
        if calls and stop_reason == "model_context_window_exceeded":
            text = "The context window was full inside a tool call."
            raise RequestTooLarge(text, kind=stop_reason)
        return str(stop_reason)

    def _part(self, block: _Block) -> Part:
        match block.kind:
            case "text":
                return Text(text=mended(block.raw.get("text") or ""))
            case "tool_use":
                return self._call(block)
            case _:
                kept = {k: v for k, v in block.raw.items() if v is not None}
                return Opaque(block=mended_value(kept))

    def _call(self, block: _Block) -> ToolCall:
        call_id = block.raw.get("id")
        name = block.raw.get("name")
        if not (block.ended and call_id and name):
            raise self._incomplete("a tool call is not whole")
        return ToolCall(
            id=ToolCallId(str(call_id)),
            name=str(name),
            arguments=self._input(block),
        )

    def _input(self, block: _Block) -> JsonObject:
        written = mended("".join(block.input_pieces))
        try:
            arguments: object = load_strictly(written) if written else block.raw.get("input")
        except ValueError as error:
            raise self._incomplete("the arguments of a tool call are not JSON") from error
        if not isinstance(arguments, dict):
            raise self._incomplete("the arguments of a tool call are not an object")
        return cast("JsonObject", mended_value(arguments))

    def _check_calls(self, parts: tuple[Part, ...], stop_reason: str) -> None:
        ids = [part.id for part in parts if isinstance(part, ToolCall)]
        if bool(ids) != (stop_reason == "tool_use"):
            raise self._incomplete(f"{len(ids)} tool calls came with stop reason {stop_reason}")
        if len(set(ids)) != len(ids):
            raise self._incomplete("two tool calls have the same id")

    def _explained(self, parts: tuple[Part, ...], stop_reason: str) -> tuple[Part, ...]:
        """What a refusal says of itself; a text that it cut off is not to be taken as whole."""
        if stop_reason != "refusal":
            return parts
        details = as_object(self._stop.get("stop_details"))
        explanation = details.get("explanation")
        if explanation:
            return (*parts, Text(text=str(explanation)))
        if any(isinstance(part, Text) and part.text.strip() for part in parts):
            return (*parts, Text(text=DECLINED_THE_REST))
        return parts

    def _incomplete(self, why: str) -> ModelUnavailable:
        text = f"The model's reply is not whole: {why}."
        return ModelUnavailable(text, kind="incomplete")


def _usage(counts: JsonObject) -> Usage:
    def count(name: str) -> int:
        value: Any = counts.get(name)
        return value if isinstance(value, int) else 0

    return Usage(
        input_tokens=count("input_tokens"),
        output_tokens=count("output_tokens"),
        cache_read_tokens=count("cache_read_input_tokens"),
        cache_write_tokens=count("cache_creation_input_tokens"),
    )
