"""From a payload of Slack to the front door."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest

from agent_core.messages import Attachment
from bot.ingress import create_app
from bot.slack_api import web_client
from tests.bot.ingress.world import World, connected_world, recorded_mention, thread_at


async def test_a_mention_is_handed_over_once_although_it_comes_in_two_shapes(world: World) -> None:
    ts = await world.say("ann", "general", f"{world.mention} status &amp; more")
    await world.settle()

    assert {one.event_type for one in world.slack.deliveries} == {"app_mention", "message"}
    (message,) = world.front.messages
    team, channel = world.slack.team_id, world.slack.channels["general"]
    assert message.session == f"{team}:{channel}:{ts}"
    assert message.places == (channel, f"{team}:{channel}")
    assert message.key == f"{team}:{channel}:{ts}"
    assert message.asker == f"{team}:{world.slack.people['ann']}"
    assert (message.author_name, message.text) == ("ann", "status & more")
    assert message.received_at == datetime.fromtimestamp(float(ts), UTC)
    assert message.background == ""
    assert world.ledger.settled == [message.key]


@pytest.mark.proves("ledger.before_ack")
async def test_nothing_is_acknowledged_before_it_is_in_the_ledger(world: World) -> None:
    world.ledger.may_go_on.clear()
    await world.say("ann", "general", f"{world.mention} hi")
    await world.ledger.asked.wait()

    assert all(one.acked_at_s is None for one in world.slack.deliveries)
    assert world.front.messages == []

    world.ledger.may_go_on.set()
    await world.settle()
    assert world.front.texts == ["hi"]


@pytest.mark.proves("ledger.retry_used")
async def test_a_payload_that_could_not_be_recorded_is_taken_when_it_comes_again(
    world: World,
) -> None:
    world.ledger.failures = 2
    await world.say("ann", "general", f"{world.mention} hi")
    async with asyncio.timeout(10):
        await world.ledger.failed_enough()
    assert world.front.messages == []

    await world.slack.redeliver(attempt=1)
    await world.front.got_one.wait()
    assert world.front.texts == ["hi"]






async def test_a_direct_message_needs_no_mention(world: World) -> None:
    ts = await world.say("ann", dm=True, text="hello")
    await world.say("ann", dm=True, text="and this", thread_ts=ts)
    await world.settle()

    assert world.front.texts == ["hello", "and this"]
    assert len({message.session for message in world.front.messages}) == 1


async def test_a_reply_in_the_bots_thread_needs_no_mention(world: World) -> None:
    ts = await world.say("ann", "general", f"{world.mention} research")
    await world.settle()
    await world.say("ben", "general", "make it shorter", thread_ts=ts)
    await world.settle()

    assert world.front.texts == ["research", "make it shorter"]
    assert world.front.messages[1].asker.endswith(world.slack.people["ben"])


async def test_a_reply_to_somebody_else_is_not_for_the_bot(world: World) -> None:
    ts = await world.say("ann", "general", f"{world.mention} research")
    await world.settle()
    cleo = world.slack.people["cleo"]
    await world.say("ben", "general", f"<@{cleo}> look at this", thread_ts=ts)
    await world.settle()

    assert world.front.texts == ["research"]




async def test_in_a_thread_of_people_only_a_mention_is_for_the_bot(world: World) -> None:
    ts = await world.say("ann", "general", "lunch?")
    await world.say("ben", "general", f"{world.mention} where?", thread_ts=ts)
    await world.settle()
    await world.say("ann", "general", "I meant Ben", thread_ts=ts)
    await world.settle()

    assert world.front.texts == ["where?"]






@pytest.mark.proves("ledger.order")
async def test_posts_of_a_thread_stay_in_order_although_a_file_takes_long(world: World) -> None:
    world.files.may_go_on.clear()
    files = [("a.log", b"12345", "text/plain")]
    ts = await world.say("ann", dm=True, text="first", files=files)
    await world.files.asked.wait()
    await world.say("ann", dm=True, text="second", thread_ts=ts)
    await world.say("ben", dm=True, text="elsewhere")
    await world.slack.wait_for(lambda _: len(world.ledger.bodies) == 3)
    await world.front.got_one.wait()
    assert world.front.texts == ["elsewhere"]

    world.files.may_go_on.set()
    await world.settle()
    assert world.front.texts == ["elsewhere", "first", "second"]




async def test_the_bot_answers_neither_itself_nor_other_bots(world: World) -> None:
    await world.say("robot", "general", f"{world.mention} run X")
    ts = await world.say("ann", dm=True, text="hello")
    await world.settle()
    thread = thread_at(world, ts, world.slack.dm_id("ann"))
    await world.api.post(thread, f"{world.mention} hello myself", op_id="op1")
    await world.settle()

    assert world.front.texts == ["hello"]


async def test_events_that_nobody_handles_are_acknowledged(world: World) -> None:
    ts = await world.say("ann", "general", "nothing")
    await world.slack.react("ann", "general", ts, "tada")
    await world.slack.open_home("ann")

    await world.settle("reaction_added", "app_home_opened")
    assert world.front.messages == []


@pytest.mark.parametrize(
    ("user", "channel", "sentence"),
    [("guest", "general", "guest"), ("stranger", "shared", "another one")],
)
async def test_who_may_not_is_told_why_once_and_alone(
    world: World, user: str, channel: str, sentence: str
) -> None:
    await world.say(user, channel, f"{world.mention} do it")
    await world.settle()
    await world.slack.redeliver()
    await world.settle()

    assert world.front.messages == []
    (told,) = world.told(user)
    assert sentence in told


async def test_who_may_not_and_did_not_mention_the_bot_hears_nothing(world: World) -> None:
    ts = await world.say("ann", "general", f"{world.mention} research")
    await world.settle()
    await world.say("guest", "general", "me too", thread_ts=ts)
    await world.settle()

    assert world.front.texts == ["research"]
    assert world.told("guest") == []


@pytest.mark.parametrize("setting", ["teams", "channels", "users"])
async def test_an_empty_list_denies_everybody(setting: str) -> None:
    lists: dict[str, Any] = {setting: frozenset[str]()}
    async with connected_world(**lists) as world:
        await world.say("ann", "general", f"{world.mention} hi")
        await world.say("ann", dm=True, text="hi")
        await world.settle()

        assert world.front.messages == []
        assert world.ledger.unfinished == set()




async def test_a_sign_is_shown_before_the_files_are_fetched(world: World) -> None:
    world.files.may_go_on.clear()
    files = [("a.log", b"12345", "text/plain")]
    await world.say("ann", "general", f"{world.mention} read this", files=files)

    await world.slack.wait_for(lambda _: world.signs_shown() == ["processing"])
    assert world.front.messages == []
    world.files.may_go_on.set()
    await world.settle()


@pytest.mark.proves("inbox.seen")
async def test_a_post_that_waits_behind_another_gets_a_reaction(world: World) -> None:
    world.files.may_go_on.clear()
    files = [("a.log", b"12345", "text/plain")]
    ts = await world.say("ann", dm=True, text="first", files=files)
    await world.files.asked.wait()
    second = await world.say("ann", dm=True, text="second", thread_ts=ts)

    await world.slack.wait_for(lambda _: world.signs_shown() == ["processing", "eyes"])
    reacted = world.slack.find(world.slack.dm_id("ann"), second).reactions
    assert [reaction.name for reaction in reacted] == ["eyes"]
    world.files.may_go_on.set()
    await world.settle()




async def test_bare_payloads_that_bolt_cannot_read_are_acknowledged(world: World) -> None:
    app = create_app(web_client("xoxb-1", base_url=world.slack.api_url), world.identity)
    for body in (
        {"type": "app_rate_limited", "team_id": world.identity.team},
        {"type": "event_callback", "team_id": world.identity.team, "event": None},
        {"type": "event_callback", "team_id": world.identity.team},
    ):
        answer = await app.async_dispatch(AsyncBoltRequest(mode="socket_mode", body=body))
        assert answer.status == 200


