"""The rules of the Messages API that a request can break; each break is a 400."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.sandbox.model.errors import RefusedError
from bot.sandbox.model.history import check_messages
from bot.sandbox.model.thinking import always_thinks
from bot.sandbox.model.wire import Json, as_list, as_object, as_text, blocks_of

NEWEST_VERSION = "2026-10-21"
MAX_BREAKPOINTS = 4
TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
KNOWN_FIELDS = frozenset(
    [
        "model",
        "max_tokens",
        "messages",
        "system",
        "tools",
        "tool_choice",
        "stream",
        "thinking",
        "output_config",
        "cache_control",
        "metadata",
        "stop_sequences",
        "service_tier",
        "container",
        "diagnostics",
        "inference_geo",
        "speed",
        "user_profile_id",
        "workspace_id",
        "temperature",
        "top_p",
        "top_k",
        "betas",
        "context_management",
        "mcp_servers",
        "compaction",
        "thread",
        "fallbacks",
    ]
)
SAMPLING = ("temperature", "top_p", "top_k")
DISABLED = (
    '"thinking.type.{kind}" is not supported for this model. '
    'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
)
FORCED = 'tool_choice: type "tool" and "any" are not supported for this model.'
EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    bind_thinking: bool = False
    """Also refuse thinking blocks whose earlier conversation was edited."""


def validate(
    body: Json, rules: Rules, headers: Mapping[str, str], *, counting: bool = False
) -> None:
    """Raise `RefusedError` for the first rule that the request breaks."""
    _check_fields(body, counting=counting)
    _check_sampling(body, headers.get("anthropic-version", ""))
    _check_thinking(body)
    _check_tools(as_list(body.get("tools")))
    _check_tool_choice(body)
    _check_system(body.get("system"))
    check_messages(body, bind_thinking=rules.bind_thinking)
    _check_breakpoints(body)


def _check_fields(body: Json, *, counting: bool) -> None:
    for name in ("model", "messages") if counting else ("model", "max_tokens", "messages"):
        if name not in body:
            raise RefusedError(f"{name}: Field required")
    for name in body:
        if name not in KNOWN_FIELDS:
            raise RefusedError(f"{name}: Extra inputs are not permitted")
    if not as_text(body["model"]):
        raise RefusedError("model: String should have at least 1 character")
    messages: object = body["messages"]
    if not isinstance(messages, list):
        raise RefusedError("messages: Input should be a valid list")
    if not messages:
        raise RefusedError("messages: at least one message is required")
    if not counting:
        _check_max_tokens(body)


def _check_max_tokens(body: Json) -> None:
    limit = body["max_tokens"]
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise RefusedError("max_tokens: Input should be a valid integer")
    if limit < 0 or (limit == 0 and body.get("stream")):
        raise RefusedError("max_tokens: must be greater than or equal to 1")


def _check_sampling(body: Json, version: str) -> None:
    for name in SAMPLING:
        if name in body and version >= NEWEST_VERSION:
            raise RefusedError(f"{name}: Extra inputs are not permitted")


def _check_thinking(body: Json) -> None:
    model = as_text(body["model"])
    kind = as_text(as_object(body.get("thinking")).get("type"))
    effort = as_text(as_object(body.get("output_config")).get("effort"))
    if effort and effort not in EFFORTS:
        raise RefusedError(f"output_config.effort: Input should be one of {', '.join(EFFORTS)}")
    if kind in ("disabled", "enabled") and always_thinks(model):
        raise RefusedError(DISABLED.format(kind=kind))
    if kind == "between_tools" and effort in ("xhigh", "max"):
        raise RefusedError('"thinking.type.between_tools" is not supported with this effort.')
    if kind and kind not in ("adaptive", "enabled", "disabled", "between_tools"):
        raise RefusedError(f"thinking.type: Input tag '{kind}' found using 'type' does not match")


def _check_tools(tools: list[object]) -> None:
    names: set[str] = set()
    client_tools = [as_object(tool) for tool in tools]
    for place, tool in enumerate(client_tools):
        name = as_text(tool.get("name"))
        if name in names:
            raise RefusedError("tools: Tool names must be unique.")
        names.add(name)
        if "input_schema" in tool or tool.get("type", "custom") == "custom":
            _check_client_tool(place, name, tool)
    if client_tools and all(tool.get("defer_loading") for tool in client_tools):
        raise RefusedError(
            "All tools have defer_loading set. At least one tool must be non-deferred."
        )


def _check_client_tool(place: int, name: str, tool: Json) -> None:
    if not TOOL_NAME.match(name):
        raise RefusedError(
            f"tools.{place}.custom.name: String should match pattern '{TOOL_NAME.pattern}'"
        )
    schema = as_object(tool.get("input_schema"))
    if not schema:
        raise RefusedError(f"tools.{place}.custom.input_schema: Field required")
    if schema.get("type") != "object":
        raise RefusedError(f"tools.{place}.custom.input_schema.type: Input should be 'object'")
    required: object = schema.get("required", [])
    names = as_list(required)
    is_list = isinstance(required, list) and all(isinstance(n, str) for n in names)
    if not is_list or not isinstance(schema.get("properties", {}), dict):
        raise RefusedError(
            f"tools.{place}.custom.input_schema: JSON schema is invalid. "
            "It must match JSON Schema draft 2020-12."
        )


def _check_tool_choice(body: Json) -> None:
    choice = as_object(body.get("tool_choice"))
    if not choice:
        return
    if not as_list(body.get("tools")):
        raise RefusedError("tool_choice: tool_choice may only be specified while providing tools")
    if choice.get("type") in ("tool", "any") and "-5-5" in as_text(body["model"]):
        raise RefusedError(FORCED)


def _check_system(system: object) -> None:
    if system is None or isinstance(system, str):
        return
    for place, block in enumerate(as_list(system)):
        entry = as_object(block)
        if entry.get("type") != "text":
            raise RefusedError(f"system.{place}.type: Input should be 'text'")
        if not as_text(entry.get("text")).strip():
            raise RefusedError("system: text content blocks must be non-empty")


def _check_breakpoints(body: Json) -> None:
    parts = [as_object(tool) for tool in as_list(body.get("tools"))]
    parts += blocks_of(body.get("system"))
    for message in as_list(body["messages"]):
        for block in blocks_of(as_object(message).get("content")):
            parts += [block, *blocks_of(block.get("content"))]
    marks = [as_object(part["cache_control"]) for part in parts if part.get("cache_control")]
    marks += [as_object(body["cache_control"])] if body.get("cache_control") else []
    if len(marks) > MAX_BREAKPOINTS:
        raise RefusedError(
            f"A maximum of {MAX_BREAKPOINTS} blocks with cache_control may be provided. "
            f"Found {len(marks)}."
        )
    ttls = [as_text(mark.get("ttl")) or "5m" for mark in marks]
    if any(ttl not in ("5m", "1h") for ttl in ttls):
        raise RefusedError("cache_control.ttl: Input should be '5m' or '1h'")
    if ttls != sorted(ttls):
        raise RefusedError(
            "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
        )
