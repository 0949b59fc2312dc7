"""`bot sandbox --kill-at`: a bot that is killed at an event still gives one answer, one report."""

from pathlib import Path

import pytest

from bot.sandbox.child import KINDS, count_repeated, read_events
from bot.sandbox.composio import ReceivedToolCall
from tests.e2e.command_line import run_sandbox

REPORT = "Write a comprehensive report on keeping chat bots reliable"


def test_events_are_named_by_their_kind_or_their_class_also_more_than_once() -> None:
    wanted = ("tool_call_started", "turn_finished", "step_started", "step_started")
    assert (
        read_events(["ToolCallStarted", "turn_finished", "STEP-STARTED", "step_started"]) == wanted
    )
    assert read_events(KINDS) == KINDS


@pytest.mark.parametrize(
    ("topics", "deaths", "repeated"),
    [("aab", (), 0), ("aab", (3,), 0), ("aab", (1,), 1), ("abcc", (1,), 0), ("abab", (1, 2), 2)],
)
def test_a_call_is_repeated_if_one_before_the_last_death_was_the_same(
    topics: str, deaths: tuple[int, ...], repeated: int
) -> None:
    calls = [ReceivedToolCall(tool="SEARCH", arguments={"about": each}) for each in topics]
    assert count_repeated(calls, deaths) == repeated


@pytest.mark.proves("sandbox.kill_at")
@pytest.mark.process("only a process can be killed")
async def test_a_bot_that_is_killed_twice_of_three_gives_one_answer_and_one_report(
    tmp_path: Path,
) -> None:
    ran = await run_sandbox(tmp_path, REPORT, kill_at="ToolCallStarted,run_finished,question_asked")
    done = ran.json()
    assert (done["restarts"], done["never_came"]) == (2, ["question_asked"])
    assert 0 <= done["steps_repeated"] <= 2
    [turn] = done["turns"]
    assert turn["outcome"] == "answered"
    assert len(done["files"]) == 1
    asked, *said = done["posts"]
    answers = [post for post in said if "Done in" not in post["text"]]
    assert len(answers) == 1
    assert all(post["thread_ts"] == asked["ts"] for post in said)
