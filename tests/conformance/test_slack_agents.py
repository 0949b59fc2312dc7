"""Slack's rules on agents: sessions, prompts, search, code channels (SLACK.md 3.8)."""

from collections.abc import AsyncIterator, Callable

import pytest

from tests.bot.sandbox.slack.refusals import error_of
from tests.conformance.slack_app import RecordingApp, Web, in_socket_mode, web_client
from tests.conformance.slack_team import Json, Team

SEARCH = ["search:read.public", "search:read.files", "search:read.users"]
LISTENING = ["app_mentions:read", "channels:history", "im:history"]


@pytest.fixture
async def thread(team: Team) -> str:
    return await team.say("ann", "general", f"{team.mention} go")


async def test_a_status_creates_the_session_of_the_threads_author(
    team: Team, web: Web, general: str, thread: str
) -> None:
    answer = await web.agents_sessions_setStatus(
        channel_id=general, thread_ts=thread, status="processing", title="A report"
    )
    assert (answer["status"], answer["agent_status"]) == ("processing", "processing")
    assert answer["title"] == "A report"
    assert "warning" not in answer
    assert team.session("general", thread)["initiator"] == team.people["ann"]
    later = await web.agents_sessions_setStatus(
        channel_id=general, thread_ts=thread, status="active", title="Too late"
    )
    assert later["title"] == "A report"  # The title counts at creation only.


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param({"status": "thinking"}, "invalid_status", id="status"),
        pytest.param({"thread_ts": None}, "thread_ts_required", id="thread"),
        pytest.param({"title": "x" * 201}, "invalid_arguments", id="title of 201"),
        pytest.param({"initiator_user_id": "U0NOBODY"}, "user_not_found", id="initiator"),
        pytest.param({"username": "Somebody"}, "missing_scope", id="custom name"),
    ],
)
async def test_a_faulty_status_is_refused(
    web: Web, general: str, thread: str, arguments: Json, error: str
) -> None:
    basis: Json = {"channel_id": general, "thread_ts": thread, "status": "active"}
    assert await error_of(web.agents_sessions_setStatus(**(basis | arguments))) == error


async def test_processing_falls_back_after_an_hour(
    team: Team, web: Web, general: str, thread: str
) -> None:
    await web.agents_sessions_setStatus(channel_id=general, thread_ts=thread, status="processing")
    team.pass_time(3600)
    await team.until(lambda: team.session("general", thread)["status"] == "active")


async def test_an_app_without_the_stop_event_is_warned(new_team: Callable[..., Team]) -> None:
    async with new_team(bot_events=["app_mention"]) as team:
        ts = await team.say("ann", "general", "go")
        answer = await web_client(team).agents_sessions_setStatus(
            channel_id=team.channels["general"], thread_ts=ts, status="processing"
        )
        assert answer["warning"] == "missing_agent_session_stopped_event_subscription"


async def test_a_status_line_goes_with_the_next_reply(
    team: Team, web: Web, general: str, thread: str
) -> None:
    await web.assistant_threads_setStatus(
        channel_id=general, thread_ts=thread, status="is reading", loading_messages=["Reading"]
    )
    line = team.session("general", thread)
    assert (line["status_text"], line["loading_messages"]) == ("is reading", ["Reading"])
    assert line["status"] == "processing"
    await web.chat_postMessage(channel=general, thread_ts=thread, text="done")
    assert team.session("general", thread)["status_text"] == ""


async def test_a_status_line_lasts_two_minutes(
    team: Team, web: Web, general: str, thread: str
) -> None:
    await web.assistant_threads_setStatus(channel_id=general, thread_ts=thread, status="is reading")
    team.pass_time(120)
    await team.until(lambda: team.session("general", thread)["status_text"] == "")


