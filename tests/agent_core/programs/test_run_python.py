"""Programs that a model writes: what they keep, what they wait for, and what outlives a restart."""

import asyncio
import csv
import os
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import psutil
import pytest

from agent_core.events import ArtifactSaved
from agent_core.programs import Interpreter, ProgramLimits
from agent_core.programs.interpreter import WORKER_NICENESS
from agent_core.testing.models import ScriptedModel, ScriptLine, call
from agent_core.workspaces.layout import MAX_SESSION_BYTES
from tests.agent_core.runtime.threads import begin, end_of, events_of, told, waiting
from tests.programs import ToldChildren, program_run
from tests.runtimes import inbound, scripted_runtime

pytestmark = pytest.mark.process("programs run in processes of Monty")


def children_of_this_process() -> list[int]:
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


def priority(pid: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, pid)


ALL = "Value:\n['found a', 'found b', 'found c']"
IDS = "[fork(q) for q in 'abc']"


@pytest.mark.proves("files.no_formulas")
async def test_a_table_that_a_program_writes_holds_no_formula(tmp_path: Path) -> None:
    formulas = ['=HYPERLINK("http://x")', "@SUM(A1)", "+x", "=a, b"]
    cells = [*formulas, "-5", "+3.5 %", "-", "a, b", "-1e-5", "-1,234.5"]
    code = (
        "import csv\nwith open('work_products/data.csv', 'w') as f:\n"
        f"    csv.writer(f).writerow({cells!r})\n"
        "with open('work_products/plain.csv', 'w') as f:\n    f.write('a;b\\r\\n-1;\"x\"')\n"
    )
    async with program_run(tmp_path) as python:
        data, plain = (await python.call(code)).artifacts
    text = (python.workspace / data.path).read_text(encoding="utf-8")
    [row] = csv.reader([text])
    assert row == [f"'{cell}" if cell in formulas else cell for cell in cells]
    assert (python.workspace / data.path).stat().st_size == data.size_bytes
    assert (python.workspace / plain.path).read_bytes() == b'a;b\r\n-1;"x"'


ENDLESS = """# forked
import asyncio, sys
from pathlib import Path
from agent_core.programs import ProgramLimits
from tests.programs import program_run

async def main():
    async with program_run(Path(sys.argv[1]), limits=ProgramLimits(max_s=300)) as python:
        begun = python.workspace / "work_products/begun.txt"
        code = "from pathlib import Path\\nPath('work_products/begun.txt').write_text('x')\\n"
        running = asyncio.create_task(python.call(code + "while True: pass"))
        while not begun.exists() and not running.done():
            await asyncio.sleep(0.02)
        print("begun" if begun.exists() else await running, flush=True)
        await running

asyncio.run(main())
"""


@pytest.mark.proves("python.orphans")
async def test_a_program_that_computes_ends_with_the_bot_that_is_killed(tmp_path: Path) -> None:
    bot = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ENDLESS, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert bot.stdout is not None
    try:
        async with asyncio.timeout(60):
            assert await bot.stdout.readline() == b"begun\n"
        descendants = psutil.Process(bot.pid).children(recursive=True)
        assert any("monty" in each.name() for each in descendants)
    finally:
        bot.kill()
        await bot.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, descendants, timeout=10)
    assert alive == []


@pytest.mark.proves("python.state")
async def test_a_program_tells_what_it_printed_and_its_value_and_leaves_its_variables(
    tmp_path: Path,
) -> None:
    async with program_run(tmp_path) as python:
        assert await python.run("x = 2\nprint('seen')\nx + 1") == "Printed:\nseen\n\nValue:\n3"
        assert (
            await python.run("def double(n):\n    return n * 2\nprint(double(x))") == "Printed:\n4"
        )
        assert "ended" in await python.run("None")
        assert await python.run("'ä' + chr(10), double('b')") == "Value:\n('ä\\n', 'bb')"


async def test_after_an_error_the_variables_are_what_they_had_become(tmp_path: Path) -> None:
    async with program_run(tmp_path) as python:
        failed = await python.fail("x = 1\nprint('before')\n\nx / 0")
        assert "before" in failed
        assert "line 4" in failed
        assert "ZeroDivisionError" in failed
        assert await python.run("x") == "Value:\n1"
        assert "SyntaxError" in await python.fail("x = = 1")
        assert "name 'foreign' is not defined" in await python.fail("foreign(x)")
        assert await python.run("x") == "Value:\n1"


@pytest.mark.parametrize("code", ["", 7, None])
async def test_what_is_no_program_is_told_and_not_run(tmp_path: Path, code: object) -> None:
    async with program_run(tmp_path) as python:
        output = await python.call(code)
        assert (output.is_error, "needs `code`" in output.text) == (True, True)


