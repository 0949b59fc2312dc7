"""The three things that are asked of Composio: run a tool, run code, give a place for a file."""

import hashlib
import re
from dataclasses import dataclass
from typing import cast
from urllib.parse import quote

from mcp_local.errors import RemoteError, RemoteRefused
from mcp_local.workbench.http import JsonObject, Wire
from mcp_local.workbench.refusals import said

_WORKBENCH = "COMPOSIO_REMOTE_WORKBENCH"
_SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadPlace:
    """Where Composio wants a file for one of its tools."""

    key: str
    put_url: str
    backend: str
    """`s3` or `azure_blob_storage`."""


@dataclass(frozen=True, slots=True)
class ComposioSession:
    """One person's Tool Router session: what runs here runs as that person.

    Whether an execution ran well is said by its `result_type`, never by its error.
    """

    wire: Wire
    id: str

    async def run_tool(self, slug: str, arguments: JsonObject) -> JsonObject:
        """A tool's data. Raises RemoteRefused when the tool says no, else RemoteError."""
        return await self._run("execute", {"tool_slug": slug, "arguments": arguments})

    async def run_code(self, code: str, thought: str) -> JsonObject:
        """What came of Python in the remote workbench.

        Raises as `run_tool` does, RemoteRefused also for code that failed.
        """
        arguments = {"code_to_execute": code, "thought": thought}
        data = await self._run("execute_meta", {"slug": _WORKBENCH, "arguments": arguments})
        # Only its error counts: the service may add a message to what went well.
        if failure := said({"error": data.get("error")}):
            sentence = f"The code in the remote workbench failed: {failure}"
            raise RemoteRefused(self.wire.without_key(sentence))
        return data

    async def _run(self, way: str, body: JsonObject) -> JsonObject:
        if not _SESSION_ID.fullmatch(self.id):
            raise RemoteError("This call's Composio session has no proper id.")
        answer = await self.wire.post(f"tool_router/session/{quote(self.id)}/{way}", body)
        if answer.get("result_type") != "completed":
            raise RemoteRefused(self.wire.without_key(_refusal(answer)))
        data = answer.get("data")
        return cast("JsonObject", data) if isinstance(data, dict) else {"data": data}


async def request_upload(
    wire: Wire, data: bytes, *, filename: str, mimetype: str, tool: str, toolkit: str
) -> UploadPlace:
    """A place for a file that `tool` of `toolkit` is to use. Raises RemoteError."""
    answer = await wire.post(
        "files/upload/request",
        {
            "md5": hashlib.md5(data, usedforsecurity=False).hexdigest(),
            "filename": filename,
            "mimetype": mimetype,
            "tool_slug": tool,
            "toolkit_slug": toolkit,
        },
    )
    key = answer.get("key")
    put_url = answer.get("new_presigned_url") or answer.get("newPresignedUrl")
    if not isinstance(key, str) or not isinstance(put_url, str) or not key:
        raise RemoteError("Composio named no place for the file.")
    return UploadPlace(key=key, put_url=put_url, backend=_backend(answer.get("metadata")))


def _backend(metadata: object) -> str:
    if not isinstance(metadata, dict):
        return ""
    return str(cast("JsonObject", metadata).get("storage_backend"))


def _refusal(answer: JsonObject) -> str:
    """Why an execution gave no data: its type says so, its error may be empty."""
    match answer.get("result_type"):
        case "input_required":
            return "Composio wants this confirmed, which this tool cannot do."
        case "blocked":
            return f"Composio's rules block this. {said(answer)}".strip()
        case _:
            return f"Composio could not do it. {said(answer)}".strip()
