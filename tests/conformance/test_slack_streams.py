"""Slack's rules on streamed messages (SLACK.md 3.5)."""

from typing import Any

import pytest

from tests.bot.sandbox.slack.refusals import error_of
from tests.conformance.slack_app import RecordingApp, Web
from tests.conformance.slack_team import Json, Team

CHANNEL = "general"
DIVIDER: Json = {"type": "divider"}


@pytest.fixture
async def thread(team: Team) -> str:
    return await team.say("ann", CHANNEL, f"{team.mention} go")


@pytest.fixture
def place(team: Team, thread: str) -> dict[str, Any]:
    return {
        "channel": team.channels[CHANNEL],
        "thread_ts": thread,
        "recipient_user_id": team.people["ann"],
        "recipient_team_id": team.team_id,
    }


def last_seen(team: Team) -> Json:
    return team.seen("ann", CHANNEL)[-1]


async def test_the_sdks_stream_ends_as_one_message(
    team: Team, web: Web, place: dict[str, Any], thread: str
) -> None:
    stream = await web.chat_stream(**place, buffer_size=4)
    await stream.append(markdown_text="**Hel")
    assert last_seen(team)["streaming_state"] == "in_progress"
    session = team.session(CHANNEL, thread)
    assert (session["status"], session["initiator"]) == ("processing", team.people["ann"])
    await stream.append(markdown_text="lo** ")
    metadata = {"event_type": "op", "event_payload": {"op_id": "1"}}
    await stream.stop(markdown_text="world", blocks=[DIVIDER], metadata=metadata)
    message = last_seen(team)
    assert (message["text"], message["streaming_state"]) == ("**Hello** world", "completed")
    assert [block["type"] for block in message["blocks"]] == ["markdown", "divider"]
    assert message["metadata"] == metadata
    assert team.session(CHANNEL, thread)["status"] == "active"


async def test_a_task_that_is_named_again_is_updated_in_its_place(
    team: Team, web: Web, place: dict[str, Any]
) -> None:
    # Title and status are replaced, details and output grow.
    task = {"type": "task_update", "id": "t1", "title": "Read", "status": "in_progress"}
    started = await web.chat_startStream(**place, chunks=[{**task, "output": "page 1"}])
    done = {**task, "title": "Read 8 pages", "status": "complete", "output": ", page 2"}
    chunks = [{"type": "markdown_text", "text": "Done."}, done]
    await web.chat_appendStream(channel=place["channel"], ts=started["ts"], chunks=chunks)
    card, text = last_seen(team)["blocks"]
    assert (card["type"], card["title"], card["status"]) == (
        "task_card",
        "Read 8 pages",
        "complete",
    )
    assert card["output"]["elements"][0]["elements"][0]["text"] == "page 1, page 2"
    assert text == {"type": "markdown", "text": "Done."}


async def test_a_plan_holds_all_tasks(team: Team, web: Web, place: dict[str, Any]) -> None:
    chunks = [
        {"type": "plan_update", "title": "Investigating"},
        {"type": "task_update", "id": "t1", "title": "One", "status": "complete"},
        {"type": "task_update", "id": "t2", "title": "Two", "status": "pending"},
    ]
    await web.chat_startStream(**place, chunks=chunks, task_display_mode="plan")
    plan = last_seen(team)["blocks"][0]
    assert (plan["type"], plan["title"]) == ("plan", "Investigating")
    assert [task["title"] for task in plan["tasks"]] == ["One", "Two"]


@pytest.mark.parametrize("name", ["recipient_user_id", "recipient_team_id"])
async def test_a_stream_in_a_channel_names_its_recipient(
    web: Web, place: dict[str, Any], name: str
) -> None:
    anonymous = {key: value for key, value in place.items() if key != name}
    call = web.chat_startStream(**anonymous, markdown_text="hi")
    assert await error_of(call) == f"missing_{name}"


async def test_a_stream_in_a_direct_channel_needs_no_recipient(team: Team, web: Web) -> None:
    dm = team.dm_id("ann")
    ts = await team.say("ann", dm=True, text="go")
    assert (await web.chat_startStream(channel=dm, thread_ts=ts, markdown_text="hi"))["ok"]


async def test_a_stream_stays_in_its_mode(web: Web, place: dict[str, Any]) -> None:
    ts = (await web.chat_startStream(**place, markdown_text="hi"))["ts"]
    chunks = [{"type": "markdown_text", "text": "there"}]
    append = web.chat_appendStream(channel=place["channel"], ts=ts, chunks=chunks)
    assert await error_of(append) == "streaming_mode_mismatch"
    both = web.chat_appendStream(channel=place["channel"], ts=ts, markdown_text="x", chunks=chunks)
    assert await error_of(both) == "cannot_provide_both_markdown_text_and_chunks"
    await web.chat_stopStream(channel=place["channel"], ts=ts, chunks=[])


@pytest.mark.parametrize(
    "chunk",
    [
        pytest.param({"type": "song"}, id="unknown"),
        pytest.param(
            {"type": "task_update", "id": "t", "title": "x", "status": "completed"}, id="status"
        ),
        pytest.param(
            {"type": "task_update", "id": "t", "title": "x" * 257, "status": "pending"},
            id="257 characters",
        ),
    ],
)
async def test_a_faulty_chunk_is_refused(
    web: Web, place: dict[str, Any], chunk: dict[str, str]
) -> None:
    assert await error_of(web.chat_startStream(**place, chunks=[chunk])) == "invalid_chunks"


