"""The actions of a tool call: the call itself, or each entry of Composio's batch, however spelled.

A call is opened once, where it is about to be made; gate, audit and taint read the same actions, so
that none of them can take a batch for something else.
"""

import json
from dataclasses import dataclass, replace
from typing import Any, cast

from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.models.strict_json import as_object, is_nested_too_deeply
from agent_core.tools.names import canonical, prefix_of, reads, slug_of
from agent_core.tools.toolset import ToolOutput

MAX_DEPTH = 3
"""Batches in batches; what lies deeper cannot be read."""

COMPOSIO = "mcp__composio__"

_BATCHES = frozenset({"MULTI_EXECUTE_TOOL", "MULTI_EXECUTE_TOOLS", "MULTI_EXECUTE"})
_SLUGS = ("tool_slug", "slug", "tool", "tool_name", "name")
_ARGUMENTS = "arguments"
_ACCOUNT = "account"
_OF_AN_ENTRY = {_ARGUMENTS, _ACCOUNT, *_SLUGS}
_OF_A_BATCH = frozenset(
    {
        "tools", "current_step", "current_step_metric", "memory", "session", "session_id",
        "sync_response_to_workbench", "thought",
    }
)  # fmt: skip
"""The tools of a batch, and the fields beside them that run nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing that a call would do."""

    tool: str
    """The app's own name of the tool, as written; empty when nobody can tell: never allow it."""
    arguments: JsonObject
    """In full, as they would be sent, with everything else that stands in an entry; for an entry
    that cannot be read, the entry."""
    account: str = ""
    """The account that the call names; empty when it leaves the choice open."""
    reads: bool = False
    """The tool's name says that it reads and changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCall:
    """A call with all that it would do."""

    call: ToolCall
    actions: tuple[Action, ...]
    """Every entry of a batch, of batches in it as well, or the call itself. Never empty: a batch
    without entries has one that cannot be read."""
    is_batch: bool

    @property
    def name(self) -> str:
        """The full name of the called tool."""
        return self.call.name

    @property
    def slug(self) -> str:
        """`GMAIL_SEND_EMAIL` of an app's tool; the agent's own tools have their name."""
        return slug_of(self.name)

    @property
    def prefix(self) -> str:
        """`mcp__composio__` of an app's tool; the agent's own for its own tools."""
        return prefix_of(self.name)

    @property
    def is_composio(self) -> bool:
        return self.prefix == COMPOSIO

    def is_repeatable(self, spec: ToolSpec | None) -> bool:
        """Whether making the call once more, after it may have run, changes nothing.

        A name that nobody knows (no `spec`) does nothing. Otherwise all that it would do has to be
        reading, by name, whether it is called directly or in a batch.
        """
        return spec is None or spec.is_repeatable or all(each.reads for each in self.actions)


LOST_RESULT = ToolOutput(
    text="The program was restarted while this call was under way, and its result is lost: it may "
    "or may not have happened. Look whether it had its effect before you make it again; a call "
    "that only reads can simply be made again.",
    is_error=True,
    is_ours=True,
    may_have_happened=True,
)
"""The output of a call that was begun before a restart and may not be made again."""


def opened(call: ToolCall) -> OpenedCall:
    """The call with its actions."""
    prefix = prefix_of(call.name)
    whole = Action(tool=slug_of(call.name), arguments=call.arguments)
    actions: list[Action] = []
    for action in _actions(whole, MAX_DEPTH):
        is_reading = bool(canonical(action.tool)) and reads(f"{prefix}{action.tool}")
        actions.append(replace(action, reads=is_reading))
    return OpenedCall(call=call, actions=tuple(actions), is_batch=is_batch(whole.tool))


def is_batch(slug: str) -> bool:
    """Whether the tool runs others."""
    return canonical(slug).removeprefix("COMPOSIO_") in _BATCHES


def batch_results(result: JsonObject) -> list[object] | None:
    """The results of a batch's entries; None where there are none."""
    results = as_object(result.get("data")).get("results")
    return cast("list[object]", results) if isinstance(results, list) else None


def _actions(call: Action, depth: int) -> list[Action]:
    if not canonical(call.tool):
        return [_unreadable(call.arguments)]
    if not is_batch(call.tool):
        return [call]
    entries = _read_json(call.arguments.get("tools"))
    if not depth or not isinstance(entries, list) or not entries or _has_more(call.arguments):
        return [_unreadable(call.arguments)]
    actions: list[Action] = []
    for entry in cast("list[object]", entries):
        actions += _actions(_entry(entry, call.account), depth - 1)
    return actions


def _has_more(batch: JsonObject) -> bool:
    """Whether an unknown field could hold further tools."""
    unknown = [value for name, value in batch.items() if name not in _OF_A_BATCH]
    return any(isinstance(_read_json(value), list | dict) for value in unknown)


def _entry(entry: object, outer_account: str) -> Action:
    if not isinstance(entry, dict):
        return _unreadable({"entry": entry})
    fields = cast("JsonObject", entry)
    slug = _slug(fields)
    arguments = _arguments(fields)
    account = fields.get(_ACCOUNT) or outer_account
    if not slug or arguments is None or not isinstance(account, str):
        return _unreadable(fields)
    return Action(tool=slug, arguments=arguments, account=account)


def _slug(fields: JsonObject) -> str:
    """Empty where there is none, or two that differ: one would be judged and the other be run."""
    slugs = [fields[name] for name in _SLUGS if fields.get(name) is not None]
    if not slugs or not isinstance(slugs[0], str):
        return ""
    return slugs[0] if slugs.count(slugs[0]) == len(slugs) else ""


def _arguments(fields: JsonObject) -> JsonObject | None:
    arguments = _read_json(fields.get(_ARGUMENTS))
    if not isinstance(arguments, dict | None):
        return None
    more = {name: value for name, value in fields.items() if name not in _OF_AN_ENTRY}
    if more:
        return {_ARGUMENTS: arguments or {}, **more}
    return cast("JsonObject", arguments or {})


def _unreadable(entry: JsonObject) -> Action:
    return Action(tool="", arguments=entry)


def _read_json(value: object) -> object:
    """A value that may be written as JSON in a string; a string without JSON stays itself."""
    if not isinstance(value, str):
        return value
    try:
        inner: object = json.loads(value, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError):
        return value
    return value if is_nested_too_deeply(inner) else inner


def _without_doubles(pairs: list[tuple[str, Any]]) -> JsonObject:
    """Refuses two values under one name: nobody knows which of them the other side takes."""
    names = dict(pairs)
    if len(names) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return names
