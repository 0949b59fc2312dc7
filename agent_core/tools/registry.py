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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    toolset: Toolset
    spec: ToolSpec


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
        self._offers: dict[TurnId, dict[str, _Offer]] = {}
        """Of each turn all that it was ever offered; the turn that asked last comes last."""
        self._places: WeakValueDictionary[tuple[TurnId, RunId], asyncio.Semaphore] = (
            WeakValueDictionary()
        )

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(_specs_of(each, context)) for each in self._toolsets]
        offers: dict[str, _Offer] = {}
        for toolset, answer in zip(self._toolsets, asked, strict=True):
            for spec in answer.result():
                if spec.name in offers:
                    logger.warning("a second tool %s is left out", spec.name)
                    continue
                offers[spec.name] = _Offer(toolset=toolset, spec=spec)
        self._remember(context.turn, offers)
        return [offer.spec for offer in offers.values()]

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        async with self._place(context):
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

    def _place(self, context: ToolContext) -> asyncio.Semaphore:
        return self._places.setdefault(
            (context.turn, context.run), asyncio.Semaphore(self._limits.max_parallel_calls)
        )

    async def _run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        try:
            offer = await self._offer(call.name, context)
            if offer is None:
                return unknown_tool(call.name, list(self._offers.get(context.turn, ())))
            return await offer.toolset.run(call, context, progress)
        except Exception:
            reference = secrets.token_hex(4)
            logger.exception("tool %s failed (reference %s)", call.name, reference)
            return ToolOutput(
                text=f"The tool failed unexpectedly (reference {reference}).", is_error=True
            )

    async def _offer(self, name: str, context: ToolContext) -> _Offer | None:
        """Known from the last listing; a call that a restart brings here asks for one first."""
        if name not in self._offers.get(context.turn, ()):
            await self.specs(context)
        return self._offers.get(context.turn, {}).get(name)

    def _remember(self, turn: TurnId, offers: dict[str, _Offer]) -> None:
        self._offers[turn] = self._offers.pop(turn, {}) | offers
        if len(self._offers) > self._limits.max_remembered_turns:
            del self._offers[next(iter(self._offers))]


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
    size = output.size_bytes or len(output.text.encode("utf-8", "replace"))
    if len(output.text) <= _max_chars(output, limits):
        return output if output.size_bytes else replace(output, size_bytes=size)
    path = f"{TOOL_RESULTS}/{_file_name(call, run)}"
    saved = await asyncio.to_thread(_save, workspace / path, output.text)
    return replace(
        output,
        text=_excerpt(output, path if saved else "", limits),
        size_bytes=size,
        saved_path=path if saved else "",
    )


def _max_chars(output: ToolOutput, limits: ResultLimits) -> int:
    return min(limits.max_chars, limits.max_error_chars) if output.is_error else limits.max_chars


def _excerpt(output: ToolOutput, path: str, limits: ResultLimits) -> str:
    text, room = output.text, _max_chars(output, limits) // 2
    head, tail = min(limits.head_chars, room), min(limits.tail_chars, room)
    where = (
        f"The whole is in {path}: page through it with read_local_file(path, offset, limit)."
        if path
        else "The rest could not be saved."
    )
    return (
        f"{text[:head]}\n\n"
        f"[... {len(text) - head - tail:,} of {len(text):,} characters left out. {where} ...]\n\n"
        f"{text[-tail:]}"
    )


def _file_name(call: ToolCallId, run: RunId) -> str:
    """The call's id, in a child run behind the run's; a digest where that is no good file name."""
    name = call if run == ROOT_RUN else f"{run}.{call}"
    if _SAFE_NAME.fullmatch(name):
        return f"{name}.txt"
    return f"{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:32]}.txt"


def _save(path: Path, text: str) -> bool:
    """False if the disk does not take it: that must not cost the result."""
    try:
        write_text(path, text)
    except OSError:
        return False
    return True


def unknown_tool(name: str, known: Sequence[str]) -> ToolOutput:
    """Tells the model that there is no such tool, and which names come nearest."""
    nearest = difflib.get_close_matches(name, known, n=_NEAREST, cutoff=0.4)
    hint = f"Did you mean {', '.join(nearest)}?" if nearest else f"There are: {_some(known)}."
    return ToolOutput(text=f"There is no tool {name[:128]}. {hint}", is_error=True)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_LISTED]) or "none"
    return shown if len(names) <= _LISTED else f"{shown} and {len(names) - _LISTED} more"


async def _specs_of(toolset: Toolset, context: ToolContext) -> Sequence[ToolSpec]:
    return await toolset.specs(context)
