"""Slack's rules on posting, editing, deleting and scheduling (SLACK.md 3.4, 5, 6)."""

from typing import Any

import pytest

from tests.bot.sandbox.slack.refusals import error_of
from tests.conformance.slack_app import Web
from tests.conformance.slack_team import Team


async def test_a_post_comes_back_with_the_bots_profile(team: Team, web: Web, general: str) -> None:
    # 3.4: modern bots post without a subtype.
    message = (await web.chat_postMessage(channel=general, text="hello"))["message"]
    assert (message["user"], message["bot_id"]) == (team.bot_user_id, team.bot_id)
    assert message["bot_profile"]["name"] == "universal-agent"
    assert "subtype" not in message


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        pytest.param("a < b && c", "a &lt; b &amp;&amp; c", id="5 stray signs"),
        pytest.param("see https://x.test/a?b=1.", "see <https://x.test/a?b=1>.", id="5 bare link"),
        pytest.param("<https://y.test|Y> <@U1>", "<https://y.test|Y> <@U1>", id="5 references"),
    ],
)
async def test_text_is_kept_escaped_and_linked(
    web: Web, general: str, sent: str, kept: str
) -> None:
    answer = await web.chat_postMessage(channel=general, text=sent)
    assert answer["message"]["text"] == kept


@pytest.mark.parametrize(
    ("channel", "error"),
    [
        pytest.param("C0UNKNOWN", "channel_not_found", id="3.4 unknown"),
        pytest.param("random", "not_in_channel", id="3.4 no member"),
        pytest.param("hidden", "channel_not_found", id="3.4 private"),
        pytest.param("archived", "is_archived", id="3.4 archived"),
        pytest.param("announcements", "restricted_action_read_only_channel", id="3.4 read-only"),
    ],
)
async def test_a_channel_that_cannot_be_posted_in_is_named(
    team: Team, web: Web, channel: str, error: str
) -> None:
    channel_id = team.channels.get(channel, channel)
    assert await error_of(web.chat_postMessage(channel=channel_id, text="hi")) == error


async def test_a_user_id_opens_the_direct_channel(team: Team, web: Web) -> None:
    # 3.4
    answer = await web.chat_postMessage(channel=team.people["ann"], text="hi")
    assert answer["channel"] == team.dm_id("ann")


async def test_nothing_to_say_is_refused(web: Web, general: str) -> None:
    # 3.4
    call = web.api_call("chat.postMessage", json={"channel": general, "text": " \n"})
    assert await error_of(call) == "no_text"


async def test_text_over_40000_characters_is_cut_with_a_warning(web: Web, general: str) -> None:
    # 3.4
    answer = await web.chat_postMessage(channel=general, text="x" * 40_001)
    assert answer["warning"] == "message_truncated"
    assert len(answer["message"]["text"]) == 40_000


async def test_markdown_text_takes_12000_characters_and_no_other_text(
    web: Web, general: str
) -> None:
    # 3.4
    answer = await web.chat_postMessage(channel=general, markdown_text="x" * 12_000)
    assert answer["message"]["blocks"][0]["type"] == "markdown"
    longer = web.chat_postMessage(channel=general, markdown_text="x" * 12_001)
    assert await error_of(longer) == "msg_too_long"
    both = web.chat_postMessage(channel=general, markdown_text="x", text="y")
    assert await error_of(both) == "markdown_text_conflict"


async def test_a_message_takes_100_attachments(web: Web, general: str) -> None:
    # 4.3
    attachments = [{"text": "x"}] * 101
    await web.chat_postMessage(channel=general, text="x", attachments=attachments[:100])
    call = web.chat_postMessage(channel=general, text="x", attachments=attachments)
    assert await error_of(call) == "too_many_attachments"