async def test_a_status_line_has_at_most_ten_loading_messages_and_a_thread(
    web: Web, general: str, thread: str
) -> None:
    many = web.assistant_threads_setStatus(
        channel_id=general, thread_ts=thread, status="is", loading_messages=["x"] * 11
    )
    assert await error_of(many) == "invalid_arguments"
    lost = web.assistant_threads_setStatus(channel_id=general, thread_ts="1.1", status="is")
    assert await error_of(lost) == "invalid_thread_ts"


async def test_titles_are_set_by_the_app_and_changed_by_people(
    team: Team, app: RecordingApp, general: str, thread: str
) -> None:
    # 2.5: the event tells both titles.
    await app.web.agents_sessions_rename(channel_id=general, thread_ts=thread, title="First")
    empty = app.web.agents_sessions_rename(channel_id=general, thread_ts=thread, title="")
    assert await error_of(empty) == "invalid_name"
    await team.rename_session("ann", "general", thread, "Second")
    (event,) = await app.gets("agent_session_title_changed")
    assert (event["title"], event["previous_title"]) == ("Second", "First")


async def test_prompts_are_shown_only_without_a_thread(team: Team, web: Web) -> None:
    # With a thread_ts the call is fine and shows nothing, as in agent_view apps.
    dm, prompts = team.dm_id("ann"), [{"title": "Status", "message": "Show the status"}]
    ts = await team.say("ann", dm=True, text="hi")
    await web.assistant_threads_setSuggestedPrompts(channel_id=dm, thread_ts=ts, prompts=prompts)
    assert team.prompts(dm) == []
    shown = {"channel_id": dm, "prompts": prompts}
    await web.api_call("assistant.threads.setSuggestedPrompts", json=shown)
    assert team.prompts(dm) == prompts
    many = web.assistant_threads_setSuggestedPrompts(
        channel_id=dm, thread_ts=ts, prompts=prompts * 5
    )
    assert await error_of(many) == "invalid_arguments"


@pytest.fixture
async def searching(new_team: Callable[..., Team]) -> AsyncIterator[RecordingApp]:
    async with new_team(scopes=[*SEARCH, *LISTENING]) as team:
        app = RecordingApp(team)
        async with in_socket_mode(app.bolt, team):
            yield app


async def token_from(app: RecordingApp) -> str:
    await app.team.say("ann", "general", f"{app.team.mention} search, please")
    mention = (await app.gets("app_mention"))[0]
    return str(mention["assistant_thread"]["action_token"])


async def search(app: RecordingApp, query: str, token: str, **more: object) -> Json:
    arguments = {"query": query, "action_token": token, **more}
    answer: Json = (await app.web.api_call("assistant.search.context", json=arguments)).data
    return answer


async def test_a_search_finds_what_was_said_in_public(searching: RecordingApp) -> None:
    team = searching.team
    ts = await team.say("ben", "random", "the turbine stands still")
    await team.say("ben", "hidden", "the turbine is a secret")
    found = await search(searching, "Turbine", await token_from(searching))
    (message,) = found["results"]["messages"]
    assert (message["message_ts"], message["author_user_id"]) == (ts, team.people["ben"])
    assert (message["channel_name"], message["is_author_bot"]) == ("random", False)
    assert message["permalink"].endswith(f"p{ts.replace('.', '')}")


async def test_a_search_finds_files_and_users_with_their_scopes(searching: RecordingApp) -> None:
    team = searching.team
    await team.say("ben", "general", "here", files=[("turbine.log", b"x", None)])
    kinds = ["files", "users"]
    token = await token_from(searching)
    found = (await search(searching, "turbine", token, content_types=kinds))["results"]
    assert [file["title"] for file in found["files"]] == ["turbine.log"]
    people = (await search(searching, "Nevis", token, content_types=kinds))["results"]["users"]
    assert [user["user_id"] for user in people] == [team.people["ben"]]


