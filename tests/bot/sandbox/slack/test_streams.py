"""Streamed posts: start, append, stop, modes, size, the seal after five minutes."""

from typing import Any

import pytest

from bot.sandbox.slack import ManualClock, Session, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client
from tests.bot.sandbox.slack.refusals import error_of


@pytest.fixture
async def thread(slack: SlackStandIn) -> str:
    return await slack.say("ann", "general", f"{slack.mention} go")


@pytest.fixture
def place(slack: SlackStandIn, thread: str) -> dict[str, Any]:
    return {
        "channel": slack.channels["general"],
        "thread_ts": thread,
        "recipient_user_id": slack.people["ann"],
        "recipient_team_id": slack.team_id,
    }


def session_of(slack: SlackStandIn, thread: str) -> Session:
    return slack.state.sessions[slack.channels["general"], thread]


async def test_the_sdks_stream_ends_as_one_post(
    slack: SlackStandIn, client: Client, place: dict[str, Any], thread: str
) -> None:
    stream = await client.chat_stream(**place, buffer_size=4)
    await stream.append(markdown_text="**Hel")
    running = slack.thread("general", thread)[1]
    assert running.stream is not None
    assert running.stream.phase == "in_progress"
    assert session_of(slack, thread).status == "processing"
    await stream.append(markdown_text="lo** ")
    metadata = {"event_type": "op", "event_payload": {"op_id": "1"}}
    await stream.stop(markdown_text="world", blocks=[{"type": "divider"}], metadata=metadata)

    post = slack.thread("general", thread)[1]
    assert post.text == "**Hello** world"
    assert [block["type"] for block in post.blocks] == ["markdown", "divider"]
    assert post.metadata == metadata
    assert post.stream is not None
    assert post.stream.phase == "completed"
    assert session_of(slack, thread).status == "active"


async def test_tasks_are_updated_in_their_place(
    slack: SlackStandIn, client: Client, place: dict[str, Any], thread: str
) -> None:
    task = {"type": "task_update", "id": "t1", "title": "Read", "status": "in_progress"}
    started = await client.chat_startStream(**place, chunks=[{**task, "output": "page 1"}])
    done = {**task, "title": "Read 8 pages", "status": "complete", "output": ", page 2"}
    chunks = [{"type": "markdown_text", "text": "Done."}, done]
    await client.chat_appendStream(channel=place["channel"], ts=started["ts"], chunks=chunks)

    card, text = slack.thread("general", thread)[1].blocks
    assert (card["type"], card["title"], card["status"]) == (
        "task_card",
        "Read 8 pages",
        "complete",
    )
    assert card["output"]["elements"][0]["elements"][0]["text"] == "page 1, page 2"
    assert text == {"type": "markdown", "text": "Done."}


async def test_a_plan_holds_all_tasks(
    slack: SlackStandIn, client: Client, place: dict[str, Any], thread: str
) -> None:
    chunks = [
        {"type": "plan_update", "title": "Investigating"},
        {"type": "task_update", "id": "t1", "title": "One", "status": "complete"},
        {"type": "task_update", "id": "t2", "title": "Two", "status": "pending"},
    ]
    await client.chat_startStream(**place, chunks=chunks, task_display_mode="plan")
    plan = slack.thread("general", thread)[1].blocks[0]
    assert (plan["type"], plan["title"]) == ("plan", "Investigating")
    assert [task["title"] for task in plan["tasks"]] == ["One", "Two"]


async def test_a_stream_in_a_channel_names_its_recipient(
    client: Client, place: dict[str, Any]
) -> None:
    anonymous = {k: v for k, v in place.items() if k != "recipient_user_id"}
    call = client.chat_startStream(**anonymous, markdown_text="hi")
    assert await error_of(call) == "missing_recipient_user_id"


async def test_a_stream_stays_in_its_mode(client: Client, place: dict[str, Any]) -> None:
    ts = (await client.chat_startStream(**place, markdown_text="hi"))["ts"]
    chunks = [{"type": "markdown_text", "text": "there"}]
    append = client.chat_appendStream(channel=place["channel"], ts=ts, chunks=chunks)
    assert await error_of(append) == "streaming_mode_mismatch"
    both = client.chat_appendStream(
        channel=place["channel"], ts=ts, markdown_text="x", chunks=chunks
    )
    assert await error_of(both) == "cannot_provide_both_markdown_text_and_chunks"
    await client.chat_stopStream(channel=place["channel"], ts=ts, chunks=[])


@pytest.mark.parametrize(
    "chunk",
    [
        {"type": "song"},
        {"type": "task_update", "id": "t", "title": "x", "status": "completed"},
        {"type": "task_update", "id": "t", "title": "x" * 257, "status": "pending"},
    ],
)
async def test_a_faulty_chunk_is_refused(
    client: Client, place: dict[str, Any], chunk: dict[str, str]
) -> None:
    call = client.chat_startStream(**place, chunks=[chunk])
    assert await error_of(call) == "invalid_chunks"


async def test_the_whole_stream_has_a_size(
    slack: SlackStandIn, client: Client, place: dict[str, Any], thread: str
) -> None:
    ts = (await client.chat_startStream(**place, markdown_text="x" * 10_000))["ts"]
    append = client.chat_appendStream(channel=place["channel"], ts=ts, markdown_text="ü" * 400)
    assert await error_of(append) == "msg_too_long"
    assert slack.thread("general", thread)[1].text == "x" * 10_000


async def test_a_stream_is_sealed_after_five_minutes(
    slack: SlackStandIn,
    client: Client,
    place: dict[str, Any],
    thread: str,
    clock: ManualClock,
) -> None:
    channel = place["channel"]
    ts = (await client.chat_startStream(**place, markdown_text="slow"))["ts"]
    clock.advance(299)
    await client.chat_appendStream(channel=channel, ts=ts, markdown_text=" work")
    early = client.chat_update(channel=channel, ts=ts, text="changed")
    assert await error_of(early) == "streaming_state_conflict"
    clock.advance(1)
    append = client.chat_appendStream(channel=channel, ts=ts, markdown_text=" more")
    assert await error_of(append) == "message_not_in_streaming_state"
    stop = client.chat_stopStream(channel=channel, ts=ts, chunks=[])
    assert await error_of(stop) == "message_not_in_streaming_state"
    await client.chat_update(channel=channel, ts=ts, text="changed")
    assert slack.thread("general", thread)[1].blocks == ()
    assert session_of(slack, thread).status == "active"


async def test_a_post_that_is_no_stream_takes_no_text(
    client: Client, place: dict[str, Any]
) -> None:
    ts = (await client.chat_postMessage(channel=place["channel"], text="hi"))["ts"]
    call = client.chat_appendStream(channel=place["channel"], ts=ts, markdown_text="x")
    assert await error_of(call) == "message_not_in_streaming_state"


async def test_a_finished_stream_cannot_be_finished_again(
    client: Client, place: dict[str, Any]
) -> None:
    ts = (await client.chat_startStream(**place, markdown_text="hi"))["ts"]
    await client.chat_stopStream(channel=place["channel"], ts=ts, session_status="suspended")
    again = client.chat_stopStream(channel=place["channel"], ts=ts)
    assert await error_of(again) == "message_not_in_streaming_state"
