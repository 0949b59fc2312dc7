"""Composio's batch, which runs many tools in one call: what is in it, in whatever spelling."""

import json
from dataclasses import dataclass
from typing import Any, cast

from agent_core.messages import JsonObject
from agent_core.models.strict_json import is_nested_too_deeply
from agent_core.tools.slugs import canonical

MAX_DEPTH = 3
"""Batches in batches; what lies deeper cannot be read."""

_BATCHES = frozenset({"MULTI_EXECUTE_TOOL", "MULTI_EXECUTE_TOOLS", "MULTI_EXECUTE"})
_SLUGS = ("tool_slug", "slug", "tool", "tool_name", "name")
_ARGUMENTS = "arguments"
_ACCOUNT = "account"
_BESIDE = frozenset(
    {
        "current_step", "current_step_metric", "memory", "session", "session_id",
        "sync_response_to_workbench", "thought",
    }
)  # fmt: skip
"""What stands beside the tools of a batch, and runs nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """One tool that a call runs."""

    slug: str
    """As it was written; empty when the entry cannot be read."""
    arguments: JsonObject
    """With everything else that stands in the entry, should there be more than is known."""
    account: str
    """The account that the entry names; empty when it leaves the choice open."""


def inner_calls(slug: str, arguments: JsonObject) -> tuple[Inner, ...]:
    """The tools that a call runs: those of a batch, of batches in it, or the tool itself.

    Never empty: a batch without entries has one that cannot be read.
    """
    return _opened(Inner(slug=slug, arguments=arguments, account=""), MAX_DEPTH)


def is_batch(slug: str) -> bool:
    """Whether the tool runs others."""
    return canonical(slug).removeprefix("COMPOSIO_") in _BATCHES


def _opened(call: Inner, depth: int) -> tuple[Inner, ...]:
    if not canonical(call.slug):
        return (_unreadable(call.arguments),)
    if not is_batch(call.slug):
        return (call,)
    entries = _read_json(call.arguments.get("tools"))
    if not depth or not isinstance(entries, list) or not entries or _has_more(call.arguments):
        return (_unreadable(call.arguments),)
    found = (_entry(entry, call.account) for entry in cast("list[object]", entries))
    return tuple(inner for entry in found for inner in _opened(entry, depth - 1))


def _has_more(arguments: JsonObject) -> bool:
    """Whether there is something that could be further tools, under a name that is not known."""
    others = (value for name, value in arguments.items() if name not in {"tools", *_BESIDE})
    return any(isinstance(_read_json(value), list | dict) for value in others)


def _entry(entry: object, outer_account: str) -> Inner:
    if not isinstance(entry, dict):
        return _unreadable({"entry": entry})
    fields = cast("JsonObject", entry)
    slugs = [fields[name] for name in _SLUGS if fields.get(name) is not None]
    account = fields.get(_ACCOUNT) or outer_account
    arguments = _arguments(fields)
    if arguments is None or not isinstance(account, str) or not _is_one_name(slugs):
        return _unreadable(fields)
    return Inner(slug=slugs[0], arguments=arguments, account=account)


def _is_one_name(slugs: list[Any]) -> bool:
    """Two names that differ would let one be judged and the other be run."""
    return bool(slugs) and isinstance(slugs[0], str) and all(slug == slugs[0] for slug in slugs)


def _arguments(fields: JsonObject) -> JsonObject | None:
    arguments = _read_json(fields.get(_ARGUMENTS))
    if not isinstance(arguments, dict | None):
        return None
    known = {_ARGUMENTS, _ACCOUNT, *_SLUGS}
    more = {name: value for name, value in fields.items() if name not in known}
    if more:
        return {_ARGUMENTS: arguments or {}, **more}
    return cast("JsonObject", arguments or {})


def _unreadable(entry: JsonObject) -> Inner:
    return Inner(slug="", arguments=entry, account="")


def _read_json(value: object) -> object:
    """A value that may be written as JSON in a string; a string that is none stays itself."""
    if not isinstance(value, str):
        return value
    try:
        found: object = json.loads(value, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError):
        return value
    return value if is_nested_too_deeply(found) else found


def _without_doubles(pairs: list[tuple[str, Any]]) -> JsonObject:
    """Of two values under one name nobody knows which the other side takes."""
    names = dict(pairs)
    if len(names) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return names
