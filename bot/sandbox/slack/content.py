"""The content of a post as the posting methods take it: text, Markdown, blocks, metadata."""

from dataclasses import dataclass

from bot.sandbox.slack import limits
from bot.sandbox.slack.arguments import Arguments
from bot.sandbox.slack.blocks import check_message_blocks
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.ids import Ids
from bot.sandbox.slack.text import settle_text
from bot.sandbox.slack.wire import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Checked content. None means that the caller left the part out."""

    text: str | None = None
    blocks: tuple[JsonObject, ...] | None = None
    attachments: tuple[JsonObject, ...] | None = None
    metadata: JsonObject | None = None
    blocks_are_derived: bool = False
    warnings: tuple[str, ...] = ()


def read_content(
    args: Arguments, ids: Ids, *, is_update: bool = False, is_total_limited: bool = True
) -> Content:
    """Check and read the content of a call. Raises `ApiError`, also when there is nothing."""
    if args.has("markdown_text"):
        return _read_markdown(args)
    blocks = read_blocks(args, ids, is_total_limited=is_total_limited)
    attachments = _read_attachments(args)
    text = args.text("text")
    if not (text or "").strip() and not blocks and not attachments:
        raise ApiError("no_text")
    text, warnings = _read_text(args, text, is_update=is_update)
    return Content(
        text=text,
        blocks=blocks,
        attachments=attachments,
        metadata=read_metadata(args),
        warnings=tuple(warnings),
    )


def _read_text(
    args: Arguments, text: str | None, *, is_update: bool
) -> tuple[str | None, list[str]]:
    if text is None:
        return None, []
    if is_update:
        limits.check_update_text(text)
    text, warnings = limits.cut_post_text(text)
    return settle_text(text, link_urls=args.text("parse") != "none"), warnings


def _read_markdown(args: Arguments) -> Content:
    if args.has("text") or args.has("blocks"):
        raise ApiError("markdown_text_conflict")
    text = args.required("markdown_text")
    limits.check_markdown_text(text)
    block: JsonObject = {"type": "markdown", "text": text}
    return Content(
        text=text,
        blocks=(block,),
        attachments=_read_attachments(args),
        metadata=read_metadata(args),
        blocks_are_derived=True,
    )


def read_blocks(
    args: Arguments, ids: Ids, *, is_total_limited: bool = True
) -> tuple[JsonObject, ...] | None:
    """The blocks of a message, checked, with an id for each that came without."""
    blocks = args.json_array("blocks", error="invalid_blocks_format")
    if blocks is None:
        return None
    check_message_blocks(blocks, is_total_limited=is_total_limited)
    return tuple({"block_id": ids.fresh("b")[:5].lower(), **block} for block in blocks)


def _read_attachments(args: Arguments) -> tuple[JsonObject, ...] | None:
    attachments = args.json_array("attachments", error="invalid_attachments")
    if attachments is None:
        return None
    limits.check_attachments(attachments)
    return tuple(attachments)


def read_metadata(args: Arguments) -> JsonObject | None:
    """The metadata of a call, checked; None when it was left out, `{}` to clear it."""
    metadata = args.json_object("metadata", error="invalid_metadata_format")
    if metadata is not None:
        limits.check_metadata(metadata)
    return metadata
