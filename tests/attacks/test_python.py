"""Group G and F-P1: programs of a hostile model reach nothing, and cost themselves alone."""

import asyncio
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.ids import RunId
from agent_core.programs import ProgramLimits
from tests.programs import ProgramRun, ToldChildren, program_run

pytestmark = pytest.mark.process("programs run in processes of Monty")

CANARY = "xoxb-canary-0123456789"
LIMITS = ProgramLimits(
    max_s=1.0,
    max_suspensions=2_000,
    max_printed_chars=1_000,
    max_written_bytes=100_000,
    max_files=5,
)


async def stolen(python: ProgramRun, *attempts: str) -> str:
    """What a program got by any of these expressions, and by one that it may have."""
    tries = (
        f"try:\n    {each}\nexcept Exception:\n    pass"
        for each in (*attempts, "got.append('allowed')")
    )
    lines = "\n".join(("import os", "from pathlib import Path", "got = []", *tries, "got"))
    return await python.run(lines)


def _values(*expressions: str) -> list[str]:
    return [f"got.append({each})" for each in expressions]


def outside(root: Path) -> Path:
    """Another session beside the program's own, with a secret in it, and links that lead there."""
    other = root / "other_session"
    other.mkdir()
    (other / "secret.txt").write_text(CANARY)
    session = root / "session"
    (session / "trace.json").write_text(CANARY)
    (session / "traces" / "old.json").write_text(CANARY)
    (session / ".hidden").mkdir()
    (session / ".hidden" / "secret.txt").write_text(CANARY)
    for folder in ("search_results", "work_products"):
        (session / folder / "link.txt").symlink_to(other / "secret.txt")
        (session / folder / "near.txt").symlink_to("../../other_session/secret.txt")
        (session / folder / "folder").symlink_to(other)
        os.mkfifo(session / folder / "pipe.txt")
    (session / "linked").symlink_to(other)
    return other


