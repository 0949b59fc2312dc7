"""Schedules as people see them: ordered in words, agreed on with a click, told in a channel."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from agent_core.runtime import Runtime
from bot.digests.host import DigestHost
from bot.digests.messages import DigestMessages
from bot.digests.orders import DigestLimits, Orders
from bot.digests.posts import PREFIX
from bot.digests.turn import DigestPresenter
from bot.slack_api import People, SlackApi

__all__ = ["PREFIX", "DigestLimits", "DigestMessages", "Digests"]


class Digests:
    """The ways in and out of digests, made from what the bot has already."""

    def __init__(
        self,
        runtime: Runtime,
        api: SlackApi,
        people: People,
        limits: DigestLimits,
        clock: Callable[[], datetime],
    ) -> None:
        orders = Orders(runtime.schedules, runtime.timekeeper, api, people, clock, limits)
        self.messages = DigestMessages(orders, runtime.order_reader, api, runtime.marks, clock)
        self.presenter = partial(DigestPresenter, runtime, clock)
        """For turns that are due."""
        self.host = DigestHost(api, orders)
        """For the core's timekeeper."""
