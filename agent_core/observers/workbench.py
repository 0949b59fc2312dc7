"""Saves what code ran in remote sandboxes and what came of it, as workbench_activity/*.json."""

import asyncio
import json
import re
from collections.abc import Sequence

from agent_core.messages import JsonObject
from agent_core.observers.executions import Execution, executions, may_run, slug_of
from agent_core.observers.observing import ToolObserved
from agent_core.observers.payloads import is_object, search, text_in
from agent_core.workspaces.files import timestamp, write_json
from agent_core.workspaces.layout import WORKBENCH_ACTIVITY

_WORKBENCH = re.compile(
    r"(?:COMPOSIO|RUBE)_REMOTE_(?:WORKBENCH|BASH_TOOL)|(?:\w+_)?CODEINTERPRETER_\w+"
)
_DEPTH = 3


class WorkbenchObserver:
    """One file for each execution."""

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        if not may_run(observed, _WORKBENCH):
            return ()
        return await asyncio.to_thread(_save, observed)


def _save(observed: ToolObserved) -> list[str]:
    saved: list[str] = []
    for execution in _executions(observed):
        path = f"{WORKBENCH_ACTIVITY}/workbench_{observed.stamp(execution.position)}.json"
        record: JsonObject = {
            "timestamp": timestamp(observed.at),
            "tool": execution.slug,
            "input": _input(execution.arguments),
            "output": _output(execution.payload, is_error=observed.output.is_error),
        }
        write_json(observed.context.workspace / path, record)
        saved.append(path)
    return saved


def _executions(observed: ToolObserved) -> list[Execution]:
    ran = [one for one in executions(observed) if _WORKBENCH.fullmatch(one.slug)]
    return ran or _unreadable(observed)


def _unreadable(observed: ToolObserved) -> list[Execution]:
    """An execution whose result is no JSON is recorded all the same, with its text."""
    slug = slug_of(observed.call.name)
    if not _WORKBENCH.fullmatch(slug):
        return []
    payload: JsonObject = {"stdout": observed.output.text}
    arguments = observed.call.arguments
    return [Execution(slug=slug, arguments=arguments, payload=payload, position=0)]


def _input(arguments: JsonObject) -> JsonObject:
    return {
        "code": text_in(arguments, "code_to_execute", "code", "command"),
        "session_id": text_in(arguments, "session_id", "sandbox_id"),
        "current_step": text_in(arguments, "current_step"),
        "thought": text_in(arguments, "thought"),
    }


def _output(payload: object, *, is_error: bool) -> JsonObject:
    streams = search(payload, _with_streams, _DEPTH) or {}
    error = text_in(streams, "error") or text_in(payload, "error")
    outer = payload if is_object(payload) else {}
    successful = outer.get("successful", not (error or is_error))
    return {
        "stdout": text_in(streams, "stdout"),
        "stderr": text_in(streams, "stderr") or error,
        "results": _as_text(streams.get("results")),
        "successful": bool(successful),
    }


def _with_streams(value: JsonObject) -> JsonObject | None:
    return value if "stdout" in value or "stderr" in value else None


def _as_text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)