@pytest.mark.proves("python.boxed")
@pytest.mark.parametrize(
    "attempts",
    [
        pytest.param(
            _values("os.environ['SLACK_BOT_TOKEN']", "os.getenv('PATH') or 1 / 0",
                    "os.environ['PATH']"),
            id="G1 environment",
        ),
        pytest.param(
            _values(*(f"open('/proc/{who}/{what}').read()"
                      for who in ("1", "self", "thread-self", os.getppid(), os.getpid())
                      for what in ("environ", "maps", "cmdline", "fd/0"))),
            id="G2 proc",
        ),
        pytest.param(
            [f"import {name}; got.append('{name}')" for name in
             ("socket", "ssl", "http.client", "urllib.request", "select", "subprocess", "shutil",
              "multiprocessing", "threading", "ctypes", "signal", "importlib", "pty", "inspect",
              "builtins", "_monty", "pydantic_monty", "aiohttp", "bot.settings")],
            id="G3 modules",
        ),
        pytest.param(
            _values(*(f"os.{call} or 'done'" for call in
                      ("fork()", "system('id')", "popen('id')", "execv('/bin/sh', ['sh'])",
                       "kill(1, 9)", "setuid(0)", "mount('/', '/')", "chmod('/', 0)", "_exit(0)",
                       "symlink('/etc', 'work_products/e')", "chdir('/') or os.listdir('.')",
                       "link('/etc/passwd', 'work_products/p.txt')"))),
            id="G4 G6 G8 processes",
        ),
        pytest.param(
            _values(*(f"open('{path}').read()" for path in
                      ("../other_session/secret.txt", "search_results/link.txt", "trace.json",
                       "search_results/../../other_session/secret.txt", "search_results/near.txt",
                       "search_results/pipe.txt", "search_results/folder/secret.txt",
                       "work_products/folder/secret.txt", "linked/secret.txt", "traces/old.json",
                       ".hidden/secret.txt", "/etc/passwd", "//etc/passwd",
                       "search_results/./../.hidden/secret.txt")),
                    "os.listdir('..')", "os.listdir('linked')", "list(Path('/').iterdir())[0]",
                    "list(Path('search_results/folder').iterdir())[0]"),
            id="G7 other sessions",
        ),
        pytest.param(
            _values("().__class__.__base__.__subclasses__()", "fork.__globals__", "fork.__self__",
                    "wait.__func__.__code__", "plot.__closure__", "open.__self__", "__loader__",
                    "(lambda: 0).__globals__['__builtins__']", "fork.__init__.__globals__"),
            id="the host's objects",
        ),
    ],
)  # fmt: skip
async def test_nothing_of_the_host_is_reached(
    tmp_path: Path, attempts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", CANARY)
    async with program_run(tmp_path, limits=LIMITS) as python:
        outside(tmp_path)
        got = await stolen(python, *attempts)
        assert got == "Value:\n['allowed']"


WRITES = (
    *(f"open('{path}', '{mode}').write('x')" for mode in "wax" for path in (
        "/etc/x.txt", "../x.txt", "x.txt", "search_results/x.txt", "downloads/x.txt",
        "work_products/../expanded_corpus.json", "work_products/link.txt",
        "work_products/near.txt", "work_products/folder/x.txt", "work_products/x.html",
        "work_products/x.svg", "work_products/x.py", "work_products/x",
        "work_products/-rf.txt", "work_products/.x.txt", "work_products/a\\nb.txt",
        "work_products/a\\u202eb.txt", "work_products/" + "x" * 230 + ".txt",
    )),
    "open('search_results/page.md', 'r+').write('x')",
    "Path('search_results/page.md').write_text('x')",
    "Path('search_results/new').mkdir()",
    "os.rename('search_results/page.md', 'work_products/page.md')",
    "os.rename('work_products/report.html', 'work_products/report.txt')",
    "os.remove('work_products/report.html')",
    "os.rmdir('search_results')",
)  # fmt: skip


@pytest.mark.proves("python.boxed")
async def test_nothing_is_written_but_data_in_work_products(tmp_path: Path) -> None:
    async with program_run(tmp_path, limits=LIMITS) as python:
        outside(tmp_path)
        (python.workspace / "search_results/page.md").write_text("page")
        (python.workspace / "work_products/report.html").write_text("report")
        before = _files(tmp_path)
        for write in WRITES:
            output = await python.call(f"import os\nfrom pathlib import Path\n{write}")
            assert output.is_error, write
            assert output.artifacts == (), write
            assert _files(tmp_path) == before, write


ENDLESS = "'x' * 10_000_000"


@pytest.mark.proves("python.boxed")
@pytest.mark.parametrize(
    "code",
    [
        f"raise ValueError({ENDLESS})",
        f"plot({ENDLESS}, [1, 2])",
        f"plot('bar', [1, 2], title={ENDLESS}, x={ENDLESS})",
        f"fork({ENDLESS})",
        f"wait({ENDLESS})",
        f"open('work_products/a/' + {ENDLESS} + '.txt', 'w')",
    ],
)
async def test_nothing_that_a_program_says_is_endless(tmp_path: Path, code: str) -> None:
    async with program_run(tmp_path, limits=LIMITS) as python:
        output = await python.call(code)
        assert len(output.text) < 30_000
        assert all(len(artifact.title) <= 200 for artifact in output.artifacts)
        assert python.children.started == {}
    assert _stored_bytes(tmp_path) < 1_000_000


def _stored_bytes(root: Path) -> int:
    return sum(file.stat().st_size for file in root.glob("state*"))


def _files(root: Path) -> dict[str, str]:
    return {
        str(path): path.read_text() if path.is_file() and "state" not in path.name else ""
        for path in root.rglob("*")
        if "state" not in path.name
    }


@pytest.mark.proves("python.boxed")
@pytest.mark.parametrize(
    ("program", "limit"),
    [
        ("while True: pass", "time limit exceeded"),
        ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", "time"),
        ("import time\nwhile True: time.sleep(60)", "limit exceeded"),
        ("sorted(range(10**6), key=lambda n: [n] * 99)", "limit"),
        ("[0] * 10**10", "memory limit"),
        ("x = 'a'\nwhile True: x += x", "memory limit"),
        ("x = []\nwhile True: x = [x]", "limit"),
        ("10 ** 10 ** 9", "memory limit"),
        ("def f(): return f()\nf()", "recursion"),
        ("'%1000000000d' % 1", "limit"),
        ("f = open('work_products/big.txt', 'w')\nwhile True: f.write('x' * 10000)",
         "100,000 bytes written"),
        ("for n in range(9): open(f'work_products/{n}.txt', 'w')", "5 files written"),
        ("import os\nfor n in range(9): os.mkdir(f'work_products/{n}')", "5 files written"),
        ("while True: open('work_products/again.txt', 'a')", "suspension limit"),
        ("while True: fork('again')", "100 calls"),
        ("while True: wait(fork('again'))", "100 calls"),
        ("while True:\n    try: fork('again')\n    except BaseException: pass", "suspension limit"),
        ("for n in range(200): plot('line', [n, 1])", "5 files written"),
        ("import asyncio\nids = [fork(str(n)) for n in range(60)]\n"
         "await asyncio.gather(*[wait(i) for i in ids])", "100 calls"),
        ("x = 1\n" * 20_000, "characters of code"),
        ("(" * 9_000, "nested"),
        ("x = " + "-" * 19_000 + "1", ""),
        ("x = " + "1 + " * 4_900 + "1", ""),
        ("raise SystemExit(3)", ""),
        ("import sys\nsys.stdout.close()", ""),
        ("\ud800", ""),
    ],
)  # fmt: skip
async def test_a_limit_is_named_and_the_next_program_is_fine(
    tmp_path: Path, program: str, limit: str
) -> None:
    async with program_run(tmp_path, limits=LIMITS) as python:
        await python.run("kept = 'kept'")
        output = await python.call(program)
        assert limit in output.text.lower() or not limit
        assert output.is_error or not limit
        assert len(python.children.started) <= 100
        assert await python.run("kept") == "Value:\n'kept'"


async def test_endless_output_is_cut_and_told(tmp_path: Path) -> None:
    async with program_run(tmp_path, limits=LIMITS) as python:
        said = (await python.call("while True: print('x' * 10_000)")).text
        assert "more characters were printed and left out" in said
        assert "time limit" in said
        assert len(said) < 2_000
        assert await python.run("1") == "Value:\n1"
        assert len(await python.run("list(range(10**6))")) < 11_000


async def test_the_loop_turns_while_a_program_does_its_worst(tmp_path: Path) -> None:
    async with program_run(tmp_path, limits=LIMITS) as python:
        turns = 0
        running = asyncio.create_task(python.call("while True: print('x' * 10_000)"))
        while not running.done():
            await asyncio.sleep(0)
            turns += 1
        assert turns > 100


async def test_what_is_stopped_leaves_no_process_at_work(tmp_path: Path) -> None:
    async with program_run(tmp_path, limits=ProgramLimits(max_s=600)) as python:
        busy = asyncio.create_task(python.call("fork('busy')\nwhile True: pass"))
        await asyncio.wait_for(python.children.forked["busy"].wait(), 60)
        workers = _workers()
        assert {_environment(each) for each in workers} == {b""}
        busy.cancel()
        await asyncio.wait({busy})
        while workers & _workers():  # noqa: ASYNC110 (of another process)
            await asyncio.sleep(0.01)
        assert await python.run("2") == "Value:\n2"


def _workers() -> set[int]:
    """The processes of Monty that this one started and that have not ended."""
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _, fields = stat.read_text().rpartition(")")
            state, parent = fields.split()[:2]
            if name.endswith("(monty") and parent == str(os.getpid()) and state != "Z":
                found.add(int(stat.parent.name))
    return found


def _environment(process: int) -> bytes:
    return Path(f"/proc/{process}/environ").read_bytes()


async def test_a_run_has_nothing_of_another_one_in_its_turn(tmp_path: Path) -> None:
    async with program_run(tmp_path) as python:
        await python.run("mine = fork('a')")
        child = replace(python, run_id=RunId("root.child"), children=ToldChildren())
        assert "name 'mine' is not defined" in await child.fail("mine")
        assert "no run 'root.call_1" in await child.fail(
            f"wait({next(iter(python.children.started))!r})"
        )
