"""Slack's rules on posts and their limits (SLACK.md 3, 5 to 7)."""

from typing import Any

import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, refusal_of

Body = dict[str, Any]
OP: Body = {"event_type": "op", "event_payload": {"op_id": "1"}}


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a < b && c", "a &lt; b &amp;&amp; c"),
        ("see https://x.test/a?b=1.", "see <https://x.test/a?b=1>."),
        ("<https://y.test|Y> <@U1>", "<https://y.test|Y> <@U1>"),
        ("x" * 40_001, "x" * 40_000),
    ],
)
async def test_text_is_kept_escaped_linked_and_cut(
    slack: SlackStandIn, client: Client, general: str, sent: str, kept: str
) -> None:
    await client.chat_postMessage(channel=general, text=sent)
    assert slack.posts("general")[-1].text == kept


async def test_an_update_keeps_what_it_leaves_out(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    post = {"channel": general, "text": "a", "blocks": [{"type": "divider"}], "metadata": OP}
    ts = (await client.chat_postMessage(**post))["ts"]
    await client.chat_update(channel=general, ts=ts, text="b")
    kept = slack.find("general", ts)
    assert (kept.text, kept.blocks[0]["type"], kept.metadata) == ("b", "divider", OP)
    assert kept.edited
    await client.chat_update(channel=general, ts=ts, text="c", blocks=[])
    assert slack.find("general", ts).blocks == ()


async def test_posts_of_one_channel_run_into_a_limit_and_others_do_not(
    slack: SlackStandIn, client: Client, general: str, clock: ManualClock
) -> None:
    # SLACK.md 3.2, 7: about one a second after a burst; 429 says when to come back.
    for number in range(20):
        await client.chat_postMessage(channel=general, text=str(number))
    refused = await refusal_of(client.chat_postMessage(channel=general, text="one too many"))
    assert (refused.status_code, refused["error"]) == (429, "ratelimited")
    await client.chat_postMessage(channel=slack.channels["energy"], text="elsewhere")
    clock.advance(int(refused.headers["Retry-After"]))
    await client.chat_postMessage(channel=general, text="in time")
