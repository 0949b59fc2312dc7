"""`GET /healthz`: whether the socket and the database work, and if not, why not."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from aiohttp import web

from agent_core.masking import masked_value
from agent_core.messages import JsonObject
from agent_core.watchdog import Lag
from bot.slack_api import MonotonicClock
from bot.socket import SocketMode

LOOK_LIMIT_S = 3.0
UNWELL = 503

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthFinding:
    """The health of one part of the bot."""

    why: str = ""
    """The fault in words; empty when the part is well."""
    details: JsonObject = field(default_factory=JsonObject)
    is_vital: bool = True
    """Whether a fault makes the whole bot unwell; any other fault is only reported."""


Look = Callable[[], Awaitable[HealthFinding]]
"""The health check of one part. A check that fails, or times out, is a fault."""


async def _examine(looks: Mapping[str, Look], uptime_s: float) -> web.Response:
    """200 if every vital part is well, otherwise 503; `why` lists the faults of all parts."""
    async with asyncio.TaskGroup() as group:
        tasks = {name: group.create_task(_take(look)) for name, look in looks.items()}
    why: list[str] = []
    parts: JsonObject = {}
    is_well = True
    for name, task in tasks.items():
        finding = task.result()
        parts[name] = {"ok": not finding.why, **finding.details}
        if finding.why:
            why.append(f"{name}: {finding.why}")
            is_well = is_well and not finding.is_vital
    report: JsonObject = {
        "ok": is_well,
        "why": why,
        "pid": os.getpid(),
        "uptime_s": round(uptime_s, 1),
        **parts,
    }
    return web.json_response(report, status=200 if is_well else UNWELL)


async def _take(look: Look) -> HealthFinding:
    try:
        async with asyncio.timeout(LOOK_LIMIT_S):
            return await look()
    except TimeoutError:
        return HealthFinding(why="does not answer")
    except Exception as error:
        logger.exception("a look at the bot's health failed")
        return HealthFinding(why=f"does not work ({type(error).__name__})")


def add_health(app: web.Application, looks: Mapping[str, Look], clock: MonotonicClock) -> None:
    """Serve `/healthz`, for any host name."""
    started_s = clock.seconds()

    async def answer(_: web.Request) -> web.Response:
        return await _examine(looks, clock.seconds() - started_s)

    app.router.add_get("/healthz", answer)


async def look_at_socket(socket: SocketMode) -> HealthFinding:
    """Whether Slack's payloads reach the bot."""
    health = socket.health()
    last_heard_s = health.last_heard_s
    if last_heard_s is not None:
        last_heard_s = round(last_heard_s, 1)
    return HealthFinding(
        why=health.reason,
        details={"connected": health.connected, "last_heard_s": last_heard_s},
    )


async def look_at_loop(lag: Lag) -> HealthFinding:
    """The worst lag of the event loop, and its number of stalls; the log has each of them."""
    worst_ms = round(lag.worst_s * 1_000)
    return HealthFinding(details={"stalls": lag.stalls, "worst_ms": worst_ms})


async def look_at_database(
    read: Callable[[], Awaitable[object]], trouble: Callable[[], str | None]
) -> HealthFinding:
    """Whether the database answers a read, and takes writes: a full disk can still be read.

    `trouble` is the reason why a writer waits; None when none does.
    """
    await read()
    return HealthFinding(why=trouble() or "")


async def look_at_tools(away: Callable[[], Mapping[str, str]]) -> HealthFinding:
    """Tool servers that were unreachable when last asked; the bot works without them."""
    reasons = away()
    why = ""
    if reasons:
        names = ", ".join(sorted(reasons))
        why = f"{names} cannot be reached"
    return HealthFinding(
        why=why,
        details={"away": masked_value(dict(reasons))},
        is_vital=False,
    )
