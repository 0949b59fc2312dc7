"""The page's own files: its HTML, modules and styles, with types that depend on no machine."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from aiohttp import web

STATIC = Path(__file__).parent / "static"
TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}


async def handle_index(_request: web.Request) -> web.StreamResponse:
    """The page."""
    return await _send(STATIC / "index.html")


async def handle_asset(request: web.Request) -> web.StreamResponse:
    """A file below the static folder; every other path is not there."""
    parts = request.match_info["path"].split("/")
    is_plain = all(part.strip(".") and "\0" not in part and "\\" not in part for part in parts)
    return await _send(STATIC.joinpath(*parts)) if is_plain else _not_found()


async def _send(path: Path) -> web.StreamResponse:
    content_type = TYPES.get(path.suffix)
    if content_type is None:
        return _not_found()
    try:
        body = await asyncio.to_thread(path.read_bytes)
    except OSError:
        return _not_found()
    return web.Response(body=body, headers={"Content-Type": content_type})


def _not_found() -> web.Response:
    return web.Response(status=404, text="There is no such file.")
