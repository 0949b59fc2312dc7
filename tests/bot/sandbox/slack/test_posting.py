"""Slack's rules on posts, reactions and reading back (SLACK.md 3.4, 3.6, 3.10, 5, 6)."""

from typing import Any

import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, web_client
from tests.bot.sandbox.slack.refusals import error_of, refusal_of

Body = dict[str, Any]
OP: Body = {"event_type": "op", "event_payload": {"op_id": "1"}}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"channel": "C0UNKNOWN"}, "channel_not_found"),
        ({"channel": "random"}, "not_in_channel"),
        ({"channel": "hidden"}, "channel_not_found"),
        ({"channel": "archived"}, "is_archived"),
        ({"channel": "announcements"}, "restricted_action_read_only_channel"),
        ({"text": " \n"}, "no_text"),
        ({"markdown_text": "x"}, "markdown_text_conflict"),
        ({"text": None, "markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"metadata": {"event_type": "x"}}, "invalid_metadata_schema"),
        ({"metadata": "[1]"}, "invalid_metadata_format"),
        ({"blocks": '{"type": "divider"}'}, "invalid_blocks_format"),
        ({"blocks": "[{"}, "invalid_blocks_format"),
    ],
)
async def test_a_post_that_slack_does_not_take_is_refused(
    slack: SlackStandIn, client: Client, arguments: Body, error: str
) -> None:
    given = {"channel": "general", "text": "hi", **arguments}
    given["channel"] = slack.channels.get(given["channel"], given["channel"])
    sent = {name: value for name, value in given.items() if value is not None}
    assert await error_of(client.api_call("chat.postMessage", json=sent)) == error
    assert slack.posts("general") == []


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
    client: Client, general: str, sent: str, kept: str
) -> None:
    answer = await client.chat_postMessage(channel=general, text=sent)
    assert answer["message"]["text"] == kept
    assert answer.get("warning") == ("message_truncated" if len(sent) > 40_000 else None)


async def test_a_post_comes_back_as_the_bots_and_can_go_to_a_person(
    slack: SlackStandIn, client: Client
) -> None:
    answer = await client.chat_postMessage(channel=slack.people["ann"], text="hi")
    message = answer["message"]
    assert answer["channel"] == slack.dm_id("ann")
    assert (message["user"], message["bot_id"]) == (slack.bot_user_id, slack.bot_id)
    assert message["bot_profile"]["name"] == "universal-agent"
    assert "subtype" not in message


async def test_a_thread_hangs_on_its_root(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "question")
    reply = await slack.say("ben", "general", "answer", thread_ts=root)
    call = client.chat_postMessage(channel=general, text="hm", thread_ts=reply)
    assert await error_of(call) == "cannot_reply_to_message"
    link = await client.chat_getPermalink(channel=general, message_ts=reply)
    path = f"/archives/{general}/p{reply.replace('.', '')}?thread_ts={root}&cid={general}"
    assert link["permalink"].endswith(path)


async def test_an_update_keeps_what_it_leaves_out(client: Client, general: str) -> None:
    post = {"channel": general, "text": "a", "blocks": [{"type": "divider"}], "metadata": OP}
    ts = (await client.chat_postMessage(**post))["ts"]
    kept = (await client.chat_update(channel=general, ts=ts, text="b"))["message"]
    assert (kept["text"], kept["blocks"][0]["type"]) == ("b", "divider")
    assert (kept["metadata"], bool(kept["edited"]["user"])) == (OP, True)
    cleared = await client.chat_update(channel=general, ts=ts, text="c", blocks=[], metadata={})
    assert not {"blocks", "metadata"} & cleared["message"].keys()


