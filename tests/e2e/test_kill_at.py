"""`bot sandbox --kill-at`: a bot that is killed at an event still gives one answer, one report."""

from pathlib import Path

import pytest

from tests.e2e.command_line import run_sandbox

REPORT = "Write a comprehensive report on keeping chat bots reliable"


@pytest.mark.proves("sandbox.kill_at")
@pytest.mark.process("only a process can be killed")
async def test_a_bot_that_is_killed_twice_of_three_gives_one_answer_and_one_report(
    tmp_path: Path,
) -> None:
    ran = await run_sandbox(
        tmp_path, REPORT, kill_at="tool_call_started,run_finished,question_asked"
    )
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
