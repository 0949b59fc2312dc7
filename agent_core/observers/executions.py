"""Which Composio tools a call really ran: the tool itself, or those inside a multi-execute."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent_core.messages import JsonObject
from agent_core.observers.observing import ToolObserved, full_text
from agent_core.tools.payloads import is_list, is_object, parse, search

_PREFIX = re.compile(r"(?:COMPOSIO|RUBE)_")
_MULTI = "MULTI_EXECUTE_TOOL"
_WRAPPED_LEVELS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One tool that ran, with the part of the result that is its own."""

    slug: str
    """As the service names it, such as `COMPOSIO_SEARCH_NEWS`."""
    arguments: JsonObject
    payload: object
    position: int
    """Within the call."""


def slug_of(tool: str) -> str:
    """A tool's name at its own server, without `mcp__<server>__`."""
    return tool.split("__", 2)[-1] if tool.startswith("mcp__") else tool


def bare(slug: str) -> str:
    """A slug without the `COMPOSIO_` or `RUBE_` that it may begin with."""
    return _PREFIX.sub("", slug, count=1) if _PREFIX.match(slug) else slug


def executions(observed: ToolObserved) -> list[Execution]:
    """What ran. Reads the whole result; empty when it holds no JSON."""
    payload = parse(full_text(observed))
    if payload is None:
        return []
    slug = slug_of(observed.call.name)
    if bare(slug) == _MULTI:
        return list(_inner(payload, observed.call.arguments))
    arguments = observed.call.arguments
    return [Execution(slug=slug, arguments=arguments, payload=payload, position=0)]


def may_run(observed: ToolObserved, wanted: re.Pattern[str]) -> bool:
    """Whether the call names a wanted tool, itself or inside; spares reading other results."""
    slug = slug_of(observed.call.name)
    if bare(slug) != _MULTI:
        return wanted.fullmatch(slug) is not None
    named = [_asked_slug(tool) for tool in _asked(observed.call.arguments)]
    return not named or any(wanted.fullmatch(inner) for inner in named)


def _inner(payload: object, arguments: JsonObject) -> Iterator[Execution]:
    asked = _asked(arguments)
    results = search(payload, _results, _WRAPPED_LEVELS) or []
    for position, result in enumerate(results):
        if not is_object(result):
            continue
        request = _request(result, asked, position)
        slug = result.get("tool_slug") or _asked_slug(request)
        inner = request.get("arguments")
        yield Execution(
            slug=str(slug or ""),
            arguments=inner if is_object(inner) else {},
            payload=result.get("response") or result,
            position=position,
        )


def _results(value: JsonObject) -> list[object] | None:
    results = value.get("results")
    return results if is_list(results) else None


def _request(result: JsonObject, asked: list[JsonObject], position: int) -> JsonObject:
    """What a result answers: by its index, or by its place when it has none."""
    index = result.get("index")
    place = index if isinstance(index, int) and 0 <= index < len(asked) else position
    return asked[place] if place < len(asked) else {}


def _asked(arguments: JsonObject) -> list[JsonObject]:
    tools = arguments.get("tools")
    return [tool for tool in tools if is_object(tool)] if is_list(tools) else []


def _asked_slug(tool: JsonObject) -> str:
    return str(tool.get("tool_slug") or tool.get("slug") or "")
