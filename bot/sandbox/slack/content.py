"""The content of a post as the posting methods take it: text, Markdown, blocks, metadata."""

from dataclasses import dataclass

from bot.sandbox.slack import limits
from bot.sandbox.slack.arguments import Arguments
from bot.sandbox.slack.blocks import check_message_blocks
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.team import Ids
from bot.sandbox.slack.text import settle_text
from bot.sandbox.slack.wire import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Checked content. None means that the caller left the part out."""

    text: str = ""
    blocks: tuple[JsonObject, ...] | None = None
    metadata: JsonObject | None = None
    blocks_are_derived: bool = False
    is_cut: bool = False


def read_content(args: Arguments, ids: Ids, *, is_update: bool = False) -> Content:
    """Check and read the content of a call. Raises `ApiError`, also when there is nothing."""
    metadata = read_metadata(args)
    if markdown := args.text("markdown_text"):
        if args.has("text") or args.has("blocks"):
            raise ApiError("markdown_text_conflict")
        check_markdown(markdown)
        block = {"type": "markdown", "text": markdown}
        return Content(text=markdown, blocks=(block,), metadata=metadata, blocks_are_derived=True)
    blocks, text = read_blocks(args, ids), args.text("text")
    if not text.strip() and not blocks:
        raise ApiError("no_text")
    if is_update and len(text) > limits.MAX_UPDATE_TEXT:
        raise ApiError("msg_too_long")
    is_cut = len(text) > limits.MAX_POST_TEXT
    text = settle_text(text[: limits.MAX_POST_TEXT], link_urls=args.text("parse") != "none")
    return Content(text=text, blocks=blocks, metadata=metadata, is_cut=is_cut)


def check_markdown(text: str) -> None:
    """Refuse Markdown that is too long for one call."""
    if len(text) > limits.MAX_MARKDOWN_TEXT:
        raise ApiError("msg_too_long")


def read_blocks(args: Arguments, ids: Ids) -> tuple[JsonObject, ...] | None:
    """The blocks of a message, checked, with an id for each that came without."""
    blocks = args.json_array("blocks", error="invalid_blocks_format")
    if blocks is None:
        return None
    check_message_blocks(blocks)
    return tuple({"block_id": ids.fresh("b").lower(), **block} for block in blocks)


def read_metadata(args: Arguments) -> JsonObject | None:
    """`{event_type, event_payload}`; None when it was left out, `{}` to clear it."""
    metadata = args.json_object("metadata", error="invalid_metadata_format")
    if metadata:
        kind, payload = metadata.get("event_type"), metadata.get("event_payload")
        if not isinstance(kind, str) or not kind or not isinstance(payload, dict):
            raise ApiError("invalid_metadata_schema")
    return metadata
