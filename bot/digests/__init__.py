"""Schedules as people see them: ordered in words, agreed on with a click, told in a channel."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from agent_core.runtime import Runtime
from bot.digests.clerk import Clerk, DigestLimits, Places
from bot.digests.clicks import Clicks
from bot.digests.desk import Desk
from bot.digests.host import DigestHost
from bot.digests.show import DigestShows
from bot.slack_api import People, SlackApi

__all__ = ["DigestLimits", "Digests", "build_digests"]


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


def build_digests(
    runtime: Runtime,
    api: SlackApi,
    people: People,
    limits: DigestLimits,
    clock: Callable[[], datetime],
) -> Digests:
    """All of them, made from what the bot has already."""
    places = Places(api, people)
    clerk = Clerk(runtime.timekeeper, places, clock, limits)
    return Digests(
        desk=Desk(clerk, runtime.order_reader, api, runtime.marks, clock),
        clicks=Clicks(clerk, api, people, clock),
        shows=DigestShows(runtime, api, clock),
        host=DigestHost(api, places, people),
    )
