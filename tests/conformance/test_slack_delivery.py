"""Slack's rules on events and sockets: which come, in what shape, how often (SLACK.md 2)."""

from collections.abc import Callable
from contextlib import AsyncExitStack

import aiohttp
import pytest

from tests.bot.sandbox.slack.refusals import error_of
from tests.conformance.slack_app import RecordingApp, Web, in_socket_mode, web_client
from tests.conformance.slack_team import Json, Team


async def open_ticket(team: Team, session: aiohttp.ClientSession) -> str:
    headers = {"Authorization": f"Bearer {team.app_token}"}
    url = f"{team.api_url}apps.connections.open"
    async with session.post(url, headers=headers) as answer:
        return str((await answer.json())["url"])


async def test_a_mention_comes_as_app_mention_and_as_message(team: Team, app: RecordingApp) -> None:
    # 2.5: the same ts, two event ids.
    text = f"{team.mention} a &lt; b &amp; <@{team.people['ben']}>"
    ts = await team.say("ann", "general", text)
    (mention,), (message,) = await app.gets("app_mention"), await app.gets("message")
    assert mention["ts"] == message["ts"] == ts
    assert mention["text"] == text
    assert "channel_type" not in mention
    assert message["channel_type"] == "channel"
    assert mention["client_msg_id"] == message["client_msg_id"]
    leaves = message["blocks"][0]["elements"][0]["elements"]
    assert {"type": "text", "text": " a < b & "} in leaves
    assert len({body["event_id"] for body in app.bodies}) == 2
    assert app.bodies[0]["authorizations"][0]["user_id"] == team.bot_user_id


async def test_a_direct_message_comes_once_and_never_as_a_mention(
    team: Team, app: RecordingApp
) -> None:
    # 2.5
    await team.say("ben", dm=True, text=f"{team.mention} hello")
    await app.gets("message")
    await team.say("ben", "general", "after")
    messages = await app.gets("message", 2)
    assert [message["channel_type"] for message in messages] == ["im", "channel"]
    assert messages[0]["assistant_thread"]["action_token"]
    assert app.events("app_mention") == []


async def test_a_reply_in_a_thread_names_its_root_and_the_roots_author(
    team: Team, app: RecordingApp
) -> None:
    # 2.5
    root = await team.say("ann", "energy", "who knows?")
    await app.gets("message")
    await team.say("ben", "energy", "I do", thread_ts=root)
    reply = (await app.gets("message", 2))[1]
    assert (reply["thread_ts"], reply["parent_user_id"]) == (root, team.people["ann"])


async def test_a_broadcast_reply_brings_its_root(team: Team, app: RecordingApp) -> None:
    # 2.5; soxtoby/SlackNet#69 for the mention.
    root = await team.say("ann", "energy", "who knows?")
    await app.gets("message")
    await team.say("ben", "energy", f"{team.mention}", thread_ts=root, reply_broadcast=True)
    reply, (mention,) = (await app.gets("message", 2))[1], await app.gets("app_mention")
    for event in (reply, mention):
        assert (event["subtype"], event["root"]["ts"]) == ("thread_broadcast", root)


async def test_nothing_comes_from_a_channel_without_the_bot(team: Team, app: RecordingApp) -> None:
    # 2.5
    await team.say("ann", "random", f"{team.mention} hello")
    await team.say("ann", "news", "hello")
    assert (await app.gets("message"))[0]["channel"] == team.channels["news"]
    assert app.events("app_mention") == []


async def test_only_subscribed_events_with_their_scope_come(
    new_team: Callable[..., Team],
) -> None:
    # 1.3
    events = ["app_mention", "message.channels"]
    async with new_team(bot_events=events, scopes=["channels:history"]) as team:
        app = RecordingApp(team)
        async with in_socket_mode(app.bolt, team):
            ts = await team.say("ann", "general", f"{team.mention} hello")
            await team.react("ann", "general", ts, "eyes")
            await team.say("ann", "general", "done")
            await app.gets("message", 2)
        assert {event["type"] for event in (body["event"] for body in app.bodies)} == {"message"}


async def test_an_edit_and_a_deletion_carry_both_versions(team: Team, app: RecordingApp) -> None:
    # 2.5
    ts = await team.say("ann", "general", "old")
    await app.gets("message")
    await team.edit("ann", "general", ts, "new")
    await app.gets("message", 2)
    await team.delete("general", ts)
    _, changed, deleted = await app.gets("message", 3)
    assert (changed["subtype"], changed["message"]["text"]) == ("message_changed", "new")
    assert changed["previous_message"]["text"] == "old"
    assert changed["message"]["edited"]["user"] == team.people["ann"]
    assert changed["ts"] != changed["message"]["ts"] == ts
    assert (deleted["subtype"], deleted["deleted_ts"]) == ("message_deleted", ts)


@pytest.mark.parametrize("was_mentioned", [False, True], ids=["added by it", "there before"])
async def test_an_edited_mention_comes_once_more_and_says_that_it_is_edited(
    team: Team, app: RecordingApp, was_mentioned: bool
) -> None:
    # SLACK.md is silent; slack-go/slack#1256, inkeep/agents#2284, chenhg5/cc-connect#1579.
    ts = await team.say("ann", "general", f"{team.mention} old" if was_mentioned else "old")
    await app.gets("app_mention", int(was_mentioned))
    await team.edit("ann", "general", ts, f"{team.mention} new")
    mentions = await app.gets("app_mention", 1 + was_mentioned)
    assert [mention["ts"] for mention in mentions] == [ts] * (1 + was_mentioned)
    assert mentions[-1]["edited"]["user"] == team.people["ann"]
    assert "edited" not in mentions[0] or not was_mentioned


