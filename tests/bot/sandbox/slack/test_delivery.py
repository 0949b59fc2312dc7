"""Slack's rules on events and sockets: which come, in what shape, how often (SLACK.md 1.3, 2)."""

from typing import Any

import pytest

from bot.sandbox.slack import SlackStandIn

Body = dict[str, Any]


async def events(slack: SlackStandIn, kind: str, count: int = 1) -> list[Body]:
    """Wait for so many events of a type, each counted once, and give them as the app gets them."""

    def sent(s: SlackStandIn) -> list[Body]:
        came = {d.event_id: d.payload["event"] for d in s.deliveries if d.event_type == kind}
        return list(came.values()) if len(came) >= count else []

    return await slack.wait_for(sent)


async def test_a_mention_comes_as_app_mention_and_as_message(slack: SlackStandIn) -> None:
    text = f"{slack.mention} a &lt; b"
    ts = await slack.say("ann", "general", text, files=[("a.log", b"3 errors", None)])
    [mention] = await events(slack, "app_mention")
    [message] = await events(slack, "message")
    assert mention["ts"] == message["ts"] == ts
    assert mention["text"] == message["text"] == text
    assert mention["client_msg_id"] == message["client_msg_id"]
    assert (message["channel_type"], message["subtype"]) == ("channel", "file_share")
    assert not {"channel_type", "subtype"} & mention.keys()
    assert slack.deliveries[0].payload["authorizations"][0]["user_id"] == slack.bot_user_id


async def test_a_direct_message_comes_once_and_never_as_a_mention(slack: SlackStandIn) -> None:
    await slack.say("ben", dm=True, text=f"{slack.mention} hello")
    await slack.say("ann", "random", f"{slack.mention} the bot is not here")
    await slack.say("ben", "general", "after")
    messages = await events(slack, "message", 2)
    assert [message["channel_type"] for message in messages] == ["im", "channel"]
    assert {delivery.event_type for delivery in slack.deliveries} == {"message"}


async def test_a_reply_names_its_root_and_a_broadcast_brings_it(slack: SlackStandIn) -> None:
    root = await slack.say("ann", "energy", "who knows?")
    await slack.say("ben", "energy", "I do", thread_ts=root)
    await slack.say("ben", "energy", slack.mention, thread_ts=root, reply_broadcast=True)
    _, reply, broadcast = await events(slack, "message", 3)
    [mention] = await events(slack, "app_mention")
    assert (reply["thread_ts"], reply["parent_user_id"]) == (root, slack.people["ann"])
    for event in (broadcast, mention):
        assert (event["subtype"], event["root"]["ts"]) == ("thread_broadcast", root)


async def test_an_edit_and_a_deletion_carry_both_versions(slack: SlackStandIn) -> None:
    ts = await slack.say("ann", "general", "old")
    await slack.edit("ann", "general", ts, "new")
    await slack.delete("general", ts)
    _, changed, deleted = await events(slack, "message", 3)
    assert (changed["subtype"], changed["message"]["text"]) == ("message_changed", "new")
    assert changed["previous_message"]["text"] == "old"
    assert changed["message"]["edited"]["user"] == slack.people["ann"]
    assert changed["ts"] != changed["message"]["ts"] == ts
    assert (deleted["subtype"], deleted["deleted_ts"]) == ("message_deleted", ts)


@pytest.mark.parametrize("was_mentioned", [False, True], ids=["added by it", "there before"])
async def test_an_edited_mention_comes_once_more_and_says_that_it_is_edited(
    slack: SlackStandIn, was_mentioned: bool
) -> None:
    # SLACK.md is silent; slack-go/slack#1256, inkeep/agents#2284, chenhg5/cc-connect#1579.
    ts = await slack.say("ann", "general", f"{slack.mention} old" if was_mentioned else "old")
    await slack.edit("ann", "general", ts, f"{slack.mention} new")
    mentions = await events(slack, "app_mention", 1 + was_mentioned)
    assert [mention["ts"] for mention in mentions] == [ts] * (1 + was_mentioned)
    assert mentions[-1]["edited"]["user"] == slack.people["ann"]
