"""The rules of the Messages API that a request can break; each break is a 400."""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise

from bot.sandbox.model.errors import RefusedError
from bot.sandbox.model.wire import Json, as_list, as_object, as_text, blocks_of

VERSIONS = ("2023-06-01", "2026-10-21")
MAX_BREAKPOINTS = 4
ID = re.compile(r"^[a-zA-Z0-9_-]+$")
TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
FIELDS = """model max_tokens messages system tools tool_choice stream thinking output_config
cache_control metadata stop_sequences service_tier container diagnostics inference_geo speed
user_profile_id workspace_id temperature top_p top_k betas context_management mcp_servers compaction
thread fallbacks"""
SAMPLING = ("temperature", "top_p", "top_k")
USER_BLOCKS = "text image document tool_result search_result container_upload"
ASSISTANT_BLOCKS = "text thinking redacted_thinking tool_use server_tool_use fallback compaction"
RESULT_BLOCKS = "text image document search_result tool_reference"
BLOCKS = {"user": USER_BLOCKS, "assistant": ASSISTANT_BLOCKS, "system": "text"}
DISABLED = '"thinking.type.{kind}" is not supported for this model. Use "thinking.type.adaptive".'
FORCED = 'tool_choice: type "tool" and "any" are not supported for this model.'
NO_PREFILL = "This model does not support assistant message prefill."
EMPTY = "all messages must have non-empty content except for the optional final assistant message"
BLANK = "text content blocks must contain non-whitespace text"
CHANGED = "`thinking` blocks in the latest assistant message cannot be modified."
UNANSWERED = "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}."
UNEXPECTED = "unexpected `tool_use_id` found in `tool_result` blocks: {id}."
TWICE = "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
# A stand-in has nothing to hide: the key is fixed so that a history outlives a restart.
KEY = b"model stand-in of the sandbox"


def check_headers(headers: Mapping[str, str]) -> None:
    """Refuse a request without a key, or with no API version that is served here."""
    bearer = headers.get("Authorization", "").removeprefix("Bearer ").strip()
    if not (bearer or headers.get("x-api-key")):
        raise RefusedError("Authorization header is required", status=401)
    if headers.get("anthropic-version") not in VERSIONS:
        raise RefusedError("anthropic-version: is not a valid version")


def validate(body: Json, headers: Mapping[str, str]) -> None:
    """Raise `RefusedError` for the first rule that the request breaks."""
    for rule in (_fields, _thinking, _tools, _messages, _pairing, _breakpoints):
        for fault in rule(body):
            raise RefusedError(fault)
    is_newest = headers.get("anthropic-version", "") >= VERSIONS[-1]
    if old := [name for name in SAMPLING if name in body and is_newest]:
        raise RefusedError(f"{old[0]}: Extra inputs are not permitted")


def always_thinks(model: str) -> bool:
    """The models whose thinking cannot be switched off."""
    return "-5-5" in model and "haiku" not in model


def thinks(body: Json) -> bool:
    """Whether a reply to this request opens with a thinking block."""
    asked = as_text(as_object(body.get("thinking")).get("type"))
    if asked in ("adaptive", "enabled"):
        return True
    return asked != "disabled" and always_thinks(as_text(body.get("model")))


def sign(thought: str) -> str:
    """The signature by which a thinking block that was changed is found out."""
    data = thought.encode("utf-8", "surrogatepass")
    return base64.b64encode(hmac.new(KEY, data, hashlib.sha256).digest()).decode()


def _fields(body: Json) -> Iterator[str]:
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            yield f"{name}: Field required"
    for name in body:
        if name not in FIELDS.split():
            yield f"{name}: Extra inputs are not permitted"
    if not as_text(body["model"]):
        yield "model: String should have at least 1 character"
    if not as_list(body["messages"]):
        yield "messages: at least one message is required"
    limit = body["max_tokens"]
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        yield "max_tokens: must be an integer greater than or equal to 1"
    for block in blocks_of(body.get("system")):
        if block.get("type") != "text" or not as_text(block.get("text")).strip():
            yield f"system: {BLANK}"


def _thinking(body: Json) -> Iterator[str]:
    kind = as_text(as_object(body.get("thinking")).get("type"))
    if kind in ("disabled", "enabled") and always_thinks(as_text(body["model"])):
        yield DISABLED.format(kind=kind)


def _tools(body: Json) -> Iterator[str]:
    tools = [as_object(tool) for tool in as_list(body.get("tools"))]
    names = [as_text(tool.get("name")) for tool in tools]
    if len(names) != len(set(names)):
        yield "tools: Tool names must be unique."
    for place, tool in enumerate(tools):
        schema = as_object(tool.get("input_schema"))
        if not TOOL_NAME.match(names[place]):
            yield f"tools.{place}.custom.name: String should match pattern '{TOOL_NAME.pattern}'"
        required = all(isinstance(name, str) for name in as_list(schema.get("required")))
        is_object = schema.get("type") == "object" and required
        if not is_object or not isinstance(schema.get("properties", {}), dict):
            yield f"tools.{place}.custom.input_schema: JSON schema is invalid."
    choice = as_object(body.get("tool_choice"))
    if choice and not tools:
        yield "tool_choice: tool_choice may only be specified while providing tools"
    if choice.get("type") in ("tool", "any") and "-5-5" in as_text(body["model"]):
        yield FORCED


