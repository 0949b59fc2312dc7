"""`/healthz` as whoever watches the bot asks for it."""

import logging
import os
from typing import Any

import aiohttp
import pytest

from bot.console import Finding, look_at_database, serve_health
from bot.slack_api import SkippingClock

HOST = "127.0.0.1"


async def well() -> Finding:
    return Finding(details={"connected": True})


async def unwell() -> Finding:
    return Finding(why="the socket to Slack went silent", details={"connected": False})


async def asked(port: int | None) -> tuple[int, dict[str, Any]]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://{HOST}:{port}/healthz") as answer,
    ):
        return answer.status, await answer.json()


async def test_all_well_is_200_with_process_and_uptime() -> None:
    clock = SkippingClock()
    async with serve_health({"socket": well}, host=HOST, port=0, clock=clock) as port:
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
    async with serve_health({"socket": unwell, "other": well}, host=HOST, port=0) as port:
        status, answer = await asked(port)
    assert (status, answer["ok"]) == (503, False)
    assert answer["why"] == ["socket: the socket to Slack went silent"]
    assert answer["other"]["ok"]


async def test_a_database_that_fails_is_named_without_what_it_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def read() -> bool:
        raise ConnectionError("password hush-hush")

    looks = {"database": look_at_database(read)}
    async with serve_health(looks, host=HOST, port=0) as port:
        status, answer = await asked(port)
    assert status == 503
    assert answer["why"] == ["database: does not work (ConnectionError)"]
    assert "hush" in caplog.text


async def test_a_port_that_is_taken_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    async with serve_health({"first": well}, host=HOST, port=0) as port:
        assert port is not None
        async with serve_health({"second": well}, host=HOST, port=port) as none:
            assert none is None
        _, answer = await asked(port)
    assert "first" in answer
    [warning] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert f"{HOST} port {port}" in warning.getMessage()


async def test_a_host_that_is_not_this_machine_is_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serve_health({"first": well}, host="203.0.113.1", port=0) as port:
        assert port is None
    assert "203.0.113.1" in caplog.text


async def test_nothing_else_is_served_there() -> None:
    async with (
        serve_health({"socket": well}, host=HOST, port=0) as port,
        aiohttp.ClientSession() as session,
    ):
        for path in ("/", "/healthz/", "/healthz/../x"):
            async with session.get(f"http://{HOST}:{port}{path}") as answer:
                assert answer.status == 404
        async with session.post(f"http://{HOST}:{port}/healthz") as answer:
            assert answer.status == 405
