"""All tools of an agent in one toolset, and what every call goes through: limits and a net.

A huge result is saved whole in the workspace; the model gets head, tail, size and path.
"""

import asyncio
import difflib
import hashlib
import logging
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from weakref import WeakValueDictionary

from cachetools import LRUCache

from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import Progress, ToolContext, ToolOutput, Toolset
from agent_core.workspaces.layout import TOOL_RESULTS, write_text

logger = logging.getLogger(__name__)

_NEAREST = 3
_LISTED = 40
_SAFE_NAME = re.compile(r"[a-zA-Z0-9_-][a-zA-Z0-9_.-]{0,99}")


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLimits:
    """How much of a result the model gets."""

    max_chars: int = 40_000
    max_error_chars: int = 4_000
    """Of a failure: what went wrong stands at its beginning or its end."""
    head_chars: int = 6_000
    tail_chars: int = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryLimits:
    max_parallel_calls: int = 10
    """Of one run; a sub-agent's calls do not take its parent's places."""
    max_remembered_turns: int = 200
    """Whose offers are kept; a turn beyond them is asked for its tools once more."""
    results: ResultLimits = field(default_factory=ResultLimits)


class Registry:
    """Merges toolsets; of two tools with one name the first toolset's is taken.

    A call waits for a place, never raises but CancelledError, and its output is stamped with its
    times and cut to what a model can take.
    """

    def __init__(
        self,
        toolsets: Sequence[Toolset],
        *,
        limits: RegistryLimits | None = None,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._toolsets = tuple(toolsets)
        self._limits = limits or RegistryLimits()
        self._now = now
        self._offers: LRUCache[TurnId, dict[str, Toolset]] = LRUCache(
            self._limits.max_remembered_turns
        )
        """Of each turn all that it was ever offered, and by whom."""
        self._places: WeakValueDictionary[tuple[TurnId, RunId], asyncio.Semaphore] = (
            WeakValueDictionary()
        )

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(each.specs(context)) for each in self._toolsets]
        specs: dict[str, ToolSpec] = {}
        offered: dict[str, Toolset] = {}
        for toolset, answer in zip(self._toolsets, asked, strict=True):
            for spec in answer.result():
                if spec.name in specs:
                    logger.warning("a second tool %s is left out", spec.name)
                    continue
                specs[spec.name], offered[spec.name] = spec, toolset
        self._offers[context.turn] = self._offers.get(context.turn, {}) | offered
        return list(specs.values())

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        places = asyncio.Semaphore(self._limits.max_parallel_calls)
        async with self._places.setdefault((context.turn, context.run), places):
            started_at = self._now()
            output = await self._run(call, context, progress)
            output = await fit(
                output,
                call=call.id,
                run=context.run,
                workspace=context.workspace,
                limits=self._limits.results,
            )
            return replace(
                output,
                started_at=output.started_at or started_at,
                finished_at=output.finished_at or self._now(),
            )

    def restricted(self, patterns: Sequence[str]) -> Toolset:
        """The tools whose full names match a pattern; one that begins with `!` denies, and wins.

        Patterns that only deny let nothing through; say `*` as well.
        """
        return _Restricted(self, patterns)

    async def _run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        try:
            toolset = await self._toolset(call.name, context)
            if toolset is None:
                return unknown_tool(call.name, list(self._offers[context.turn]))
            return await toolset.run(call, context, progress)
        except Exception:
            reference = secrets.token_hex(4)
            logger.exception("tool %s failed (reference %s)", call.name, reference)
            return ToolOutput(
                text=f"The tool failed unexpectedly (reference {reference}).", is_error=True
            )

    async def _toolset(self, name: str, context: ToolContext) -> Toolset | None:
        """Known from the last listing; a call that a restart brings here asks for one first."""
        if name not in self._offers.get(context.turn, ()):
            await self.specs(context)
        return self._offers[context.turn].get(name)


class _Restricted:
    """A view on a toolset that shows and runs only what its patterns let through."""

    def __init__(self, toolset: Toolset, patterns: Sequence[str]) -> None:
        self._toolset = toolset
        self._allowed = tuple(each for each in patterns if not each.startswith("!"))
        self._denied = tuple(each[1:] for each in patterns if each.startswith("!"))

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        return [spec for spec in await self._toolset.specs(context) if self._lets(spec.name)]

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        if self._lets(call.name):
            return await self._toolset.run(call, context, progress)
        names = [spec.name for spec in await self.specs(context)]
        return unknown_tool(call.name, names)

    def _lets(self, name: str) -> bool:
        if any(fnmatchcase(name, pattern) for pattern in self._denied):
            return False
        return any(fnmatchcase(name, pattern) for pattern in self._allowed)


async def fit(
    output: ToolOutput,
    *,
    call: ToolCallId,
    run: RunId = ROOT_RUN,
    workspace: Path,
    limits: ResultLimits,
) -> ToolOutput:
    """`output` with its size, and with its text saved and cut if that is too long for the model."""
    text, max_chars = output.text, limits.max_chars
    if output.is_error:
        max_chars = min(max_chars, limits.max_error_chars)
    size = output.size_bytes or len(text.encode("utf-8", "replace"))
    if len(text) <= max_chars:
        return replace(output, size_bytes=size)
    path = f"{TOOL_RESULTS}/{_file_name(call, run)}"
    where = f"The whole is in {path}: page through it with read_local_file(path, offset, limit)."
    try:
        await asyncio.to_thread(write_text, workspace / path, text)
    except OSError:  # a disk that does not take it must not cost the result
        path, where = "", "The rest could not be saved."
    head, tail = min(limits.head_chars, max_chars // 2), min(limits.tail_chars, max_chars // 2)
    left_out = f"{len(text) - head - tail:,} of {len(text):,} characters left out"
    excerpt = f"{text[:head]}\n\n[... {left_out}. {where} ...]\n\n{text[-tail:]}"
    return replace(output, text=excerpt, size_bytes=size, saved_path=path)


def _file_name(call: ToolCallId, run: RunId) -> str:
    """The call's id, in a child run behind the run's; a digest where that is no good file name."""
    name = call if run == ROOT_RUN else f"{run}.{call}"
    if _SAFE_NAME.fullmatch(name):
        return f"{name}.txt"
    return f"{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:32]}.txt"


def unknown_tool(name: str, known: Sequence[str]) -> ToolOutput:
    """Tells the model that there is no such tool, and which names come nearest."""
    nearest = difflib.get_close_matches(name, known, n=_NEAREST, cutoff=0.4)
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    hint = f"There are: {', '.join(known[:_LISTED]) or 'none'}{more}."
    if nearest:
        hint = f"Did you mean {', '.join(nearest)}?"
    return ToolOutput(text=f"There is no tool {name[:128]}. {hint}", is_error=True)
