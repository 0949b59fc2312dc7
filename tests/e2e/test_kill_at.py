"""`bot sandbox --kill-at`: a bot that is killed at an event still gives one answer, one report."""

from pathlib import Path

import pytest

from tests.e2e.command_line import run_sandbox

pytestmark = pytest.mark.process("only a process can be killed")

REPORT = "Write a comprehensive report on keeping chat bots reliable"
PROGRAM = """Please run this program:
```
questions = ["What is full jitter?", "What is a heat pump?", "What is an idempotency key?"]
results = [wait(i) for i in [fork(q) for q in questions]]
with open("work_products/lengths.csv", "a") as file:
    for question, result in zip(questions, results):
        file.write(question + "," + str(len(result) > 20) + chr(10))
plot("bar", dict(zip(questions, map(len, results))), title="Lengths of results")
print(len(results), "results")
```"""


@pytest.mark.proves("sandbox.kill_at")
async def test_a_bot_that_is_killed_twice_of_three_gives_one_answer_and_one_report(
    tmp_path: Path,
) -> None:
    ran = await run_sandbox(
        tmp_path, REPORT, kill_at="tool_call_started,run_finished,question_asked"
    )
    done = ran.json()
    assert (done["restarts"], done["never_came"]) == (2, ["question_asked"])
    [turn] = done["turns"]
    runs = turn["events"].count("run_started")
    assert 0 <= done["steps_repeated"] <= runs, "a death repeats the step of each run at work"
    assert turn["outcome"] == "answered"
    assert len(done["files"]) == 1
    asked, *said = done["posts"]
    answers = [post for post in said if "Done in" not in post["text"]]
    assert len(answers) == 1
    assert all(post["thread_ts"] == asked["ts"] for post in said)


@pytest.mark.proves("python.killed")
@pytest.mark.parametrize("kill_at", ["run_finished,result_taken", "run_started,step_finished"])
async def test_a_program_that_is_killed_while_it_waits_ends_once_with_all_results(
    tmp_path: Path, kill_at: str
) -> None:
    out = tmp_path / "out"
    ran = await run_sandbox(tmp_path, PROGRAM, kill_at=kill_at, out=out)
    done = ran.json()
    assert (done["restarts"], done["never_came"]) == (2, [])
    [turn] = done["turns"]
    assert turn["outcome"] == "answered"
    assert "3 results" in turn["answer"]
    events = turn["events"]
    assert events.count("tool_call_started") == events.count("tool_call_finished")
    assert events.count("run_started") == 4
    files = {Path(file["path"]).suffix: Path(file["path"]) for file in done["files"]}
    assert files.keys() == {".csv", ".svg"}
    assert len(files[".csv"].read_text().splitlines()) == 3
