"""The tool that makes a file an attachment of Composio's tools: upload_to_composio."""

import asyncio
import hashlib
import json
import mimetypes
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from pydantic import Field
from yarl import URL

from mcp_local.errors import RemoteError, ToolkitError
from mcp_local.settings import Settings
from mcp_local.tools import ADDS_ONCE, local_tool
from mcp_local.workbench.bridge import MAX_FILE_BYTES
from mcp_local.workbench.http import open_wire
from mcp_local.workspace import open_workspace

PUBLISHES = ADDS_ONCE.model_copy(update={"open_world_hint": True})
_UNKNOWN_TYPE = "application/octet-stream"
_MIME_TYPE = r"^[A-Za-z0-9!#$&^_.+-]{1,100}/[A-Za-z0-9!#$&^_.+-]{1,100}$"

AttachmentPath = Annotated[
    str,
    Field(description="Path of a file, relative to the session's directory."),
]
MimeType = Annotated[
    str | None,
    Field(description="Such as application/pdf; left out: by the ending.", pattern=_MIME_TYPE),
]
ToolSlug = Annotated[
    str,
    Field(
        description="The Composio tool that will get the file; the key is made for it.",
        pattern=r"^[A-Z0-9_]{1,200}$",
    ),
]
ToolkitSlug = Annotated[
    str,
    Field(description="That tool's toolkit.", pattern=r"^[a-z0-9_-]{1,100}$"),
]


def register(server: MCPServer, settings: Settings) -> None:
    """Add the tool to the server. There must be a key of Composio."""

    @local_tool(server, "Upload an attachment to Composio", PUBLISHES)
    async def upload_to_composio(
        path: AttachmentPath,
        ctx: Context,
        mime_type: MimeType = None,
        tool_slug: ToolSlug = "GMAIL_SEND_EMAIL",
        toolkit_slug: ToolkitSlug = "gmail",
    ) -> str:
        """Upload a file of this session to Composio and get the s3 key that attachments need.

        Use it before a tool that takes a file, such as GMAIL_SEND_EMAIL, whose `attachment` is one
        object: {"name": file name, "mimetype": type, "s3key": the s3_key of the answer}. The key is
        made for GMAIL_SEND_EMAIL of gmail unless tool_slug and toolkit_slug name another tool.
        Nothing is sent to anybody by this alone. Answers JSON with s3_key, s3_url and local_path;
        25 MB at most.
        """
        workspace = open_workspace(settings, ctx)
        data = await asyncio.to_thread(workspace.read_bytes, path, MAX_FILE_BYTES)
        if not data:
            raise ToolkitError(f"{path} is empty; there is nothing to attach.")
        source = workspace.root.joinpath(*workspace.parts(path))
        kind = mime_type or mimetypes.guess_type(source.name)[0] or _UNKNOWN_TYPE
        async with open_wire(settings) as wire:
            place = await wire.post(
                "files/upload/request",
                {
                    "md5": hashlib.md5(data, usedforsecurity=False).hexdigest(),
                    "filename": source.name,
                    "mimetype": kind,
                    "tool_slug": tool_slug,
                    "toolkit_slug": toolkit_slug,
                },
            )
            key, url = place.get("key"), place.get("new_presigned_url")
            if not isinstance(key, str) or not isinstance(url, str) or not key:
                raise RemoteError("Composio named no place for the file.")
            headers = {"Content-Type": kind}
            if "azure_blob_storage" in str(place.get("metadata")):
                headers["x-ms-blob-type"] = "BlockBlob"
            await wire.put(url, data, headers)
        answer = {
            "s3_key": key,
            # Without its query: with it, whoever sees it could write there.
            "s3_url": str(URL(url, encoded=True).with_query(None)),
            "local_path": str(source),
        }
        return json.dumps(answer, ensure_ascii=False)
