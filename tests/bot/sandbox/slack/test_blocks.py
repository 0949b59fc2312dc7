"""Blocks that Slack takes, and blocks that it refuses with its words for it (SLACK.md 4)."""

from typing import Any

import pytest

from bot.sandbox.slack import SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client
from tests.bot.sandbox.slack.refusals import error_of, refusal_of

Block = dict[str, Any]


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(**fields: Any) -> Block:
    return {"type": "button", "action_id": "a", "text": plain("Go"), **fields}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def select(options: int, kind: str = "static_select") -> Block:
    return {
        "type": kind,
        "action_id": "s",
        "options": [{"text": plain("x"), "value": "x"}] * options,
    }


def table(*rows: list[Block]) -> Block:
    return {"type": "table", "rows": list(rows)}


def rich(*leaves: Block) -> Block:
    part = {"type": "rich_text_section", "elements": list(leaves)}
    return {"type": "rich_text", "elements": [part]}


def chart(**fields: Any) -> Block:
    return {"type": "data_visualization", "title": "Costs", "chart": fields}


IMAGE: Block = {"type": "image", "alt_text": "a", "image_url": "https://x.test/a.png"}
CELL: Block = {"type": "raw_text", "text": "x"}
POINTS = [{"name": "s", "data": [{"label": "a", "value": 0}]}]
TASK: Block = {"type": "task_card", "task_id": "1", "title": "Read", "status": "complete"}
GOOD, BAD = plain("Good"), plain("Bad")
FEEDBACK: Block = {
    "type": "feedback_buttons",
    "action_id": "f",
    "positive_button": {"text": GOOD, "value": "good"},
    "negative_button": {"text": BAD, "value": "bad"},
}
LINK: Block = {"type": "link", "url": "https://x.test"}
FIELD: Block = {"type": "plain_text_input", "action_id": "i", "max_length": 3000}

TAKEN: list[Block] = [
    section("x" * 3000),
    {"type": "section", "fields": [plain("x" * 2000)] * 2, "accessory": button()},
    {"type": "header", "text": plain("x" * 150)},
    {"type": "divider"},
    {"type": "context", "elements": [plain("x"), IMAGE]},
    actions(button(value="1", style="primary"), select(100)),
    {**IMAGE, "title": plain("t")},
    {"type": "markdown", "text": "**x**"},
    {**table([CELL, {"type": "raw_number", "value": 1}, rich(LINK)]), "column_settings": [{}]},
    chart(type="bar", series=POINTS),
    {**TASK, "details": rich({"type": "text", "text": "x", "style": {"bold": True}})},
    {"type": "plan", "title": "Plan", "tasks": [TASK]},
    {"type": "context_actions", "elements": [FEEDBACK]},
    {"type": "input", "label": plain("l"), "element": FIELD},
]
REFUSED: list[tuple[Block, str, str]] = [
    (section("x" * 3001), "must be less than 3001 characters", "/text/text"),
    (section(""), "must be more than 0 characters", "/text/text"),
    ({"type": "section"}, "missing required field: text", ""),
    (
        {"type": "section", "fields": [plain("x")] * 11},
        "no more than 10 items allowed",
        "/fields",
    ),
    (
        {"type": "header", "text": {"type": "mrkdwn", "text": "x"}},
        "unsupported type: mrkdwn",
        "/text/type",
    ),
    (
        {"type": "section", "text": {**plain("x"), "colour": "red"}},
        "invalid additional property: colour",
        "/text",
    ),
    ({"type": "poem"}, "unsupported type: poem", "/type"),
    (
        actions(*[button(action_id=str(i)) for i in range(26)]),
        "no more than 25 items allowed",
        "/elements",
    ),
    (actions(button(), button()), "duplicate action_id: a", "/elements/1/action_id"),
    (
        actions(button(value="x" * 2001)),
        "must be less than 2001 characters",
        "/elements/0/value",
    ),
    (
        actions(button(text=plain("x" * 76))),
        "must be less than 76 characters",
        "/elements/0/text/text",
    ),
    (actions(button(style="loud")), "unsupported style: loud", "/elements/0/style"),
    (actions(select(101)), "no more than 100 items allowed", "/elements/0/options"),
    (actions(select(6, "overflow")), "no more than 5 items allowed", "/elements/0/options"),
    (
        actions(button(confirm={"title": plain("x" * 101)})),
        "must be less than 101 characters",
        "/elements/0/confirm/title/text",
    ),
    (rich({"type": "song"}), "unsupported type: song", "/elements/0/elements/0/type"),
    (
        rich({"type": "link"}),
        "missing required field: url",
        "/elements/0/elements/0",
    ),
    (table(*[[CELL]] * 101), "no more than 100 items allowed", "/rows"),
    (table([CELL] * 21), "no more than 20 items allowed", "/rows/0"),
    (
        table([{**CELL, "text": "x" * 6_000}] * 2),
        "must be less than 10001 characters",
        "/rows",
    ),
    (table([plain("x")]), "unsupported type: plain_text", "/rows/0/0/type"),
    (table([{"type": "raw_number", "value": "1"}]), "must be a number", "/rows/0/0/value"),
    (chart(type="pie", series=POINTS), "unsupported type: pie", "/chart/type"),
    (chart(type="bar", series=POINTS * 13), "no more than 12 items allowed", "/chart/series"),
    ({**TASK, "status": "asleep"}, "unsupported status: asleep", "/status"),
    (
        {"type": "plan", "title": "Plan", "tasks": [TASK, TASK]},
        "duplicate task_id: 1",
        "/tasks/1/task_id",
    ),
    (
        {"type": "input", "label": plain("l"), "element": button()},
        "unsupported type: button",
        "/element/type",
    ),
]