def _messages(body: Json) -> Iterator[str]:
    messages = _said(body)
    roles = [as_text(message.get("role")) for message in messages]
    for place, message in enumerate(messages):
        content = message.get("content")
        if roles[place] not in BLOCKS:
            yield f"messages.{place}.role: Input should be 'user' or 'assistant'"
        around = (["", *roles][place], [*roles, "assistant"][place + 1])
        if roles[place] == "system" and around != ("user", "assistant"):
            yield "role 'system' is not supported on this model"
        if not isinstance(content, str | list):
            yield f"messages.{place}.content: Input should be a valid string or list"
        if not content and (roles[place] != "assistant" or place < len(messages) - 1):
            yield f"messages.{place}: {EMPTY}"
        for index, block in enumerate(blocks_of(message["content"])):
            for fault in _block(block, BLOCKS[roles[place]]):
                yield f"messages.{place}.content.{index}: {fault}"
    if roles[0] != "user":
        yield 'messages: first message must use the "user" role'
    if roles[-1] == "assistant" and "-5-5" in as_text(body["model"]):
        yield NO_PREFILL


def _block(block: Json, allowed: str) -> Iterator[str]:
    kind = as_text(block.get("type"))
    if kind not in allowed.split():
        yield f"Input tag '{kind}' found using 'type' is not allowed here"
    if kind == "text" and not as_text(block.get("text")).strip():
        yield BLANK
    if kind == "thinking" and block.get("signature") != sign(as_text(block.get("thinking"))):
        yield CHANGED
    if kind == "tool_use":
        is_named = TOOL_NAME.match(as_text(block.get("name"))) and ID.match(
            as_text(block.get("id"))
        )
        if not is_named or not isinstance(block.get("input"), dict):
            yield "tool_use: Input should have an id, a name and a dictionary"
    if kind == "tool_result":
        if not as_text(block.get("tool_use_id")):
            yield "tool_result.tool_use_id: Field required"
        for inner in blocks_of(block.get("content") or []):
            yield from _block(inner, RESULT_BLOCKS)


def _pairing(body: Json) -> Iterator[str]:
    """Every tool call has one result in the next message, and every result has its call."""
    spoken = [message for message in _said(body) if message["role"] != "system"]
    turns: list[tuple[str, list[Json]]] = [
        (role, [block for message in said for block in blocks_of(message["content"])])
        for role, said in groupby(spoken, lambda message: as_text(message["role"]))
    ]
    ids = [_id_of(b) for _, blocks in turns for b in blocks if b.get("type") == "tool_use"]
    if len(ids) != len(set(ids)):
        yield "messages: `tool_use` ids must be unique"
    nobody: tuple[str, list[Json]] = ("user", [])
    for (role, before), (_, after) in pairwise([nobody, *turns, nobody]):
        uses = [_id_of(b) for b in before if b.get("type") == "tool_use" and role == "assistant"]
        results = [_id_of(b) for b in after if b.get("type") == "tool_result"]
        leading = results if _are_in_order(before, after) else []
        missing = [use for use in uses if use not in leading]
        if missing:
            yield UNANSWERED.format(ids=", ".join(missing))
        for place, result in enumerate(results):
            if result not in uses:
                yield UNEXPECTED.format(id=result)
            if result in results[:place]:
                yield TWICE.format(id=result)


def _are_in_order(before: list[Json], after: list[Json]) -> bool:
    """Whether no text stands behind the last call, or before the results."""
    calls = [block.get("type") == "tool_use" for block in before]
    results = [block.get("type") == "tool_result" for block in after]
    last = max((place for place, is_call in enumerate(calls) if is_call), default=0)
    has_text_behind = any(block.get("type") == "text" for block in before[last + 1 :])
    return results == sorted(results, reverse=True) and not has_text_behind


def _breakpoints(body: Json) -> Iterator[str]:
    parts = [body, *map(as_object, as_list(body.get("tools"))), *blocks_of(body.get("system"))]
    for message in _said(body):
        for block in blocks_of(message["content"]):
            parts += [block, *blocks_of(block.get("content"))]
    count = sum(bool(part.get("cache_control")) for part in parts)
    if count > MAX_BREAKPOINTS:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {count}."


def _said(body: Json) -> list[Json]:
    return [as_object(message) for message in as_list(body["messages"])]


def _id_of(block: Json) -> str:
    return as_text(block.get("id") or block.get("tool_use_id"))
