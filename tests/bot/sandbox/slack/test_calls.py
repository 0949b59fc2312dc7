"""Slack's rules on posts (SLACK.md 3 to 7); `presenter/test_limits.py` holds each limit."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.bot.sandbox.slack.echo_bot import refusal_of, web_client
from tests.clocks import ManualClock
from tests.faulty_slack import FaultySlack

Body = dict[str, Any]
OP: Body = {"event_type": "op", "event_payload": {"op_id": "1"}}
TEXT: Body = {"type": "plain_text", "text": "x"}
GO: Body = {"type": "button", "action_id": "a", "text": TEXT}


@pytest.fixture
async def slack() -> AsyncIterator[FaultySlack]:
    async with FaultySlack(clock=ManualClock()) as slack:
        yield slack


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a < b && c", "a &lt; b &amp;&amp; c"),
        ("see https://x.test/a?b=1.", "see <https://x.test/a?b=1>."),
        ("<https://y.test|Y> <@U1>", "<https://y.test|Y> <@U1>"),
    ],
)
async def test_text_is_kept_escaped_and_linked(slack: FaultySlack, sent: str, kept: str) -> None:
    await web_client(slack).chat_postMessage(channel=slack.channels["general"], text=sent)
    assert slack.posts("general")[-1].text == kept


async def test_an_update_keeps_what_it_leaves_out(slack: FaultySlack) -> None:
    client, channel = web_client(slack), slack.channels["general"]
    blocks = [{"type": "divider"}]
    answer = await client.chat_postMessage(channel=channel, text="a", blocks=blocks, metadata=OP)
    await client.chat_update(channel=channel, ts=answer["ts"], text="b")
    kept = slack.find("general", answer["ts"])
    assert (kept.text, kept.blocks[0]["type"], kept.metadata) == ("b", "divider", OP)
    await client.chat_update(channel=channel, ts=answer["ts"], text="c", blocks=[])
    assert slack.find("general", answer["ts"]).blocks == ()


@pytest.mark.parametrize(
    ("block", "message", "pointer"),
    [
        ({"type": "section"}, "'text' is a required property", ""),
        ({"type": "section", "text": TEXT | {"a": 1}}, "('a' was unexpected)", "/text"),
        ({"type": "poem"}, "unsupported type: poem", ""),
        ({"type": "actions", "elements": [GO, GO]}, "duplicate action_id", "/elements"),
    ],
)
async def test_a_faulty_block_is_refused_and_pointed_to(
    slack: FaultySlack, block: Body, message: str, pointer: str
) -> None:
    post = {"channel": slack.channels["general"], "text": "x", "blocks": [block]}
    refusal = await refusal_of(web_client(slack).chat_postMessage(**post))
    assert refusal["error"] == "invalid_blocks"
    [problem] = refusal["errors"]
    assert message in problem
    assert problem.endswith(f" [json-pointer:/blocks/0{pointer}]")
    assert slack.posts("general") == []