async def test_an_update_takes_less_text_and_only_of_the_bots_own(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    ts = (await client.chat_postMessage(channel=general, text="hi"))["ts"]
    await client.chat_update(channel=general, ts=ts, text="x" * 4_000)
    longer = client.chat_update(channel=general, ts=ts, text="x" * 4_001)
    assert await error_of(longer) == "msg_too_long"
    theirs = await slack.say("ann", "general", "mine")
    update = client.chat_update(channel=general, ts=theirs, text="yours")
    assert await error_of(update) == "cant_update_message"
    delete = client.chat_delete(channel=general, ts=theirs)
    assert await error_of(delete) == "cant_delete_message"
    await client.chat_delete(channel=general, ts=ts)
    assert await error_of(client.chat_delete(channel=general, ts=ts)) == "message_not_found"
    unnamed = client.api_call("chat.update", json={"channel": general, "text": "x"})
    messages = (await refusal_of(unnamed))["response_metadata"]["messages"]
    assert messages == ["[ERROR] missing required field: ts"]


async def test_an_ephemeral_post_is_for_one_member_and_reached_by_no_method(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    shown = await client.chat_postEphemeral(channel=general, user=slack.people["ann"], text="psst")
    ts = shown["message_ts"]
    assert [post.ephemeral_to for post in slack.posts("general")] == [slack.people["ann"]]
    assert (await client.conversations_history(channel=general))["messages"] == []
    for call in (
        client.chat_update(channel=general, ts=ts, text="louder"),
        client.chat_delete(channel=general, ts=ts),
        client.reactions_add(channel=general, timestamp=ts, name="eyes"),
        client.chat_getPermalink(channel=general, message_ts=ts),
    ):
        assert await error_of(call) == "message_not_found"
    outside = client.chat_postEphemeral(channel=general, user=slack.users["stranger"], text="psst")
    assert await error_of(outside) == "user_not_in_channel"


async def test_reactions_are_added_once_and_taken_back_once(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    ts = await slack.say("ann", "general", "hello")
    item = {"channel": general, "timestamp": ts, "name": "eyes"}
    await client.reactions_add(**item)
    assert await error_of(client.reactions_add(**item)) == "already_reacted"
    [reaction] = slack.find("general", ts).reactions
    assert (reaction.name, reaction.users) == ("eyes", (slack.bot_user_id,))
    await client.reactions_remove(**item)
    assert await error_of(client.reactions_remove(**item)) == "no_reaction"
    assert await error_of(client.reactions_add(**{**item, "name": ":eyes:"})) == "invalid_name"


async def test_history_is_newest_first_and_a_root_counts_its_thread(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "one")
    await slack.say("ben", "general", "in the thread", thread_ts=root)
    last = await slack.say("ben", "general", "twice", thread_ts=root, reply_broadcast=True)
    await slack.say("ann", "general", "two")
    messages = (await client.conversations_history(channel=general))["messages"]
    assert [message["text"] for message in messages] == ["two", "twice", "one"]
    assert (messages[-1]["reply_count"], messages[-1]["latest_reply"]) == (2, last)
    assert messages[-1]["reply_users"] == [slack.people["ben"]]


async def test_history_is_paged_and_bounded(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    stamps = [await slack.say("ann", "general", str(number)) for number in range(5)]
    pages: list[list[str]] = []
    cursor = None
    while cursor != "":
        page = await client.conversations_history(channel=general, limit=2, cursor=cursor)
        pages.append([message["text"] for message in page["messages"]])
        cursor = page["response_metadata"]["next_cursor"]
        assert page["has_more"] == bool(cursor)
    assert pages == [["4", "3"], ["2", "1"], ["0"]]
    one = await client.conversations_history(
        channel=general, oldest=stamps[1], latest=stamps[1], inclusive=True
    )
    assert [message["ts"] for message in one["messages"]] == [stamps[1]]
    newer = await client.conversations_history(channel=general, oldest=stamps[3])
    assert [message["ts"] for message in newer["messages"]] == [stamps[4]]
    for wrong, error in (
        ({"cursor": "nonsense"}, "invalid_cursor"),
        ({"oldest": "yesterday"}, "invalid_ts_oldest"),
        ({"limit": 1000}, "invalid_limit"),
    ):
        assert await error_of(client.conversations_history(channel=general, **wrong)) == error


async def test_replies_come_with_the_root_from_any_ts_and_metadata_when_asked_for(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "go")
    answers = [
        await client.chat_postMessage(channel=general, thread_ts=root, text=text, metadata=OP)
        for text in ("0", "1", "2")
    ]
    thread = await client.conversations_replies(channel=general, ts=answers[1]["ts"])
    assert [message["text"] for message in thread["messages"]] == ["go", "0", "1", "2"]
    assert thread["messages"][1]["metadata"] == {"event_type": "op"}
    newer = await client.conversations_replies(
        channel=general, ts=root, oldest=answers[0]["ts"], include_all_metadata=True
    )
    assert [message.get("metadata") for message in newer["messages"]] == [None, OP, OP]
    await client.chat_postMessage(channel=general, text="below nothing", thread_ts="1.000001")
    nothing = client.conversations_replies(channel=general, ts="1.000001")
    assert await error_of(nothing) == "thread_not_found"


async def test_a_deleted_root_with_replies_stays_as_a_tombstone(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "question")
    await slack.say("ben", "general", "answer", thread_ts=root)
    await slack.delete("general", root)
    thread = await client.conversations_replies(channel=general, ts=root)
    assert [message.get("subtype") for message in thread["messages"]] == ["tombstone", None]


async def test_each_kind_of_channel_needs_its_own_scope() -> None:
    async with SlackStandIn(scopes=["channels:history", "channels:read"]) as slack:
        client, channels = web_client(slack), slack.channels
        await client.conversations_history(channel=channels["general"])
        refusal = await refusal_of(client.conversations_history(channel=channels["private"]))
        assert (refusal["error"], refusal["needed"]) == ("missing_scope", "groups:history")
        assert refusal["provided"] == "channels:history,channels:read"
        assert await error_of(client.users_conversations(types="im")) == "missing_scope"
        post = client.chat_postMessage(channel=channels["general"], text="hi")
        assert (await refusal_of(post))["needed"] == "chat:write"


async def test_the_bot_is_told_of_the_channels_that_it_may_see(
    slack: SlackStandIn, client: Client
) -> None:
    kinds, ann = "public_channel,private_channel", slack.people["ann"]
    listed = await client.users_conversations(user=ann, types=kinds)
    names = {channel["name"] for channel in listed["channels"]}
    assert {"general", "random", "private"} <= names
    assert "hidden" not in names
    own = await client.users_conversations(types=kinds, exclude_archived=True)
    assert not {"random", "archived"} & {channel["name"] for channel in own["channels"]}
    direct = await client.conversations_info(channel=slack.dm_id("ann"))
    assert (direct["channel"]["is_im"], direct["channel"]["user"]) == (True, ann)
    for name, error in (("random", "not_in_channel"), ("hidden", "channel_not_found")):
        call = client.conversations_history(channel=slack.channels[name])
        assert await error_of(call) == error


async def test_a_direct_channel_is_opened_once(slack: SlackStandIn, client: Client) -> None:
    opened = await client.conversations_open(users=[slack.people["ann"]])
    again = await client.conversations_open(users=[slack.people["ann"]])
    assert (opened.get("already_open"), again["already_open"]) == (None, True)
    assert opened["channel"] == again["channel"] == {"id": slack.dm_id("ann")}
    assert await error_of(client.conversations_open(users=["U0NOBODY"])) == "user_not_found"


async def test_users_tell_what_an_authority_needs_to_know(
    slack: SlackStandIn, client: Client
) -> None:
    users = {name: (await client.users_info(user=u))["user"] for name, u in slack.users.items()}
    assert users["ann"]["profile"]["display_name"] == "ann"
    assert "email" not in users["ann"]["profile"]
    assert (users["guest"]["is_restricted"], users["robot"]["is_bot"]) == (True, True)
    assert users["stranger"]["team_id"] != slack.team_id
    assert await error_of(client.users_info(user="U0NOBODY")) == "user_not_found"


async def test_how_far_a_person_is_from_utc_depends_on_the_date_and_the_place() -> None:
    clock = ManualClock(1_774_598_390.0)  # Two days before summer time begins.
    async with SlackStandIn(clock=clock) as slack:
        client, offsets = web_client(slack), list[int]()
        for _ in range(2):
            shown = (await client.users_info(user=slack.people["ben"]))["user"]
            offsets.append(shown["tz_offset"])
            clock.advance(3 * 86_400)
        slack.live_in("ben", "Asia/Kathmandu")
        moved = (await client.users_info(user=slack.people["ben"]))["user"]
    assert offsets == [0, 3_600]
    assert (moved["tz"], moved["tz_offset"]) == ("Asia/Kathmandu", 5 * 3_600 + 45 * 60)
