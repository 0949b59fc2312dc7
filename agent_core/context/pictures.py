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
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
}
_SAFELY = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


async def load_pictures(messages: Sequence[Message], workspace: Path) -> dict[str, Picture]:
    """The pictures of the messages' files by their paths; one that cannot be had is left out."""
    paths: list[str] = []
    for message in messages:
        parts = [part for part in message.parts if isinstance(part, AttachedFile | ToolResult)]
        paths.extend(part.picture for part in parts if part.picture)
    newest = list(dict.fromkeys(reversed(paths)))[:MAX_PICTURES]
    loaded: dict[str, Picture] = {}
    for path in newest:
        picture = await asyncio.to_thread(_picture, workspace, PurePosixPath(path))
        if picture is not None:
            loaded[path] = picture
    return loaded


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
    if len(data) > MAX_BYTES:
        return None
    for signature, media_type in _SIGNATURES.items():
        if data.startswith(signature):
            return Picture(media_type=media_type, data=base64.b64encode(data).decode())
    return None
