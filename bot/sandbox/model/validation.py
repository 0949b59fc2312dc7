"""The rules of the Messages API that a request can break; each break is a 400."""

import base64
import hashlib
import hmac
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

from bot.sandbox.model.errors import RefusedError
from bot.sandbox.model.wire import Json, as_list, as_object, as_text, blocks_of

NEWEST_VERSION = "2026-10-21"
MAX_BREAKPOINTS = 4
ID = re.compile(r"^[a-zA-Z0-9_-]+$")
TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
FIELDS = """model max_tokens messages system tools tool_choice stream thinking output_config
cache_control metadata stop_sequences service_tier container diagnostics inference_geo speed
user_profile_id workspace_id temperature top_p top_k betas context_management mcp_servers compaction
thread fallbacks"""
EFFORTS = ("low", "medium", "high", "xhigh", "max")
SAMPLING = ("temperature", "top_p", "top_k")
USER_BLOCKS = "text image document tool_result search_result container_upload"
ASSISTANT_BLOCKS = "text thinking redacted_thinking tool_use server_tool_use fallback compaction"
RESULT_BLOCKS = "text image document search_result tool_reference"
BLOCKS = {"user": USER_BLOCKS, "assistant": ASSISTANT_BLOCKS, "system": "text"}
DISABLED = (
    '"thinking.type.{kind}" is not supported for this model. '
    'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
)
PATTERN = f"String should match pattern '{TOOL_NAME.pattern}'"
OBJECT = "Input should be 'object'"
FORCED = 'tool_choice: type "tool" and "any" are not supported for this model.'
NO_PREFILL = (
    "This model does not support assistant message prefill. "
    "The conversation must end with a user message."
)
EMPTY = "all messages must have non-empty content except for the optional final assistant message"
CHANGED = (
    "messages.{m}.content.{b}: `thinking` or `redacted_thinking` blocks in the latest assistant "
    "message cannot be modified. These blocks must remain as they were in the original response."
)
UNANSWERED = (
    "messages.{m}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}."
    " Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
UNEXPECTED = (
    "messages.{m}.content.{b}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each "
    "`tool_result` block must have a corresponding `tool_use` block in the previous message."
)
TWICE = (
    "messages.{m}.content.{b}: each tool_use must have a single result. "
    "Found multiple `tool_result` blocks with id: {id}"
)
# A stand-in has nothing to hide: the key is fixed so that a history outlives a restart.
KEY = b"model stand-in of the sandbox"


def check_headers(headers: Mapping[str, str], versions: Collection[str]) -> None:
    """Refuse a request without a key, or with no API version that is served here."""
    bearer = headers.get("Authorization", "").removeprefix("Bearer ").strip()
    if not (bearer or headers.get("x-api-key")):
        raise RefusedError("Authorization header is required", status=401)
    version = headers.get("anthropic-version")
    if version is None:
        raise RefusedError("anthropic-version: header is required")
    if version not in versions:
        raise RefusedError(f'anthropic-version: "{version}" is not a valid version')


def validate(body: Json, headers: Mapping[str, str]) -> None:
    """Raise `RefusedError` for the first rule that the request breaks."""
    _check_fields(body)
    if headers.get("anthropic-version", "") >= NEWEST_VERSION:
        for name in SAMPLING:
            _refuse_if(name in body, f"{name}: Extra inputs are not permitted")
    _check_thinking(body)
    _check_tools(body)
    _check_system(body.get("system"))
    _check_messages(body)
    _check_breakpoints(body)


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


def _refuse_if(is_broken: object, message: str) -> None:
    if is_broken:
        raise RefusedError(message)


def _check_fields(body: Json) -> None:
    for name in ("model", "max_tokens", "messages"):
        _refuse_if(name not in body, f"{name}: Field required")
    for name in body:
        _refuse_if(name not in FIELDS.split(), f"{name}: Extra inputs are not permitted")
    _refuse_if(not as_text(body["model"]), "model: String should have at least 1 character")
    _refuse_if(not as_list(body["messages"]), "messages: at least one message is required")
    limit = body["max_tokens"]
    is_number = isinstance(limit, int) and not isinstance(limit, bool)
    _refuse_if(not is_number, "max_tokens: Input should be a valid integer")
    _refuse_if(limit < 1, "max_tokens: must be greater than or equal to 1")


def _check_thinking(body: Json) -> None:
    kind = as_text(as_object(body.get("thinking")).get("type"))
    effort = as_text(as_object(body.get("output_config")).get("effort"))
    _refuse_if(effort and effort not in EFFORTS, "output_config.effort: Input is not known")
    is_off = kind in ("disabled", "enabled") and always_thinks(as_text(body["model"]))
    _refuse_if(is_off, DISABLED.format(kind=kind))


def _check_tools(body: Json) -> None:
    tools = [as_object(tool) for tool in as_list(body.get("tools"))]
    names = [as_text(tool.get("name")) for tool in tools]
    _refuse_if(len(names) != len(set(names)), "tools: Tool names must be unique.")
    for place, tool in enumerate(tools):
        where = f"tools.{place}.custom"
        schema = as_object(tool.get("input_schema"))
        _refuse_if(not TOOL_NAME.match(names[place]), f"{where}.name: {PATTERN}")
        _refuse_if(schema.get("type") != "object", f"{where}.input_schema.type: {OBJECT}")
        is_valid = isinstance(schema.get("properties", {}), dict)
        is_valid &= all(isinstance(name, str) for name in as_list(schema.get("required")))
        _refuse_if(not is_valid, f"{where}.input_schema: JSON schema is invalid.")
    choice = as_object(body.get("tool_choice"))
    _refuse_if(choice and not tools, "tool_choice: may only be specified while providing tools")
    is_forced = choice.get("type") in ("tool", "any") and "-5-5" in as_text(body["model"])
    _refuse_if(is_forced, FORCED)


def _check_system(system: object) -> None:
    for block in [] if system is None else blocks_of(system):
        text = as_text(block.get("text"))
        is_text = block.get("type") == "text" and (text.strip() or isinstance(system, str))
        _refuse_if(not is_text, "system: text content blocks must be non-empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One or more messages of the same role in a row, which the API reads as one."""

    role: str
    first: int
    """The index of the first of the messages."""
    blocks: list[Json]

    def of_type(self, kind: str) -> list[Json]:
        return [block for block in self.blocks if block.get("type") == kind]


def _check_messages(body: Json) -> None:
    messages = [as_object(message) for message in as_list(body["messages"])]
    for place, message in enumerate(messages):
        _check_role(place, messages)
        _check_content(place, message, is_last=place == len(messages) - 1)
    turns = _merge(messages)
    _refuse_if(turns[0].role != "user", 'messages: first message must use the "user" role')
    is_prefilled = turns[-1].role == "assistant" and "-5-5" in as_text(body["model"])
    _refuse_if(is_prefilled, NO_PREFILL)
    _check_pairing(turns)


def _check_role(place: int, messages: list[Json]) -> None:
    role = messages[place].get("role")
    is_known = role in ("user", "assistant", "system")
    _refuse_if(not is_known, f"messages.{place}.role: Input should be 'user' or 'assistant'")
    if role == "system":
        before = messages[place - 1].get("role") if place else ""
        after = messages[place + 1].get("role") if place + 1 < len(messages) else "assistant"
        is_fit = (before, after) == ("user", "assistant")
        _refuse_if(not is_fit, "role 'system' is not supported on this model")


def _check_content(place: int, message: Json, *, is_last: bool) -> None:
    content = message.get("content")
    is_content = isinstance(content, str | list)
    _refuse_if(not is_content, f"messages.{place}.content: Input should be a string or list")
    may_be_empty = is_last and message["role"] == "assistant"
    _refuse_if(not content and not may_be_empty, f"messages.{place}: {EMPTY}")
    for index, block in enumerate(blocks_of(content)):
        where, kind = f"messages.{place}.content.{index}", as_text(block.get("type"))
        is_allowed = kind in BLOCKS[message["role"]].split()
        _refuse_if(not is_allowed, f"{where}: Input tag '{kind}' is not allowed here")
        match kind:
            case "text":
                blank = "messages: text content blocks must contain non-whitespace text"
                _refuse_if(not as_text(block.get("text")).strip(), blank)
            case "thinking":
                is_own = as_text(block.get("signature")) == sign(as_text(block.get("thinking")))
                _refuse_if(not is_own, CHANGED.format(m=place, b=index))
            case "tool_use":
                is_named = TOOL_NAME.match(as_text(block.get("name")))
                _refuse_if(not is_named, f"{where}.tool_use.name: {PATTERN}")
                is_id = ID.match(as_text(block.get("id")))
                _refuse_if(not is_id, f"{where}.tool_use.id: String should match '{ID.pattern}'")
                is_object = isinstance(block.get("input"), dict)
                _refuse_if(not is_object, f"{where}.tool_use.input: {OBJECT}")
            case "tool_result":
                _check_result(where, block)
            case _:
                pass


def _check_result(where: str, block: Json) -> None:
    has_id = as_text(block.get("tool_use_id"))
    _refuse_if(not has_id, f"{where}.tool_result.tool_use_id: Field required")
    for inner in blocks_of(block.get("content")) if block.get("content") else []:
        kind = as_text(inner.get("type"))
        is_allowed = kind in RESULT_BLOCKS.split()
        _refuse_if(
            not is_allowed, f"{where}.tool_result.content: Input tag '{kind}' is not allowed"
        )
        is_empty = kind == "text" and not as_text(inner.get("text"))
        _refuse_if(is_empty, "messages: text content blocks must be non-empty")


def _merge(messages: list[Json]) -> list[Turn]:
    """The messages with neighbours of the same role joined, those of the system left out."""
    turns: list[Turn] = []
    for place, message in enumerate(messages):
        blocks = blocks_of(message["content"])
        if message["role"] == "system":
            continue
        if turns and turns[-1].role == message["role"]:
            turns[-1].blocks.extend(blocks)
        else:
            turns.append(Turn(role=message["role"], first=place, blocks=list(blocks)))
    return turns


def _check_pairing(turns: list[Turn]) -> None:
    """Every tool call has one result in the next message, and every result has its call."""
    ids = [block["id"] for turn in turns for block in turn.of_type("tool_use")]
    _refuse_if(len(ids) != len(set(ids)), "messages: `tool_use` ids must be unique")
    nobody = Turn(role="", first=-1, blocks=[])
    for before, turn in pairwise([nobody, *turns, nobody]):
        if before.role == "assistant":
            _check_answered(before, turn)
        if turn.role == "user":
            _check_expected(before, turn)


def _check_answered(turn: Turn, following: Turn) -> None:
    """Results stand before any other content; what comes later does not count."""
    leading: list[str] = []
    for block in following.blocks:
        if block.get("type") != "tool_result":
            break
        leading.append(block["tool_use_id"])
    uses = [place for place, b in enumerate(turn.blocks) if b.get("type") == "tool_use"]
    missing = [b["id"] for b in turn.of_type("tool_use") if b["id"] not in leading]
    if uses and any(b.get("type") == "text" for b in turn.blocks[uses[-1] :]):
        missing = missing or [turn.blocks[uses[-1]]["id"]]
    _refuse_if(missing, UNANSWERED.format(m=turn.first, ids=", ".join(missing)))


def _check_expected(before: Turn, turn: Turn) -> None:
    expected = {block["id"] for block in before.of_type("tool_use")}
    seen: set[str] = set()
    for index, block in enumerate(turn.blocks):
        if block.get("type") != "tool_result":
            continue
        key, place = block["tool_use_id"], {"m": turn.first, "b": index}
        _refuse_if(key not in expected, UNEXPECTED.format(**place, id=key))
        _refuse_if(key in seen, TWICE.format(**place, id=key))
        seen.add(key)


def _check_breakpoints(body: Json) -> None:
    parts = [as_object(tool) for tool in as_list(body.get("tools"))]
    parts += blocks_of(body.get("system"))
    for message in as_list(body["messages"]):
        for block in blocks_of(as_object(message).get("content")):
            parts += [block, *blocks_of(block.get("content"))]
    marks = [
        as_object(part["cache_control"]) for part in (*parts, body) if part.get("cache_control")
    ]
    _refuse_if(
        len(marks) > MAX_BREAKPOINTS,
        f"A maximum of {MAX_BREAKPOINTS} blocks with cache_control may be provided. "
        f"Found {len(marks)}.",
    )
