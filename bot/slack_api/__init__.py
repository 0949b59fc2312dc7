"""The only caller of Slack's Web API: op ids, read-back, a shared rate budget, typed errors."""

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack_api.api import People, SlackApi
from bot.slack_api.calls import (
    LIMITED_BACKOFF,
    OPEN_SOCKET,
    MonotonicClock,
    SkippingClock,
    WriteGuard,
    ask,
    web_client,
)
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
    refusal,
)
from bot.slack_api.files import Upload
from bot.slack_api.records import (
    BotToken,
    Conversation,
    Identity,
    Op,
    Person,
    PostRecord,
    Receipt,
    StoredOp,
    language_of,
)

__all__ = [
    "LIMITED_BACKOFF",
    "OPEN_SOCKET",
    "AsyncWebClient",
    "BotToken",
    "ContentRefused",
    "Conversation",
    "DownloadRefused",
    "FileTooBig",
    "Identity",
    "MonotonicClock",
    "Op",
    "People",
    "Person",
    "PlaceRefused",
    "PostRecord",
    "Receipt",
    "SkippingClock",
    "SlackApi",
    "SlackAuthRefused",
    "SlackError",
    "SlackLimited",
    "SlackRefused",
    "SlackUnavailable",
    "StoredOp",
    "Upload",
    "WriteGuard",
    "ask",
    "language_of",
    "refusal",
    "web_client",
]  # fmt: skip
