"""The only caller of Slack's Web API: op ids, read-back, a shared rate budget, typed errors."""

from bot.slack_api.api import SlackApi
from bot.slack_api.calls import Guard, web_client
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
from bot.slack_api.records import (
    Conversation,
    ConversationKind,
    Identity,
    Person,
    PostRecord,
)
from bot.slack_api.scopes import OPEN_SOCKET

__all__ = [
    "OPEN_SOCKET",
    "Clock",
    "ContentRefused",
    "Conversation",
    "ConversationKind",
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
