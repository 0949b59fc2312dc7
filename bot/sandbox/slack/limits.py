"""Slack's limits on texts and sizes, each with the error code that Slack answers."""

from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.wire import JsonArray, JsonObject

MAX_POST_TEXT = 40_000
MAX_UPDATE_TEXT = 4_000
MAX_MARKDOWN_TEXT = 12_000
MAX_BLOCKS = 50
MAX_ATTACHMENTS = 100
MAX_BLOCKS_TOTAL_CHARS = 13_200
MAX_STREAM_BYTES = 10_600
MAX_CHUNK_STRING = 256
MAX_FILE_BYTES = 1_073_741_824
MAX_ALT_TEXT = 1_000
MAX_TITLE = 200
MAX_VIEW_BYTES = 250_000
MAX_VIEW_STACK = 3
MAX_PROMPTS = 4
MAX_LOADING_MESSAGES = 10
MAX_SHARE_CHANNELS = 100
MAX_REACTIONS_OF_A_POST = 50
MAX_PINS_OF_A_CHANNEL = 100
MAX_BOOKMARKS_OF_A_CHANNEL = 100
MAX_SNIPPET_BYTES = 1_048_576
MAX_VIEWS_OF_A_CODE_CHANNEL = 5
MAX_CODE_VIEW_BYTES = 1_000_000
MAX_SEARCH_RESULTS = 20
MAX_SEARCH_QUERY = 4_000
MAX_SCHEDULE_AHEAD_S = 120 * 86_400


def cut_post_text(text: str) -> tuple[str, list[str]]:
    """The text as it is posted, with Slack's warning when it had to be cut."""
    if len(text) <= MAX_POST_TEXT:
        return text, []
    return text[:MAX_POST_TEXT], ["message_truncated"]


def check_update_text(text: str) -> None:
    """Refuse text that chat.update does not take."""
    if len(text) > MAX_UPDATE_TEXT:
        raise ApiError("msg_too_long")


def check_markdown_text(text: str) -> None:
    """Refuse Markdown that is too long for one call."""
    if len(text) > MAX_MARKDOWN_TEXT:
        raise ApiError("msg_too_long")


def check_attachments(attachments: JsonArray) -> None:
    """Refuse too many attachments, and things that are none."""
    if len(attachments) > MAX_ATTACHMENTS:
        raise ApiError("too_many_attachments")
    if not all(isinstance(attachment, dict) for attachment in attachments):
        raise ApiError("invalid_attachments")


def check_metadata(metadata: JsonObject) -> None:
    """Metadata is `{event_type, event_payload}`; an empty object clears it."""
    if not metadata:
        return
    event_type, payload = metadata.get("event_type"), metadata.get("event_payload")
    if not isinstance(event_type, str) or not event_type or not isinstance(payload, dict):
        raise ApiError("invalid_metadata_schema")


def check_title(title: str) -> None:
    """Refuse an empty title and one that is too long."""
    if not 1 <= len(title) <= MAX_TITLE:
        raise ApiError("invalid_name")
