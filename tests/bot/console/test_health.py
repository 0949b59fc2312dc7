"""`/healthz` as whoever watches the bot asks for it."""

import asyncio
import logging
import os
import sqlite3
from collections.abc import Generator, Mapping
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from sqlalchemy import Connection

from agent_core.sessions import Database
from agent_core.sessions.schema import sessions
from bot.console.server import (
    HealthFinding,
    Look,
    add_health,
    listening,
    look_at_database,
    look_at_tools,
)
from bot.slack_api import MonotonicClock, SkippingClock
from tests.agent_core.sessions.databases import told_of_trouble

HOST = "127.0.0.1"


def served(
    looks: Mapping[str, Look],
    *,
    host: str = HOST,
    port: int = 0,
    clock: MonotonicClock | None = None,
) -> AbstractAsyncContextManager[int | None]:
    app = web.Application()
    add_health(app, looks, clock or MonotonicClock())
    return listening(app, host, port)


def count_sessions(connection: Connection) -> int:
    return len(connection.execute(sessions.select()).all())


def forget_sessions(connection: Connection) -> None:
    connection.execute(sessions.delete())


@contextmanager
def locked(file: Path) -> Generator[None]:
    """Somebody else writes into the database, and takes long."""
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def well() -> HealthFinding:
    return HealthFinding(details={"connected": True})


async def unwell() -> HealthFinding:
    return HealthFinding(why="the socket to Slack went silent", details={"connected": False})


async def asked(port: int | None) -> tuple[int, dict[str, Any]]:
    url = f"http://{HOST}:{port}/healthz"
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.json()


async def test_all_well_is_200_with_process_and_uptime() -> None:
    clock = SkippingClock()
    async with served({"socket": well}, clock=clock) as port:
        clock.advance(90)
        status, answer = await asked(port)
    assert status == 200
    assert answer == {
        "ok": True,
        "why": [],
        "pid": os.getpid(),
        "uptime_s": 90.0,
        "socket": {"ok": True, "connected": True},
    }


@pytest.mark.proves("socket.healthz")
async def test_one_part_that_is_unwell_is_503_with_the_reason() -> None:
    async with served({"socket": unwell, "other": well}) as port:
        status, answer = await asked(port)
    assert (status, answer["ok"]) == (503, False)
    assert answer["why"] == ["socket: the socket to Slack went silent"]
    assert answer["other"]["ok"]


async def test_a_database_that_fails_is_named_without_what_it_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def read() -> bool:
        raise ConnectionError("password hush-hush")

    looks = {"database": partial(look_at_database, read, lambda: None)}
    async with served(looks) as port:
        status, answer = await asked(port)
    assert status == 503
    assert answer["why"] == ["database: does not work (ConnectionError)"]
    assert "hush" in caplog.text


async def test_a_database_that_is_read_and_cannot_be_written_is_unwell_until_it_can(
    tmp_path: Path,
) -> None:
    file = tmp_path / "state.sqlite"
    database = Database(f"sqlite:///{file}")
    await database.open()
    look = partial(look_at_database, lambda: database.run(count_sessions), lambda: database.trouble)
    async with served({"database": look}) as port:
        with told_of_trouble() as told, locked(file):
            writing = asyncio.create_task(database.run(forget_sessions))
            await told.wait()
            status, answer = await asked(port)
        assert (status, answer["why"]) == (503, ["database: database is locked"])
        await writing
        assert (await asked(port))[0] == 200
    await database.close()


async def test_a_port_that_is_taken_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    async with served({"first": well}) as port:
        assert port is not None
        async with served({"second": well}, port=port) as none:
            assert none is None
        _, answer = await asked(port)
    assert "first" in answer
    [warning] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert f"{HOST} port {port}" in warning.getMessage()


@pytest.mark.proves("hub.away")
async def test_tools_that_are_away_are_told_and_leave_the_bot_well() -> None:
    away = {"composio": "Composio cannot be reached."}
    async with served({"socket": well, "tools": partial(look_at_tools, lambda: away)}) as port:
        status, told = await asked(port)
        assert (status, told["ok"]) == (200, True)
        assert told["why"] == ["tools: composio cannot be reached"]
        assert told["tools"] == {"ok": False, "away": away}
        away.clear()
        assert (await asked(port))[1]["tools"] == {"ok": True, "away": {}}
