"""A question below a report is asked by whoever presses it first, as if they had written it."""

import asyncio
from pathlib import Path

from agent_core.runtime import StoredTurn
from agent_core.testing.models import ScriptedModel
from bot.ingress import Press
from bot.threads import user_id
from bot.words import BOT
from tests.bot.console.world import ConsoleWorld, console_world

QUESTION = "How old is <it> & why?"
BEFORE = BOT.say("en", "live-picked-before")


def pressed(world: ConsoleWorld, user: str, at: int = 1) -> Press:
    return Press(
        team=world.slack.team_id,
        user=world.slack.user_id(user),
        channel=world.thread.channel,
        thread_ts=world.thread.root_ts,
        message_ts="5.000005",
        action_id="follow.0",
        action_ts=f"{at}.000001",
        value=QUESTION,
        trigger_id="",
    )


def said(world: ConsoleWorld) -> list[str]:
    """What the bot wrote for all."""
    posts = world.slack.thread("general", world.thread.root_ts)[1:]
    return [post.words for post in posts if post.ephemeral_to is None]


def told_alone(world: ConsoleWorld, user: str) -> list[str]:
    person = world.slack.user_id(user)
    return [post.text for post in world.slack.state.ephemerals if post.ephemeral_to == person]


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
            for at in (1, 2):
                group.create_task(world.acts.press(pressed(world, "ben", at)))
        await world.acts.press(pressed(world, "ann", 3))
        turn = await answered(world)
        assert said(world) == ["ben asks:\n&gt; How old is &lt;it&gt; &amp; why?"]
        assert (turn.inbound.text, turn.inbound.author_name) == (QUESTION, "ben")
        assert turn.inbound.asker == user_id(world.slack.team_id, world.slack.user_id("ben"))
        assert [told_alone(world, user) for user in ("ben", "ann")] == [[BEFORE], [BEFORE]]


async def test_who_may_not_write_in_the_thread_asks_nothing_and_takes_it_from_nobody(
    tmp_path: Path,
) -> None:
    async with console_world(tmp_path, ScriptedModel(["Ten years."])) as world:
        for user in ("guest", "stranger"):
            await world.acts.press(pressed(world, user))
        assert said(world) == []
        assert told_alone(world, "guest") == [BOT.say("en", "live-only-look")]
        await world.acts.press(pressed(world, "ben"))
        assert (await answered(world)).inbound.author_name == "ben"


async def test_what_a_dead_process_had_begun_to_ask_is_asked_once(tmp_path: Path) -> None:
    async with console_world(tmp_path, ScriptedModel(["Ten years."])) as world:
        press = pressed(world, "ben")
        key = f"follow:{press.team}:{press.channel}:{press.message_ts}:follow.0"
        await world.outlive(world.acts.press(press), key, "ben asks")
        assert (await answered(world)).inbound.text == QUESTION
        assert len(said(world)) == 1
        assert await world.runtime.ledger.unsettled() == []
