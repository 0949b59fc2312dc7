"""Slack's rules on Block Kit, each refusal with its code and its pointer (SLACK.md 4, 3.10)."""

from typing import Any

import pytest

from tests.bot.sandbox.slack.refusals import error_of, refusal_of
from tests.conformance import slack_blocks as kit
from tests.conformance.slack_app import Web, web_client
from tests.conformance.slack_blocks import Block
from tests.conformance.slack_team import Team


@pytest.mark.parametrize("block", kit.GOOD, ids=[f"4.1 {block['type']}" for block in kit.GOOD])
async def test_a_proper_block_is_posted(web: Web, general: str, block: Block) -> None:
    answer = await web.chat_postMessage(channel=general, text="x", blocks=[block])
    posted = answer["message"]["blocks"][0]
    assert posted["type"] == block["type"]
    assert posted["block_id"]


@pytest.mark.parametrize(("block", "message"), kit.BAD)
async def test_a_faulty_block_is_refused_and_pointed_to(
    team: Team, web: Web, general: str, block: Block, message: str
) -> None:
    refusal = await refusal_of(web.chat_postMessage(channel=general, text="x", blocks=[block]))
    assert refusal["error"] == "invalid_blocks"
    assert message in refusal["errors"]
    assert f"[ERROR] {message}" in refusal["response_metadata"]["messages"]
    assert team.seen("ann", "general") == []


async def test_a_message_takes_50_blocks(web: Web, general: str) -> None:
    # 4.3
    blocks = [{"type": "divider"}] * 51
    await web.chat_postMessage(channel=general, text="x", blocks=blocks[:50])
    refusal = await refusal_of(web.chat_postMessage(channel=general, text="x", blocks=blocks))
    assert refusal["errors"] == ["no more than 50 items allowed [json-pointer:/blocks]"]


async def test_all_blocks_together_take_about_13200_characters(web: Web, general: str) -> None:
    # 4.3
    fits = [kit.section("x" * 3000)] * 4 + [kit.section("x" * 1200)]
    await web.chat_postMessage(channel=general, text="x", blocks=fits)
    too_long = web.chat_postMessage(channel=general, text="x", blocks=[*fits, kit.section("x")])
    assert await error_of(too_long) == "msg_blocks_too_long"


async def test_all_markdown_blocks_together_take_12000_characters(web: Web, general: str) -> None:
    # 4.1
    half = {"type": "markdown", "text": "x" * 6000}
    await web.chat_postMessage(channel=general, text="x", blocks=[half, half])
    more = [half, half, {"type": "markdown", "text": "x"}]
    too_long = web.chat_postMessage(channel=general, text="x", blocks=more)
    assert await error_of(too_long) == "msg_blocks_too_long"


async def test_a_data_table_takes_20000_characters_by_itself(web: Web, general: str) -> None:
    # 4.1
    rows = [[kit.cell("h")], *[[kit.cell("x" * 9_999)] for _ in range(2)]]
    table = {"type": "data_table", "caption": "c", "rows": rows}
    await web.chat_postMessage(channel=general, text="x", blocks=[table])
    longer = {**table, "rows": [*rows, [kit.cell("xx")]]}
    refusal = await refusal_of(web.chat_postMessage(channel=general, text="x", blocks=[longer]))
    assert refusal["errors"] == ["must be less than 20001 characters [json-pointer:/blocks/0/rows]"]


@pytest.mark.parametrize(
    ("block", "most", "word"),
    [
        pytest.param(kit.TABLE, 1, "only_one_table_allowed", id="4.1 table"),
        pytest.param(kit.PIE, 2, "no more than 2 items allowed", id="4.1 data_visualization"),
    ],
)
async def test_of_some_blocks_a_message_takes_only_so_many(
    web: Web, general: str, block: Block, most: int, word: str
) -> None:
    await web.chat_postMessage(channel=general, text="x", blocks=[block] * most)
    call = web.chat_postMessage(channel=general, text="x", blocks=[block] * (most + 1))
    assert (await refusal_of(call))["errors"] == [f"{word} [json-pointer:/blocks/{most}]"]


async def test_a_block_id_stands_once_in_a_message_and_in_a_view(web: Web, general: str) -> None:
    # 4.1
    blocks = [{"type": "divider", "block_id": "line"}, {"type": "divider", "block_id": "line"}]
    refusal = await refusal_of(web.chat_postMessage(channel=general, text="x", blocks=blocks))
    problem = "duplicate block_id: line [json-pointer:/blocks/1/block_id]"
    assert refusal["errors"] == [problem]
    view = {"type": "home", "blocks": blocks}
    assert await error_of(web.blocks_validate(view=view)) == "invalid_view"


@pytest.mark.parametrize(
    "blocks",
    [
        pytest.param('{"type": "divider"}', id="4.4 an object"),
        pytest.param("[{", id="4.4 no JSON"),
    ],
)
async def test_blocks_must_be_an_array(web: Web, general: str, blocks: str) -> None:
    call = web.chat_postMessage(channel=general, text="x", blocks=blocks)
    assert await error_of(call) == "invalid_blocks_format"


async def test_an_update_is_checked_in_the_same_way(web: Web, general: str) -> None:
    # 3.4
    ts = (await web.chat_postMessage(channel=general, text="x"))["ts"]
    blocks = [kit.section("x" * 3001)]
    call = web.chat_update(channel=general, ts=ts, text="x", blocks=blocks)
    assert await error_of(call) == "invalid_blocks"


@pytest.mark.parametrize(
    ("payload", "error", "pointer"),
    [
        pytest.param(
            {"blocks": [kit.section("x" * 3400)]}, "invalid_blocks", "/blocks/0/text/text",
            id="3.10 blocks",
        ),
        pytest.param(
            {"message": {"text": "x", "blocks": [kit.section("x" * 3400)]}}, "invalid_message",
            "/message/blocks/0/text/text", id="3.10 message",
        ),
        pytest.param(
            {"view": {"type": "home", "blocks": [kit.section("x" * 3400)]}}, "invalid_view",
            "/view/blocks/0/text/text", id="3.10 view",
        ),
    ],
)  # fmt: skip
async def test_blocks_are_validated_without_a_token(
    team: Team, payload: dict[str, Any], error: str, pointer: str
) -> None:
    refusal = await refusal_of(web_client(team, token="").blocks_validate(**payload))
    assert refusal["error"] == error
    problem = refusal["errors"][-1]
    assert (problem["pointer"], problem["code"]) == (pointer, "failed_constraint")
    assert problem["constraint"] == {"type": "max_length", "expected": 3000, "got": 3400}


async def test_validation_takes_exactly_one_payload(team: Team) -> None:
    # 3.10
    web = web_client(team, token="")
    assert (await web.blocks_validate(blocks=[{"type": "divider"}]))["ok"]
    both = web.blocks_validate(blocks=[{"type": "divider"}], message={"text": "x"})
    assert await error_of(both) == "invalid_arguments"
    assert await error_of(web.blocks_validate()) == "invalid_arguments"
