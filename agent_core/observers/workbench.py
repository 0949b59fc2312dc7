"""Saves what was done in remote sandboxes and what came of it, as workbench_activity/*.json.

A file that was read there lands in downloads/.
"""

import asyncio
import base64
import binascii
import json
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from agent_core.json_values import find_object, is_object, text_in
from agent_core.messages import JsonObject
from agent_core.observers.observing import Execution, ToolObserved, executions, may_run
from agent_core.tools import slug_of
from agent_core.workspaces.layout import DOWNLOADS, WORKBENCH_ACTIVITY, timestamp, write_json

_WORKBENCH = re.compile(
    r"(?:COMPOSIO|RUBE)_REMOTE_(?:WORKBENCH|BASH_TOOL)|(?:\w+_)?CODEINTERPRETER_\w+"
    r"|workbench_(?:down|up)load"
)
_READS_FILE = re.compile(r"(?:\w+_)?CODEINTERPRETER_GET_FILE\w*")
_FILES = ("file_path", "remote_path")
_STREAMS = {"stdout", "stderr"}
_UNSAFE = re.compile(r"[^\w.() -]")
_NAME_CHARS = 80
_MAX_NAMESAKES = 100
_DEPTH = 3


class WorkbenchObserver:
    """One file for each execution, and one for each file whose content came back."""

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
        if _READS_FILE.fullmatch(execution.slug):
            saved += _downloads(execution, observed.context.workspace)
    return saved


def _executions(observed: ToolObserved) -> list[Execution]:
    """One whose result is no JSON is recorded all the same, with its text."""
    ran = [one for one in executions(observed) if _WORKBENCH.fullmatch(one.slug)]
    slug = slug_of(observed.call.name)
    if ran or not _WORKBENCH.fullmatch(slug):
        return ran
    payload: JsonObject = {"stdout": observed.output.text}
    return [Execution(slug=slug, arguments=observed.call.arguments, payload=payload)]


def _input(arguments: JsonObject) -> JsonObject:
    return {
        "code": text_in(
            arguments,
            "code_to_execute",
            "code",
            "command",
            *_FILES,
        ),
        "session_id": text_in(arguments, "session_id", "sandbox_id"),
        "current_step": text_in(arguments, "current_step"),
        "thought": text_in(arguments, "thought"),
    }


def _output(payload: object, *, is_error: bool) -> JsonObject:
    streams = find_object(payload, lambda it: it if it.keys() & _STREAMS else None, _DEPTH) or {}
    error = text_in(streams, "error") or text_in(payload, "error")
    outer = payload if is_object(payload) else {}
    successful = outer.get("successful", not (error or is_error))
    results: object = streams.get("results")
    if results is None:
        results = ""
    elif not isinstance(results, str):
        results = json.dumps(results, ensure_ascii=False, default=str)
    return {
        "stdout": text_in(streams, "stdout"),
        "stderr": text_in(streams, "stderr") or error,
        "results": results,
        "successful": bool(successful),
    }


def _downloads(execution: Execution, workspace: Path) -> list[str]:
    """Keep the content that came back, under the first name that no other content has."""
    data = find_object(execution.payload, _content, _DEPTH)
    if data is None:
        return []
    remote = text_in(execution.arguments, "file_path")
    plain = _UNSAFE.sub("_", remote.rpartition("/")[2]).strip(". ")
    wanted = PurePosixPath(plain[-_NAME_CHARS:].lstrip("-. ") or "file")
    for number in range(1, _MAX_NAMESAKES + 1):
        name = wanted.name if number == 1 else f"{wanted.stem}_{number}{wanted.suffix}"
        if _holds(workspace / DOWNLOADS / name, data):
            return [f"{DOWNLOADS}/{name}"]
    return []


def _content(value: JsonObject) -> bytes | None:
    content = value.get("content")
    if not isinstance(content, str):
        return None
    if value.get("encoding") != "base64":
        return content.encode("utf-8", "replace")
    try:
        return base64.b64decode(content, validate=True)
    except binascii.Error:
        return None


def _holds(path: Path, data: bytes) -> bool:
    """Write a new file; whether the file now there, new or old, has this content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        return path.is_file() and path.read_bytes() == data
    return True