async def test_a_search_is_paged_by_at_most_20(searching: RecordingApp) -> None:
    for number in range(3):
        await searching.team.say("ben", "general", f"turbine {number}")
    token = await token_from(searching)
    first = await search(searching, "turbine", token, limit=2)
    cursor = first["response_metadata"]["next_cursor"]
    second = await search(searching, "turbine", token, limit=2, cursor=cursor)
    texts = [m["content"] for page in (first, second) for m in page["results"]["messages"]]
    assert texts == ["turbine 2", "turbine 1", "turbine 0"]
    assert await error_of(search(searching, "turbine", token, limit=21)) == "invalid_limit"


async def test_a_search_needs_a_query_and_the_token_of_a_message(
    searching: RecordingApp,
) -> None:
    token = await token_from(searching)
    assert await error_of(search(searching, " ", token)) == "missing_query"
    assert await error_of(search(searching, "x" * 5_000, token)) == "query_too_long"
    assert await error_of(search(searching, "x", "made-up")) == "invalid_action_token"


@pytest.fixture
async def coding(new_team: Callable[..., Team]) -> AsyncIterator[Web]:
    async with new_team(scopes=["code_channels:manage", "channels:read"]) as team:
        yield web_client(team)


async def test_a_code_channel_belongs_to_its_session(coding: Web) -> None:
    made = await coding.agents_conversations_create(name="Fix the turbine", session_id="s1")
    again = await coding.agents_conversations_create(name="Fix it again", session_id="s1")
    assert made["channel_id"] == again["channel_id"]
    shown = await coding.conversations_info(channel=made["channel_id"])
    assert (shown["channel"]["name"], shown["channel"]["is_member"]) == ("fix-the-turbine", True)
    await coding.agents_conversations_archive(channel_id=made["channel_id"])
    shown = await coding.conversations_info(channel=made["channel_id"])
    assert shown["channel"]["is_archived"]


async def test_a_view_of_a_code_channel_is_changed_by_its_key(coding: Web) -> None:
    channel = (await coding.agents_conversations_create(name="work"))["channel_id"]
    page = {"channel_id": channel, "view_key": "report", "content": "<p>1</p>"}
    first = await coding.agents_conversations_setView(**page)
    second = await coding.agents_conversations_setView(**page)
    assert first["view_id"] == second["view_id"]
    assert (first["content_version"], second["content_version"]) == (1, 2)
    views = (await coding.agents_conversations_listViews(channel_id=channel))["views"]
    assert [view["view_key"] for view in views] == ["report"]
    await coding.agents_conversations_removeView(channel_id=channel, view_key="report")
    gone = coding.agents_conversations_removeView(channel_id=channel, view_key="report")
    assert await error_of(gone) == "view_not_found"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param({"content": "x" * 1_000_001}, "content_too_large", id="size"),
        pytest.param({"type": "poem"}, "invalid_arguments", id="type"),
        pytest.param(
            {"type": "block_kit", "blocks": [{"type": "poem"}]}, "invalid_blocks", id="blocks"
        ),
        pytest.param({"type": "canvas", "canvas_id": "F0"}, "canvas_not_found", id="no canvases"),
    ],
)  # fmt: skip
async def test_a_faulty_view_is_refused(coding: Web, arguments: Json, error: str) -> None:
    channel = (await coding.agents_conversations_create(name="work"))["channel_id"]
    basis: Json = {"channel_id": channel, "view_key": "report", "content": "x"}
    assert await error_of(coding.agents_conversations_setView(**(basis | arguments))) == error


async def test_an_ordinary_channel_takes_no_view_and_the_scope_is_needed(
    coding: Web, web: Web, general: str
) -> None:
    listed = (await coding.conversations_list())["channels"]
    ordinary = next(channel["id"] for channel in listed if channel["name"] == "general")
    call = coding.agents_conversations_setView(channel_id=ordinary, view_key="report", content="x")
    assert await error_of(call) == "not_agent_channel"
    unscoped = web.agents_conversations_listViews(channel_id=general)
    assert await error_of(unscoped) == "missing_scope"
