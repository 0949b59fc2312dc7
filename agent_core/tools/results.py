"""What a tool server's result comes to: text for the model, artifacts for the person."""

import json
import logging
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

from agent_core.tools import Artifact, ToolOutput
from agent_core.workspaces.layout import WORK_PRODUCTS

logger = logging.getLogger(__name__)

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
