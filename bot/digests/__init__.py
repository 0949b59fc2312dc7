"""Schedules as people see them: ordered in words, agreed on with a click, told in a channel."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from agent_core.runtime import Runtime
from bot.digests.clicks import Clicks
from bot.digests.host import DigestHost
from bot.digests.messages import DigestMessages
from bot.digests.orders import DigestLimits, Orders, Places
from bot.digests.posts import PREFIX
from bot.digests.turn import DigestPresenter
from bot.slack_api import People, SlackApi

__all__ = ["PREFIX", "DigestLimits", "DigestMessages", "Digests", "build_digests"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """The ways in and out of digests."""

    messages: DigestMessages
    clicks: Clicks
    presenter: Callable[..., DigestPresenter]
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
    orders = Orders(runtime.schedules, runtime.timekeeper, Places(api, people), clock, limits)
    messages = DigestMessages(orders, runtime.order_reader, api, runtime.marks, clock)
    return Digests(
        messages=messages,
        clicks=Clicks(orders, messages, api, people, clock),
        presenter=partial(DigestPresenter, runtime, clock),
        host=DigestHost(api, orders.places),
    )
