"""Agent sessions, status lines, suggested prompts."""

import pytest

from bot.sandbox.slack import ManualClock, Session, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, web_client
from tests.bot.sandbox.slack.refusals import error_of


@pytest.fixture
def general(slack: SlackStandIn) -> str:
    return slack.channels["general"]


@pytest.fixture
async def thread(slack: SlackStandIn) -> str:
    return await slack.say("ann", "general", f"{slack.mention} go")


def session_of(slack: SlackStandIn, thread: str) -> Session:
    return slack.state.sessions[slack.channels["general"], thread]


async def test_a_status_creates_the_session_of_the_threads_author(
    slack: SlackStandIn, client: Client, general: str, thread: str
) -> None:
    answer = await client.agents_sessions_setStatus(
        channel_id=general, thread_ts=thread, status="processing", title="A report"
    )
    assert (answer["status"], answer["title"]) == ("processing", "A report")
    assert "warning" not in answer
    assert session_of(slack, thread).initiator == slack.people["ann"]


async def test_a_status_is_one_of_four_and_needs_a_thread(
    client: Client, general: str, thread: str
) -> None:
    wrong = client.agents_sessions_setStatus(
        channel_id=general, thread_ts=thread, status="thinking"
    )
    assert await error_of(wrong) == "invalid_status"
    lost = client.agents_sessions_setStatus(channel_id=general, status="active")
    assert await error_of(lost) == "thread_ts_required"


async def test_processing_falls_back_after_an_hour(
    slack: SlackStandIn, client: Client, general: str, thread: str, clock: ManualClock
) -> None:
    await client.agents_sessions_setStatus(
        channel_id=general, thread_ts=thread, status="processing"
    )
    clock.advance(3600)
    await slack.wait_for(lambda s: session_of(s, thread).status == "active")


async def test_an_app_without_the_stop_event_is_warned() -> None:
    async with SlackStandIn(bot_events=["app_mention"]) as slack:
        ts = await slack.say("ann", "general", "go")
        answer = await web_client(slack).agents_sessions_setStatus(
            channel_id=slack.channels["general"], thread_ts=ts, status="processing"
        )
        assert answer["warning"] == "missing_agent_session_stopped_event_subscription"


async def test_a_status_line_goes_with_the_next_reply(
    slack: SlackStandIn, client: Client, general: str, thread: str
) -> None:
    await client.assistant_threads_setStatus(
        channel_id=general, thread_ts=thread, status="is reading", loading_messages=["Reading"]
    )
    line = session_of(slack, thread)
    assert (line.status_text, line.loading_messages) == ("is reading", ("Reading",))
    await client.chat_postMessage(channel=general, thread_ts=thread, text="done")
    assert session_of(slack, thread).status_text == ""


async def test_a_status_line_lasts_two_minutes(
    slack: SlackStandIn, client: Client, general: str, thread: str, clock: ManualClock
) -> None:
    await client.assistant_threads_setStatus(
        channel_id=general, thread_ts=thread, status="is reading"
    )
    clock.advance(120)
    await slack.wait_for(lambda s: session_of(s, thread).status_text == "")


async def test_a_status_line_needs_a_thread_that_exists(client: Client, general: str) -> None:
    call = client.assistant_threads_setStatus(
        channel_id=general, thread_ts="1.000001", status="is reading"
    )
    assert await error_of(call) == "invalid_thread_ts"


async def test_titles_are_set_by_the_app_and_changed_by_people(
    slack: SlackStandIn, client: Client, general: str, thread: str
) -> None:
    await client.agents_sessions_rename(channel_id=general, thread_ts=thread, title="First")
    empty = client.agents_sessions_rename(channel_id=general, thread_ts=thread, title="")
    assert await error_of(empty) == "invalid_name"
    await slack.rename_session("ann", "general", thread, "Second")
    renamed = await slack.wait_for(
        lambda s: [d for d in s.deliveries if d.event_type == "agent_session_title_changed"]
    )
    event = renamed[0].payload["event"]
    assert (event["title"], event["previous_title"]) == ("Second", "First")


async def test_prompts_are_shown_only_without_a_thread(slack: SlackStandIn, client: Client) -> None:
    dm, prompts = slack.dm_id("ann"), [{"title": "Status", "message": "Show the status"}]
    ts = await slack.say("ann", dm=True, text="hi")
    await client.assistant_threads_setSuggestedPrompts(channel_id=dm, thread_ts=ts, prompts=prompts)
    assert dm not in slack.state.prompts
    await client.api_call(
        "assistant.threads.setSuggestedPrompts", json={"channel_id": dm, "prompts": prompts}
    )
    assert slack.state.prompts[dm].prompts == tuple(prompts)
    many = client.assistant_threads_setSuggestedPrompts(
        channel_id=dm, thread_ts=ts, prompts=prompts * 5
    )
    assert await error_of(many) == "invalid_arguments"
