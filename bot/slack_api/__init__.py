"""The only caller of Slack's Web API: op ids, read-back, a shared rate budget, typed errors."""

from bot.slack_api.api import SlackApi
from bot.slack_api.calls import Guard
from bot.slack_api.clock import Clock, SkippingClock, SystemClock
from bot.slack_api.errors import (
    ContentRefused,
    DownloadRefused,
    FileTooBig,
    PlaceRefused,
    SlackAuthRefused,
    SlackError,
    SlackLimited,
    SlackRefused,
    SlackUnavailable,
)
from bot.slack_api.people import People
from bot.slack_api.records import Conversation, Identity, Person, PostRecord
from bot.slack_api.scopes import OPEN_SOCKET
from bot.slack_api.wire import web_client

__all__ = [
    "OPEN_SOCKET",
    "Clock",
    "ContentRefused",
    "Conversation",
    "DownloadRefused",
    "FileTooBig",
    "Guard",
    "Identity",
    "People",
    "Person",
    "PlaceRefused",
    "PostRecord",
    "SkippingClock",
    "SlackApi",
    "SlackAuthRefused",
    "SlackError",
    "SlackLimited",
    "SlackRefused",
    "SlackUnavailable",
    "SystemClock",
    "web_client",
]