async def test_a_reply_to_a_reply_is_refused(team: Team, web: Web, general: str) -> None:
    # 6: a thread is named by its root.
    root = await team.say("ann", "general", "question")
    reply = await team.say("ben", "general", "answer", thread_ts=root)
    call = web.chat_postMessage(channel=general, text="hm", thread_ts=reply)
    assert await error_of(call) == "cannot_reply_to_message"


async def test_a_broadcast_reply_stands_in_the_thread_and_in_the_channel(
    team: Team, web: Web, general: str
) -> None:
    # 6
    root = await team.say("ann", "general", "question")
    sent = await web.chat_postMessage(
        channel=general, text="answer", thread_ts=root, reply_broadcast=True
    )
    history = await web.conversations_history(channel=general)
    assert [m["ts"] for m in history["messages"]] == [sent["ts"], root]
    assert history["messages"][0]["subtype"] == "thread_broadcast"


async def test_a_custom_name_needs_its_scope(web: Web, general: str) -> None:
    # 3.4
    call = web.chat_postMessage(channel=general, text="hi", username="Someone Else")
    assert await error_of(call) == "missing_scope"


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        pytest.param({"event_type": "x"}, "invalid_metadata_schema", id="6 without a payload"),
        pytest.param("[1]", "invalid_metadata_format", id="6 no object"),
    ],
)
async def test_metadata_must_have_a_type_and_a_payload(
    web: Web, general: str, metadata: Any, error: str
) -> None:
    call = web.chat_postMessage(channel=general, text="hi", metadata=metadata)
    assert await error_of(call) == error


async def test_an_update_takes_4000_characters_or_12000_of_markdown(web: Web, general: str) -> None:
    # 3.4
    ts = (await web.chat_postMessage(channel=general, text="hi"))["ts"]
    await web.chat_update(channel=general, ts=ts, text="x" * 4_000)
    longer = web.chat_update(channel=general, ts=ts, text="x" * 4_001)
    assert await error_of(longer) == "msg_too_long"
    await web.chat_update(channel=general, ts=ts, markdown_text="x" * 12_000)


async def test_an_update_keeps_what_it_leaves_out(web: Web, general: str) -> None:
    # 3.4: omitted blocks and metadata stay, empty ones clear.
    metadata = {"event_type": "op", "event_payload": {"op_id": "1"}}
    blocks = [{"type": "divider"}]
    ts = (await web.chat_postMessage(channel=general, text="a", blocks=blocks, metadata=metadata))[
        "ts"
    ]
    kept = (await web.chat_update(channel=general, ts=ts, text="b"))["message"]
    assert (kept["text"], kept["blocks"][0]["type"]) == ("b", "divider")
    assert kept["metadata"] == metadata
    cleared = await web.chat_update(channel=general, ts=ts, text="c", blocks=[], metadata={})
    assert "blocks" not in cleared["message"]
    assert "metadata" not in cleared["message"]
    assert cleared["message"]["edited"]["user"]


async def test_only_the_bots_own_posts_can_be_changed(team: Team, web: Web, general: str) -> None:
    # 3.4
    ts = await team.say("ann", "general", "mine")
    update = web.chat_update(channel=general, ts=ts, text="yours")
    assert await error_of(update) == "cant_update_message"
    assert await error_of(web.chat_delete(channel=general, ts=ts)) == "cant_delete_message"


async def test_a_deleted_post_is_gone(web: Web, general: str) -> None:
    # 3.4
    ts = (await web.chat_postMessage(channel=general, text="hi"))["ts"]
    await web.chat_delete(channel=general, ts=ts)
    assert (await web.conversations_history(channel=general))["messages"] == []
    assert await error_of(web.chat_delete(channel=general, ts=ts)) == "message_not_found"


