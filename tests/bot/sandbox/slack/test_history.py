"""Reading back: history, replies, paging, metadata, channels and users."""

import pytest

from bot.sandbox.slack import SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, web_client
from tests.bot.sandbox.slack.refusals import error_of, refusal_of


@pytest.fixture
def general(slack: SlackStandIn) -> str:
    return slack.channels["general"]


async def test_history_is_newest_first_without_replies(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "one")
    await slack.say("ben", "general", "in the thread", thread_ts=root)
    await slack.say("ben", "general", "shown twice", thread_ts=root, reply_broadcast=True)
    await slack.say("ann", "general", "two")
    history = await client.conversations_history(channel=general)
    texts = [message["text"] for message in history["messages"]]
    assert texts == ["two", "shown twice", "one"]
    oldest = history["messages"][-1]
    assert (oldest["reply_count"], oldest["thread_ts"]) == (2, root)
    assert oldest["reply_users"] == [slack.people["ben"]]


async def test_history_is_paged_by_cursor(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    for number in range(5):
        await slack.say("ann", "general", str(number))
    pages: list[list[str]] = []
    cursor = None
    while cursor != "":
        page = await client.conversations_history(channel=general, limit=2, cursor=cursor)
        pages.append([message["text"] for message in page["messages"]])
        cursor = page["response_metadata"]["next_cursor"]
        assert page["has_more"] == bool(cursor)
    assert pages == [["4", "3"], ["2", "1"], ["0"]]
    bad = client.conversations_history(channel=general, cursor="nonsense")
    assert await error_of(bad) == "invalid_cursor"


async def test_one_message_is_read_by_its_ts(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    await slack.say("ann", "general", "before")
    ts = await slack.say("ann", "general", "this one")
    await slack.say("ann", "general", "after")
    page = await client.conversations_history(
        channel=general, oldest=ts, latest=ts, inclusive=True, limit=1
    )
    assert [message["text"] for message in page["messages"]] == ["this one"]
    newer = await client.conversations_history(channel=general, oldest=ts)
    assert [message["text"] for message in newer["messages"]] == ["after"]


async def test_replies_are_oldest_first_with_the_root_from_any_ts(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "question")
    replies = [await slack.say("ben", "general", str(n), thread_ts=root) for n in range(3)]
    thread = await client.conversations_replies(channel=general, ts=replies[1])
    texts = [message["text"] for message in thread["messages"]]
    assert texts == ["question", "0", "1", "2"]
    page = await client.conversations_replies(channel=general, ts=root, limit=2)
    assert page["has_more"]
    nothing = client.conversations_replies(channel=general, ts="1.000001")
    assert await error_of(nothing) == "thread_not_found"


async def test_metadata_comes_in_full_only_when_asked_for(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "go")
    metadata = {"event_type": "op", "event_payload": {"op_id": "turn-1"}}
    await client.chat_postMessage(channel=general, thread_ts=root, text="done", metadata=metadata)
    brief = await client.conversations_replies(channel=general, ts=root)
    assert brief["messages"][1]["metadata"] == {"event_type": "op"}
    full = await client.conversations_replies(channel=general, ts=root, include_all_metadata=True)
    assert full["messages"][1]["metadata"] == metadata


async def test_history_of_a_channel_without_the_bot_is_refused(
    slack: SlackStandIn, client: Client
) -> None:
    public = client.conversations_history(channel=slack.channels["random"])
    assert await error_of(public) == "not_in_channel"
    hidden = client.conversations_history(channel=slack.channels["hidden"])
    assert await error_of(hidden) == "channel_not_found"


async def test_each_kind_of_channel_needs_its_own_scope() -> None:
    async with SlackStandIn(scopes=["channels:history", "chat:write"]) as slack:
        client = web_client(slack)
        await client.conversations_history(channel=slack.channels["general"])
        call = client.conversations_history(channel=slack.channels["private"])
        refusal = await refusal_of(call)
        assert (refusal["error"], refusal["needed"]) == ("missing_scope", "groups:history")
        assert refusal["provided"] == "channels:history,chat:write"


async def test_a_channel_is_shown_with_its_kind_and_count(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    shown = await client.conversations_info(channel=general, include_num_members=True)
    channel = shown["channel"]
    assert (channel["name"], channel["is_member"], channel["num_members"]) == ("general", True, 7)
    direct = await client.conversations_info(channel=slack.dm_id("ann"))
    assert direct["channel"]["is_im"]
    assert direct["channel"]["user"] == slack.people["ann"]


async def test_the_list_holds_what_the_bot_can_see(slack: SlackStandIn, client: Client) -> None:
    listed = await client.conversations_list(types="public_channel,private_channel")
    names = {channel["name"] for channel in listed["channels"]}
    assert {"general", "random", "private"} <= names
    assert "hidden" not in names
    wrong = client.conversations_list(types="secret_channel")
    assert await error_of(wrong) == "invalid_types"


async def test_joining_tells_whether_the_bot_was_in_already() -> None:
    async with SlackStandIn(scopes=["channels:join", "channels:read"]) as slack:
        client, random = web_client(slack), slack.channels["random"]
        await client.conversations_join(channel=random)
        again = await client.conversations_join(channel=random)
        assert again["warning"] == "already_in_channel"
        members = await client.conversations_members(channel=random)
        assert slack.bot_user_id in members["members"]


async def test_a_direct_channel_is_opened_once(slack: SlackStandIn, client: Client) -> None:
    opened = await client.conversations_open(users=[slack.people["ann"]])
    assert opened["channel"]["id"] == slack.dm_id("ann")
    several = await client.conversations_open(users=list(slack.people.values()), return_im=True)
    assert several["channel"]["is_mpim"]
    unknown = client.conversations_open(users=["U0NOBODY"])
    assert await error_of(unknown) == "user_not_found"


async def test_users_tell_what_an_authority_needs_to_know(
    slack: SlackStandIn, client: Client
) -> None:
    users = {
        name: (await client.users_info(user=user))["user"] for name, user in slack.users.items()
    }
    assert users["ann"]["profile"]["display_name"] == "ann"
    assert "email" not in users["ann"]["profile"]
    assert users["guest"]["is_restricted"]
    assert users["stranger"]["team_id"] != slack.team_id
    assert users["robot"]["is_bot"]
    assert users["nameless"]["profile"]["display_name"] == ""
    assert await error_of(client.users_info(user="U0NOBODY")) == "user_not_found"
    assert len((await client.users_list())["members"]) == len(users)


async def test_addresses_need_their_scope() -> None:
    async with SlackStandIn(scopes=["users:read", "users:read.email"]) as slack:
        found = await web_client(slack).users_lookupByEmail(email="Ben@sandbox.test")
        assert found["user"]["id"] == slack.people["ben"]
        assert found["user"]["profile"]["email"] == "ben@sandbox.test"


async def test_the_token_tells_who_it_belongs_to(slack: SlackStandIn, client: Client) -> None:
    who = await client.auth_test()
    assert (who["user_id"], who["bot_id"]) == (slack.bot_user_id, slack.bot_id)
    assert who["team_id"] == slack.team_id == (await client.team_info())["team"]["id"]
    bot = (await client.bots_info(bot=slack.bot_id))["bot"]
    assert bot["user_id"] == slack.bot_user_id
