"""COMPOSIO_REMOTE_WORKBENCH: runs a script for a person, with helpers that call app tools."""

import asyncio
import mimetypes
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.sessions import Session
from bot.sandbox.composio.storage import Storage
from bot.sandbox.composio.tools import Caller
from bot.sandbox.composio.workbench.expressions import NotSupported
from bot.sandbox.composio.workbench.files import RemoteFiles
from bot.sandbox.composio.workbench.script import Script
from bot.sandbox.composio.workbench.values import build_modules, build_names

Execute = Callable[[Session, str, Mapping[str, Any]], Awaitable[Outcome]]
HELPER_TIMEOUT_S = 30


class WorkbenchArguments(BaseModel):
    """Arguments of COMPOSIO_REMOTE_WORKBENCH."""

    code_to_execute: Annotated[str, Field(min_length=1, description="The Python to run.")]
    thought: Annotated[str | None, Field(description="Why, in one sentence.")] = None
    session_id: Annotated[str | None, Field(description="The id of the task.")] = None


class BashArguments(BaseModel):
    """Arguments of COMPOSIO_REMOTE_BASH_TOOL."""

    command: Annotated[str, Field(description="The command to run.")]
    session_id: Annotated[str | None, Field(description="The id of the task.")] = None


@dataclass(slots=True)
class Printed:
    """What the running script prints; a notebook outlives its cells, so its printer does too."""

    parts: list[str] = field(default_factory=list[str])

    def take(self) -> str:
        text = "".join(self.parts)
        self.parts.clear()
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """A person's running Python: its names stay between calls."""

    script: Script
    printed: Printed


class Workbench:
    """Everybody's notebooks over everybody's remote files."""

    def __init__(
        self,
        files: RemoteFiles,
        storage: Storage,
        execute: Execute,
        origin: Callable[[], str],
        now: Callable[[], datetime],
    ) -> None:
        self._files = files
        self._storage = storage
        self._execute = execute
        self._origin = origin
        self._now = now
        self._notebooks: dict[str, Notebook] = {}
        self._running = asyncio.Lock()

    async def run(self, caller: Caller, arguments: WorkbenchArguments) -> Outcome:
        """What the script printed and returned; of a script that failed the data says so."""
        async with self._running:
            notebook = self._notebooks.get(caller.user_id) or self._open(caller)
            notebook.script.define("run_composio_tool", self._make_runner(caller.session))
            error, value = None, None
            try:
                value = await asyncio.to_thread(notebook.script.run, arguments.code_to_execute)
            except NotSupported as missing:
                error = (
                    f"NotSupported: this workbench runs a small part of Python, without {missing}"
                )
            except Exception as raised:  # noqa: BLE001 - whatever the script raised is its result
                error = f"{type(raised).__name__}: {raised}"
            data = _describe(value, notebook.printed.take(), error, arguments.session_id)
            return Outcome(data=data)

    async def refuse_bash(self, _: Caller, arguments: BashArguments) -> Outcome:
        return Outcome(
            error="There is no shell in this sandbox, so the command was not run. "
            "Use COMPOSIO_REMOTE_WORKBENCH with Python instead."
        )

    def _open(self, caller: Caller) -> Notebook:
        tree = self._files.of(caller.user_id)
        printed = Printed()
        names = build_names(tree, self._now, printed.parts.append)
        names["upload_local_file"] = self._make_uploader(caller.user_id)
        notebook = Notebook(script=Script(names, build_modules(tree)), printed=printed)
        self._notebooks[caller.user_id] = notebook
        return notebook

    def _make_runner(self, session: Session) -> Callable[[str, Data], tuple[Data, str]]:
        loop = asyncio.get_running_loop()

        def run_composio_tool(tool_slug: str, arguments: Data) -> tuple[Data, str]:
            call = self._call(session, tool_slug, arguments)
            outcome = asyncio.run_coroutine_threadsafe(call, loop).result(HELPER_TIMEOUT_S)
            return outcome.as_json(), outcome.error or ""

        return run_composio_tool

    async def _call(self, session: Session, slug: str, arguments: Data) -> Outcome:
        return await self._execute(session, slug, arguments)

    def _make_uploader(self, user_id: str) -> Callable[..., tuple[Data, str]]:
        def upload_local_file(path: str) -> tuple[Data, str]:
            try:
                data = self._files.of(user_id).read(path)
            except OSError as error:
                return {}, str(error)
            mimetype = mimetypes.guess_type(path)[0] or "application/octet-stream"
            kept = self._storage.keep(path, mimetype, data)
            url = f"{self._origin()}{kept.path}"
            return {"s3_url": url, "s3key": kept.key, "type": mimetype, "id": kept.id}, ""

        return upload_local_file


def _describe(value: object, stdout: str, error: str | None, session_id: str | None) -> Data:
    return {
        "results": "" if value is None else repr(value),
        "stdout": stdout,
        "stderr": error or "",
        "error": error,
        "results_file_path": None,
        "stdout_file_path": None,
        "stderr_file_path": None,
        "sandbox_id_suffix": secrets.token_hex(2),
        "session": {"id": session_id or secrets.token_hex(2)},
    }
