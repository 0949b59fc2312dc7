"""Blocks that Slack takes, and blocks that it refuses with its words for it (SLACK.md 4)."""

from typing import Any

import pytest

Block = dict[str, Any]


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(**fields: Any) -> Block:
    return {"type": "button", "action_id": "a", "text": plain("Go"), **fields}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def select(options: int, **fields: Any) -> Block:
    one = {"text": plain("x"), "value": "x"}
    return {"type": "static_select", "action_id": "s", "options": [one] * options, **fields}


def cell(text: str) -> Block:
    return {"type": "raw_text", "text": text}


def table(*rows: list[Block]) -> Block:
    return {"type": "table", "rows": list(rows)}


def rich(*leaves: Block, kind: str = "rich_text_section") -> Block:
    return {"type": "rich_text", "elements": [{"type": kind, "elements": list(leaves)}]}


def data_table(**fields: Any) -> Block:
    return {"type": "data_table", "caption": "c", "rows": [[cell("h")], [cell("x")]], **fields}


def chart(**fields: Any) -> Block:
    return {"type": "data_visualization", "title": "Costs", "chart": fields}


def container(child: Block) -> Block:
    return {"type": "container", "title": plain("Box"), "child_blocks": [child]}


def typed(**element: Any) -> Block:
    return {"type": "input", "label": plain("l"), "element": element}


IMAGE: Block = {"type": "image", "alt_text": "a", "image_url": "https://x.test/a.png"}
TABLE = table([cell("x")])
PIE = chart(type="pie", segments=[{"label": "a", "value": 1}])
TASK: Block = {"type": "task_card", "task_id": "1", "title": "Read"}
FEEDBACK: Block = {
    "type": "feedback_buttons",
    "action_id": "f",
    "positive_button": {"text": plain("Good"), "value": "good"},
    "negative_button": {"text": plain("Bad"), "value": "bad"},
}
LEAVES: list[Block] = [
    {"type": "text", "text": "x", "style": {"bold": True}},
    {"type": "link", "url": "https://x.test"},
    {"type": "user", "user_id": "U1"},
    {"type": "usergroup", "usergroup_id": "S1"},
    {"type": "channel", "channel_id": "C1"},
    {"type": "emoji", "name": "tada"},
    {"type": "broadcast", "range": "here"},
    {"type": "date", "timestamp": 1_795_000_000, "format": "{date}"},
    {"type": "color", "value": "#ff0000"},
    {"type": "team", "team_id": "T1"},
]
BULLETS: Block = {
    "type": "rich_text_list",
    "style": "bullet",
    "indent": 1,
    "elements": [{"type": "rich_text_section", "elements": LEAVES[:1]}],
}

GOOD: list[Block] = [
    section("x" * 3000),
    {"type": "section", "fields": [plain("x" * 2000)] * 2, "accessory": button()},
    {"type": "header", "text": plain("x" * 150)},
    {"type": "divider"},
    {"type": "context", "elements": [plain("x"), IMAGE]},
    actions(button(value="1", style="primary"), select(100)),
    {**IMAGE, "title": plain("t")},
    {"type": "markdown", "text": "**x**"},
    TABLE,
    {**table([cell("x"), {"type": "raw_number", "value": 1}, rich()])},
    {**TABLE, "column_settings": [{"align": "right", "is_wrapped": True}]},
    data_table(rows=[[cell("h")], [rich(*LEAVES[:1])]], page_size=100),
    PIE,
    chart(type="bar", series=[{"name": "s", "data": [{"label": "a", "value": 0}]}]),
    {**TASK, "status": "complete", "details": rich(*LEAVES[:1])},
    {"type": "plan", "title": "Plan", "tasks": [{"task_id": "1", "title": "Read"}]},
    {"type": "context_actions", "elements": [FEEDBACK]},
    rich(*LEAVES),
    {"type": "rich_text", "elements": [BULLETS]},
    {"type": "card", "title": plain("A card"), "actions": [button()]},
    {"type": "carousel", "elements": [{"title": plain("A card")}]},
    container({"type": "divider"}),
    {"type": "video", "title": plain("v"), "alt_text": "a", "thumbnail_url": "t", "video_url": "v"},
    typed(type="plain_text_input", action_id="i", max_length=3000),
]  # fmt: skip


def _bad(rule: str, block: Block, message: str, pointer: str) -> Any:
    return pytest.param(block, f"{message} [json-pointer:/blocks/0{pointer}]", id=rule)


def _too_long(maximum: int) -> str:
    return f"must be less than {maximum + 1} characters"


def _too_many(maximum: int) -> str:
    return f"no more than {maximum} items allowed"


BAD = [
    _bad("4.1 section 3001", section("x" * 3001), _too_long(3000), "/text/text"),
    _bad("4.1 section empty", section(""), "must be more than 0 characters", "/text/text"),
    _bad("4.1 section bare", {"type": "section"}, "missing required field: text", ""),
    _bad(
        "4.1 11 fields", {"type": "section", "fields": [plain("x")] * 11},
        _too_many(10), "/fields",
    ),
    _bad(
        "4.1 header 151", {"type": "header", "text": plain("x" * 151)},
        _too_long(150), "/text/text",
    ),
    _bad(
        "4.1 header mrkdwn", {"type": "header", "text": {"type": "mrkdwn", "text": "x"}},
        "unsupported type: mrkdwn", "/text/type",
    ),
    _bad(
        "4.2 closed text object", {"type": "section", "text": {**plain("x"), "colour": "red"}},
        "invalid additional property: colour", "/text",
    ),
    _bad("4.1 unknown", {"type": "poem"}, "unsupported type: poem", "/type"),
    _bad("4.1 file is only read", {"type": "file"}, "unsupported type: file", "/type"),
    _bad("4.1 alert is of modals", {"type": "alert"}, "unsupported type: alert", "/type"),
    _bad(
        "4.1 26 elements", actions(*[button(action_id=str(i)) for i in range(26)]), _too_many(25),
        "/elements",
    ),
    _bad(
        "4.1 11 texts", {"type": "context", "elements": [plain("x")] * 11},
        _too_many(10), "/elements",
    ),
    _bad(
        "4.2 action id twice", actions(button(), button()), "duplicate action_id: a",
        "/elements/1/action_id",
    ),
    _bad(
        "4.2 button value", actions(button(value="x" * 2001)),
        _too_long(2000), "/elements/0/value",
    ),
    _bad(
        "4.2 button text", actions(button(text=plain("x" * 76))), _too_long(75),
        "/elements/0/text/text",
    ),
    _bad(
        "4.2 button style", actions(button(style="loud")),
        "unsupported style: loud", "/elements/0/style",
    ),
    _bad("4.2 101 options", actions(select(101)), _too_many(100), "/elements/0/options"),
    _bad(
        "4.2 six in an overflow", actions(select(6, type="overflow")), _too_many(5),
        "/elements/0/options",
    ),
    _bad(
        "4.2 eleven boxes", actions(select(11, type="checkboxes")), _too_many(10),
        "/elements/0/options",
    ),
    _bad(
        "4.2 confirm title", actions(button(confirm={"title": plain("x" * 101)})), _too_long(100),
        "/elements/0/confirm/title/text",
    ),
    _bad(
        "4.2 closed filter", actions(select(1, filter={"exclude": []})),
        "invalid additional property: exclude", "/elements/0/filter",
    ),
    _bad(
        "4.2 date", actions({"type": "datepicker", "initial_date": "1.2.2026"}),
        "must match the expected format", "/elements/0/initial_date",
    ),
    _bad(
        "4.2 mail input is of modals", typed(type="email_text_input"),
        "unsupported type: email_text_input", "/element/type",
    ),
    _bad(
        "4.1 leaf", rich({"type": "song"}), "unsupported type: song", "/elements/0/elements/0/type",
    ),
    _bad(
        "4.1 link without address", rich({"type": "link"}), "missing required field: url",
        "/elements/0/elements/0",
    ),
    _bad(
        "4.1 style of a leaf", rich({"type": "text", "text": "x", "style": {"loud": True}}),
        "invalid additional property: loud", "/elements/0/elements/0/style",
    ),
    _bad(
        "4.1 mention in code", rich(LEAVES[2], kind="rich_text_preformatted"),
        "unsupported type: user", "/elements/0/elements/0/type",
    ),
    _bad(
        "4.1 list style", {"type": "rich_text", "elements": [{**BULLETS, "style": "loud"}]},
        "unsupported style: loud", "/elements/0/style",
    ),
    _bad("4.1 101 rows", table(*[[cell("x")]] * 101), _too_many(100), "/rows"),
    _bad("4.1 21 cells", table([cell("x")] * 21), _too_many(20), "/rows/0"),
    _bad("4.1 10001 characters", table([cell("x" * 10_001)]), _too_long(10_000), "/rows"),
    _bad(
        "4.1 cell", table([{"type": "text", "text": "x"}]),
        "unsupported type: text", "/rows/0/0/type",
    ),
    _bad(
        "4.1 number cell", table([{"type": "raw_number", "value": "1"}]), "must be a number",
        "/rows/0/0/value",
    ),
    _bad(
        "4.1 header of a data table", data_table(rows=[[rich()], [cell("x")]]),
        "unsupported type: rich_text", "/rows/0/0/type",
    ),
    _bad(
        "4.1 data table width", data_table(rows=[[cell("h")], [cell("x")] * 2]),
        "must have as many cells as the header", "/rows/1",
    ),
    _bad(
        "4.1 data table page", data_table(page_size=101), "must be between 1 and 100", "/page_size",
    ),
    _bad(
        "4.1 empty segment", chart(type="pie", segments=[{"label": "a", "value": 0}]),
        "must be more than 0", "/chart/segments/0/value",
    ),
    _bad(
        "4.1 13 series", chart(type="bar", series=[{"name": "s", "data": []}] * 13), _too_many(12),
        "/chart/series",
    ),
    _bad("4.1 plan title", {"type": "plan", "title": plain("Plan")}, "must be a string", "/title"),
    _bad(
        "4.1 task twice", {"type": "plan", "title": "p", "tasks": [TASK, TASK]},
        "duplicate task_id", "/tasks",
    ),
    _bad(
        "4.1 task status", {**TASK, "status": "completed"},
        "unsupported status: completed", "/status",
    ),
    _bad(
        "4.1 eleven cards", {"type": "carousel", "elements": [{"title": plain("x")}] * 11},
        _too_many(10), "/elements",
    ),
    _bad(
        "4.1 child of a container", container({"type": "poem"}), "unsupported type: poem",
        "/child_blocks/0/type",
    ),
    _bad(
        "4.1 block id", {"type": "divider", "block_id": "x" * 256}, _too_long(255), "/block_id",
    ),
]  # fmt: skip