@pytest.mark.parametrize("block", TAKEN, ids=[block["type"] for block in TAKEN])
async def test_a_proper_block_is_posted(client: Client, general: str, block: Block) -> None:
    answer = await client.chat_postMessage(channel=general, text="x", blocks=[block])
    posted = answer["message"]["blocks"][0]
    assert (posted["type"], bool(posted["block_id"])) == (block["type"], True)


@pytest.mark.parametrize(("block", "message", "pointer"), REFUSED)
async def test_a_faulty_block_is_refused_and_pointed_to(
    slack: SlackStandIn, client: Client, general: str, block: Block, message: str, pointer: str
) -> None:
    refusal = await refusal_of(client.chat_postMessage(channel=general, text="x", blocks=[block]))
    sentence = f"{message} [json-pointer:/blocks/0{pointer}]"
    assert refusal["error"] == "invalid_blocks"
    assert sentence in refusal["errors"]
    assert f"[ERROR] {sentence}" in refusal["response_metadata"]["messages"]
    assert slack.posts("general") == []


HALF: Block = {"type": "markdown", "text": "x" * 6_000}
DIVIDER: Block = {"type": "divider"}


@pytest.mark.parametrize(
    ("most", "more", "error"),
    [
        ([DIVIDER] * 50, DIVIDER, "invalid_blocks"),
        ([table([CELL])], table([CELL]), "invalid_blocks"),
        (
            [chart(type="line", series=POINTS)] * 2,
            chart(type="line", series=POINTS),
            "invalid_blocks",
        ),
        ([{**DIVIDER, "block_id": "line"}], {**DIVIDER, "block_id": "line"}, "invalid_blocks"),
        ([section("x" * 3000)] * 4 + [section("x" * 1200)], section("x"), "msg_blocks_too_long"),
        ([HALF, HALF], {"type": "markdown", "text": "x"}, "msg_blocks_too_long"),
    ],
    ids=["50 blocks", "one table", "two charts", "block ids", "13200 characters", "12000 Markdown"],
)
async def test_a_message_holds_only_so_much(
    client: Client, general: str, most: list[Block], more: Block, error: str
) -> None:
    ts = (await client.chat_postMessage(channel=general, text="x", blocks=most))["ts"]
    post = client.chat_postMessage(channel=general, text="x", blocks=[*most, more])
    assert await error_of(post) == error
    update = client.chat_update(channel=general, ts=ts, text="x", blocks=[*most, more])
    assert await error_of(update) == error
