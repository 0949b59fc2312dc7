"""Schedules as people see them: ordered in words, agreed on with a click, told in a channel."""

from bot.digests.clicks import DigestClicks
from bot.digests.messages import DigestMessages
from bot.digests.orders import DigestOrders
from bot.digests.turn import DigestHost, DigestPresenter

__all__ = [
    "DigestClicks",
    "DigestHost",
    "DigestMessages",
    "DigestOrders",
    "DigestPresenter",
]
