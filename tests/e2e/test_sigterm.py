"""The bot as a process is told to stop while everything around it hangs."""

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import pytest

from bot.sandbox.model import Text, ToolUse
from tests.e2e.world import Outside, outside_world

pytestmark = pytest.mark.process("a signal ends a process")

STOP_S = 20.0
START_S = 60.0
WORK_S = 60.0
HANG_S = 300.0
THREADS = 8
ANSWER = "All bridges are counted."


@dataclass(slots=True)
class Abyss:
    """A web server that takes every connection and never answers."""

    url: str = ""
    authority: str = ""
    connections: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    """Released for each connection that was taken."""
    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    """Connections are closed from then on."""


@asynccontextmanager
async def open_abyss() -> AsyncGenerator[Abyss]:
    abyss = Abyss()

    async def swallow(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        abyss.connections.release()
        await abyss.may_end.wait()
        writer.close()

    server = await asyncio.start_server(swallow, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    abyss.authority, abyss.url = f"{host}:{port}", f"http://{host}:{port}/page"
    async with server:
        yield abyss
        abyss.may_end.set()


@asynccontextmanager
async def bot_process(
    outside: Outside, abyss: Abyss, *, model_url: str = ""
) -> AsyncGenerator[asyncio.subprocess.Process]:
    slack, web = outside.slack, outside.web.environment
    bot = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        "start",
        cwd=outside.root,
        env={
            "PATH": os.defpath,
            **slack.environment,
            **outside.model.environment,
            **({"ANTHROPIC_BASE_URL": model_url} if model_url else {}),
            **web,
            "CRAWL_ALLOW": f"{web['CRAWL_ALLOW']},{abyss.authority}",
            "CONSOLE_PORT": "0",
            "SLACK_SETTLE_S": "0.5",
        },
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await slack.connected(timeout_s=START_S)
        yield bot
    finally:
        if bot.returncode is None:
            bot.kill()
        await bot.wait()
        await slack.wait_for(lambda _: slack.open_sockets == 0, timeout_s=START_S)


async def stopped(bot: asyncio.subprocess.Process) -> float:
    """Tell it to stop; how many seconds that took."""
    began_s = monotonic()
    bot.send_signal(signal.SIGTERM)
    async with asyncio.timeout(2 * STOP_S):
        await bot.wait()
    return monotonic() - began_s


def bot_texts(outside: Outside, ts: str) -> list[str]:
    slack = outside.slack
    return [post.text for post in slack.thread("general", ts) if post.user == slack.bot_user_id]


def answers(outside: Outside, ts: str) -> list[str]:
    return [text for text in bot_texts(outside, ts) if ANSWER in text]


async def mention(outside: Outside, text: str) -> str:
    return await outside.slack.say("ann", "general", f"{outside.slack.mention} {text}")


async def hang_the_tool(outside: Outside, abyss: Abyss) -> list[str]:
    """A turn is in the middle of a tool call."""
    crawl = ToolUse(
        name="mcp__local_toolkit__crawl_parallel", input={"urls": [abyss.url], "session_dir": ""}
    )
    outside.model.play(crawl)
    ts = await mention(outside, "continue counting the bridges")
    async with asyncio.timeout(WORK_S):
        await abyss.connections.acquire()
    return [ts]


async def hang_the_model(outside: Outside, abyss: Abyss) -> list[str]:
    """Several turns wait for a model that does not answer."""
    roots = [await mention(outside, f"continue counting bridge {n}") for n in range(THREADS)]
    async with asyncio.timeout(WORK_S):
        for _ in roots:
            await abyss.connections.acquire()
    return roots


async def hang_slack(outside: Outside, _abyss: Abyss) -> list[str]:
    """No call of the Web API is answered any more: not who asks, and no post is taken."""
    outside.model.play(Text(text=ANSWER), times=THREADS)
    for method in ("users.info", "chat.postMessage", "agents.sessions.setStatus"):
        outside.slack.fail(method, hang_s=HANG_S, times=THREADS)
    roots = [await mention(outside, f"continue counting bridge {n}") for n in range(THREADS)]
    await outside.slack.wait_for(lambda slack: not slack.events_under_way)
    return roots


@pytest.mark.proves("shutdown.in_time", "shutdown.resumed")
@pytest.mark.parametrize("hang", [hang_the_tool, hang_the_model, hang_slack])
async def test_a_bot_that_is_told_to_stop_ends_in_time_and_finishes_at_its_next_start(
    tmp_path: Path, hang: Callable[[Outside, Abyss], Awaitable[list[str]]]
) -> None:
    async with outside_world(tmp_path) as outside, open_abyss() as abyss:
        model_url = abyss.url if hang is hang_the_model else ""
        async with bot_process(outside, abyss, model_url=model_url) as bot:
            roots = await hang(outside, abyss)
            took_s = await stopped(bot)
        assert bot.returncode == 0
        assert took_s < STOP_S

        outside.slack.heal()
        abyss.may_end.set()
        outside.model.play(Text(text=ANSWER), times=2 * THREADS)
        async with bot_process(outside, abyss):
            await outside.slack.wait_for(
                lambda _: all(answers(outside, ts) for ts in roots), timeout_s=WORK_S
            )
        assert [len(answers(outside, ts)) for ts in roots] == [1] * len(roots)


@pytest.mark.proves("shutdown.in_time")
async def test_a_bot_whose_database_is_locked_is_cut_off_in_time_and_loses_nothing(
    tmp_path: Path,
) -> None:
    async with outside_world(tmp_path) as outside, open_abyss() as abyss:
        async with bot_process(outside, abyss, model_url=abyss.url) as bot:
            [ts, *_] = await hang_the_model(outside, abyss)
            with locked_database(tmp_path):
                took_s = await stopped(bot)
        assert bot.returncode == 0
        assert took_s < STOP_S

        outside.model.play(Text(text=ANSWER), times=2 * THREADS)
        async with bot_process(outside, abyss):
            await outside.slack.wait_for(lambda _: answers(outside, ts), timeout_s=WORK_S)


@contextmanager
def locked_database(root: Path) -> Generator[None]:
    """Nobody else can write the database below `root` meanwhile."""
    [database] = root.rglob("state.sqlite")
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield
