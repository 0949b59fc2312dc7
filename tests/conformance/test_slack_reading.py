"""Slack's rules on reading back: history, replies, paging, channels, users (SLACK.md 3.6, 6)."""

from collections.abc import Callable

import pytest

from tests.bot.sandbox.slack.refusals import error_of, refusal_of
from tests.conformance.slack_app import Web, web_client
from tests.conformance.slack_team import Team


async def test_history_is_newest_first_without_replies(team: Team, web: Web, general: str) -> None:
    # 3.6: a root carries the counts of its thread.
    root = await team.say("ann", "general", "one")
    await team.say("ben", "general", "in the thread", thread_ts=root)
    await team.say("ben", "general", "shown twice", thread_ts=root, reply_broadcast=True)
    await team.say("ann", "general", "two")
    history = await web.conversations_history(channel=general)
    texts = [message["text"] for message in history["messages"]]
    assert texts == ["two", "shown twice", "one"]
    oldest = history["messages"][-1]
    assert (oldest["reply_count"], oldest["thread_ts"]) == (2, root)
    assert oldest["reply_users"] == [team.people["ben"]]


async def test_history_is_paged_by_cursor(team: Team, web: Web, general: str) -> None:
    # 6
    for number in range(5):
        await team.say("ann", "general", str(number))
    pages: list[list[str]] = []
    cursor = None
    while cursor != "":
        page = await web.conversations_history(channel=general, limit=2, cursor=cursor)
        pages.append([message["text"] for message in page["messages"]])
        cursor = page["response_metadata"]["next_cursor"]
        assert page["has_more"] == bool(cursor)
    assert pages == [["4", "3"], ["2", "1"], ["0"]]
    bad = web.conversations_history(channel=general, cursor="nonsense")
    assert await error_of(bad) == "invalid_cursor"


async def test_one_message_is_read_by_its_ts(team: Team, web: Web, general: str) -> None:
    # 3.6
    await team.say("ann", "general", "before")
    ts = await team.say("ann", "general", "this one")
    await team.say("ann", "general", "after")
    page = await web.conversations_history(
        channel=general, oldest=ts, latest=ts, inclusive=True, limit=1
    )
    assert [message["text"] for message in page["messages"]] == ["this one"]
    newer = await web.conversations_history(channel=general, oldest=ts)
    assert [message["text"] for message in newer["messages"]] == ["after"]


@pytest.mark.parametrize("name", ["oldest", "latest"], ids=["3.6 oldest", "3.6 latest"])
async def test_a_bound_of_history_must_be_a_ts(web: Web, general: str, name: str) -> None:
    call = web.conversations_history(channel=general, **{name: "yesterday"})
    assert await error_of(call) == f"invalid_ts_{name}"


async def test_replies_are_oldest_first_with_the_root_from_any_ts(
    team: Team, web: Web, general: str
) -> None:
    # 3.6
    root = await team.say("ann", "general", "question")
    replies = [await team.say("ben", "general", str(n), thread_ts=root) for n in range(3)]
    thread = await web.conversations_replies(channel=general, ts=replies[1])
    texts = [message["text"] for message in thread["messages"]]
    assert texts == ["question", "0", "1", "2"]
    nothing = web.conversations_replies(channel=general, ts="1.000001")
    assert await error_of(nothing) == "thread_not_found"


async def test_a_root_tells_how_late_its_latest_reply_is(
    team: Team, web: Web, general: str
) -> None:
    # 3.6: the reply itself is not in history.
    root = await team.say("ann", "general", "question")
    for text in ("first", "last"):
        ts = await team.say("ben", "general", text, thread_ts=root)
    [shown] = (await web.conversations_history(channel=general))["messages"]
    assert (shown["ts"], shown["latest_reply"]) == (root, ts)


async def test_a_bound_leaves_replies_out_and_never_the_root(
    team: Team, web: Web, general: str
) -> None:
    # 3.6
    root = await team.say("ann", "general", "question")
    replies = [await team.say("ben", "general", str(n), thread_ts=root) for n in range(4)]
    newer = await web.conversations_replies(channel=general, ts=root, oldest=replies[1])
    assert [message["text"] for message in newer["messages"]] == ["question", "2", "3"]


