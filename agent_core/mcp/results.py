"""What a tool server's result comes to: text for the model, artifacts and sources for people."""

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

from agent_core.mcp.wire import CUT
from agent_core.tools import Artifact, ToolOutput
from agent_core.workspaces.layout import WORK_PRODUCTS

logger = logging.getLogger(__name__)

_BASE64_RATIO = 3 / 4


def output_of(result: CallToolResult, *, max_bytes: int) -> ToolOutput:
    """The result as text of at most `max_bytes`; pictures and the like are named, not carried."""
    told = _text_of(result)
    was_cut = (result.meta or {}).get(CUT) is True
    whole = told.encode("utf-8", "replace")
    text = whole[:max_bytes].decode("utf-8", "ignore")
    if len(whole) > max_bytes:
        text += f"\n[Only the first {max_bytes:,} bytes were kept.]"
    return ToolOutput(
        text=text,
        is_error=result.is_error,
        size_bytes=len(whole),
        is_cut=was_cut or len(whole) > max_bytes,
    )


def artifacts_of(result: CallToolResult, workspace: Path) -> tuple[Artifact, ...]:
    """The files that the result's `_meta.artifacts` names, as far as they are where they may be.

    Call this only for a server of our own, which names path, title and mimetype of each. It reads
    the disk.
    """
    found: list[Artifact] = []
    home = workspace.resolve()
    for named in (result.meta or {}).get("artifacts", ()):
        path = (workspace / named["path"]).resolve()
        if not path.is_relative_to(home / WORK_PRODUCTS) or not path.is_file():
            logger.warning("artifact %s is not a file under %s/", named["path"], WORK_PRODUCTS)
            continue
        found.append(
            Artifact(
                path=path.relative_to(home).as_posix(),
                title=named["title"],
                mimetype=named["mimetype"],
                size_bytes=path.stat().st_size,
                citations=tuple(map(str, named.get("citations", ()))),
                follow_ups=tuple(map(str, named.get("follow_ups", ()))),
            )
        )
    return tuple(found)


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
            inner = block.resource
            if isinstance(inner, TextResourceContents):
                return f"[resource {inner.uri}]\n{inner.text}"
            size_kb = len(inner.blob) * _BASE64_RATIO / 1000
            return f"[resource {inner.uri}, {inner.mime_type or 'binary'}, {size_kb:.0f} KB]"
        case _:
            assert_never(block)