async def test_moments_are_those_of_the_askers_zone(tmp_path: Path) -> None:
    ask = "from datetime import datetime\nstr(datetime.now().astimezone())[-6:]"
    async with program_run(tmp_path) as python:
        python.zone = "Asia/Tokyo"
        assert await python.run(ask) == "Value:\n'+09:00'"


@pytest.mark.proves("python.fork_and_wait")
@pytest.mark.parametrize(
    "program",
    [
        f"results = [wait(i) for i in {IDS}]\nresults",
        f"import asyncio\nids = {IDS}\nawait asyncio.gather(*[wait(i) for i in ids])",
        f"import asyncio\ntasks = [wait(i) for i in {IDS}]\nawait asyncio.gather(*tasks)",
        "import asyncio\ntasks = []\nfor q in 'abc':\n    tasks.append(wait(fork(q)))\n"
        "await asyncio.gather(*tasks)",
        "[await wait(await fork(q)) for q in 'abc']",
        "import asyncio\nasync def ask(q):\n    return await wait(await fork(q))\n"
        "await asyncio.gather(*[ask(q) for q in 'abc'])",
        "import asyncio\nids = await asyncio.gather(fork('a'), fork('b'), fork('c'))\n"
        "[wait(i) for i in ids]",
        "start, pause = fork, wait\n[pause(i) for i in [start(q) for q in 'abc']]",
        "first = wait(fork('a'))\n[first, wait(id=fork(prompt='b')), wait(fork('c'))]",
        f"ids = {IDS}\nä = await (\n  wait(ids[0])\n)\n[ä, *[wait(i) for i in ids[1:]]]  # ä",
        "async def keep(*found): return [*found]\nawait keep(wait(fork('a')), *[wait(i) for i in "
        "[fork('b'), fork('c')]])",
    ],
)
async def test_programs_fork_and_wait_as_they_like_to_write_it(
    tmp_path: Path, program: str
) -> None:
    async with program_run(tmp_path) as python:
        assert await python.run(program) == ALL
        assert list(python.children.started.values()) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "program",
    ["async def wait(i): return fork(i) and 'mine'", "wait = lambda i: keep(fork(i) and 'mine')"],
)
async def test_a_function_of_the_programs_own_is_not_taken_for_ours(
    tmp_path: Path, program: str
) -> None:
    async with program_run(tmp_path) as python:
        code = f"async def keep(x): return x\n{program}\nawait wait('a')"
        assert await python.run(code) == "Value:\n'mine'"


async def test_children_are_awaited_side_by_side_and_as_they_come(tmp_path: Path) -> None:
    code = (
        "import asyncio\ncame = []\nasync def ask(q):\n    came.append(await wait(await fork(q)))\n"
        "await asyncio.gather(ask('a'), ask('b'))\ncame"
    )
    async with program_run(tmp_path) as python:
        python.children.held = {"a": asyncio.Event(), "b": asyncio.Event()}
        running = asyncio.create_task(python.run(code))
        await python.until_asked("a", "b")
        python.children.held["b"].set()
        python.children.asked["a"].clear()
        await python.until_asked("a")  # it has b's result, and waits again
        python.children.held["a"].set()
        assert await running == "Value:\n['found b', 'found a']"


async def test_a_childs_failure_is_its_result_and_a_foreign_id_an_error(tmp_path: Path) -> None:
    async with program_run(tmp_path) as python:
        assert "failed" in await python.run("wait(fork('fail'))")
        caught = "try:\n    r = wait('root.x')\nexcept RuntimeError as e:\n    r = str(e)\nr"
        assert "no run 'root.x'" in await python.run(caught)
        assert "a text" in await python.fail("wait(3)")
        assert "argument" in await python.fail("fork()")


@pytest.mark.proves("python.fails")
async def test_what_our_functions_refuse_can_be_caught_and_the_variables_stay(
    tmp_path: Path,
) -> None:
    forks = "ids = []\nfor q in 'abc':\n    ids.append(fork(q))"
    deep = "deep = []\nfor _ in range(900):\n    deep = [deep]\nplot('line', deep)"
    async with program_run(tmp_path, limits=ProgramLimits(max_calls=2)) as python:
        assert "limit reached: 2 calls" in await python.fail(f"x = 1\n{forks}")
        assert await python.run("x, len(ids)") == "Value:\n(1, 2)"
        assert "Error" in await python.fail(f"x = 2\n{deep}")
        assert await python.run("x") == "Value:\n2"
        body = forks.replace("\n", "\n    ")
        caught = f"try:\n    {body}\nexcept RuntimeError as e:\n    print('caught')"
        assert await python.run(caught) == "Printed:\ncaught"


