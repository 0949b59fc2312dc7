"""Schedules as people see them: ordered in words, agreed on with a click, told in a channel."""

from bot.digests.host import DigestHost
from bot.digests.messages import DigestMessages
from bot.digests.orders import DigestLimits, DigestOrders
from bot.digests.posts import PREFIX
from bot.digests.turn import DigestPresenter

__all__ = [
    "PREFIX",
    "DigestHost",
    "DigestLimits",
    "DigestMessages",
    "DigestOrders",
    "DigestPresenter",
]