async def test_an_ephemeral_post_is_seen_by_one_and_reached_by_no_method(
    team: Team, web: Web, general: str
) -> None:
    # 6
    shown = await web.chat_postEphemeral(channel=general, user=team.people["ann"], text="psst")
    ts = shown["message_ts"]
    assert [m["text"] for m in team.seen("ann", "general")] == ["psst"]
    assert team.seen("ben", "general") == []
    assert (await web.conversations_history(channel=general))["messages"] == []
    for call in (
        web.chat_update(channel=general, ts=ts, text="louder"),
        web.chat_delete(channel=general, ts=ts),
        web.reactions_get(channel=general, timestamp=ts),
        web.chat_getPermalink(channel=general, message_ts=ts),
    ):
        assert await error_of(call) == "message_not_found"


async def test_an_ephemeral_post_is_for_members_only(team: Team, web: Web, general: str) -> None:
    # 3.4
    call = web.chat_postEphemeral(channel=general, user=team.users["stranger"], text="psst")
    assert await error_of(call) == "user_not_in_channel"
    elsewhere = web.chat_postEphemeral(
        channel=team.channels["random"], user=team.people["ann"], text="psst"
    )
    assert await error_of(elsewhere) == "not_in_channel"


async def test_a_permalink_of_a_reply_names_its_thread(team: Team, web: Web, general: str) -> None:
    # 3.4
    root = await team.say("ann", "general", "question")
    reply = await team.say("ben", "general", "answer", thread_ts=root)
    link = await web.chat_getPermalink(channel=general, message_ts=reply)
    path = f"/archives/{general}/p{reply.replace('.', '')}?thread_ts={root}&cid={general}"
    assert link["permalink"].endswith(path)


@pytest.mark.parametrize(
    ("after_s", "error"),
    [
        pytest.param(-1, "time_in_past", id="3.4 past"),
        pytest.param(121 * 86_400, "time_too_far", id="3.4 over 120 days"),
    ],
)
async def test_a_post_is_scheduled_within_120_days(
    team: Team, web: Web, general: str, after_s: int, error: str
) -> None:
    post_at = int(team.now_s()) + after_s
    call = web.chat_scheduleMessage(channel=general, post_at=post_at, text="later")
    assert await error_of(call) == error


async def test_five_minutes_of_a_channel_take_30_scheduled_posts(
    team: Team, web: Web, general: str
) -> None:
    # 3.4
    post_at = (int(team.now_s()) // 300 + 2) * 300
    for number in range(30):
        await web.chat_scheduleMessage(channel=general, post_at=post_at + number, text="later")
    call = web.chat_scheduleMessage(channel=general, post_at=post_at, text="later")
    assert await error_of(call) == "restricted_too_many"


async def test_a_scheduled_post_comes_when_its_time_has_come(
    team: Team, web: Web, general: str
) -> None:
    # 3.4; one with metadata never comes.
    post_at = int(team.now_s()) + 60
    metadata = {"event_type": "op", "event_payload": {"op_id": "1"}}
    await web.chat_scheduleMessage(channel=general, post_at=post_at, text="no", metadata=metadata)
    await web.chat_scheduleMessage(channel=general, post_at=post_at, text="later")
    assert (await web.conversations_history(channel=general))["messages"] == []
    team.pass_time(60)
    seen = await team.until(lambda: team.seen("ann", "general"))
    assert [message["text"] for message in seen] == ["later"]
    assert float(seen[0]["ts"]) >= post_at


async def test_a_scheduled_post_can_be_called_off(team: Team, web: Web, general: str) -> None:
    # 3.4
    scheduled = await web.chat_scheduleMessage(
        channel=general, post_at=int(team.now_s()) + 60, text="later"
    )
    scheduled_id = scheduled["scheduled_message_id"]
    await web.chat_deleteScheduledMessage(channel=general, scheduled_message_id=scheduled_id)
    assert (await web.chat_scheduledMessages_list())["scheduled_messages"] == []
    again = web.chat_deleteScheduledMessage(channel=general, scheduled_message_id=scheduled_id)
    assert await error_of(again) == "invalid_scheduled_message_id"
