"""What goes wrong around the bot, and what the person sees: an answer, or one plain sentence."""

import os
import re
import signal
from typing import Any, Literal

import pytest

from agent_core.events import StepStarted, ToolCallFinished, ToolCallStarted
from bot.sandbox.model import ReplyText, ToolUse
from tests.e2e.processes import children
from tests.e2e.world import SIMPLE_ANSWER, World, batch
from tests.faulty_slack import FaultySlack

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIST_FILES = ToolUse(name="mcp__local_toolkit__list_local_files", input={})
WRITE_NOTE = ToolUse(
    name="mcp__local_toolkit__write_local_file",
    input={"path": "notes/half.txt", "content": "Only half of this was ever said. " * 20},
)
SCRIPTED = frozenset({"scripted"})
FIRST_HALF_OF_A_CALL = 8
"""Events of a stream: its start, four of the thinking block, the call's start, an empty piece of
its input, and one of 240 characters."""


def said_meanwhile(slack: FaultySlack) -> str:
    """The lines below the threads, while the bot is at work."""
    sessions = slack.state.sessions.values()
    return "\n".join(f"{each.status_text} {each.loading_messages}" for each in sessions)


async def test_a_plain_question_during_an_outage_is_told_of_and_answered_in_the_end(
    world: World,
) -> None:
    world.model.fail(status=529, retry_after=4, kinds={"answer"})
    root = await world.mention("What is 6 * 7?")
    await world.slack.wait_for(lambda slack: "trying again" in said_meanwhile(slack))
    assert (await world.answered(root)).outcome == "answered"
    assert world.progress(root) == []


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 401, "message": "invalid x-api-key"},
        {"status": 429, "error_code": "enforced_spend_limit_reached", "message": "Limit reached"},
    ],
    ids=["wrong key", "spend limit"],
)
async def test_a_hopeless_refusal_is_one_request_and_one_plain_sentence(
    world: World, fault: dict[str, Any]
) -> None:
    world.model.fail(**fault, kinds=SCRIPTED)
    world.model.play(ReplyText(text="Never said."))
    ask = f"continue in spite of {fault['status']}"
    root = await world.ask(ask)
    [answer] = world.answers(root)
    assert re.search(r"refused .*\(reference [0-9a-f]{8}\)$", answer)
    assert fault["message"] not in answer
    assert len(world.requests_with(ask)) == 1
    assert world.progress(root) == []


@pytest.mark.proves("effects.whole_calls")
@pytest.mark.parametrize("cut", ["clean", "abrupt"])
async def test_a_stream_cut_inside_a_tool_call_runs_nothing(
    world: World, cut: Literal["clean", "abrupt"]
) -> None:
    world.model.fail(cut=cut, after_events=FIRST_HALF_OF_A_CALL, kinds=SCRIPTED)
    world.model.play(WRITE_NOTE)
    world.model.play(ReplyText(text="I wrote nothing."))
    root = await world.ask("continue")
    assert world.answers(root) == ["I wrote nothing."]
    assert not [event for event in await world.events(root) if isinstance(event, ToolCallStarted)]
    assert not (await world.workspace(root) / "notes").exists()


@pytest.mark.proves("loop.answer", "loop.long_results")
async def test_a_result_of_two_megabytes_does_not_break_the_turn(world: World) -> None:
    world.model.play(batch("COMPOSIO_SEARCH_WEB", {"query": "leviathan"}))
    world.model.play(ReplyText(text="That was a lot."))
    root = await world.ask("continue to the leviathan")
    assert world.answers(root) == ["That was a lot."]
    [result] = [e for e in await world.events(root) if isinstance(e, ToolCallFinished)]
    assert not result.is_error
    assert result.size_bytes > 2_000_000
    [saved] = (await world.workspace(root)).glob("tool_results/*")
    assert saved.stat().st_size > 900_000
    last = world.requests_with("continue to the leviathan")[-1]
    assert len(str(last["messages"])) < 50_000


@pytest.mark.proves("toolkit.child")
async def test_a_toolkit_that_is_killed_during_a_turn_is_started_again(world: World) -> None:
    world.model.play(LIST_FILES)
    world.model.play(LIST_FILES)
    world.model.play(ReplyText(text="Listed twice."))
    world.model.stall(0.5, after_events=1, kinds=SCRIPTED)
    root = await world.mention("continue")
    await world.until(root, StepStarted)
    [killed] = children(b"mcp_local\0")
    os.kill(killed, signal.SIGKILL)
    await world.answered(root)
    assert world.answers(root) == ["Listed twice."]
    results = [event for event in await world.events(root) if isinstance(event, ToolCallFinished)]
    assert [result.is_error for result in results] == [False, False]
    [new] = children(b"mcp_local\0")
    assert new != killed


@pytest.mark.proves("posts.failing")
@pytest.mark.parametrize(
    "fault",
    [
        {"status": 429, "retry_after_s": 1},
        {"status": 500, "times": 2},
        {"drop_after_accept": True},
        {"error": "internal_error"},
        {"html": True},
    ],
    ids=["limited", "failing", "cut after accepting", "internal error", "page instead of JSON"],
)
async def test_an_answer_is_posted_once_whatever_slack_does(
    world: World, fault: dict[str, Any]
) -> None:
    world.slack.fail("chat.postMessage", **fault)
    world.play_simple()
    root = await world.mention(f"Hello in spite of {fault}?")
    await world.answered(root)
    await world.nothing_more_happens()
    assert [post.text for post in world.bot_posts(root)] == [SIMPLE_ANSWER]
