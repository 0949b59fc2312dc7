"""`GET /healthz`: whether the bot can hear and remember, and if not, why not."""

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
    """What a look at one part of the bot found."""

    why: str = ""
    """What is wrong, in words; empty when nothing is."""
    details: JsonObject = field(default_factory=JsonObject)
    is_vital: bool = True
    """Whether the bot is unwell with it; what only makes it poorer is told."""


Look = Callable[[], Awaitable[HealthFinding]]
"""Looks at one part. One that fails, or takes too long, counts as unwell."""


async def _examine(looks: Mapping[str, Look], uptime_s: float) -> web.Response:
    """200 when every vital part is well, otherwise 503; the reasons of both are in `why`."""
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
    """Answer `/healthz`, to whoever asks by whatever name."""
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
    """How late the event loop was at worst, and how often it was held; that is in the log."""
    worst_ms = round(lag.worst_s * 1_000)
    return HealthFinding(details={"stalls": lag.stalls, "worst_ms": worst_ms})


async def look_at_database(
    read: Callable[[], Awaitable[object]], trouble: Callable[[], str | None]
) -> HealthFinding:
    """Whether the database answers a read, and nobody has to wait for it: a full disk can be read.

    `trouble` says why somebody waits; None when nobody does.
    """
    await read()
    return HealthFinding(why=trouble() or "")


async def look_at_tools(away: Callable[[], Mapping[str, str]]) -> HealthFinding:
    """Which tool servers could not be had when last asked: the bot works on without them."""
    reasons = away()
    why = f"{', '.join(sorted(reasons))} cannot be reached" if reasons else ""
    return HealthFinding(
        why=why,
        details={"away": masked_value(dict(reasons))},
        is_vital=False,
    )
