"""The registry that every tool call goes through: a limit, a safety net, hooks, and a cut.

A huge result is saved whole in the workspace; the model gets head, tail, size and path.
"""

import asyncio
import difflib
import hashlib
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from weakref import WeakValueDictionary

from agent_core.clock import machine_time
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools.names import prefix_of
from agent_core.tools.toolset import OnProgress, ToolContext, ToolOutput, Toolset
from agent_core.workspaces.layout import TOOL_RESULTS, write_text

logger = logging.getLogger(__name__)

MAX_CHARS = 40_000
"""Of a result, for the model."""
MAX_ERROR_CHARS = 4_000
"""Of a failure: what went wrong stands at its beginning or its end."""
_HEAD_CHARS = 6_000
_TAIL_CHARS = 2_000
_NEAREST = 3
_LISTED = 40
_SAFE_NAME = re.compile(r"[a-zA-Z0-9_-][a-zA-Z0-9_.-]{0,99}")


AfterHook = Callable[[ToolOutput, ToolCall, ToolContext, OnProgress], Awaitable[ToolOutput]]
"""Changes the output of a call before the model gets it."""


class Registry:
    """A toolset whose calls wait for their turn, and never raise but CancelledError.

    An output is stamped with its times and cut to what a model can take. A sub-agent's calls do not
    count against its parent's limit.

    Args:
        toolset: Answers every call that `toolsets` do not answer.
        toolsets: By the names of their tools.
        after: Hooks by the prefix of the tools whose outputs they change.
    """

    def __init__(
        self,
        toolset: Toolset,
        *,
        toolsets: Mapping[str, Toolset] | None = None,
        after: Mapping[str, AfterHook] | None = None,
        max_parallel_calls: int = 10,
        now: Callable[[], datetime] = machine_time,
    ) -> None:
        self._toolset = toolset
        self._toolsets = toolsets or {}
        self._after = after or {}
        self._max_parallel_calls = max_parallel_calls
        self._now = now
        self._limits = WeakValueDictionary[tuple[TurnId, RunId], asyncio.Semaphore]()

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        specs: list[ToolSpec] = []
        for toolset in dict.fromkeys((self._toolset, *self._toolsets.values())):
            specs += await toolset.specs(context)
        return specs

    async def run(self, call: ToolCall, context: ToolContext, progress: OnProgress) -> ToolOutput:
        limit = asyncio.Semaphore(self._max_parallel_calls)
        async with self._limits.setdefault((context.turn, context.run), limit):
            started_at = self._now()
            try:
                toolset = self._toolsets.get(call.name, self._toolset)
                output = await toolset.run(call, context, progress)
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
    path = f"{TOOL_RESULTS}/{_file_name(call, context)}.txt"
    where = f"The whole is in {path}: page through it with read_local_file(path, offset, limit)."
    try:
        await asyncio.to_thread(write_text, context.workspace / path, text)
    except OSError:  # a disk that does not take it must not cost the result
        path = ""
        where = "The rest could not be saved."
    head = min(_HEAD_CHARS, max_chars // 2)
    tail = min(_TAIL_CHARS, max_chars // 2)
    length = len(text)
    left_out = f"{length - head - tail:,} of {length:,} characters left out"
    excerpt = f"{text[:head]}\n\n[... {left_out}. {where} ...]\n\n{text[-tail:]}"
    return replace(
        output,
        text=excerpt,
        size_bytes=size,
        saved_path=path,
    )


def _file_name(call: ToolCallId, context: ToolContext) -> str:
    name = call if context.run == ROOT_RUN else f"{context.run}.{call}"
    if _SAFE_NAME.fullmatch(name):
        return name
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()


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
