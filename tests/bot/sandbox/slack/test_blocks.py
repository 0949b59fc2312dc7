"""Blocks that Slack takes, and blocks that it refuses with its words for it (SLACK.md 4)."""

from typing import Any

import pytest

from bot.sandbox.slack import SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, refusal_of

Block = dict[str, Any]


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(**fields: Any) -> Block:
    return {"type": "button", "action_id": "a", "text": plain("Go"), **fields}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def select(options: int) -> Block:
    choices = [{"text": plain("x"), "value": "x"}] * options
    return {"type": "static_select", "action_id": "s", "options": choices}


def table(*rows: list[Block]) -> Block:
    return {"type": "table", "rows": list(rows)}


def rich(*leaves: Block) -> Block:
    part = {"type": "rich_text_section", "elements": list(leaves)}
    return {"type": "rich_text", "elements": [part]}


def chart(**fields: Any) -> Block:
    return {"type": "data_visualization", "title": "Costs", "chart": fields}


CELL: Block = {"type": "raw_text", "text": "x"}
POINTS = [{"name": "s", "data": [{"label": "a", "value": 0}]}]
TASK: Block = {"type": "task_card", "task_id": "1", "title": "Read", "status": "complete"}
TOO_MANY, TOO_LONG = "no more than {} items allowed", "must be less than {} characters"
REFUSED: list[tuple[Block, str, str]] = [
    (section("x" * 3001), TOO_LONG.format(3001), "/text/text"),
    (section(""), "must be more than 0 characters", "/text/text"),
    ({"type": "section"}, "missing required field: text", ""),
    ({"type": "header", "text": section("x")["text"]}, "unsupported type: mrkdwn", "/text/type"),
    ({"type": "section", "text": plain("x") | {"a": 1}}, "invalid additional property: a", "/text"),
    ({"type": "poem"}, "unsupported type: poem", "/type"),
    (
        actions(*[button(action_id=str(i)) for i in range(26)]), TOO_MANY.format(25), "/elements",
    ),
    (actions(button(), button()), "duplicate action_id: a", "/elements/1/action_id"),
    (actions(button(text=plain("x" * 76))), TOO_LONG.format(76), "/elements/0/text/text"),
    (actions(select(101)), TOO_MANY.format(100), "/elements/0/options"),
    (rich({"type": "song"}), "unsupported type: song", "/elements/0/elements/0/type"),
    (table(*[[CELL]] * 101), TOO_MANY.format(100), "/rows"),
    (table([CELL] * 21), TOO_MANY.format(20), "/rows/0"),
    (table([plain("x")]), "unsupported type: plain_text", "/rows/0/0/type"),
    (chart(type="line"), "missing required field: series", "/chart"),
    (chart(type="cake", series=POINTS), "unsupported type: cake", "/chart/type"),
    ({**TASK, "status": "asleep"}, "unsupported status: asleep", "/status"),
    (
        {"type": "plan", "title": "Plan", "tasks": [TASK, TASK]}, "duplicate task_id: 1",
        "/tasks/1/task_id",
    ),
    (
        {"type": "input", "label": plain("l"), "element": button()}, "unsupported type: button",
        "/element/type",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("block", "message", "pointer"), REFUSED)
async def test_a_faulty_block_is_refused_and_pointed_to(
    slack: SlackStandIn, client: Client, general: str, block: Block, message: str, pointer: str
) -> None:
    refusal = await refusal_of(client.chat_postMessage(channel=general, text="x", blocks=[block]))
    assert refusal["error"] == "invalid_blocks"
    assert f"{message} [json-pointer:/blocks/0{pointer}]" in refusal["errors"]
    assert slack.posts("general") == []
