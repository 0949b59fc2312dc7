"""What every tool call goes through: the seam `Toolset`, the registry, and a tool's schema.

A toolset lists specs and runs whole calls; a failing call is a value. The registry adds a limit, a
safety net, hooks and a cut: a huge result is saved whole in the workspace, and the model gets head,
tail, size and path.
"""

import asyncio
import difflib
import json
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, cast
from weakref import WeakValueDictionary

from cachetools import LRUCache, cached
from jsonschema import Draft202012Validator
from jsonschema import exceptions as jsonschema_exceptions
from jsonschema import validators as jsonschema_validators
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from referencing import Registry as Schemas
from referencing.exceptions import Unresolvable

from agent_core.clock import machine_time
from agent_core.ids import ROOT_RUN, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.json_values import as_object, is_nested_too_deeply
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.scoped_settings import NOTHING_SET, EffectiveSettings
from agent_core.tools.actions import prefix_of
from agent_core.workspaces.layout import TOOL_RESULTS, write_text

logger = logging.getLogger(__name__)

MAIN_AGENT = "universal-agent"
"""The name of the agent that answers people; the others are named in their definitions."""

OnProgress = Callable[[str], Awaitable[None]]
"""Says how far a call is, in people's words; may be dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """On whose behalf and where a call runs."""

    session: SessionId
    turn: TurnId
    run: RunId
    asker: UserId
    workspace: Path
    """The session's directory, absolute."""
    agent: str = MAIN_AGENT
    """Which agent calls."""
    places: tuple[str, ...] = ()
    """As in the message that began the turn."""
    zone: str = ""
    """The asker's time zone, such as `Europe/Berlin`; empty where it is not known."""
    may_wait: bool = True
    """Whether a person can be asked before the call: not for sub-agents and scheduled turns."""
    settings: EffectiveSettings = NOTHING_SET
    """What the channel's people and the operator have set for where it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file for the person that a trusted tool says it wrote."""

    path: str
    """Relative to the workspace."""
    title: str
    mimetype: str
    size_bytes: int
    citations: tuple[str, ...] = ()
    """The addresses that `[1]`, `[2]`, … stand for in it; empty where one is not cited."""
    follow_ups: tuple[str, ...] = ()
    """Questions that its reader may ask next."""
    checked: str = ""
    """How many of its claims were checked and found, in its own language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """How a call ended."""

    text: str
    """What the model gets: the whole result, or head, tail and path of a huge one."""
    is_error: bool = False
    size_bytes: int = 0
    """Of the whole result."""
    saved_path: str = ""
    """Relative to the workspace: where the whole result lies when `text` is cut."""
    artifacts: tuple[Artifact, ...] = ()
    picture: str = ""
    """Relative to the workspace: what a trusted tool shows beside its text."""
    is_ours: bool = False
    """The words are this bot's own: nothing of them comes from a server."""
    may_have_happened: bool = False
    """The result was lost: whether the call had its effect is not known."""
    started_at: datetime | None = None
    finished_at: datetime | None = None


LOST_RESULT = ToolOutput(
    text="The program was restarted while this call was under way, and its result is lost: it may "
    "or may not have happened. Look whether it had its effect before you make it again; a call "
    "that only reads can simply be made again.",
    is_error=True,
    is_ours=True,
    may_have_happened=True,
)
"""The output of a call that was begun before a restart and may not be made again."""


class Toolset(Protocol):
    """Tools offered together.

    `run` MUST NOT raise except CancelledError; every failure is a ToolOutput with `is_error`, also
    arguments that do not fit the tool's schema, which only the toolset knows whole.
    """

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]: ...

    async def run(
        self,
        call: ToolCall,
        context: ToolContext,
        progress: OnProgress,
    ) -> ToolOutput: ...


MAX_PARALLEL_CALLS = 10
"""Of one run; others wait for their turn."""
MAX_CHARS = 40_000
"""Of a result, for the model."""
MAX_ERROR_CHARS = 4_000
"""Of a failure: what went wrong stands at its beginning or its end."""
_HEAD_CHARS = 6_000
_TAIL_CHARS = 2_000
_NEAREST = 3
_LISTED = 40
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_FILE_NAME = 100

_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_COMBINATORS = ("oneOf", "anyOf", "allOf")
_MAX_REASON_CHARS = 300
_MAX_SCHEMA_CHARS = 100_000
_MAX_DEPTH = 40
"""Values in values; what reads a schema calls itself for each."""
_MAX_CHECKS = 10_000
"""Of one call's arguments: a schema whose parts refer to each other can ask for any number. So many
take 20 ms, less than a thread is worth."""
_MAX_FAULTS = 100
_MAX_UNIQUE = 200
_UNCHECKED = ("pattern", "patternProperties", "unevaluatedItems", "unevaluatedProperties")
"""Regular expressions of others can take for ever, and these compare with what they match. The
model is told of them; who wrote them checks them."""


