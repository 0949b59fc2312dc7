"""Makes what digests are made of, from what the bot has already."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from agent_core.runtime import Runtime
from agent_core.schedules.reading import warm_up
from bot.digests.clerk import Clerk, DigestLimits
from bot.digests.clicks import Clicks
from bot.digests.desk import Desk
from bot.digests.host import DigestHost
from bot.digests.places import Places
from bot.digests.showing import DigestShows
from bot.slack_api import People, SlackApi


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """The ways in and out of digests."""

    desk: Desk
    """For messages."""
    clicks: Clicks
    """For buttons and forms."""
    shows: DigestShows
    """For turns that are due."""
    host: DigestHost
    """For the core's timekeeper."""


async def build_digests(
    runtime: Runtime,
    api: SlackApi,
    people: People,
    limits: DigestLimits,
    clock: Callable[[], datetime],
) -> Digests:
    """All of them, ready: nobody's message waits for the words of four languages."""
    await asyncio.to_thread(warm_up)
    places = Places(api, people)
    clerk = Clerk(runtime.timekeeper, places, clock, limits)
    return Digests(
        desk=Desk(clerk, places, runtime.schedules, api, runtime.marks, clock),
        clicks=Clicks(clerk, api, clock),
        shows=DigestShows(runtime, api, clock),
        host=DigestHost(api, places),
    )
