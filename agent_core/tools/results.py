"""Huge results: saved whole in the workspace, the model gets head, tail, size and path."""

import asyncio
import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

from agent_core.ids import ROOT_RUN, RunId, ToolCallId
from agent_core.tools import ToolOutput
from agent_core.workspaces.files import write_text
from agent_core.workspaces.layout import TOOL_RESULTS

_SAFE_NAME = re.compile(r"[a-zA-Z0-9_-][a-zA-Z0-9_.-]{0,99}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLimits:
    """How much of a result the model gets."""

    max_chars: int = 40_000
    max_error_chars: int = 4_000
    """Of a failure: what went wrong stands at its beginning or its end."""
    head_chars: int = 6_000
    tail_chars: int = 2_000


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
