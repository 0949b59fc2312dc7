"""Events on their way to the app: which ones, in what shape, how often."""

from contextlib import AsyncExitStack

import aiohttp
import pytest

from bot.sandbox.slack import Delivery, ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Body, EchoBot, socket_mode, web_client
from tests.bot.sandbox.slack.refusals import error_of

BOTH = {"channel_rename", "channel_archive"}


async def test_a_mention_comes_as_app_mention_and_as_message(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    ts = await slack.say("ann", "general", slack.typed("@universal-agent a < b & @ben"))
    await slack.wait_for(lambda _: len(bot.bodies) == 2)

    mention, message = bot.events("app_mention")[0], bot.events("message")[0]
    assert mention["ts"] == message["ts"] == ts
    assert mention["text"] == f"{slack.mention} a &lt; b &amp; <@{slack.people['ben']}>"
    assert "channel_type" not in mention
    assert message["channel_type"] == "channel"
    assert mention["client_msg_id"] == message["client_msg_id"]
    assert {"type": "text", "text": " a < b & "} in message["blocks"][0]["elements"][0]["elements"]
    assert len({body["event_id"] for body in bot.bodies}) == 2
    assert bot.bodies[0]["authorizations"][0]["user_id"] == slack.bot_user_id


async def test_the_bot_answers_in_the_thread(slack: SlackStandIn, bot: EchoBot) -> None:
    ts = await slack.say("ann", "general", f"{slack.mention} hello")
    answer = await slack.wait_for(lambda s: s.thread("general", ts)[1:])
    assert answer[0].text == f"echo: {slack.mention} hello"
    assert answer[0].user == slack.bot_user_id


async def test_a_direct_message_comes_once_and_never_as_a_mention(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    ts = await slack.say("ben", dm=True, text=f"{slack.mention} hello")
    await slack.wait_for(lambda s: s.thread(s.dm_id("ben"), ts)[1:])
    assert [body["event"]["channel_type"] for body in bot.bodies] == ["im"]


async def test_a_reply_in_a_thread_names_its_root_and_the_roots_author(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    root = await slack.say("ann", "energy", "who knows?")
    await slack.say("ben", "energy", "I do", thread_ts=root)
    reply = await slack.wait_for(lambda _: bot.events("message")[1:])
    assert reply[0]["thread_ts"] == root
    assert reply[0]["parent_user_id"] == slack.people["ann"]


async def test_a_bot_is_told_of_its_own_post_and_bolt_drops_it(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    await bot.client.chat_postMessage(channel=slack.channels["general"], text="mine")
    await slack.wait_for(lambda s: s.deliveries and s.deliveries[-1].acked_at_s is not None)
    assert slack.deliveries[-1].payload["event"]["bot_id"] == slack.bot_id
    assert bot.bodies == []


async def test_nothing_comes_from_a_channel_without_the_bot(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    await slack.say("ann", "random", f"{slack.mention} hello")
    await slack.say("ann", "news", "hello")
    await slack.wait_for(lambda _: bot.bodies)
    assert [body["event"]["channel"] for body in bot.bodies] == [slack.channels["news"]]


async def test_only_subscribed_events_with_their_scope_are_sent() -> None:
    events = ["app_mention", "message.channels"]
    async with SlackStandIn(bot_events=events, scopes=["channels:history"]) as slack:
        bot = EchoBot(slack)
        async with socket_mode(bot.app, slack):
            ts = await slack.say("ann", "general", f"{slack.mention} hello")
            await slack.react("ann", "general", ts, "eyes")
            await slack.say("ann", "general", "done")
            await slack.wait_for(lambda _: len(bot.bodies) == 2)
        assert [event["text"] for event in bot.events("message")][1] == "done"
        assert {d.event_type for d in slack.deliveries} == {"message"}


async def test_an_edit_and_a_deletion_carry_both_versions(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    ts = await slack.say("ann", "general", "old")
    await slack.edit("ann", "general", ts, "new")
    await slack.delete("general", ts)
    await slack.wait_for(lambda _: len(bot.bodies) == 3)
    _, changed, deleted = bot.events("message")
    assert (changed["subtype"], changed["message"]["text"]) == ("message_changed", "new")
    assert changed["previous_message"]["text"] == "old"
    assert changed["message"]["edited"]["user"] == slack.people["ann"]
    assert changed["ts"] != changed["message"]["ts"] == ts
    assert (deleted["subtype"], deleted["deleted_ts"]) == ("message_deleted", ts)


async def test_a_root_with_replies_stays_as_a_tombstone(slack: SlackStandIn) -> None:
    root = await slack.say("ann", "general", "question")
    await slack.say("ben", "general", "answer", thread_ts=root)
    await slack.delete("general", root)
    assert [post.subtype for post in slack.thread("general", root)] == ["tombstone", None]


async def test_a_posted_file_comes_with_its_message(slack: SlackStandIn, bot: EchoBot) -> None:
    files = [("a.log", b"3 errors", None)]
    await slack.say("ann", "general", f"{slack.mention} read this", files=files)
    await slack.wait_for(lambda _: len(bot.bodies) == 2)
    mention, message = bot.events("app_mention")[0], bot.events("message")[0]
    assert message["subtype"] == "file_share"
    assert "subtype" not in mention
    assert mention["files"][0]["mimetype"] == "text/plain"


async def test_an_event_that_is_not_acknowledged_is_retried_three_times(
    slack: SlackStandIn, bot: EchoBot, clock: ManualClock
) -> None:
    ts = await slack.say("ann", "general", "hello")
    await slack.react("ben", "general", ts, "eyes")  # Bolt does not acknowledge the unknown.

    def attempts() -> list[Delivery]:
        return [d for d in slack.deliveries if d.event_type == "reaction_added"]

    start = clock.now()
    for sent, wait_s in ((1, 3.0), (2, 63.0), (3, 303.0)):
        await slack.wait_for(lambda _, sent=sent: len(attempts()) == sent)
        clock.advance(wait_s)
    await slack.wait_for(lambda _: len(attempts()) == 4)
    assert [delivery.sent_at_s - start for delivery in attempts()] == [0.0, 3.0, 66.0, 369.0]
    assert [delivery.attempt for delivery in attempts()] == [0, 1, 2, 3]
    assert len({delivery.event_id for delivery in attempts()}) == 1
    assert len({delivery.envelope_id for delivery in attempts()}) == 4


async def test_a_redelivery_has_the_same_event_id_and_bolt_handles_it_again(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    await slack.say("ann", dm=True, text="hello")
    await slack.wait_for(lambda _: bot.bodies)
    await slack.redeliver(bot.bodies[0]["event_id"], attempt=1, reason="timeout")
    await slack.wait_for(lambda s: len(s.posts(s.dm_id("ann"))) == 3)
    assert bot.bodies[0]["event_id"] == bot.bodies[1]["event_id"]
    assert bot.retries == [("0", ""), ("1", "timeout")]


async def test_a_redelivery_can_use_the_same_envelope(slack: SlackStandIn, bot: EchoBot) -> None:
    await slack.say("ann", "general", "hello")
    await slack.wait_for(lambda s: s.deliveries and s.deliveries[0].acked_at_s)
    first = slack.deliveries[0]
    again = await slack.redeliver(attempt=0, same_envelope=True)
    assert (again.envelope_id, again.attempt) == (first.envelope_id, 0)
    assert again.acked_at_s is not None


async def test_an_event_without_a_socket_comes_when_the_app_is_back(
    slack: SlackStandIn, clock: ManualClock
) -> None:
    await slack.say("ann", dm=True, text="is anyone there?")
    await slack.wait_for(lambda s: len(s.deliveries) == 2)
    assert not any(delivery.reached_socket for delivery in slack.deliveries)
    bot = EchoBot(slack)
    async with socket_mode(bot.app, slack):
        clock.advance(60)
        await slack.wait_for(lambda _: bot.bodies)
    assert bot.retries == [("2", "timeout")]


async def test_a_disconnect_notice_makes_the_app_take_a_new_socket(
    slack: SlackStandIn, bot: EchoBot
) -> None:
    await slack.disconnect("refresh_requested")
    assert slack.open_sockets == 0
    await slack.connected()
    await slack.say("ann", dm=True, text="still there?")
    await slack.wait_for(lambda _: bot.bodies)


async def test_two_sockets_share_the_payloads(slack: SlackStandIn) -> None:
    bots = [EchoBot(slack), EchoBot(slack)]
    async with socket_mode(bots[0].app, slack), socket_mode(bots[1].app, slack):
        await slack.wait_for(lambda s: s.open_sockets == 2)
        for number in range(8):
            await slack.say("ann", "general", str(number))
        await slack.wait_for(lambda _: sum(len(bot.bodies) for bot in bots) == 8)


async def test_a_socket_ticket_is_good_for_one_connection(slack: SlackStandIn) -> None:
    headers = {"Authorization": f"Bearer {slack.app_token}"}
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{slack.api_url}apps.connections.open", headers=headers) as answer:
            url = (await answer.json())["url"]
        async with session.ws_connect(url) as ws:
            hello = await ws.receive_json()
            assert (hello["type"], hello["num_connections"]) == ("hello", 1)
            assert hello["connection_info"]["app_id"] == slack.app.id
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url)


async def test_the_eleventh_socket_is_sent_away(slack: SlackStandIn) -> None:
    frames: list[Body] = []
    headers = {"Authorization": f"Bearer {slack.app_token}"}
    async with aiohttp.ClientSession(headers=headers) as session, AsyncExitStack() as sockets:
        for _ in range(11):
            async with session.post(f"{slack.api_url}apps.connections.open") as answer:
                url = (await answer.json())["url"]
            ws = await sockets.enter_async_context(session.ws_connect(url))
            frames.append(await ws.receive_json())
        assert [frame["type"] for frame in frames] == ["hello"] * 10 + ["disconnect"]
        assert frames[10]["reason"] == "too_many_websockets"
        assert slack.open_sockets == 10


async def test_a_bot_token_opens_no_socket(slack: SlackStandIn) -> None:
    call = web_client(slack).apps_connections_open(app_token=slack.bot_token)
    assert await error_of(call) == "not_allowed_token_type"


async def test_an_invitation_tells_the_bot_that_it_joined(slack: SlackStandIn) -> None:
    await slack.invite("ann", "random", "bot")
    delivery = await slack.wait_for(lambda s: s.deliveries)
    event = delivery[0].payload["event"]
    assert (event["type"], event["user"]) == ("member_joined_channel", slack.bot_user_id)
    assert event["inviter"] == slack.people["ann"]


async def test_stop_names_the_running_streams(slack: SlackStandIn) -> None:
    client = web_client(slack)
    dm = slack.dm_id("ann")
    ts = await slack.say("ann", dm=True, text="go")
    stream = await client.chat_startStream(channel=dm, thread_ts=ts, markdown_text="one")
    await slack.stop_session("ann", dm, ts)
    stopped = await slack.wait_for(
        lambda s: [d for d in s.deliveries if d.event_type == "agent_session_stopped"]
    )
    assert stopped[0].payload["event"]["streaming_message_ts"] == [stream["ts"]]
    append = client.chat_appendStream(channel=dm, ts=stream["ts"], markdown_text="two")
    assert await error_of(append) == "stopped_by_user"


async def test_a_stranger_is_told_by_another_team(slack: SlackStandIn) -> None:
    await slack.say("stranger", "shared", "hello from elsewhere")
    delivery = await slack.wait_for(lambda s: s.deliveries)
    payload = delivery[0].payload
    assert payload["is_ext_shared_channel"] is True
    assert payload["team_id"] == slack.team_id != payload["event"]["user_team"]


async def test_revoked_tokens_are_told_of(slack: SlackStandIn) -> None:
    slack.revoke_tokens()
    deliveries = await slack.wait_for(lambda s: s.deliveries)
    assert deliveries[0].payload["event"]["tokens"] == {"oauth": [], "bot": [slack.bot_user_id]}


async def test_an_unknown_event_can_be_sent(slack: SlackStandIn, bot: EchoBot) -> None:
    slack.send_event({"type": "moon_landing", "event_ts": "1.000001"})
    deliveries = await slack.wait_for(lambda s: s.deliveries)
    assert deliveries[0].event_type == "moon_landing"
    assert deliveries[0].reached_socket


async def test_renaming_and_archiving_are_told(slack: SlackStandIn) -> None:
    await slack.rename_channel("news", "headlines")
    await slack.archive("ann", "energy")
    await slack.wait_for(lambda s: {d.event_type for d in s.deliveries} == BOTH)
    renamed = slack.deliveries[0].payload["event"]["channel"]
    assert (renamed["id"], renamed["name"]) == (slack.channels["news"], "headlines")
    assert slack.state.channels[slack.channels["energy"]].is_archived


async def test_a_cut_connection_is_taken_up_again(slack: SlackStandIn, clock: ManualClock) -> None:
    bot = EchoBot(slack)
    async with socket_mode(bot.app, slack, ping_interval_s=0.2):
        slack.cut_sockets()
        await slack.wait_for(lambda s: s.open_sockets == 0)
        await slack.connected()
        await slack.say("ann", dm=True, text="back?")
        await slack.wait_for(lambda _: bot.bodies)
