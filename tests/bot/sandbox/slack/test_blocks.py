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
REFUSED: list[tuple[Block, str, str]] = [
    (section("x" * 3001), "is too long", "/text/text"),
    (section(""), "should be non-empty", "/text/text"),
    ({"type": "section"}, "'text' is a required property", ""),
    (
        {"type": "header", "text": section("x")["text"]},
        "is not one of ['plain_text']",
        "/text/type",
    ),
    ({"type": "section", "text": plain("x") | {"a": 1}}, "('a' was unexpected)", "/text"),
    ({"type": "poem"}, "unsupported type: poem", ""),
    (actions(*[button(action_id=str(i)) for i in range(26)]), "is too long", "/elements"),
    (actions(button(), button()), "duplicate action_id", "/elements"),
    (actions(button(text=plain("x" * 76))), "is too long", "/elements/0/text/text"),
    (actions(select(101)), "is too long", "/elements/0/options"),
    (rich({"type": "song"}), "unsupported type: song", "/elements/0/elements/0"),
    (table(*[[CELL]] * 101), "is too long", "/rows"),
    (table([CELL] * 21), "is too long", "/rows/0"),
    (table([plain("x")]), "unsupported type: plain_text", "/rows/0/0"),
    (chart(type="line"), "'series' is a required property", "/chart"),
    (chart(type="cake", series=POINTS), "unsupported type: cake", "/chart"),
    ({**TASK, "status": "asleep"}, "'asleep' is not one of", "/status"),
    ({"type": "plan", "title": "Plan", "tasks": [TASK, TASK]}, "duplicate task_id", "/tasks"),
    ({"type": "input", "label": plain("l"), "element": button()}, "is not one of", "/element/type"),
]


@pytest.mark.parametrize(("block", "message", "pointer"), REFUSED)
async def test_a_faulty_block_is_refused_and_pointed_to(
    slack: SlackStandIn, client: Client, general: str, block: Block, message: str, pointer: str
) -> None:
    refusal = await refusal_of(client.chat_postMessage(channel=general, text="x", blocks=[block]))
    assert refusal["error"] == "invalid_blocks"
    [problem] = refusal["errors"]
    assert message in problem
    assert problem.endswith(f" [json-pointer:/blocks/0{pointer}]")
    assert slack.posts("general") == []


NAME: Block = {
    "type": "input",
    "block_id": "name",
    "label": plain("Name"),
    "element": {"type": "plain_text_input", "action_id": "name_in"},
}
MODAL: Block = {
    "type": "modal",
    "callback_id": "form",
    "title": plain("Form"),
    "submit": plain("Send"),
    "blocks": [NAME],
}


@pytest.mark.parametrize(
    ("fields", "message", "pointer"),
    [
        ({"title": None}, "'title' is a required property", ""),
        ({"submit": None}, "'submit' is a required property", ""),
        ({"title": plain("x" * 25)}, "is too long", "/title/text"),
        ({"private_metadata": "x" * 3001}, "is too long", "/private_metadata"),
        ({"blocks": [{"type": "markdown", "text": "x"}]}, "is not one of", "/blocks/0/type"),
    ],
)
async def test_a_faulty_modal_is_refused_and_pointed_to(
    slack: SlackStandIn, client: Client, fields: Block, message: str, pointer: str
) -> None:
    view = {name: value for name, value in {**MODAL, **fields}.items() if value is not None}
    trigger = slack.backend.views.trigger(slack.people["ann"])
    refusal = await refusal_of(client.views_open(trigger_id=trigger, view=view))
    assert refusal["error"] == "invalid_arguments"
    [problem] = refusal["response_metadata"]["messages"]
    assert message in problem
    assert problem.endswith(f" [json-pointer:/view{pointer}]")
