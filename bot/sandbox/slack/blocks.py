"""Block Kit as Slack checks it before it shows anything: fields and limits as a table."""

from collections.abc import Mapping

from bot.sandbox.slack import limits
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.shapes import (
    Choice,
    Fields,
    Flag,
    Items,
    Kind,
    Number,
    Problems,
    Shape,
    String,
    count_text,
    fail,
)
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array, as_object


def _text(maximum: int, *kinds: str) -> Fields:
    """A text object. Closed: a single unknown key makes Slack refuse the whole message."""
    shapes: Mapping[str, Shape] = {
        "type*": Choice(kinds or ("plain_text", "mrkdwn")),
        "text*": String(maximum),
        "emoji": Flag(),
        "verbatim": Flag(),
    }
    return Fields(shapes, is_closed=True)


def _plain(maximum: int) -> Fields:
    return _text(maximum, "plain_text")


_OPTION = Fields(
    {"text*": _text(75), "value*": String(150), "description": _text(75)}, is_closed=True
)
_CONFIRM = Fields(
    {
        "title*": _plain(100),
        "text*": _text(300),
        "confirm*": _plain(30),
        "deny*": _plain(30),
        "style": Choice(("primary", "danger")),
    },
    is_closed=True,
)
_FILTER = Fields(
    {
        "include": Items(Choice(("im", "mpim", "private", "public")), 4),
        "exclude_external_shared_channels": Flag(),
        "exclude_bot_users": Flag(),
    },
    is_closed=True,
)
_FEEDBACK = Fields({"text*": _plain(75), "value*": String(2000), "accessibility_label": String(75)})
_IMAGE: Mapping[str, Shape] = {
    "alt_text*": String(2000),
    "image_url": String(3000),
    "slack_file": Fields({}, any_of=("id", "url")),
}


def _element(**shapes: Shape) -> Fields:
    """An element of these fields; `_needed` at the end of a name stands for the mark `*`."""
    marked = {name.replace("_needed", "*"): shape for name, shape in shapes.items()}
    return Fields({"action_id": String(255), "confirm": _CONFIRM, **marked})


_ELEMENTS: Mapping[str, Fields] = {
    "button": _element(
        text_needed=_plain(75),
        value=String(2000, 0),
        url=String(3000),
        style=Choice(("primary", "danger")),
        accessibility_label=String(75),
    ),
    "overflow": _element(options_needed=Items(_OPTION, 5)),
    "static_select": _element(placeholder=_plain(150), options_needed=Items(_OPTION, 100)),
    "conversations_select": _element(placeholder=_plain(150), filter=_FILTER),
    "plain_text_input": _element(
        placeholder=_plain(150), min_length=Number(0, 3000), max_length=Number(1, 3000)
    ),
    "feedback_buttons": _element(
        positive_button_needed=_FEEDBACK, negative_button_needed=_FEEDBACK
    ),
    "image": Fields(_IMAGE, any_of=("image_url", "slack_file")),
}


def _one_of(*kinds: str) -> Kind:
    return Kind({kind: _ELEMENTS[kind] for kind in kinds})


_MENUS = ("static_select", "conversations_select")
_CONTEXT = Kind(
    {
        "image": _ELEMENTS["image"],
        "mrkdwn": _text(3000),
        "plain_text": _text(3000),
    }
)

_STYLE = Fields(
    dict.fromkeys(("bold", "italic", "strike", "code", "underline"), Flag()), is_closed=True
)
_WORDS = String(40_000)
_LEAF = Kind(
    {
        "text": Fields({"text*": _WORDS, "style": _STYLE}),
        "link": Fields({"url*": _WORDS, "style": _STYLE}),
        "user": Fields({"user_id*": _WORDS}),
        "channel": Fields({"channel_id*": _WORDS}),
        "emoji": Fields({"name*": _WORDS}),
        "broadcast": Fields({"range*": Choice(("here", "channel", "everyone"))}),
    }
)
_LEAVES: Mapping[str, Shape] = {"elements*": Items(_LEAF, 10_000, 0)}
_SECTION = Kind({"rich_text_section": Fields(_LEAVES)})
_LIST: Mapping[str, Shape] = {
    "style*": Choice(("bullet", "ordered")),
    "indent": Number(0, 8),
    "elements*": Items(_SECTION, 1000, 0),
}
_RICH_PARTS = Kind(
    {
        "rich_text_section": Fields(_LEAVES),
        "rich_text_list": Fields(_LIST),
        "rich_text_preformatted": Fields(_LEAVES),
        "rich_text_quote": Fields(_LEAVES),
    }
)
_RICH_TEXT = Fields({"elements*": Items(_RICH_PARTS, 1000, 0)})

_CELL = Kind(
    {
        "raw_text": Fields({"text*": String(10_000)}),
        "raw_number": Fields({"value*": Number()}),
        "rich_text": _RICH_TEXT,
    }
)
_COLUMN = Fields({"align": Choice(("left", "center", "right")), "is_wrapped": Flag()})
_POINT = Fields({"label*": String(20), "value*": Number()})
_SERIES = Fields({"name*": String(255), "data*": Items(_POINT, 20)})
_CHART = Fields(
    {
        "type*": Choice(("bar", "area", "line")),
        "series*": Items(_SERIES, 12),
        "axis_config": Fields({"x_label": String(50), "y_label": String(50)}),
    }
)
_SOURCE = Fields({"type*": Choice(("url",)), "url*": String(3000), "text*": String(3000)})
_TASK: Mapping[str, Shape] = {
    "task_id*": String(255),
    "title*": String(256),
    "status": Choice(("pending", "in_progress", "complete", "error")),
    "details": Kind({"rich_text": _RICH_TEXT}),
    "output": Kind({"rich_text": _RICH_TEXT}),
    "sources": Items(_SOURCE, 100, 0),
}


def _block(shapes: Mapping[str, Shape], *any_of: str) -> Fields:
    return Fields({"block_id": String(255), **shapes}, any_of=any_of)


_EVERYWHERE: Mapping[str, Fields] = {
    "section": _block(
        {
            "text": _text(3000),
            "fields": Items(_text(2000), 10),
            "accessory": _one_of("button", "overflow", "image", *_MENUS),
        },
        "text",
        "fields",
    ),
    "header": _block({"text*": _plain(150)}),
    "divider": _block({}),
    "context": _block({"elements*": Items(_CONTEXT, 10)}),
    "actions": _block(
        {"elements*": Items(_one_of("button", "overflow", *_MENUS), 25, unique="action_id")}
    ),
    "image": _block({**_IMAGE, "title": _plain(2000)}, "image_url", "slack_file"),
    "input": _block(
        {
            "label*": _plain(2000),
            "hint": _plain(2000),
            "element*": _one_of("plain_text_input", *_MENUS),
        }
    ),
    "rich_text": _block(_RICH_TEXT.shapes),
}
_IN_MESSAGES: Mapping[str, Fields] = {
    **_EVERYWHERE,
    "markdown": _block({"text*": String(limits.MAX_MARKDOWN_TEXT)}),
    "context_actions": _block({"elements*": Items(_one_of("feedback_buttons"), 5)}),
    "table": _block(
        {
            "rows*": Items(Items(_CELL, 20), 100, max_chars=10_000),
            "column_settings": Items(_COLUMN, 20),
        }
    ),
    "data_visualization": _block({"title*": String(50), "chart*": _CHART}),
    "task_card": _block(_TASK),
    "plan": _block({"title*": String(256), "tasks": Items(Fields(_TASK), 50, 0, unique="task_id")}),
}
_MOST_OF_A_KIND = {
    "table": (1, "only_one_table_allowed"),
    "data_visualization": (2, "no more than 2 items allowed"),
}
"""How many blocks of a kind one message may hold, and the word with which more are refused."""

_MESSAGE_BLOCKS = Items(Kind(_IN_MESSAGES), limits.MAX_BLOCKS, 0, unique="block_id")
_VIEW_FIELDS: Mapping[str, Shape] = {
    "blocks*": Items(Kind(_EVERYWHERE), limits.MAX_VIEW_BLOCKS, 0, unique="block_id"),
    "private_metadata": String(3000, 0),
    "callback_id": String(255, 0),
    "external_id": String(255, 0),
}
_VIEWS: Mapping[str, Fields] = {
    "modal": Fields(
        {**_VIEW_FIELDS, "title*": _plain(24), "submit": _plain(24), "close": _plain(24)}
    ),
    "home": Fields({"type*": Choice(("home",)), **_VIEW_FIELDS}, is_closed=True),
}


def check_message_blocks(blocks: JsonArray) -> None:
    """Raises `invalid_blocks` with Slack's messages, or `msg_blocks_too_long`."""
    problems: Problems = []
    _MESSAGE_BLOCKS.check(blocks, "/blocks", problems)
    shown = [as_object(block) or {} for block in blocks]
    for kind, (most, word) in _MOST_OF_A_KIND.items():
        places = [index for index, block in enumerate(shown) if block.get("type") == kind]
        for index in places[most:]:
            fail(problems, f"/blocks/{index}", word)
    if problems:
        raise ApiError("invalid_blocks", messages=problems, errors=problems)
    markdown = count_text([block for block in shown if block.get("type") == "markdown"])
    if markdown > limits.MAX_MARKDOWN_TEXT or count_text(shown) > limits.MAX_BLOCKS_TOTAL_CHARS:
        raise ApiError("msg_blocks_too_long")


def check_view(view: JsonObject, kind: str) -> None:
    """Raises `invalid_arguments` with Slack's messages. The kind is "modal" or "home"."""
    problems: Problems = []
    Kind({kind: _VIEWS[kind]}).check(view, "/view", problems)
    blocks = [as_object(block) or {} for block in as_array(view.get("blocks")) or ()]
    has_input = any(block.get("type") == "input" for block in blocks)
    if kind == "modal" and has_input and not view.get("submit"):
        fail(problems, "/view", "missing required field: submit")
    if problems:
        raise ApiError("invalid_arguments", messages=problems)
