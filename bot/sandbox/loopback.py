"""The sandbox's HTTP ports: on loopback, closed to other names (DNS rebinding) and other sites."""

import re
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

LOOPBACK = "127.0.0.1"
_OWN_NAME = re.compile(r"(?:127\.0\.0\.1|(?:\w+\.)?localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)


@asynccontextmanager
async def serve(
    app: web.Application, *, port: int = 0, sites: Collection[str] = ()
) -> AsyncGenerator[int]:
    """Serve on `port`, 0 being any that is free; yields the port. `sites` are further host names.

    Raises OSError where the port cannot be had.
    """
    app.middlewares.insert(0, _guard(sites))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, LOOPBACK, port).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


def _guard(sites: Collection[str]) -> Middleware:
    @web.middleware
    async def refuse_strangers(request: web.Request, handler: Handler) -> web.StreamResponse:
        headers = request.headers
        host = headers.get(hdrs.HOST, "").lower()
        name, _, _ = host.partition(":")
        if not _OWN_NAME.fullmatch(host) and name not in sites:
            return refused("This port answers only to 127.0.0.1 and localhost.")
        own_origin = f"http://{host}"
        is_foreign = headers.get(hdrs.ORIGIN, own_origin).lower() != own_origin
        is_cross_site = headers.get("Sec-Fetch-Site") == "cross-site"
        is_opened = headers.get("Sec-Fetch-Dest") == "document" and request.method == "GET"
        if is_foreign or (is_cross_site and not is_opened):
            return refused("Other sites are not answered.")
        return await handler(request)

    return refuse_strangers


def refused(why: str) -> web.Response:
    """The answer to a request from elsewhere."""
    return web.json_response({"ok": False, "error": why}, status=403)
