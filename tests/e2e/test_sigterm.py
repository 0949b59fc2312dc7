"""The bot as a process is told to stop while everything around it hangs."""

import asyncio
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bot.sandbox.model import ReplyText, ToolUse
from tests.e2e.bot_process import Abyss, bot_process, bot_texts, mention, open_abyss
from tests.e2e.world import Outside, outside_world

pytestmark = pytest.mark.process("a signal ends a process")

STOP_S = 20.0
WORK_S = 60.0
HANG_S = 300.0
THREADS = 8
EVENTS = 2 * THREADS
"""Of each mention Slack sends the mention and the message."""
ANSWER = "All bridges are counted."


async def stopped(bot: asyncio.subprocess.Process) -> None:
    """Tell it to stop; it does, though what hangs would hang for much longer."""
    bot.send_signal(signal.SIGTERM)
    async with asyncio.timeout(2 * STOP_S):
        await bot.wait()


def answers(outside: Outside, ts: str) -> list[str]:
    return [text for text in bot_texts(outside, ts) if ANSWER in text]


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
    outside.model.play(ReplyText(text=ANSWER), times=THREADS)
    for method in ("users.info", "chat.postMessage", "agents.sessions.setStatus"):
        outside.slack.fail(method, hang_s=HANG_S, times=THREADS)
    roots = [await mention(outside, f"continue counting bridge {n}") for n in range(THREADS)]
    await outside.slack.wait_for(
        lambda slack: sum(each.acked_at_s is not None for each in slack.deliveries) == EVENTS
    )
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
            await stopped(bot)
        assert bot.returncode == 0

        outside.slack.heal()
        abyss.may_end.set()
        outside.model.play(ReplyText(text=ANSWER), times=2 * THREADS)
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
                await stopped(bot)
        assert bot.returncode == 0

        outside.model.play(ReplyText(text=ANSWER), times=2 * THREADS)
        async with bot_process(outside, abyss):
            await outside.slack.wait_for(lambda _: answers(outside, ts), timeout_s=WORK_S)


@contextmanager
def locked_database(root: Path) -> Generator[None]:
    """Nobody else can write the database below `root` meanwhile."""
    [database] = root.rglob("state.sqlite")
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield
