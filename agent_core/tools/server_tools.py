"""One MCP server's tools as the model sees them: full names, specs, and calls answered in words."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import assert_never

from mcp_types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel, TypeAdapter, ValidationError

from agent_core.background import Background
from agent_core.errors import ToolServerError
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import Artifact, Progress, ToolContext, ToolOutput
from agent_core.tools.connection import CallFailure
from agent_core.tools.names import full_name, server_prefix
from agent_core.tools.pins import ListedTool, told_off
from agent_core.tools.schemas import fault_of_arguments, schema_for_model
from agent_core.tools.server import McpServer
from agent_core.workspaces.layout import WORK_PRODUCTS

logger = logging.getLogger(__name__)

_MAX_DESCRIPTION_CHARS = 10_000
_UNKNOWN_OUTCOME = (
    "{reason} The call may or may not have run: check its effect before you make it again."
)


_UNKNOWN = ("lost", "late", "unclear")


Told = Callable[[ToolCall, ToolContext], Awaitable[JsonObject]]
"""What a server of our own is told of a call, beside the session's directory."""


class ServerTools:
    """A toolset over one server."""

    def __init__(
        self, server: McpServer, *, max_result_bytes: int, told: Told | None = None
    ) -> None:
        self._server = server
        self._told = told
        self._max_result_bytes = max_result_bytes
        self._listed: Mapping[str, ListedTool] = {}
        self._by_full_name: Mapping[str, ListedTool] = {}
        self._specs: tuple[ToolSpec, ...] = ()
        self._listing: asyncio.Task[tuple[ToolSpec, ...]] | None = None
        self._background = Background()

    @property
    def name(self) -> str:
        return self._server.config.name

    @property
    def prefix(self) -> str:
        """What all full names of this server begin with."""
        return server_prefix(self.name)

    async def specs(self) -> tuple[ToolSpec, ...]:
        """The tools to tell the model of.

        Raises:
            ToolServerError: the server is not to be had.
        """
        listed = await self._server.tools()
        if listed is not self._listed:
            self._listed = listed
            self._by_full_name = _named(self.name, listed)
            is_trusted = self._server.config.trusted
            self._specs = tuple(
                _spec(name, tool, is_trusted=is_trusted)
                for name, tool in self._by_full_name.items()
                if not tool.held
            )
        return self._specs

    async def specs_within(self, patience_s: float) -> tuple[ToolSpec, ...]:
        """As `specs`; a start that takes longer goes on, and whoever asks later gets its tools.

        Raises:
            ToolServerError: also where the server is still being started.
        """
        listing = self._listing
        if listing is None or listing.done():
            listing = self._listing = self._background.start(self.specs())
            listing.add_done_callback(_take_note)
        done, _ = await asyncio.wait({listing}, timeout=patience_s)
        if not done:
            raise ToolServerError(f"The tool server {self.name} is still being started.")
        return listing.result()

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        """Run a call to one of this server's tools; every failure is a value."""
        tool = self._by_full_name.get(call.name)
        if tool is None:
            try:
                await self.specs()
            except ToolServerError as error:
                return ToolOutput(text=str(error), is_error=True)
            tool = self._by_full_name.get(call.name)
        if tool is None:
            return ToolOutput(text=f"There is no tool {call.name}.", is_error=True)
        if tool.held:
            return ToolOutput(text=told_off(call.name, tool.held), is_error=True)
        if fault := fault_of_arguments(call.arguments, tool.input_schema):
            return ToolOutput(text=f"Invalid arguments for {call.name}: {fault}", is_error=True)
        result = await self._server.call(
            tool, call.arguments, await self._meta(call, context), progress
        )
        return await self._output(result, context)

    async def close(self) -> None:
        """End the server for good; bounded."""
        await self._background.close()
        await self._server.close()

    async def _meta(self, call: ToolCall, context: ToolContext) -> JsonObject | None:
        """What a server of our own is told beside the arguments, which a model writes."""
        if not self._server.config.trusted:
            return None
        more = await self._told(call, context) if self._told else {}
        return {"session_dir": str(context.workspace), **more}

    async def _output(
        self, result: CallToolResult | CallFailure, context: ToolContext
    ) -> ToolOutput:
        if isinstance(result, CallFailure):
            return ToolOutput(
                text=_told(result), is_error=True, may_have_happened=result.trouble in _UNKNOWN
            )
        output = output_of(result, max_bytes=self._max_result_bytes)
        if not self._server.config.trusted or not (result.meta or {}).get("artifacts"):
            return output
        artifacts = await asyncio.to_thread(artifacts_of, result, context.workspace)
        return ToolOutput(
            text=output.text,
            is_error=output.is_error,
            size_bytes=output.size_bytes,
            artifacts=artifacts,
        )


def _take_note(listing: asyncio.Task[tuple[ToolSpec, ...]]) -> None:
    """A start that fails when nobody waits any more is told to the next who asks."""
    if not listing.cancelled():
        listing.exception()


def _named(server: str, listed: Mapping[str, ListedTool]) -> dict[str, ListedTool]:
    named: dict[str, ListedTool] = {}
    for tool in listed.values():
        name = full_name(server, tool.name)
        if name in named:
            logger.warning("%s: tool %s is left out: %s is taken", server, tool.name, name)
            continue
        named[name] = tool
    return named


def _spec(name: str, tool: ListedTool, *, is_trusted: bool) -> ToolSpec:
    """What a server says of its tools' effects counts only where it is our own."""
    return ToolSpec(
        name=name,
        description=tool.description[:_MAX_DESCRIPTION_CHARS],
        input_schema=schema_for_model(tool.input_schema),
        is_repeatable=is_trusted and (tool.is_read_only or tool.is_idempotent),
    )


def _told(failure: CallFailure) -> str:
    if failure.trouble in _UNKNOWN:
        reason = failure.reason.removesuffix(".")
        return _UNKNOWN_OUTCOME.format(reason=f"{reason}.")
    return failure.reason


_BASE64_RATIO = 3 / 4


class _NamedArtifact(BaseModel):
    path: str
    title: str = ""
    mimetype: str = "application/octet-stream"


_NAMED_ARTIFACTS: TypeAdapter[list[_NamedArtifact]] = TypeAdapter(list[_NamedArtifact])


def output_of(result: CallToolResult, *, max_bytes: int) -> ToolOutput:
    """The result as text of at most `max_bytes`; pictures and the like are named, not carried."""
    told = _text_of(result)
    if told.isascii() and len(told) <= max_bytes:
        return ToolOutput(text=told, is_error=result.is_error, size_bytes=len(told))
    whole = told.encode("utf-8", "replace")
    text = whole[:max_bytes].decode("utf-8", "ignore")
    if len(whole) > max_bytes:
        text += f"\n[Only the first {max_bytes:,} bytes were kept.]"
    return ToolOutput(text=text, is_error=result.is_error, size_bytes=len(whole))


def artifacts_of(result: CallToolResult, workspace: Path) -> tuple[Artifact, ...]:
    """The files that the result's `_meta.artifacts` names, as far as they are where they may be.

    Call this only for a trusted server. It reads the disk.
    """
    try:
        named = _NAMED_ARTIFACTS.validate_python((result.meta or {}).get("artifacts", []))
    except ValidationError as error:
        logger.warning("artifacts in a result are malformed: %s", error)
        return ()
    found = (_artifact(item, workspace) for item in named)
    return tuple(artifact for artifact in found if artifact is not None)


def _artifact(named: _NamedArtifact, workspace: Path) -> Artifact | None:
    home = workspace.resolve() / WORK_PRODUCTS
    path = (workspace / named.path).resolve()
    if not path.is_relative_to(home) or not path.is_file():
        logger.warning("artifact %s is not a file under %s/", named.path, WORK_PRODUCTS)
        return None
    return Artifact(
        path=path.relative_to(workspace.resolve()).as_posix(),
        title=named.title or path.name,
        mimetype=named.mimetype,
        size_bytes=path.stat().st_size,
    )


def _text_of(result: CallToolResult) -> str:
    has_text = any(isinstance(block, TextContent) for block in result.content)
    parts = [_block_text(block) for block in result.content]
    if not has_text and result.structured_content is not None:
        parts.insert(0, json.dumps(result.structured_content, ensure_ascii=False))
    return "\n".join(parts) or "(The tool returned nothing.)"


def _block_text(block: ContentBlock) -> str:
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            size_kb = len(block.data) * _BASE64_RATIO / 1000
            return f"[{block.type} {block.mime_type}, {size_kb:.0f} KB]"
        case ResourceLink():
            return f"[resource {block.name}: {block.uri}]"
        case EmbeddedResource():
            return _resource_text(block)
        case _:
            assert_never(block)


def _resource_text(block: EmbeddedResource) -> str:
    resource = block.resource
    if isinstance(resource, TextResourceContents):
        return f"[resource {resource.uri}]\n{resource.text}"
    size_kb = len(resource.blob) * _BASE64_RATIO / 1000
    return f"[resource {resource.uri}, {resource.mime_type or 'binary'}, {size_kb:.0f} KB]"