async def test_an_edit_that_takes_the_mention_away_is_no_mention(
    team: Team, app: RecordingApp
) -> None:
    ts = await team.say("ann", "general", f"{team.mention} old")
    await app.gets("app_mention")
    await team.edit("ann", "general", ts, "new")
    await app.gets("message", 2)
    await team.say("ann", "general", "after")
    await app.gets("message", 3)
    assert len(app.events("app_mention")) == 1


async def test_a_root_with_replies_stays_as_a_tombstone(team: Team, web: Web) -> None:
    root = await team.say("ann", "general", "question")
    await team.say("ben", "general", "answer", thread_ts=root)
    await team.delete("general", root)
    thread = await web.conversations_replies(channel=team.channels["general"], ts=root)
    assert [message.get("subtype") for message in thread["messages"]] == ["tombstone", None]


async def test_a_posted_file_comes_with_its_message(team: Team, app: RecordingApp) -> None:
    # 2.5: the mention has no subtype.
    files = [("a.log", b"3 errors", None)]
    await team.say("ann", "general", f"{team.mention} read this", files=files)
    (mention,), (message,) = await app.gets("app_mention"), await app.gets("message")
    assert message["subtype"] == "file_share"
    assert "subtype" not in mention
    assert mention["files"][0]["mimetype"] == "text/plain"
    (shared,) = await app.gets("file_shared")
    assert shared["file_id"] == mention["files"][0]["id"]


async def test_an_event_that_is_not_acknowledged_is_retried_three_times(
    team: Team, app: RecordingApp
) -> None:
    # 2.3: at once, after a minute, after five; one event id, counted retries.
    app.is_silent = True
    await team.say("ann", "general", "hello")
    await app.gets("message")
    for count, wait_s in enumerate((3, 63, 303), start=2):
        assert len(app.events("message")) == count - 1
        team.pass_time(wait_s)
        await app.gets("message", count)
    team.pass_time(10_000)
    app.is_silent = False
    await team.say("ann", "general", "after")
    await app.gets("message", 5)
    assert len({body["event_id"] for body in app.bodies}) == 2
    assert app.retries[:4] == [("0", ""), ("1", "timeout"), ("2", "timeout"), ("3", "timeout")]


async def test_an_event_without_a_socket_comes_when_the_app_is_back(team: Team) -> None:
    # 2.3
    await team.say("ann", dm=True, text="is anyone there?")
    app = RecordingApp(team)
    async with in_socket_mode(app.bolt, team):
        team.pass_time(60)
        (message,) = await app.gets("message")
    assert message["text"] == "is anyone there?"


async def test_two_sockets_share_the_payloads(team: Team) -> None:
    # 2.1
    apps = [RecordingApp(team), RecordingApp(team)]
    async with AsyncExitStack() as sockets:
        for app in apps:
            await sockets.enter_async_context(in_socket_mode(app.bolt, team))
        for number in range(8):
            await team.say("ann", "general", str(number))
        await team.until(lambda: sum(len(app.bodies) for app in apps) == 8)


async def test_a_socket_ticket_is_good_for_one_connection(team: Team) -> None:
    # 2.1
    async with aiohttp.ClientSession() as session:
        url = await open_ticket(team, session)
        async with session.ws_connect(url) as ws:
            hello: Json = await ws.receive_json()
            assert (hello["type"], hello["num_connections"]) == ("hello", 1)
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(url)


async def test_the_eleventh_socket_is_sent_away(team: Team) -> None:
    # 2.1, 2.2
    frames: list[Json] = []
    async with aiohttp.ClientSession() as session, AsyncExitStack() as sockets:
        for _ in range(11):
            connecting = session.ws_connect(await open_ticket(team, session))
            frames.append(await (await sockets.enter_async_context(connecting)).receive_json())
    assert [frame["type"] for frame in frames] == ["hello"] * 10 + ["disconnect"]
    assert frames[10]["reason"] == "too_many_websockets"


async def test_a_socket_is_opened_with_the_apps_token_alone(team: Team) -> None:
    # 2.1
    call = web_client(team).apps_connections_open(app_token=team.bot_token)
    assert await error_of(call) == "not_allowed_token_type"


async def test_an_invitation_tells_the_bot_that_it_joined(team: Team, app: RecordingApp) -> None:
    # 2.5: the one event about itself that Bolt lets through.
    await team.invite("ann", "random", "bot")
    (event,) = await app.gets("member_joined_channel")
    assert (event["user"], event["inviter"]) == (team.bot_user_id, team.people["ann"])
    assert event["channel_type"] == "C"


async def test_a_stranger_is_told_by_another_team(team: Team, app: RecordingApp) -> None:
    # 2.5
    await team.say("stranger", "shared", "hello from elsewhere")
    (message,) = await app.gets("message")
    assert app.bodies[0]["is_ext_shared_channel"] is True
    assert app.bodies[0]["team_id"] == team.team_id != message["user_team"]


async def test_revoked_tokens_are_told_of(team: Team, app: RecordingApp) -> None:
    # 2.5
    await app.web.auth_test()
    app.is_silent = True  # Bolt cannot authorise an event for tokens that are gone.
    team.revoke_tokens()
    (event,) = await app.gets("tokens_revoked")
    assert event["tokens"] == {"oauth": [], "bot": [team.bot_user_id]}


async def test_renaming_and_archiving_are_told(team: Team, app: RecordingApp) -> None:
    # 2.5
    await team.rename_channel("news", "headlines")
    await team.archive("ann", "energy")
    (renamed,) = await app.gets("channel_rename")
    (archived,) = await app.gets("channel_archive")
    channel = renamed["channel"]
    assert (channel["id"], channel["name"]) == (team.channels["news"], "headlines")
    assert archived["channel"] == team.channels["energy"]
