"""Block Kit limits, each refused with Slack's own code and message."""

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


def select(options: int) -> Block:
    one = {"text": plain("x"), "value": "x"}
    return {"type": "static_select", "action_id": "s", "options": [one] * options}


IMAGE: Block = {"type": "image", "alt_text": "a", "image_url": "https://x.test/a.png"}
GOOD: list[Block] = [
    section("x" * 3000),
    {"type": "section", "fields": [plain("x" * 2000)] * 2, "accessory": button()},
    {"type": "header", "text": plain("x" * 150)},
    {"type": "divider"},
    {"type": "context", "elements": [plain("x"), IMAGE]},
    {"type": "actions", "elements": [button(value="1", style="primary"), select(100)]},
    {**IMAGE, "title": plain("t")},
    {"type": "markdown", "text": "**x**"},
    {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]},
    {"type": "task_card", "task_id": "1", "title": "Read", "status": "complete"},
    {"type": "plan", "title": "Plan", "tasks": [{"task_id": "1", "title": "Read"}]},
    {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "f",
                "positive_button": {"text": plain("Good"), "value": "good"},
                "negative_button": {"text": plain("Bad"), "value": "bad"},
            }
        ],
    },
    {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": []}]},
    {"type": "card", "title": plain("A card"), "actions": [button()]},
    {"type": "carousel", "elements": [{"title": plain("A card")}]},
    {"type": "container", "title": plain("Box"), "child_blocks": [{"type": "divider"}]},
    {"type": "video", "title": plain("v"), "alt_text": "a", "thumbnail_url": "t", "video_url": "v"},
    {"type": "input", "label": plain("l"), "element": {"type": "plain_text_input"}},
]  # fmt: skip

BAD: list[tuple[Block, str]] = [
    (section("x" * 3001), "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"),
    (section(""), "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
    ({"type": "section"}, "missing required field: text [json-pointer:/blocks/0]"),
    (
        {"type": "section", "fields": [plain("x")] * 11},
        "no more than 10 items allowed [json-pointer:/blocks/0/fields]",
    ),
    (
        {"type": "header", "text": plain("x" * 151)},
        "must be less than 151 characters [json-pointer:/blocks/0/text/text]",
    ),
    (
        {"type": "header", "text": {"type": "mrkdwn", "text": "x"}},
        "unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]",
    ),
    (
        {"type": "section", "text": {**plain("x"), "colour": "red"}},
        "invalid additional property: colour [json-pointer:/blocks/0/text]",
    ),
    ({"type": "poem"}, "unsupported type: poem [json-pointer:/blocks/0/type]"),
    (
        {"type": "actions", "elements": [button(action_id=str(i)) for i in range(26)]},
        "no more than 25 items allowed [json-pointer:/blocks/0/elements]",
    ),
    (
        {"type": "actions", "elements": [button(), button()]},
        "duplicate action_id: a [json-pointer:/blocks/0/elements/1/action_id]",
    ),
    (
        {"type": "actions", "elements": [button(value="x" * 2001)]},
        "must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]",
    ),
    (
        {"type": "actions", "elements": [button(text=plain("x" * 76))]},
        "must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]",
    ),
    (
        {"type": "actions", "elements": [button(style="loud")]},
        "unsupported style: loud [json-pointer:/blocks/0/elements/0/style]",
    ),
    (
        {"type": "actions", "elements": [select(101)]},
        "no more than 100 items allowed [json-pointer:/blocks/0/elements/0/options]",
    ),
    (
        {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]] * 101},
        "no more than 100 items allowed [json-pointer:/blocks/0/rows]",
    ),
    (
        {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * 21]},
        "no more than 20 items allowed [json-pointer:/blocks/0/rows/0]",
    ),
    (
        {"type": "plan", "title": plain("Plan")},
        "must be a string [json-pointer:/blocks/0/title]",
    ),
    (
        {"type": "task_card", "task_id": "1", "title": "x", "status": "completed"},
        "unsupported status: completed [json-pointer:/blocks/0/status]",
    ),
    ({"type": "alert"}, "unsupported type: alert [json-pointer:/blocks/0/type]"),
    (
        {"type": "context", "elements": [plain("x")] * 11},
        "no more than 10 items allowed [json-pointer:/blocks/0/elements]",
    ),
]  # fmt: skip


@pytest.fixture
def general(slack: SlackStandIn) -> str:
    return slack.channels["general"]


@pytest.mark.parametrize("block", GOOD, ids=[block["type"] for block in GOOD])
async def test_a_proper_block_is_posted(
    slack: SlackStandIn, client: Client, general: str, block: Block
) -> None:
    await client.chat_postMessage(channel=general, text="x", blocks=[block])
    posted = slack.posts("general")[0].blocks[0]
    assert posted["type"] == block["type"]
    assert posted["block_id"]


@pytest.mark.parametrize(("block", "message"), BAD)
async def test_a_faulty_block_is_refused_and_pointed_to(
    slack: SlackStandIn, client: Client, general: str, block: Block, message: str
) -> None:
    refusal = await refusal_of(client.chat_postMessage(channel=general, text="x", blocks=[block]))
    assert refusal["error"] == "invalid_blocks"
    assert message in refusal["errors"]
    assert f"[ERROR] {message}" in refusal["response_metadata"]["messages"]
    assert slack.posts("general") == []


async def test_a_message_takes_50_blocks(client: Client, general: str) -> None:
    blocks = [{"type": "divider"}] * 50
    await client.chat_postMessage(channel=general, text="x", blocks=blocks)
    call = client.chat_postMessage(channel=general, text="x", blocks=[*blocks, *blocks])
    refusal = await refusal_of(call)
    assert refusal["errors"] == ["no more than 50 items allowed [json-pointer:/blocks]"]


async def test_all_blocks_together_take_about_13200_characters(
    client: Client, general: str
) -> None:
    fits = [section("x" * 3000)] * 4 + [section("x" * 1200)]
    await client.chat_postMessage(channel=general, text="x", blocks=fits)
    too_long = client.chat_postMessage(channel=general, text="x", blocks=[*fits, section("x")])
    assert await error_of(too_long) == "msg_blocks_too_long"


async def test_all_markdown_blocks_together_take_12000_characters(
    client: Client, general: str
) -> None:
    half = {"type": "markdown", "text": "x" * 6000}
    await client.chat_postMessage(channel=general, text="x", blocks=[half, half])
    more = [half, half, {"type": "markdown", "text": "x"}]
    too_long = client.chat_postMessage(channel=general, text="x", blocks=more)
    assert await error_of(too_long) == "msg_blocks_too_long"


async def test_a_second_table_is_refused(client: Client, general: str) -> None:
    table = {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]}
    call = client.chat_postMessage(channel=general, text="x", blocks=[table, table])
    assert (await refusal_of(call))["errors"] == ["only_one_table_allowed [json-pointer:/blocks/1]"]


async def test_blocks_must_be_an_array(client: Client, general: str) -> None:
    call = client.chat_postMessage(channel=general, text="x", blocks='{"type": "divider"}')
    assert await error_of(call) == "invalid_blocks_format"


async def test_an_update_is_checked_in_the_same_way(client: Client, general: str) -> None:
    ts = (await client.chat_postMessage(channel=general, text="x"))["ts"]
    call = client.chat_update(channel=general, ts=ts, text="x", blocks=[section("x" * 3001)])
    assert await error_of(call) == "invalid_blocks"