async def test_a_listed_post_is_what_its_event_would_say(
    team: Team, web: Web, general: str
) -> None:
    # 2.5, 3.6: the client's id, files, and the text as it is now.
    file = ("a.txt", b"x", "text/plain")
    ts = await team.say("ann", "general", "teh words", files=[file])
    await team.edit("ann", "general", ts, "the words")
    gone = await team.say("ann", "general", "never mind")
    await team.delete("general", gone)
    [shown] = (await web.conversations_history(channel=general))["messages"]
    assert (shown["type"], shown["subtype"]) == ("message", "file_share")
    assert (shown["user"], shown["team"]) == (team.people["ann"], team.team_id)
    assert (shown["text"], shown["edited"]["user"]) == ("the words", team.people["ann"])
    assert shown["client_msg_id"]
    assert [file["name"] for file in shown["files"]] == ["a.txt"]


async def test_direct_conversations_are_among_those_of_the_bot(team: Team, web: Web) -> None:
    # 3.6
    direct = team.dm_id("ann")
    listed = await web.users_conversations(types="im,mpim", exclude_archived=True)
    assert [(each["id"], each["is_im"]) for each in listed["channels"]] == [(direct, True)]
    await team.say("ann", dm=True, text="hi")
    [shown] = (await web.conversations_history(channel=direct))["messages"]
    assert shown["text"] == "hi"


async def test_metadata_comes_in_full_only_when_asked_for_on_every_page(
    team: Team, web: Web, general: str
) -> None:
    # 6
    root = await team.say("ann", "general", "go")
    for number in range(3):
        metadata = {"event_type": "op", "event_payload": {"op_id": str(number)}}
        await web.chat_postMessage(
            channel=general, thread_ts=root, text=str(number), metadata=metadata
        )
    brief = await web.conversations_replies(channel=general, ts=root)
    assert brief["messages"][1]["metadata"] == {"event_type": "op"}
    found: list[str] = []
    cursor = None
    while cursor != "":
        page = await web.conversations_replies(
            channel=general, ts=root, limit=2, cursor=cursor, include_all_metadata=True
        )
        marked = [m["metadata"] for m in page["messages"] if "metadata" in m]
        found += [metadata["event_payload"]["op_id"] for metadata in marked]
        cursor = page["response_metadata"]["next_cursor"]
    assert found == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("channel", "error"),
    [
        pytest.param("random", "not_in_channel", id="3.6 public"),
        pytest.param("hidden", "channel_not_found", id="3.6 private"),
    ],
)
async def test_history_of_a_channel_without_the_bot_is_refused(
    team: Team, web: Web, channel: str, error: str
) -> None:
    call = web.conversations_history(channel=team.channels[channel])
    assert await error_of(call) == error


async def test_each_kind_of_channel_needs_its_own_scope(new_team: Callable[..., Team]) -> None:
    # 3.2, 3.3
    async with new_team(scopes=["channels:history", "channels:read"]) as team:
        web = web_client(team)
        await web.conversations_history(channel=team.channels["general"])
        refusal = await refusal_of(web.conversations_history(channel=team.channels["private"]))
        assert (refusal["error"], refusal["needed"]) == ("missing_scope", "groups:history")
        assert refusal["provided"] == "channels:history,channels:read"
        await web.conversations_list(types="public_channel")
        for call in (
            web.conversations_list(types="public_channel,private_channel"),
            web.users_conversations(types="im"),
        ):
            assert await error_of(call) == "missing_scope"


async def test_a_channel_is_shown_with_its_kind_and_count(
    team: Team, web: Web, general: str
) -> None:
    # 3.6
    shown = await web.conversations_info(channel=general, include_num_members=True)
    members = (await web.conversations_members(channel=general))["members"]
    channel = shown["channel"]
    assert (channel["name"], channel["is_member"]) == ("general", True)
    assert channel["num_members"] == len(members)
    direct = await web.conversations_info(channel=team.dm_id("ann"))
    assert direct["channel"]["is_im"]
    assert direct["channel"]["user"] == team.people["ann"]


async def test_the_list_holds_what_the_bot_can_see(web: Web) -> None:
    # 3.6
    listed = await web.conversations_list(types="public_channel,private_channel")
    names = {channel["name"] for channel in listed["channels"]}
    assert {"general", "random", "private"} <= names
    assert "hidden" not in names
    assert await error_of(web.conversations_list(types="secret_channel")) == "invalid_types"


async def test_of_a_persons_channels_the_bot_is_told_public_and_shared_ones(
    team: Team, web: Web
) -> None:
    # 3.6
    kinds = "public_channel,private_channel"
    listed = await web.users_conversations(user=team.people["ann"], types=kinds)
    names = {channel["name"] for channel in listed["channels"]}
    assert {"general", "random", "private"} <= names
    assert "hidden" not in names
    own = await web.users_conversations(types=kinds, exclude_archived=True)
    assert not {"random", "archived"} & {channel["name"] for channel in own["channels"]}
    assert await error_of(web.users_conversations(user="U0NOBODY")) == "user_not_found"


