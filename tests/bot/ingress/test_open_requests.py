"""What became of unanswered requests while nobody listened is made up for."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from agent_core.ids import SessionId, TurnId
from agent_core.sessions import StoredTurn
from bot.ingress.missed import MAX_REQUESTS
from bot.words import BOT
from tests.bot.ingress.world import HOUR_S, Outside, bot_in, outside_world




async def ask(outside: Outside, text: str, *, begun: bool = True, **more: Any) -> str:
    """A request that a bot has taken before it went away; its `ts`."""
    ts = await outside.mention(text, **more)
    await catch_up_once(outside)
    key = outside.key("general", ts)
    [message] = [each for each in outside.front.messages if each.key == key]
    turn = StoredTurn(
        id=TurnId(f"turn:{key}"),
        session=message.session,
        seq=1,
        status="running" if begun else "queued",
        generation=1,
        inbound=message,
        outcome=None,
        answer=None,
    )
    outside.sessions.turns.append(turn)
    if begun:
        outside.front.begun.add(key)
    outside.clock.advance(HOUR_S)
    return ts


def told_privately(outside: Outside) -> list[str]:
    """What only one person sees."""
    return [post.text for post in outside.slack.posts("general") if post.ephemeral_to is not None]


@pytest.mark.proves("edits.deleted")
@pytest.mark.parametrize("has_replies", [True, False])
@pytest.mark.parametrize("begun", [True, False])
async def test_a_request_that_is_gone_is_withdrawn_once(
    outside: Outside, has_replies: bool, begun: bool
) -> None:
    ts = await ask(outside, "what is new?", begun=begun)
    if has_replies:
        await outside.slack.say("ben", "general", "Well?", thread_ts=ts)
    await outside.slack.delete("general", ts)
    await catch_up_once(outside)
    await catch_up_once(outside)

    assert outside.front.withdrawn == [outside.key("general", ts)]
    assert outside.ledger.unfinished == set()


@pytest.mark.proves("edits.deleted")
async def test_a_reply_that_is_gone_is_withdrawn_and_the_others_are_not(outside: Outside) -> None:
    root = await ask(outside, "what is new?")
    gone = await ask(outside, "and newer?", thread_ts=root)
    await ask(outside, "and newest?", thread_ts=root)
    await outside.slack.delete("general", gone)
    await catch_up_once(outside)

    assert outside.front.withdrawn == [outside.key("general", gone)]


@pytest.mark.proves("edits.deleted")
async def test_what_was_said_after_a_request_waits_until_it_is_known_to_be_gone(
    outside: Outside,
) -> None:
    slack = outside.slack
    ts = await ask(outside, "what is new?")
    await slack.say("ben", "general", "Well?", thread_ts=ts)
    gone = await ask(outside, "never mind", thread_ts=ts)
    heard = list(outside.front.texts)
    await slack.delete("general", gone)
    await slack.say("ann", "general", "and what is newest?", thread_ts=ts)
    await outside.mention("elsewhere")
    outside.front.may_end.clear()
    slack.fail("conversations.replies", hang_s=60.0)
    async with asyncio.timeout(30), bot_in(outside, head_start_s=0.01) as bot:
        running = asyncio.create_task(bot.catch_up.run())
        await until_given(outside, len(heard) + 1)
        assert outside.front.texts == [*heard, "elsewhere"]
        assert outside.front.withdrawn == []
        outside.clock.advance(60)
        outside.front.may_end.set()
        assert await running

    assert outside.front.withdrawn == [outside.key("general", gone)]
    assert outside.front.texts == [*heard, "elsewhere", "and what is newest?"]


@pytest.mark.proves("edits.before")
async def test_a_request_that_was_edited_before_it_began_has_its_new_text(
    outside: Outside,
) -> None:
    ts = await ask(outside, "what is new?", begun=False)
    await outside.slack.edit("ann", "general", ts, f"{outside.slack.mention} what is newer?")
    await catch_up_once(outside)

    assert outside.front.texts == ["what is newer?"]
    assert told_privately(outside) == []


@pytest.mark.proves("edits.running")
async def test_the_author_of_a_request_that_was_edited_too_late_is_told_once(
    outside: Outside,
) -> None:
    ts = await ask(outside, "what is new?")
    await outside.slack.edit("ann", "general", ts, "what is newer?")
    await catch_up_once(outside)
    await catch_up_once(outside)

    assert outside.front.texts == ["what is new?"]
    assert told_privately(outside) == [BOT.say("en", "ingress-begun")]






@pytest.mark.parametrize("error", ["not_in_channel", "channel_not_found", "missing_scope"])
async def test_a_post_that_may_not_be_read_is_not_taken_for_a_deleted_one(
    outside: Outside, error: str
) -> None:
    await ask(outside, "what is new?")
    outside.slack.fail("conversations.replies", error=error)
    await catch_up_once(outside)

    assert outside.front.withdrawn == []




async def test_a_post_that_cannot_be_read_for_now_is_looked_at_by_another_run(
    outside: Outside,
) -> None:
    ts = await ask(outside, "what is new?")
    await outside.slack.delete("general", ts)
    outside.slack.fail("conversations.replies", status=503, times=20)
    await catch_up_once(outside, is_done=False)
    assert outside.front.withdrawn == []

    outside.slack.heal()
    await catch_up_once(outside)
    assert outside.front.withdrawn == [outside.key("general", ts)]


async def test_only_so_many_posts_are_looked_at_and_only_those_that_began_a_turn(
    outside: Outside,
) -> None:
    await ask(outside, "what is new?")
    [turn] = outside.sessions.turns
    scheduled = replace(turn, inbound=replace(turn.inbound, key="every-morning", scheduled=True))
    foreign = replace(turn, session=SessionId(f"TOTHER:{turn.session.partition(':')[2]}"))
    outside.sessions.turns[:] = [scheduled, foreign, *[turn] * (MAX_REQUESTS + 5)]
    before = len(outside.slack.calls)
    await catch_up_once(outside)

    calls = outside.slack.calls[before:]
    reads = [call for call in calls if "latest" in call.args and call.method.endswith("replies")]
    assert len(reads) == MAX_REQUESTS - 1