@pytest.mark.proves("python.fair")
async def test_programs_compute_at_a_lower_priority_than_the_bot(tmp_path: Path) -> None:
    async with program_run(tmp_path) as python:
        code = "fork('a')\nwhile True:\n    pass"
        running = asyncio.create_task(python.call(code))
        await asyncio.wait_for(python.children.forked["a"].wait(), 60)
        assert max(map(priority, children_of_this_process())) >= WORKER_NICENESS
        running.cancel()
        await asyncio.wait({running})


async def test_the_same_question_may_be_asked_twice(tmp_path: Path) -> None:
    async with program_run(tmp_path) as python:
        await python.run("[wait(i) for i in [fork('a'), fork('a')]]")
        await python.run("fork('a')")
        assert len(python.children.started) == 3


@pytest.mark.proves("python.restart")
async def test_a_program_that_waits_goes_on_after_a_restart_and_does_nothing_twice(
    tmp_path: Path,
) -> None:
    code = (
        "seen = open('work_products/seen.txt', 'a')\nseen.write('begun ')\nprint('begun')\n"
        "import asyncio\nids = [fork(q) for q in 'ab']\n"
        "results = [wait(ids[0])] + await asyncio.gather(*[wait(ids[1])])\n"
        "seen.write('ended')\nresults"
    )
    children = ToldChildren()
    for held in ("a", "b"):
        children.held = {held: asyncio.Event()}
        async with program_run(tmp_path, children=children) as python:
            killed = asyncio.create_task(python.call(code, call_id="call_1"))
            await python.until_asked(held)
            killed.cancel()
            await asyncio.wait({killed})
        children.asked.clear()
    children.held = {}
    async with program_run(tmp_path, children=children) as python:
        output = await python.call(code, call_id="call_1")
        assert output.text.startswith("Printed:\nbegun\n\nValue:\n['found a', 'found b']")
        assert (python.workspace / "work_products/seen.txt").read_text() == "begun ended"
        assert list(children.started.values()) == ["a", "b"]
        assert [artifact.path for artifact in output.artifacts] == ["work_products/seen.txt"]
        assert await python.run("results") == "Value:\n['found a', 'found b']"


async def test_a_program_whose_end_was_stored_but_not_recorded_is_not_run_again(
    tmp_path: Path,
) -> None:
    async with program_run(tmp_path) as python:
        await python.run("x = 1")
        code = "x += 1\nid = fork('open')\nx"
        first = await python.call(code, call_id="add")
        after = replace(python, children=ToldChildren())
        assert (await after.call(code, call_id="add")).text == first.text == "Value:\n2"
        assert after.children.started == python.children.started
        assert await python.run("x") == "Value:\n2"


async def test_a_replayed_call_gives_its_record_and_makes_its_children_known_again(
    tmp_path: Path,
) -> None:
    code = "fork('open')\nwait(fork('done'))"
    async with program_run(tmp_path) as python:
        output = await python.call(code, call_id="call_1")
        python.surroundings.steps.restart()
        after = replace(python, children=ToldChildren())
        assert await after.call(code, call_id="call_1") == output
        assert python.surroundings.steps.done == ["tool:run_python"]
        assert after.children.started == python.children.started
        assert after.children.given == ["done"]


async def test_programs_of_one_reply_run_one_after_another(tmp_path: Path) -> None:
    async with program_run(tmp_path) as python:
        python.children.held = {"a": asyncio.Event()}
        async with asyncio.TaskGroup() as group:
            first = group.create_task(python.run("order = [wait(fork('a'))]"))
            second = group.create_task(python.run("order.append('second')\norder"))
            await python.until_asked("a")
            python.children.held["a"].set()
        assert "ended" in first.result()
        assert second.result() == "Value:\n['found a', 'second']"


@pytest.mark.proves("python.plot")
async def test_a_chart_and_data_files_are_handed_to_the_person(tmp_path: Path) -> None:
    code = (
        "import csv\npath = plot('line', {'2024': [1, 2], '2025': [2, 3]}, title='Sales & more')\n"
        "with open('work_products/notes/data.csv', 'w') as f:\n    csv.writer(f).writerow([1, 2])\n"
        "path"
    )
    async with program_run(tmp_path) as python:
        (python.workspace / "work_products/notes").mkdir()
        output = await python.call(code)
        chart, data = output.artifacts
        assert (chart.mimetype, chart.title) == ("image/svg+xml", "Sales & more")
        assert (data.path, data.mimetype) == ("work_products/notes/data.csv", "text/csv")
        assert f"Value:\n'{chart.path}'" in output.text
        drawn = (python.workspace / chart.path).read_bytes()
        assert len(drawn) == chart.size_bytes
        Xml.fromstring(drawn)  # noqa: S314 - ours
        assert "no kind 'pie'" in await python.fail("plot('pie', [1, 2])")


