"""What `/healthz` looks at."""

from collections.abc import Awaitable, Callable

from bot.console.health import Finding, Look
from bot.socket import SocketMode


def look_at_socket(socket: SocketMode) -> Look:
    """Whether Slack's payloads reach the bot."""

    async def look() -> Finding:
        health = socket.health()
        heard_s = health.last_heard_s
        return Finding(
            why=health.reason,
            details={
                "connected": health.connected,
                "last_heard_s": None if heard_s is None else round(heard_s, 1),
            },
        )

    return look


def look_at_database(
    read: Callable[[], Awaitable[object]], trouble: Callable[[], str | None]
) -> Look:
    """Whether the database answers a read, and nobody has to wait for it: a full disk can be read.

    `trouble` says why somebody waits; None when nobody does.
    """

    async def look() -> Finding:
        await read()
        return Finding(why=trouble() or "")

    return look