AfterHook = Callable[[ToolOutput, ToolCall, ToolContext, OnProgress], Awaitable[ToolOutput]]
"""Changes the output of a call before the model gets it."""


BeforeHook = Callable[[ToolCall], Awaitable[ToolOutput | None]]
"""The output of a call that is not to be made; None where it is."""


async def let_all_pass(_call: ToolCall) -> ToolOutput | None:
    """Every call is made."""
    return None


class Registry:
    """A toolset whose calls wait for their turn, and never raise but CancelledError.

    An output is stamped with its times and cut to what a model can take. A sub-agent's calls do not
    count against its parent's limit.

    Args:
        toolset: Answers every call that `toolsets` do not answer.
        toolsets: By the names of their tools.
        before: A hook that may answer a call in place of its tool.
        after: Hooks by the prefix of the tools whose outputs they change.
    """

    def __init__(
        self,
        toolset: Toolset,
        *,
        toolsets: Mapping[str, Toolset] | None = None,
        before: BeforeHook = let_all_pass,
        after: Mapping[str, AfterHook] | None = None,
        now: Callable[[], datetime] = machine_time,
    ) -> None:
        self._toolset = toolset
        self._toolsets = toolsets or {}
        self._before = before
        self._after = after or {}
        self._now = now
        self._limits = WeakValueDictionary[tuple[TurnId, RunId], asyncio.Semaphore]()

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        specs: list[ToolSpec] = []
        for toolset in dict.fromkeys((self._toolset, *self._toolsets.values())):
            specs += await toolset.specs(context)
        return [spec for spec in specs if context.settings.lets(spec.server, spec.slug)]

    async def run(self, call: ToolCall, context: ToolContext, progress: OnProgress) -> ToolOutput:
        limit = asyncio.Semaphore(MAX_PARALLEL_CALLS)
        async with self._limits.setdefault((context.turn, context.run), limit):
            started_at = self._now()
            try:
                toolset = self._toolsets.get(call.name, self._toolset)
                output = await self._before(call) or await toolset.run(call, context, progress)
                hook = self._after.get(prefix_of(call.name))
                if hook:
                    output = await hook(output, call, context, progress)
            except Exception:
                reference = secrets.token_hex(4)
                logger.exception("tool %s failed (reference %s)", call.name, reference)
                text = f"The tool failed unexpectedly (reference {reference})."
                output = ToolOutput(text=text, is_error=True)
            output = await fit(output, call.id, context)
            return replace(
                output,
                started_at=output.started_at or started_at,
                finished_at=output.finished_at or self._now(),
            )


async def fit(output: ToolOutput, call: ToolCallId, context: ToolContext) -> ToolOutput:
    """`output` with its size, and with its text saved and cut if that is too long for the model."""
    text = output.text
    size = output.size_bytes or len(text.encode("utf-8", "replace"))
    max_chars = MAX_ERROR_CHARS if output.is_error else MAX_CHARS
    if len(text) <= max_chars:
        return replace(output, size_bytes=size)
    name = call if context.run == ROOT_RUN else f"{context.run}.{call}"
    path = f"{TOOL_RESULTS}/{_UNSAFE.sub('_', name)[-_MAX_FILE_NAME:]}.txt"
    where = f"The whole is in {path}: page through it with read_local_file(path, offset, limit)."
    try:
        await asyncio.to_thread(write_text, context.workspace / path, text)
    except OSError:  # a disk that does not take it must not cost the result
        path = ""
        where = "The rest could not be saved."
    head = _TAIL_CHARS if output.is_error else _HEAD_CHARS
    length = len(text)
    left_out = f"{length - head - _TAIL_CHARS:,} of {length:,} characters left out"
    excerpt = f"{text[:head]}\n\n[... {left_out}. {where} ...]\n\n{text[-_TAIL_CHARS:]}"
    return replace(
        output,
        text=excerpt,
        size_bytes=size,
        saved_path=path,
    )


