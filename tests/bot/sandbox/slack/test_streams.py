"""Slack's rules on streamed messages and agent sessions (SLACK.md 3.5, 3.8)."""

from typing import Any

import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, error_of

Body = dict[str, Any]


def words(text: str) -> list[Body]:
    return [{"type": "markdown_text", "text": text}]


@pytest.fixture
async def place(slack: SlackStandIn, general: str) -> Body:
    """A thread in a channel, and who is to read the stream."""
    return {
        "channel": general,
        "thread_ts": await slack.say("ann", "general", f"{slack.mention} go"),
        "recipient_user_id": slack.people["ann"],
        "recipient_team_id": slack.team_id,
    }


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"recipient_user_id": None}, "missing_recipient_user_id"),
        ({"recipient_team_id": None}, "missing_recipient_team_id"),
        ({"thread_ts": None}, "invalid_arguments"),
        ({"chunks": [{"type": "poem"}]}, "invalid_chunks"),
    ],
)
async def test_a_stream_that_slack_does_not_begin(
    client: Client, place: Body, arguments: Body, error: str
) -> None:
    given = {name: value for name, value in (place | arguments).items() if value is not None}
    assert await error_of(client.api_call("chat.startStream", json=given)) == error


async def test_a_stream_has_a_size_in_bytes(
    slack: SlackStandIn, client: Client, place: Body
) -> None:
    started = await client.chat_startStream(**place, chunks=words("x" * 10_000))
    where = {"channel": place["channel"], "ts": started["ts"]}
    letters = client.chat_appendStream(**where, chunks=words("ü" * 400))
    assert await error_of(letters) == "msg_too_long"
    await client.chat_appendStream(**where, chunks=words("u" * 400))
    assert slack.posts("general")[-1].text == "x" * 10_000 + "u" * 400


async def test_a_stream_is_sealed_five_minutes_after_its_start(
    slack: SlackStandIn, client: Client, clock: ManualClock, place: Body
) -> None:
    # Appends do not prolong it; while it runs chat.update is refused, afterwards it is the remedy.
    started = await client.chat_startStream(**place, chunks=words("slow"))
    where = {"channel": place["channel"], "ts": started["ts"]}
    clock.advance(299)
    await client.chat_appendStream(**where, chunks=words(" work"))
    early = client.chat_update(**where, text="changed")
    assert await error_of(early) == "streaming_state_conflict"
    clock.advance(1)
    for call in (
        client.chat_appendStream(**where, chunks=words(" more")),
        client.chat_stopStream(**where),
    ):
        assert await error_of(call) == "message_not_in_streaming_state"
    await client.chat_update(**where, text="changed")


async def test_a_persons_stop_ends_the_stream(slack: SlackStandIn, client: Client) -> None:
    dm, ts = slack.dm_id("ann"), await slack.say("ann", dm=True, text="go")
    stream = await client.chat_startStream(channel=dm, thread_ts=ts, chunks=words("one"))
    await slack.stop_session("ann", dm, ts)
    append = client.chat_appendStream(channel=dm, ts=stream["ts"], chunks=words("two"))
    assert await error_of(append) == "stopped_by_user"
    await slack.wait_for(
        lambda s: [d for d in s.deliveries if d.event_type == "agent_session_stopped"]
    )