async def test_blocks_of_a_stream_are_checked_and_counted(web: Web, place: dict[str, Any]) -> None:
    faulty = [{"type": "blocks", "blocks": [{"type": "poem"}]}]
    assert await error_of(web.chat_startStream(**place, chunks=faulty)) == "invalid_blocks"
    many = [{"type": "blocks", "blocks": [DIVIDER] * 51}]
    assert await error_of(web.chat_startStream(**place, chunks=many)) == "msg_blocks_too_many"
    ts = (await web.chat_startStream(**place, markdown_text="hi"))["ts"]
    stop = web.chat_stopStream(channel=place["channel"], ts=ts, blocks=[DIVIDER] * 51)
    assert await error_of(stop) == "msg_blocks_too_many"


async def test_the_whole_stream_has_a_size_in_bytes(
    team: Team, web: Web, place: dict[str, Any]
) -> None:
    channel = place["channel"]
    ts = (await web.chat_startStream(**place, markdown_text="x" * 10_000))["ts"]
    letters = web.chat_appendStream(channel=channel, ts=ts, markdown_text="ü" * 400)
    assert await error_of(letters) == "msg_too_long"
    await web.chat_appendStream(channel=channel, ts=ts, markdown_text="u" * 400)
    assert last_seen(team)["text"] == "x" * 10_000 + "u" * 400


async def test_details_and_output_count_about_double(web: Web, place: dict[str, Any]) -> None:
    # 24 times 250 characters fit as text, not as the output of tasks.
    text = {"type": "markdown_text", "text": "x" * 250}
    await web.chat_startStream(**place, chunks=[text] * 24)
    task = {"type": "task_update", "id": "t", "title": "Read", "status": "in_progress"}
    outputs = [{**task, "output": "x" * 250}] * 24
    assert await error_of(web.chat_startStream(**place, chunks=outputs)) == "msg_too_long"


async def test_a_stream_is_sealed_five_minutes_after_its_start(
    team: Team, web: Web, place: dict[str, Any], thread: str
) -> None:
    # Appends do not prolong it; while it runs chat.update is refused, afterwards it is the remedy.
    channel = place["channel"]
    ts = (await web.chat_startStream(**place, markdown_text="slow"))["ts"]
    team.pass_time(299)
    await web.chat_appendStream(channel=channel, ts=ts, markdown_text=" work")
    early = web.chat_update(channel=channel, ts=ts, text="changed")
    assert await error_of(early) == "streaming_state_conflict"
    team.pass_time(1)
    append = web.chat_appendStream(channel=channel, ts=ts, markdown_text=" more")
    assert await error_of(append) == "message_not_in_streaming_state"
    stop = web.chat_stopStream(channel=channel, ts=ts, chunks=[])
    assert await error_of(stop) == "message_not_in_streaming_state"
    changed = await web.chat_update(channel=channel, ts=ts, text="changed")
    assert "blocks" not in changed["message"]
    assert team.session(CHANNEL, thread)["status"] == "active"


async def test_a_message_that_is_no_stream_takes_no_text(
    team: Team, web: Web, place: dict[str, Any]
) -> None:
    channel = place["channel"]
    ts = (await web.chat_postMessage(channel=channel, text="hi"))["ts"]
    own = web.chat_appendStream(channel=channel, ts=ts, markdown_text="x")
    assert await error_of(own) == "message_not_in_streaming_state"
    theirs = await team.say("ann", CHANNEL, "mine")
    foreign = web.chat_stopStream(channel=channel, ts=theirs)
    assert await error_of(foreign) == "message_not_owned_by_app"


async def test_a_finished_stream_sets_the_session_and_stays_finished(
    team: Team, web: Web, place: dict[str, Any], thread: str
) -> None:
    channel = place["channel"]
    ts = (await web.chat_startStream(**place, markdown_text="hi"))["ts"]
    wrong = web.chat_stopStream(channel=channel, ts=ts, session_status="tired")
    assert await error_of(wrong) == "invalid_status"
    await web.chat_stopStream(channel=channel, ts=ts, session_status="suspended")
    assert team.session(CHANNEL, thread)["status"] == "suspended"
    again = web.chat_stopStream(channel=channel, ts=ts)
    assert await error_of(again) == "message_not_in_streaming_state"


async def test_a_persons_stop_ends_the_stream_and_is_told(team: Team, app: RecordingApp) -> None:
    # 2.5: the streams named have ended already.
    dm = team.dm_id("ann")
    ts = await team.say("ann", dm=True, text="go")
    stream = await app.web.chat_startStream(channel=dm, thread_ts=ts, markdown_text="one")
    await team.stop_session("ann", dm, ts)
    (stopped,) = await app.gets("agent_session_stopped")
    assert stopped["streaming_message_ts"] == [stream["ts"]]
    append = app.web.chat_appendStream(channel=dm, ts=stream["ts"], markdown_text="two")
    assert await error_of(append) == "stopped_by_user"
    await team.stop_session("ann", dm, ts)
    later = (await app.gets("agent_session_stopped", 2))[1]
    assert later["streaming_message_ts"] == []
