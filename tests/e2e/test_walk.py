"""What a teammate read in the thread, as it should read."""

import pytest

from bot.sandbox.model import Text, ToolUse
from tests.e2e.world import TURN_S, World

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUESTION = ToolUse(
    name="ask_user",
    input={"question": "Which quarter do you mean?", "options": ["Q1 2026", "Q2 2026"]},
)
ASKED = "Which quarter do you mean?"


async def until_said(world: World, root: str, begins: str) -> None:
    """Wait until a post of the bot in a thread reads so."""

    def is_said(_slack: object) -> bool:
        return any(post.text.startswith(begins) for post in world.bot_posts(root))

    await world.slack.wait_for(is_said, timeout_s=TURN_S)


def last_words(world: World, root: str) -> str:
    """The bot's newest post in a thread."""
    return world.bot_posts(root)[-1].text


async def ask_back(world: World, text: str) -> str:
    """Ann's request that the bot answers with a question to her; the thread's `ts`."""
    world.model.play(QUESTION)
    root = await world.mention(text)
    await until_said(world, root, "Waiting for ann's answer")
    return root


async def test_a_question_is_told_of_once_and_counts_as_no_tool_call(world: World) -> None:
    root = await ask_back(world, "continue comparing the quarters")
    waiting, question = [post.text for post in world.bot_posts(root)]
    assert waiting == "Waiting for ann's answer"
    assert ASKED in question

    world.model.play(Text(text="The second one."))
    await world.slack.say("ben", "general", "2", thread_ts=root)
    await world.answered(root)
    texts = [post.text for post in world.bot_posts(root)]
    assert texts[0].startswith("Asked ann a question after")
    assert texts[-1] == "The second one."
    assert not [text for text in texts if "tool call" in text]


async def test_who_deletes_the_request_is_not_offered_to_go_on_with_it(world: World) -> None:
    root = await ask_back(world, "continue with what is to be deleted")
    await world.slack.delete("general", root)
    await world.answered(root)
    assert last_words(world, root) == "Stopped, because the message that asked for it was deleted."


async def test_a_stop_outside_of_the_works_thread_says_where_to_stop_it(world: World) -> None:
    root = await ask_back(world, "continue in this thread")
    lost = await world.ask("stop")
    [answer] = world.answers(lost)
    assert answer.endswith("If I am at work in another one, please reply there.")
    await world.slack.say("ben", "general", "stop", thread_ts=root)
    await world.answered(root)
    assert last_words(world, root).startswith("Stopped, as ben asked.")
