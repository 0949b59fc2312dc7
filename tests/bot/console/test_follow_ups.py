"""A question below a report is asked by whoever presses it first, as if they had written it."""

import asyncio
import hashlib
from pathlib import Path

from agent_core.runtime import StoredTurn
from agent_core.testing.models import ScriptedModel
from bot.clicks import FollowUpClick, Refused
from bot.threads import user_id
from bot.words import BOT
from tests.bot.console.world import ConsoleWorld, console_world
from tests.bot.gestures import gesture_of, person_of

QUESTION = "How old is <it> & why?"
BEFORE = BOT.say("en", "live-picked-before")


async def press(world: ConsoleWorld, user: str, at: int = 1) -> str:
    """Somebody presses the question; what they alone are told, if anything."""
    click = FollowUpClick(question=QUESTION)
    gesture = gesture_of(world.slack, user, click, world.thread, pressed_ts=f"{at}.000001")
    try:
        await world.acts.follow_up(click, gesture, person_of(world.slack, user))
    except Refused as refused:
        return refused.text("en")
    return ""


def said(world: ConsoleWorld) -> list[str]:
    """What the bot wrote for all."""
    posts = world.slack.thread("general", world.thread.root_ts)[1:]
    return [post.words for post in posts if post.ephemeral_to is None]


async def answered(world: ConsoleWorld) -> StoredTurn:
    """The turn that the question began, and no other one has begun; it has ended."""
    await world.ingress.under_way.settle()
    [turn] = await world.runtime.sessions.turns_of(world.session)
    async for _, event in world.runtime.events(turn):
        if event.kind == "turn_finished":
            break
    return await world.runtime.turn(turn)


async def test_a_question_is_asked_once_in_the_name_of_who_is_first(tmp_path: Path) -> None:
    async with console_world(tmp_path, ScriptedModel(["Ten years."])) as world:
        async with asyncio.TaskGroup() as group:
            both = [group.create_task(press(world, "ben", at)) for at in (1, 2)]
        assert sorted(each.result() for each in both) == ["", BEFORE]
        assert await press(world, "ann", 3) == BEFORE
        turn = await answered(world)
        assert said(world) == ["Ben Nevis asks:\n&gt; How old is &lt;it&gt; &amp; why?"]
        assert (turn.inbound.text, turn.inbound.author_name) == (QUESTION, "Ben Nevis")
        assert turn.inbound.asker == user_id(world.slack.team_id, world.slack.user_id("ben"))


async def test_who_may_not_write_in_the_thread_asks_nothing_and_takes_it_from_nobody(
    tmp_path: Path,
) -> None:
    async with console_world(tmp_path, ScriptedModel(["Ten years."])) as world:
        for user in ("guest", "stranger"):
            assert await press(world, user) == BOT.say("en", "live-only-look")
        assert said(world) == []
        assert await press(world, "ben") == ""
        assert (await answered(world)).inbound.author_name == "Ben Nevis"


async def test_what_a_dead_process_had_begun_to_ask_is_asked_once(tmp_path: Path) -> None:
    async with console_world(tmp_path, ScriptedModel(["Ten years."])) as world:
        digest = hashlib.sha256(QUESTION.encode()).hexdigest()[:16]
        thread = world.thread
        key = f"follow:{thread.team}:{thread.channel}:5.000005:{digest}"
        await world.outlive(press(world, "ben"), key, "Ben Nevis asks")
        assert (await answered(world)).inbound.text == QUESTION
        assert len(said(world)) == 1
        assert await world.runtime.ledger.unsettled() == []
