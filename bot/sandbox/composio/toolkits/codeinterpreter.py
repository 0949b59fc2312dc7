"""The code interpreter's file tools, over the same remote files as the workbench."""

import base64
import mimetypes
import posixpath
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field

from bot.sandbox.composio.faults import Faults
from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.tools import AppArguments, Caller, Tool, Toolkit
from bot.sandbox.composio.workbench.files import RemoteFiles

SLUG = "codeinterpreter"


class GetArguments(AppArguments):
    file_path: Annotated[str, Field(min_length=1, description="Absolute remote path.")]
    sandbox_id: str | None = None


class WriteArguments(AppArguments):
    file_path: Annotated[str, Field(min_length=1, description="Absolute remote path.")]
    content: Annotated[str, Field(description="Text of the file.")]
    sandbox_id: str | None = None


class CodeInterpreter:
    """The tools; files that count as downloaded are put below `downloads`, on this machine."""

    def __init__(
        self,
        files: RemoteFiles,
        faults: Faults,
        downloads: Callable[[], Path],
        now: Callable[[], datetime],
    ) -> None:
        self._files = files
        self._faults = faults
        self._downloads = downloads
        self._now = now

    async def get(self, caller: Caller, arguments: GetArguments) -> Outcome:
        try:
            data = self._files.of(caller.user_id).read(arguments.file_path)
        except OSError:
            return Outcome(error=f"File not found: {arguments.file_path}")
        if self._faults.file_form == "file":
            return Outcome(data={"file": self._download(arguments.file_path, data)})
        return Outcome(data=_write_content(data))

    async def write(self, caller: Caller, arguments: WriteArguments) -> Outcome:
        tree = self._files.of(caller.user_id)
        try:
            path = tree.put(arguments.file_path, arguments.content.encode(), self._now())
        except OSError as error:
            return Outcome(error=f"{error.strerror}: {arguments.file_path}")
        return Outcome(data={"file_path": path, "success": True})

    def _download(self, path: str, data: bytes) -> Data:
        """The answer of the SDK, which fetches a file by itself and then tells where it lies."""
        folder = self._downloads()
        target = folder / f"{len(list(folder.iterdir()))}_{posixpath.basename(path)}"
        target.write_bytes(data)
        mimetype = mimetypes.guess_type(path)[0] or "application/octet-stream"
        return {"uri": str(target), "file_downloaded": True, "mimetype": mimetype}


def _write_content(data: bytes) -> Data:
    try:
        return {"content": data.decode()}
    except UnicodeDecodeError:
        return {"content": base64.b64encode(data).decode(), "encoding": "base64"}


def build_codeinterpreter(interpreter: CodeInterpreter) -> Toolkit:
    """The two file tools; code itself is run by the remote workbench."""
    tools = (
        Tool.define(
            "CODEINTERPRETER_GET_FILE_CMD",
            GetArguments,
            interpreter.get,
            title="Get file",
            toolkit=SLUG,
            description="Returns a file of the remote sandbox by its path.",
            tags=("readOnlyHint",),
        ),
        Tool.define(
            "CODEINTERPRETER_WRITE_FILE_CMD",
            WriteArguments,
            interpreter.write,
            title="Write file",
            toolkit=SLUG,
            description="Writes a text file into the remote sandbox.",
            tags=("createHint", "updateHint"),
        ),
    )
    return Toolkit(
        slug=SLUG,
        name="Code Interpreter",
        description="A remote sandbox. Needs no account.",
        tools=tools,
        no_auth=True,
    )
