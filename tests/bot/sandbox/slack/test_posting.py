"""chat.*: what is posted, what is refused, and with which of Slack's codes."""

import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, web_client
from tests.bot.sandbox.slack.refusals import error_of


@pytest.fixture
def general(slack: SlackStandIn) -> str:
    return slack.channels["general"]


async def test_a_post_comes_back_with_the_bots_profile(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    answer = await client.chat_postMessage(channel=general, text="hello")
    message = answer["message"]
    assert (message["user"], message["bot_id"]) == (slack.bot_user_id, slack.bot_id)
    assert message["bot_profile"]["name"] == "universal-agent"
    assert "subtype" not in message


async def test_stray_signs_are_escaped_and_urls_linked(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    text = "a < b && c, see https://x.test/a?b=1. <https://y.test|Y> <@U1>"
    answer = await client.chat_postMessage(channel=general, text=text)
    kept = "a &lt; b &amp;&amp; c, see <https://x.test/a?b=1>. <https://y.test|Y> <@U1>"
    assert answer["message"]["text"] == kept


@pytest.mark.parametrize(
    ("channel", "error"),
    [
        ("C0UNKNOWN", "channel_not_found"),
        ("random", "not_in_channel"),
        ("hidden", "channel_not_found"),
        ("archived", "is_archived"),
        ("announcements", "restricted_action_read_only_channel"),
    ],
)
async def test_a_channel_that_cannot_be_posted_in_is_named(
    slack: SlackStandIn, client: Client, channel: str, error: str
) -> None:
    channel_id = slack.channels.get(channel, channel)
    assert await error_of(client.chat_postMessage(channel=channel_id, text="hi")) == error


async def test_a_user_id_opens_the_direct_channel(slack: SlackStandIn, client: Client) -> None:
    answer = await client.chat_postMessage(channel=slack.people["ann"], text="hi")
    assert answer["channel"] == slack.dm_id("ann")


async def test_nothing_to_say_is_refused(client: Client, general: str) -> None:
    call = client.api_call("chat.postMessage", json={"channel": general, "text": " \n"})
    assert await error_of(call) == "no_text"


async def test_very_long_text_is_cut_with_a_warning(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    answer = await client.chat_postMessage(channel=general, text="x" * 40_001)
    assert answer["warning"] == "message_truncated"
    assert len(slack.posts("general")[0].text) == 40_000


async def test_markdown_text_takes_12000_characters_and_no_text_beside_it(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    await client.chat_postMessage(channel=general, markdown_text="**" + "x" * 11_996 + "**")
    assert slack.posts("general")[0].blocks[0]["type"] == "markdown"
    longer = client.chat_postMessage(channel=general, markdown_text="x" * 12_001)
    assert await error_of(longer) == "msg_too_long"
    both = client.chat_postMessage(channel=general, markdown_text="x", text="y")
    assert await error_of(both) == "markdown_text_conflict"


async def test_a_reply_to_a_reply_is_refused(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "question")
    reply = await slack.say("ben", "general", "answer", thread_ts=root)
    call = client.chat_postMessage(channel=general, text="hm", thread_ts=reply)
    assert await error_of(call) == "cannot_reply_to_message"


async def test_a_custom_name_needs_its_scope(client: Client, general: str) -> None:
    call = client.chat_postMessage(channel=general, text="hi", username="Someone Else")
    assert await error_of(call) == "missing_scope"


async def test_metadata_must_have_a_type_and_a_payload(client: Client, general: str) -> None:
    call = client.chat_postMessage(channel=general, text="hi", metadata={"event_type": "x"})
    assert await error_of(call) == "invalid_metadata_schema"


async def test_an_update_takes_4000_characters(client: Client, general: str) -> None:
    ts = (await client.chat_postMessage(channel=general, text="hi"))["ts"]
    await client.chat_update(channel=general, ts=ts, text="x" * 4_000)
    longer = client.chat_update(channel=general, ts=ts, text="x" * 4_001)
    assert await error_of(longer) == "msg_too_long"
    await client.chat_update(channel=general, ts=ts, markdown_text="x" * 12_000)


async def test_an_update_keeps_what_it_leaves_out(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    metadata = {"event_type": "op", "event_payload": {"op_id": "1"}}
    ts = (
        await client.chat_postMessage(
            channel=general, text="a", blocks=[{"type": "divider"}], metadata=metadata
        )
    )["ts"]
    await client.chat_update(channel=general, ts=ts, text="b")
    kept = slack.find("general", ts)
    assert (kept.text, kept.blocks[0]["type"], kept.metadata) == ("b", "divider", metadata)
    await client.chat_update(channel=general, ts=ts, text="c", blocks=[], metadata={})
    cleared = slack.find("general", ts)
    assert (cleared.blocks, cleared.metadata) == ((), None)
    assert cleared.edited is not None


async def test_only_the_bots_own_posts_can_be_changed(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    ts = await slack.say("ann", "general", "mine")
    update = client.chat_update(channel=general, ts=ts, text="yours")
    assert await error_of(update) == "cant_update_message"
    assert await error_of(client.chat_delete(channel=general, ts=ts)) == "cant_delete_message"


async def test_a_deleted_post_is_gone(slack: SlackStandIn, client: Client, general: str) -> None:
    ts = (await client.chat_postMessage(channel=general, text="hi"))["ts"]
    await client.chat_delete(channel=general, ts=ts)
    assert slack.posts("general") == []
    again = client.chat_delete(channel=general, ts=ts)
    assert await error_of(again) == "message_not_found"


async def test_an_ephemeral_post_cannot_be_read_changed_or_deleted(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    ann = slack.people["ann"]
    shown = await client.chat_postEphemeral(channel=general, user=ann, text="psst")
    ts = shown["message_ts"]
    assert slack.posts("general")[0].ephemeral_to == ann
    assert (await client.conversations_history(channel=general))["messages"] == []
    update = client.chat_update(channel=general, ts=ts, text="louder")
    assert await error_of(update) == "message_not_found"
    assert await error_of(client.chat_delete(channel=general, ts=ts)) == "message_not_found"


async def test_an_ephemeral_post_is_for_members_only(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    call = client.chat_postEphemeral(channel=general, user=slack.users["stranger"], text="psst")
    assert await error_of(call) == "user_not_in_channel"


async def test_a_permalink_of_a_reply_names_its_thread(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "question")
    reply = await slack.say("ben", "general", "answer", thread_ts=root)
    link = await client.chat_getPermalink(channel=general, message_ts=reply)
    path = f"/archives/{general}/p{reply.replace('.', '')}?thread_ts={root}&cid={general}"
    assert link["permalink"].endswith(path)


async def test_a_scheduled_post_comes_when_its_time_has_come(
    slack: SlackStandIn, client: Client, general: str, clock: ManualClock
) -> None:
    post_at = int(clock.now()) + 60
    await client.chat_scheduleMessage(channel=general, post_at=post_at, text="later")
    past = client.chat_scheduleMessage(channel=general, post_at=1, text="never")
    assert await error_of(past) == "time_in_past"
    assert slack.posts("general") == []
    clock.advance(60)
    posts = await slack.wait_for(lambda s: s.posts("general"))
    assert float(posts[0].ts) >= post_at


async def test_a_scheduled_post_can_be_called_off(
    slack: SlackStandIn, client: Client, general: str, clock: ManualClock
) -> None:
    scheduled = await client.chat_scheduleMessage(
        channel=general, post_at=int(clock.now()) + 60, text="later"
    )
    scheduled_id = scheduled["scheduled_message_id"]
    await client.chat_deleteScheduledMessage(channel=general, scheduled_message_id=scheduled_id)
    assert (await client.chat_scheduledMessages_list())["scheduled_messages"] == []
    clock.advance(61)
    await client.chat_postMessage(channel=general, text="now")
    assert [post.text for post in slack.posts("general")] == ["now"]


async def test_reactions_are_added_once_and_taken_back_once(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    ts = await slack.say("ann", "general", "hello")
    await client.reactions_add(channel=general, timestamp=ts, name="eyes")
    again = client.reactions_add(channel=general, timestamp=ts, name="eyes")
    assert await error_of(again) == "already_reacted"
    shown = await client.reactions_get(channel=general, timestamp=ts)
    users = [slack.bot_user_id]
    assert shown["message"]["reactions"] == [{"name": "eyes", "users": users, "count": 1}]
    await client.reactions_remove(channel=general, timestamp=ts, name="eyes")
    gone = client.reactions_remove(channel=general, timestamp=ts, name="eyes")
    assert await error_of(gone) == "no_reaction"
    bad = client.reactions_add(channel=general, timestamp=ts, name=":eyes:")
    assert await error_of(bad) == "invalid_name"


async def test_pins_and_bookmarks_need_their_scopes() -> None:
    scopes = ["pins:write", "pins:read", "bookmarks:write", "bookmarks:read"]
    async with SlackStandIn(scopes=scopes) as slack:
        client, general = web_client(slack), slack.channels["general"]
        ts = await slack.say("ann", "general", "keep this")
        await client.pins_add(channel=general, timestamp=ts)
        again = client.pins_add(channel=general, timestamp=ts)
        assert await error_of(again) == "already_pinned"
        items = (await client.pins_list(channel=general))["items"]
        assert items[0]["message"]["text"] == "keep this"
        link = "https://x.test"
        await client.bookmarks_add(channel_id=general, title="X", type="link", link=link)
        assert (await client.bookmarks_list(channel_id=general))["bookmarks"][0]["link"] == link
        refused = client.chat_postMessage(channel=general, text="hi")
        assert await error_of(refused) == "missing_scope"
