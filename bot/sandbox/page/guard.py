"""Who may talk to the page: this machine's browser, and for acts the page itself."""

import re
from collections.abc import Mapping

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

_LOCAL_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
PAGE_POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' https: data: blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
)
"""Pictures may come from elsewhere, since image blocks name them; nothing that runs may."""
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


@web.middleware
async def refuse_strangers(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer only to this machine's names (against DNS rebinding), acts only to the page."""
    host = request.headers.get(hdrs.HOST, "")
    if not _LOCAL_HOST.fullmatch(host):
        return _refuse("This page answers only to 127.0.0.1 and localhost.")
    is_reading = request.method in (hdrs.METH_GET, hdrs.METH_HEAD)
    if not is_reading and request.headers.get(hdrs.ORIGIN, "").lower() != f"http://{host}".lower():
        return _refuse("Only the page itself may act.")
    return await handler(request)


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Nothing is kept by the browser, read by other sites or shown inside of them."""
    for name, value in HEADERS.items():
        response.headers[name] = value
    response.headers.setdefault("Content-Security-Policy", PAGE_POLICY)


def _refuse(sentence: str) -> web.Response:
    return web.json_response({"ok": False, "error": sentence}, status=403)