async def test_joining_tells_whether_the_bot_was_in_already(
    new_team: Callable[..., Team],
) -> None:
    # 3.6
    async with new_team(scopes=["channels:join", "channels:read"]) as team:
        web, random = web_client(team), team.channels["random"]
        await web.conversations_join(channel=random)
        again = await web.conversations_join(channel=random)
        assert again["warning"] == "already_in_channel"
        members = await web.conversations_members(channel=random)
        assert team.bot_user_id in members["members"]
        archived = web.conversations_join(channel=team.channels["archived"])
        assert await error_of(archived) == "is_archived"


async def test_a_direct_channel_is_opened_once(new_team: Callable[..., Team]) -> None:
    # 3.6
    async with new_team(scopes=["im:write", "im:read"]) as team:
        web, ann = web_client(team), team.people["ann"]
        none = web.conversations_open(users=[ann], prevent_creation=True)
        assert await error_of(none) == "channel_not_found"
        opened = await web.conversations_open(users=[ann])
        assert "already_open" not in opened
        again = await web.conversations_open(users=[ann])
        assert (again["channel"], again["already_open"]) == (opened["channel"], True)
        several = await web.conversations_open(users=list(team.people.values()), return_im=True)
        assert several["channel"]["is_mpim"]


@pytest.mark.parametrize(
    ("users", "error"),
    [
        pytest.param([], "users_list_not_supplied", id="3.6 nobody"),
        pytest.param(["U0NOBODY"], "user_not_found", id="3.6 unknown"),
        pytest.param(["U0X"] * 9, "too_many_users", id="3.6 nine"),
    ],
)
async def test_a_direct_channel_needs_one_to_eight_known_users(
    web: Web, users: list[str], error: str
) -> None:
    assert await error_of(web.conversations_open(users=users)) == error


async def test_users_tell_what_an_authority_needs_to_know(team: Team, web: Web) -> None:
    # 3.6
    users = {name: (await web.users_info(user=user))["user"] for name, user in team.users.items()}
    assert users["ann"]["profile"]["display_name"] == "ann"
    assert "email" not in users["ann"]["profile"]
    assert users["guest"]["is_restricted"]
    assert users["stranger"]["team_id"] != team.team_id
    assert users["robot"]["is_bot"]
    assert users["nameless"]["profile"]["display_name"] == ""
    assert await error_of(web.users_info(user="U0NOBODY")) == "user_not_found"
    assert len((await web.users_list())["members"]) == len(users)


async def test_addresses_need_their_scope(new_team: Callable[..., Team]) -> None:
    # 3.2
    async with new_team(scopes=["users:read", "users:read.email"]) as team:
        web = web_client(team)
        found = await web.users_lookupByEmail(email="Ben@sandbox.test")
        assert found["user"]["id"] == team.people["ben"]
        assert found["user"]["profile"]["email"] == "ben@sandbox.test"
        assert await error_of(web.users_lookupByEmail(email="x@y.test")) == "users_not_found"


async def test_the_token_tells_who_it_belongs_to(team: Team, web: Web) -> None:
    # 3.6
    who = await web.auth_test()
    assert (who["user_id"], who["bot_id"]) == (team.bot_user_id, team.bot_id)
    assert who["team_id"] == team.team_id == (await web.team_info())["team"]["id"]
    bot = (await web.bots_info(bot=team.bot_id))["bot"]
    assert bot["user_id"] == team.bot_user_id


async def test_the_api_can_be_tried_without_a_token(team: Team) -> None:
    anyone = web_client(team, token="")
    assert (await anyone.api_test())["ok"] is True
    assert (await anyone.api_test(foo="bar"))["args"] == {"foo": "bar"}
    assert await error_of(anyone.api_test(error="my_error")) == "my_error"


async def test_what_is_posted_below_a_post_that_never_was_makes_no_thread(
    team: Team, web: Web, general: str
) -> None:
    # 3.4, 3.6: undocumented; the stand-in takes the post and has no thread to list.
    await web.chat_postMessage(channel=general, text="below nothing", thread_ts="1.000001")
    call = web.conversations_replies(channel=general, ts="1.000001")
    assert await error_of(call) == "thread_not_found"
