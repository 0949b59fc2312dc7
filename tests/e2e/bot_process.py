"""The bot as a process of its own beside the stand-ins, and a server that never answers."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.e2e.world import Outside

START_S = 60.0


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
    outside: Outside,
    abyss: Abyss | None = None,
    *,
    model_url: str = "",
    fault_at: str = "",
    environment: Mapping[str, str] | None = None,
) -> AsyncGenerator[asyncio.subprocess.Process]:
    slack, web = outside.slack, outside.web.environment
    allowed = [web["CRAWL_ALLOW"], *([abyss.authority] if abyss else [])]
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
            "CRAWL_ALLOW": ",".join(allowed),
            "CRAWL_BROWSER": "off",
            "CONSOLE_PORT": "0",
            "SLACK_SETTLE_S": "0.5",
            "FAULT_AT": fault_at,
            **(environment or {}),
        },
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        connected = slack.connected(timeout_s=START_S)
        begun = {asyncio.create_task(connected), asyncio.create_task(bot.wait())}
        done, late = await asyncio.wait(begun, return_when=asyncio.FIRST_COMPLETED)
        for task in late:  # what an earlier life left may kill it before it is connected
            task.cancel()
        for task in done:
            await task
        yield bot
    finally:
        if bot.returncode is None:
            bot.kill()
        await bot.wait()
        await slack.wait_for(lambda _: slack.open_sockets == 0, timeout_s=START_S)


def bot_texts(outside: Outside, ts: str) -> list[str]:
    slack = outside.slack
    return [post.words for post in slack.thread("general", ts) if post.user == slack.bot_user_id]


async def mention(outside: Outside, text: str) -> str:
    return await outside.slack.say("ann", "general", f"{outside.slack.mention} {text}")
