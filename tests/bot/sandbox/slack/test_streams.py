"""Slack's rules on streamed messages and agent sessions (SLACK.md 3.5, 3.8)."""

from typing import Any

import pytest

from bot.sandbox.slack import AgentSession, ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, error_of

Body = dict[str, Any]
DIVIDER: Body = {"type": "divider"}
TASK: Body = {"type": "task_update", "id": "t1", "title": "Read", "status": "in_progress"}
DONE: Body = {"type": "markdown_text", "text": "Done."}


@pytest.fixture
async def place(slack: SlackStandIn, general: str) -> Body:
    """A thread in a channel, and who is to read the stream."""
    return {
        "channel": general,
        "thread_ts": await slack.say("ann", "general", f"{slack.mention} go"),
        "recipient_user_id": slack.people["ann"],
        "recipient_team_id": slack.team_id,
    }


def session_of(slack: SlackStandIn) -> AgentSession:
    [session] = slack.state.sessions.values()
    return session


async def test_the_sdks_stream_ends_as_one_message(
    slack: SlackStandIn, client: Client, place: Body
) -> None:
    stream = await client.chat_stream(**place, buffer_size=4)
    await stream.append(markdown_text="**Hel")
    growing = slack.posts("general")[-1].stream
    assert growing is not None
    assert growing.phase == "in_progress"
    assert session_of(slack).status == "processing"
    await stream.append(markdown_text="lo** ")
    metadata = {"event_type": "op", "event_payload": {"op_id": "1"}}
    await stream.stop(markdown_text="world", blocks=[DIVIDER], metadata=metadata)
    post = slack.posts("general")[-1]
    assert (post.text, post.metadata) == ("**Hello** world", metadata)
    assert [block["type"] for block in post.blocks] == ["markdown", "divider"]
    assert session_of(slack).status == "active"


async def test_a_task_that_is_named_again_is_updated_in_its_place(
    slack: SlackStandIn, client: Client, place: Body
) -> None:
    started = await client.chat_startStream(**place, chunks=[{**TASK, "output": "page 1"}])
    again = {**TASK, "title": "Read 8 pages", "status": "complete", "output": ", page 2"}
    chunks = [DONE, again]
    await client.chat_appendStream(channel=place["channel"], ts=started["ts"], chunks=chunks)
    card, text = slack.posts("general")[-1].blocks
    assert (card["title"], card["status"]) == ("Read 8 pages", "complete")
    assert card["output"]["elements"][0]["elements"][0]["text"] == "page 1, page 2"
    assert text == {"type": "markdown", "text": "Done."}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"recipient_user_id": None}, "missing_recipient_user_id"),
        ({"recipient_team_id": None}, "missing_recipient_team_id"),
        ({"thread_ts": None}, "invalid_arguments"),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"markdown_text": "x", "chunks": [DONE]}, "cannot_provide_both_markdown_text_and_chunks"),
        ({"chunks": [{"type": "poem"}]}, "invalid_chunks"),
        ({"chunks": [{**TASK, "status": "asleep"}]}, "invalid_chunks"),
        ({"chunks": [{**TASK, "title": "x" * 257}]}, "invalid_chunks"),
        ({"chunks": [{"type": "blocks", "blocks": [DIVIDER] * 51}]}, "invalid_blocks"),
        ({"chunks": [{**TASK, "output": "x" * 250}] * 24}, "msg_too_long"),
    ],
)
async def test_a_stream_that_slack_does_not_begin(
    client: Client, place: Body, arguments: Body, error: str
) -> None:
    given = {name: value for name, value in (place | arguments).items() if value is not None}
    assert await error_of(client.api_call("chat.startStream", json=given)) == error


async def test_a_stream_has_one_mode_and_a_size_in_bytes(
    slack: SlackStandIn, client: Client, place: Body
) -> None:
    started = await client.chat_startStream(**place, markdown_text="x" * 10_000)
    where = {"channel": place["channel"], "ts": started["ts"]}
    chunks = client.chat_appendStream(**where, chunks=[DONE])
    assert await error_of(chunks) == "streaming_mode_mismatch"
    letters = client.chat_appendStream(**where, markdown_text="ü" * 400)
    assert await error_of(letters) == "msg_too_long"
    await client.chat_appendStream(**where, markdown_text="u" * 400)
    assert slack.posts("general")[-1].text == "x" * 10_000 + "u" * 400


async def test_a_stream_is_sealed_five_minutes_after_its_start(
    slack: SlackStandIn, client: Client, clock: ManualClock, place: Body
) -> None:
    # Appends do not prolong it; while it runs chat.update is refused, afterwards it is the remedy.
    started = await client.chat_startStream(**place, markdown_text="slow")
    where = {"channel": place["channel"], "ts": started["ts"]}
    clock.advance(299)
    await client.chat_appendStream(**where, markdown_text=" work")
    early = client.chat_update(**where, text="changed")
    assert await error_of(early) == "streaming_state_conflict"
    clock.advance(1)
    for call in (
        client.chat_appendStream(**where, markdown_text=" more"),
        client.chat_stopStream(**where),
    ):
        assert await error_of(call) == "message_not_in_streaming_state"
    changed = await client.chat_update(**where, text="changed")
    assert "blocks" not in changed["message"]
    assert session_of(slack).status == "active"


async def test_a_persons_stop_ends_the_stream_and_is_told(
    slack: SlackStandIn, client: Client
) -> None:
    dm, ts = slack.dm_id("ann"), await slack.say("ann", dm=True, text="go")
    stream = await client.chat_startStream(channel=dm, thread_ts=ts, markdown_text="one")
    await slack.stop_session("ann", dm, ts)
    append = client.chat_appendStream(channel=dm, ts=stream["ts"], markdown_text="two")
    assert await error_of(append) == "stopped_by_user"
    stopped = await slack.wait_for(
        lambda s: [d for d in s.deliveries if d.event_type == "agent_session_stopped"]
    )
    assert stopped[0].payload["event"]["streaming_message_ts"] == [stream["ts"]]
