"""The pictures that a request shows: few, small, and loaded from the workspace for that call."""

import asyncio
import base64
import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from agent_core.messages import AttachedFile, Message, ToolResult
from agent_core.models import Picture

MAX_PICTURES = 10
"""Of one request, the newest; providers take more, but each costs like a page of text."""
MAX_BYTES = 3_500_000
"""Of one picture; providers refuse more than 5 MB of base64."""
_SIGNS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
_SAFELY = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


async def load_pictures(messages: Sequence[Message], workspace: Path) -> dict[str, Picture]:
    """The pictures of the messages' files by their paths; one that cannot be had is left out."""
    named = [
        part.picture
        for message in messages
        for part in message.parts
        if isinstance(part, AttachedFile | ToolResult) and part.picture
    ]
    newest = list(dict.fromkeys(reversed(named)))[:MAX_PICTURES]
    return await asyncio.to_thread(_load, workspace, newest) if newest else {}


def _load(workspace: Path, paths: Sequence[str]) -> dict[str, Picture]:
    loaded = {path: _picture(workspace, PurePosixPath(path)) for path in paths}
    return {path: picture for path, picture in loaded.items() if picture is not None}


def _picture(workspace: Path, path: PurePosixPath) -> Picture | None:
    """Only a plain file in a folder of the workspace, of a type that models take."""
    if path.is_absolute() or ".." in path.parts:
        return None
    try:
        folder = (workspace / path.parent).resolve(strict=True)
        if not folder.is_relative_to(workspace.resolve()):
            return None
        with os.fdopen(os.open(folder / path.name, _SAFELY), "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError:
        return None
    kind = next((kind for sign, kind in _SIGNS.items() if data.startswith(sign)), "")
    if not kind or len(data) > MAX_BYTES:
        return None
    return Picture(media_type=kind, data=base64.b64encode(data).decode())
