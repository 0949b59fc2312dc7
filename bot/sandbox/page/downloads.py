"""The bytes of the team's files. What they hold is foreign: it may be looked at, never run."""

import re
from collections.abc import Mapping
from io import BytesIO
from urllib.parse import quote

from aiohttp import web

from bot.sandbox.slack import File, SlackStandIn

FOREIGN_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_MIMETYPE = re.compile(r"[\w.+-]+/[\w.+-]+")
_ANY_TYPE = "application/octet-stream"


class Downloads:
    """Serves files by their id; the name in the address is for people."""

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack

    async def handle(self, request: web.Request) -> web.StreamResponse:
        file_id = request.match_info["file_id"]
        file = next((file for file in self._slack.files if file.id == file_id), None)
        if file is None:
            return web.Response(status=404, text="There is no such file.")
        is_download = request.query.get("download") == "1"
        return web.Response(body=BytesIO(file.content), headers=_headers(file, is_download))


def _headers(file: File, is_download: bool) -> Mapping[str, str]:
    mimetype = file.mimetype if _MIMETYPE.fullmatch(file.mimetype) else _ANY_TYPE
    charset = "; charset=utf-8" if mimetype.startswith("text/") else ""
    disposition = "attachment" if is_download else "inline"
    name = quote(file.name, safe="", errors="replace")
    headers = {
        "Content-Type": f"{mimetype}{charset}",
        "Content-Disposition": f"{disposition}; filename*=UTF-8''{name}",
    }
    if mimetype != "application/pdf":  # which browsers show in a program of their own
        headers["Content-Security-Policy"] = FOREIGN_POLICY
    return headers