def unknown_tool(name: str, known: Sequence[str]) -> ToolOutput:
    """The error of a call to a tool that does not exist, with the nearest names."""
    nearest = difflib.get_close_matches(
        name,
        known,
        n=_NEAREST,
        cutoff=0.4,
    )
    if nearest:
        hint = f"Did you mean {', '.join(nearest)}?"
    else:
        names = ", ".join(known[:_LISTED]) or "none"
        left_out = len(known) - _LISTED
        more = f" and {left_out} more" if left_out > 0 else ""
        hint = f"There are: {names}{more}."
    text = f"There is no tool {name[:128]}. {hint}"
    return ToolOutput(text=text, is_error=True, is_ours=True)


def fault_of_schema(schema: JsonObject) -> str:
    """Why a provider would refuse this schema and the request with it; "" if it would not."""
    if is_nested_too_deeply(schema, _MAX_DEPTH):
        return "its input schema is nested too deeply"
    try:
        if len(json.dumps(schema, allow_nan=False)) > _MAX_SCHEMA_CHARS:
            return "its input schema is too long"
    except ValueError:
        return "its input schema holds a number that JSON does not have"
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"its input schema is invalid: {error.message[:_MAX_REASON_CHARS]}"
    for name in as_object(schema.get("properties")):
        if not _PROPERTY_NAME.fullmatch(name):
            return f"the model's API does not take the parameter name {name[:64]!r}"
    return ""


def schema_for_model(schema: JsonObject) -> JsonObject:
    """The schema less what providers refuse at its top; calls are checked against the whole."""
    fields = {key: value for key, value in schema.items() if key not in _COMBINATORS}
    return {"type": "object", "properties": dict[str, Any]()} | fields


def fault_of_arguments(arguments: JsonObject, schema: JsonObject) -> str:
    """The fault of the arguments, naming the field and what it wants; "" without one.

    A schema of which `fault_of_schema` finds a fault MUST NOT come here. One that asks for too much
    checking finds no fault: the server looks for itself. It MUST NOT be changed afterwards.
    """
    validator, _ = _validator(schema)
    _checks_left.set(_MAX_CHECKS)
    try:
        error = cast(
            "ValidationError | None",
            jsonschema_exceptions.best_match(  # pyright: ignore[reportUnknownMemberType]
                islice(validator.iter_errors(arguments), _MAX_FAULTS)
            ),
        )
    except (Unresolvable, RecursionError, _TooMuch):
        return ""
    if error is None:
        return ""
    path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
    field = f"`{path.lstrip('.')}`: " if path else ""
    if len(error.message) <= _MAX_REASON_CHARS:
        return f"{field}{error.message}"
    # The library repeats the whole wrong value; the model knows it.
    return field + f"does not fit {error.validator} {error.validator_value!r}"[:_MAX_REASON_CHARS]


_KeywordCheck = Callable[[Validator, Any, Any, JsonObject], "Iterator[ValidationError] | None"]
_checks_left: ContextVar[int] = ContextVar("checks_left")


class _TooMuch(Exception):
    """Checking takes more work than arguments are worth."""


def _counted(name: str, check: _KeywordCheck) -> _KeywordCheck:
    """The check of a keyword: no foreign regular expression, and one of `_MAX_CHECKS`."""

    def counted(
        validator: Validator,
        value: Any,
        instance: Any,
        schema: JsonObject,
    ) -> Iterator[ValidationError] | None:
        left = _checks_left.get()
        if left <= 0:
            raise _TooMuch
        _checks_left.set(left - 1)
        if name in _UNCHECKED or (name == "additionalProperties" and "patternProperties" in schema):
            return None
        if name == "uniqueItems" and len(instance) > _MAX_UNIQUE:
            return None
        return check(
            validator,
            value,
            instance,
            schema,
        )

    return counted


_KEYWORDS = cast("dict[str, _KeywordCheck]", Draft202012Validator.VALIDATORS)
_BoundedValidator = cast(
    "type[Validator]",
    jsonschema_validators.extend(  # pyright: ignore[reportUnknownMemberType]
        Draft202012Validator,
        {name: _counted(name, check) for name, check in _KEYWORDS.items()},
    ),
)


@cached(LRUCache[int, tuple[Validator, JsonObject]](1_024), key=id)
def _validator(schema: JsonObject) -> tuple[Validator, JsonObject]:
    """The schema is kept beside its validator: as long as it lives no other one has its id."""
    # Where a part names its dialect, the library would check it by that dialect's own validator.
    bounded = json.loads(json.dumps(schema), object_hook=_without_dialect)
    # An empty registry: a reference to elsewhere is never fetched.
    return _BoundedValidator(bounded, registry=Schemas()), schema


def _without_dialect(fields: JsonObject) -> JsonObject:
    return {name: value for name, value in fields.items() if name != "$schema"}
