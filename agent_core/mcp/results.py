"""The result of an MCP call as a `ToolOutput`: text for the model, artifacts for people."""

import asyncio
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

from agent_core.tools import Artifact, ToolOutput
from agent_core.workspaces.layout import WORK_PRODUCTS

logger = logging.getLogger(__name__)

_BASE64_RATIO = 3 / 4
_SHORT_CHARS = 100_000


async def read_output(result: CallToolResult, *, max_bytes: int) -> ToolOutput:
    """The output of a result; in a thread only where it is long, as the hop costs more."""
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    is_plain = len(texts) == len(result.content) > 0
    if is_plain and sum(map(len, texts)) <= _SHORT_CHARS:
        return output_of(result, max_bytes=max_bytes)
    return await asyncio.to_thread(output_of, result, max_bytes=max_bytes)


def output_of(result: CallToolResult, *, max_bytes: int) -> ToolOutput:
    """The result as text of at most `max_bytes`; pictures and the like are named, not carried."""
    whole = _text_of(result).encode("utf-8", "replace")
    text = whole[:max_bytes].decode("utf-8", "ignore")
    is_cut = len(whole) > max_bytes
    if is_cut:
        text += f"\n[Only the first {max_bytes:,} bytes were kept.]"
    return ToolOutput(
        text=text,
        is_error=result.is_error,
        size_bytes=len(whole),
        is_cut=is_cut,
    )


def artifacts_of(result: CallToolResult, workspace: Path) -> tuple[Artifact, ...]:
    """The artifacts that the result's `_meta` names, less those that are not under `work_products`.

    Call this only for a server of our own, which gives path, title and mimetype of each. It reads
    the disk.
    """
    artifacts: list[Artifact] = []
    home = workspace.resolve()
    for entry in (result.meta or {}).get("artifacts", ()):
        path = (workspace / entry["path"]).resolve()
        if not path.is_relative_to(home / WORK_PRODUCTS) or not path.is_file():
            logger.warning("artifact %s is not a file under %s/", entry["path"], WORK_PRODUCTS)
            continue
        artifact = Artifact(
            path=path.relative_to(home).as_posix(),
            title=entry["title"],
            mimetype=entry["mimetype"],
            size_bytes=path.stat().st_size,
            citations=tuple(map(str, entry.get("citations", ()))),
            follow_ups=tuple(map(str, entry.get("follow_ups", ()))),
        )
        artifacts.append(artifact)
    return tuple(artifacts)


def _text_of(result: CallToolResult) -> str:
    parts = [_block_text(block) for block in result.content]
    has_text = any(isinstance(block, TextContent) for block in result.content)
    if not has_text and result.structured_content is not None:
        parts.insert(0, json.dumps(result.structured_content, ensure_ascii=False))
    return "\n".join(parts) or "(The tool returned nothing.)"


def _block_text(block: ContentBlock) -> str:
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            return f"[{block.type} {block.mime_type}, {_size_kb(block.data)} KB]"
        case ResourceLink():
            return f"[resource {block.name}: {block.uri}]"
        case EmbeddedResource():
            inner = block.resource
            if isinstance(inner, TextResourceContents):
                return f"[resource {inner.uri}]\n{inner.text}"
            kind = inner.mime_type or "binary"
            return f"[resource {inner.uri}, {kind}, {_size_kb(inner.blob)} KB]"
        case _:
            assert_never(block)


def _size_kb(base64: str) -> str:
    return f"{len(base64) * _BASE64_RATIO / 1000:.0f}"
