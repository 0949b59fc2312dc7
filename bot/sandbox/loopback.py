"""How the stand-ins, the small web and the page are served: on loopback, while a block runs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from aiohttp import web


@asynccontextmanager
async def serve(app: web.Application, *, port: int = 0) -> AsyncGenerator[int]:
    """Serve on 127.0.0.1 and give the port; one that is taken gives way to any other."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        with suppress(OSError):
            await web.TCPSite(runner, "127.0.0.1", port).start()
        if not runner.addresses:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