async def test_files_of_the_session_are_read_under_their_usual_paths(tmp_path: Path) -> None:
    async with program_run(tmp_path) as python:
        page = python.workspace / "search_results/page.md"
        page.write_text("moss", encoding="utf-8")
        read = (
            "import os\nopen('search_results/page.md').read(), open({!r}).read(), os.listdir('.')"
        )
        told = await python.run(read.format(str(page)))
        assert "('moss', 'moss', ['downloads'" in told
        assert "'traces'" not in told


@pytest.mark.proves("files.turn_bound")
async def test_what_the_programs_of_a_turn_write_together_is_bounded(tmp_path: Path) -> None:
    write = (
        "from pathlib import Path\nfor n in range(2):\n"
        "    Path('work_products/{}' + str(n) + '.txt').write_text('x' * 10)"
    )
    limits = ProgramLimits(max_turn_files=3, max_turn_bytes=45)
    async with program_run(tmp_path, limits=limits) as python:
        await python.run(write.format("a"))
        assert "limit reached: 3 files written in a turn" in await python.fail(write.format("b"))
        again = f"{write.format('a')}\nPath('work_products/a0.txt').write_text('more')"
        assert "limit reached: 45 bytes written in a turn" in await python.fail(again)
        names = sorted(file.name for file in (python.workspace / "work_products").iterdir())
        assert names == ["a0.txt", "a1.txt", "b0.txt"]


@pytest.mark.proves("files.session_bound")
async def test_a_program_is_told_that_the_thread_s_files_are_at_their_bound(tmp_path: Path) -> None:
    async with program_run(tmp_path) as python:
        with (python.workspace / "downloads/large.bin").open("wb") as file:
            file.truncate(MAX_SESSION_BYTES - 5)  # takes no disk
        write = "from pathlib import Path\nPath('work_products/a.txt').write_text('{}')"
        await python.run(write.format("12345"))
        assert "limit reached: 5,000 files or 500,000,000 bytes in a thread" in await python.fail(
            write.format("1")
        )


async def test_variables_that_are_too_large_to_keep_are_told(tmp_path: Path) -> None:
    limits = ProgramLimits(max_kept_bytes=3_000)
    large = "import random\nlarge = [random.random() for _ in range(5000)]\n"
    async with program_run(tmp_path, limits=limits) as python:
        await python.run("x = 1")
        assert "too large to be kept" in await python.fail(f"{large}len(large)")
        assert "too large to be kept" in await python.fail(f"{large}wait(fork('a'))")
        assert await python.run("x") == "Value:\n1"


ASK = call("ask_user", {"question": "Which year?"}, id="q")


def program(code: str, *, id: str = "p") -> ScriptLine:
    return call("run_python", {"code": code}, id=id)


async def test_variables_outlive_a_question_and_a_restart(tmp_path: Path) -> None:
    script = [program("x = 41\nplot('bar', {'a': x})"), ASK]
    async with scripted_runtime(
        tmp_path, interpreter=Interpreter(), model=ScriptedModel(script)
    ) as runtime:
        turn = await waiting(runtime, inbound("continue"))
    model = ScriptedModel([program("x + 1", id="again"), "Done."])
    async with scripted_runtime(tmp_path, interpreter=Interpreter(), model=model) as runtime:
        await begin(runtime, inbound("2026", number=2))
        events = await events_of(runtime, turn)
    assert "Value:\n42" in told(model.requests[-1])
    assert [e.mimetype for e in events if isinstance(e, ArtifactSaved)] == ["image/svg+xml"]


@pytest.mark.proves("python.off")
async def test_where_programs_cannot_be_run_the_model_is_told_and_has_no_such_tool(
    tmp_path: Path,
) -> None:
    model = ScriptedModel([program("1"), "No."])
    interpreter = Interpreter(fault="pydantic-monty is not installed")
    async with scripted_runtime(tmp_path, model=model, interpreter=interpreter) as runtime:
        await end_of(runtime, await begin(runtime, inbound("continue")))
    assert "run_python: pydantic-monty is not installed" in told(model.requests[0])
    assert "run_python" not in {tool.name for tool in model.requests[0].tools}
    assert "There is no tool run_python" in told(model.requests[1])
