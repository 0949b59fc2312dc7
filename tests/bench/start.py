"""How quickly the bot is there, and what it holds: `python -m tests.bench.start [--json]`.

`help_s` is `bot --help`; `socket_s` runs from the command `bot start` to its open socket;
`page_s` from `bot sandbox` to its printed address. Each is the median of some rounds, behind one
that fills the file caches. Memory is resident megabytes of the bot and of its toolkit: listening,
and after one answer with a call of a tool
(the model's client library is loaded by the first call). Ten reports are researched at once in the
sandbox, behind a first one: `report_mb` is what each of them adds to the bot at the highest point,
`ten_reports_mb` what the bot and all its children hold then, toolkit, Composio's worker and
browsers with their processes included, a page that several share counted once.
"""

import asyncio
import os
import re
import statistics
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil

from bot.sandbox.model import ReplyPace, ReplyText, ToolUse
from bot.sandbox.settings import SandboxSettings
from bot.sandbox.world import open_world
from tests.bench.results import Result, resident_mb, run
from tests.e2e.processes import children
from tests.faulty_slack import FaultySlack
from tests.scripted_stand_in import ScriptedStandIn

ROUNDS = 3
PATIENCE_S = 60.0
ANSWER = "These are all the files."
REPORTS = 10
_PROPORTIONAL = re.compile(r"^Pss:\s+(\d+)", re.MULTILINE)
"""Of /proc: a process's memory, of what it shares its part alone."""


@asynccontextmanager
async def process(
    *arguments: str, cwd: Path, environment: dict[str, str]
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """`bot` with these arguments; it is ended as an operator would end it."""
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=cwd,
        env={"PATH": os.defpath, "HOME": str(cwd), **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.terminate()
        await started.wait()


async def help_s(cwd: Path) -> float:
    began = time.perf_counter()
    async with process("--help", cwd=cwd, environment={}) as shown:
        if await shown.wait() != 0:
            raise RuntimeError("bot --help failed")
        return time.perf_counter() - began


async def page_s(cwd: Path) -> float:
    began = time.perf_counter()
    async with process("sandbox", "--port", "0", cwd=cwd, environment={}) as sandbox:
        if sandbox.stdout is None:
            raise RuntimeError("the sandbox has no output")
        async with asyncio.timeout(PATIENCE_S):
            while b"http://" not in await sandbox.stdout.readline():
                pass
        return time.perf_counter() - began


async def start_and_memory(cwd: Path) -> tuple[float, dict[str, float]]:
    """Seconds until the socket is open, and megabytes by name."""
    async with FaultySlack() as slack, ScriptedStandIn() as model:
        environment = {**slack.environment, **model.environment, "CONSOLE_PORT": "0"}
        began = time.perf_counter()
        async with process("start", cwd=cwd, environment=environment) as bot:
            await slack.connected(timeout_s=PATIENCE_S)
            seconds = time.perf_counter() - began
            megabytes = {"bot_listening_mb": resident_mb(bot.pid)}
            model.play(ToolUse(name="mcp__local_toolkit__list_local_files", input={}))
            model.play(ReplyText(text=ANSWER))
            ts = await slack.say("ann", "general", f"{slack.mention} continue")
            await slack.wait_for(
                lambda s: [post for post in s.thread("general", ts) if ANSWER in post.text],
                timeout_s=PATIENCE_S,
            )
            megabytes["bot_mb"] = resident_mb(bot.pid)
            megabytes["toolkit_mb"] = resident_mb(children(b"mcp_local\0", bot.pid)[0])
    return seconds, megabytes


def family_mb(pid: int) -> float:
    """The memory of a process and all its descendants, what they share counted once."""
    kilobytes = 0
    for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
        with suppress(OSError):  # it has just ended
            rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii")
            kilobytes += sum(map(int, _PROPORTIONAL.findall(rollup)))
    return kilobytes * 1024 / 1_000_000


async def reports_memory(cwd: Path) -> dict[str, float]:
    """What many reports at once take: megabytes by name."""
    async with (
        open_world(SandboxSettings(), workspaces_root=cwd, web=None, pace=ReplyPace()) as world,
        process("start", cwd=cwd, environment=world.environment) as bot,
    ):
        slack = world.slack
        await slack.connected(timeout_s=PATIENCE_S)

        async def report() -> None:
            text = f"{slack.mention} Write a report on battery storage"
            ts = await slack.say("ann", "general", text)
            await slack.wait_for(
                lambda s: [post for post in s.thread("general", ts) if post.files],
                timeout_s=PATIENCE_S,
            )

        await report()
        before = highest = resident_mb(bot.pid)
        family = family_mb(bot.pid)
        async with asyncio.TaskGroup() as group:
            under_way = {group.create_task(report()) for _ in range(REPORTS)}
            while under_way:
                highest = max(highest, resident_mb(bot.pid))
                family = max(family, await asyncio.to_thread(family_mb, bot.pid))
                _, under_way = await asyncio.wait(under_way, timeout=0.1)
    return {"report_mb": (highest - before) / REPORTS, "ten_reports_mb": family}


def made(directory: Path) -> Path:
    directory.mkdir()
    return directory


async def median_of(cwd: Path, measure: Callable[[Path], Awaitable[float]]) -> float:
    await measure(cwd)
    return statistics.median([await measure(cwd) for _ in range(ROUNDS)])


async def measure(root: Path) -> list[Result]:
    starts = [await start_and_memory(made(root / str(number))) for number in range(ROUNDS + 1)][1:]
    memory = {
        name: statistics.median(megabytes[name] for _, megabytes in starts)
        for name in ("bot_listening_mb", "bot_mb", "toolkit_mb")
    }
    seconds = {
        "help_s": await median_of(root, help_s),
        "socket_s": statistics.median(each for each, _ in starts),
        "page_s": await median_of(root, page_s),
    }
    memory |= await reports_memory(made(root / "reports"))
    goals = {"help_s": 1, "socket_s": 3, "page_s": 5, "bot_mb": 150, "toolkit_mb": 80}
    goals |= {"bot_listening_mb": 175, "report_mb": 5, "ten_reports_mb": 800}
    return [
        Result(name=name, value=round(value, 2), unit=unit, goal=goals.get(name))
        for unit, found in (("s", seconds), ("MB", memory))
        for name, value in found.items()
    ]


if __name__ == "__main__":
    run(__doc__, measure)
