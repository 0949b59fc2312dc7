"""`bot sandbox` as a user starts and stops it: with its page, with asks, with a clock."""

import asyncio
import json
import re
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.bot.sandbox.page.visitor import Stream
from tests.e2e.command_line import run_sandbox, running
from tests.e2e.processes import alive, children

pytestmark = pytest.mark.process("the command starts the bot as a process, and its signals end it")

PATIENCE_S = 60.0
ASK = "What is full jitter?"
CLOCK = "2026-03-27T08:59:50 Europe/Berlin"


async def line_of(reader: asyncio.StreamReader | None) -> str:
    assert reader is not None
    return (await asyncio.wait_for(reader.readline(), PATIENCE_S)).decode().rstrip("\n")


def address_in(line: str) -> str:
    match = re.fullmatch(r"Open (http://127\.0\.0\.1:\d+/) in a browser .*", line)
    assert match is not None, line
    return match[1]


@asynccontextmanager
async def open_page(address: str) -> AsyncGenerator[tuple[Stream, aiohttp.ClientSession]]:
    async with (
        aiohttp.ClientSession(read_bufsize=2**24) as http,
        http.get(f"{address}events") as answer,
    ):
        stream = Stream(answer, patience_s=PATIENCE_S)
        await stream.begin()
        yield stream, http


def general_of(stream: Stream) -> str:
    return next(c["id"] for c in stream.all("channel/") if c.get("name") == "general")


async def ask_on_the_page(address: str) -> str:
    """Mention the bot in #general and wait for the end of its answer."""
    async with open_page(address) as (stream, http):
        fields = {"as": stream.facts["team"]["me"], "channel": general_of(stream)}
        said = {**fields, "text": f"@bot {ASK}"}
        headers = {"Origin": address.rstrip("/")}
        body = {"body": json.dumps(said)}
        async with http.post(f"{address}acts/say", data=body, headers=headers) as answer:
            assert answer.status == 200
        return (await stream.change("post", lambda post: "random time" in post["text"]))["text"]


async def test_the_sandbox_opens_its_page_and_answers_there(tmp_path: Path) -> None:
    async with running(tmp_path, "sandbox", "--first-token-s", "0") as process:
        address = address_in(await line_of(process.stdout))
        assert "random time" in await ask_on_the_page(address)
        process.send_signal(signal.SIGINT)
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert (process.returncode, err.decode()) == (0, "")
    printed = out.decode()
    assert "Slack's Web API: http://127.0.0.1:" in printed
    assert f"Workspaces and log: {tmp_path}" in printed
    assert "Stop it with Ctrl-C." in printed


async def test_beside_asks_the_page_is_opened_on_request_and_stays(tmp_path: Path) -> None:
    command = ("sandbox", "--ask", ASK, "--json", "--port", "0")
    async with running(tmp_path, *command) as process:
        address = address_in(await line_of(process.stderr))
        printed = ""
        while not printed.endswith("\n}\n"):
            printed += await line_of(process.stdout) + "\n"
        [turn] = json.loads(printed)["turns"]
        assert turn["outcome"] == "answered"
        async with open_page(address) as (stream, _):
            posts = stream.all(f"post/{general_of(stream)}/")
            assert posts[-1]["user"] == stream.facts["team"]["bot"]["user_id"]
        process.send_signal(signal.SIGTERM)
        out, _ = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert (process.returncode, out) == (0, b"")


async def test_a_signal_amid_an_ask_leaves_no_process_behind(tmp_path: Path) -> None:
    command = ("sandbox", "--ask", ASK, "--first-token-s", "300")
    async with running(tmp_path, *command) as process:
        assert ASK in await line_of(process.stdout)
        started = children(b"\0bot\0", process.pid)
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode == 130
    assert started
    assert alive(started) == []


async def test_a_bot_without_a_schedule_is_not_waited_for(tmp_path: Path) -> None:
    ran = await run_sandbox(tmp_path, "What is the capital of France?", more=("--until-posts", "1"))
    assert ran.code == 1
    assert "of 1 posts 0 are there" in ran.err
    assert "Traceback" not in ran.err


async def test_a_digest_that_was_agreed_to_comes_on_both_sides_of_a_weekend(tmp_path: Path) -> None:
    ran = await run_sandbox(
        tmp_path,
        "every weekday at 9 post a digest on battery storage in #news",
        more=("--click", "confirm", "--clock", CLOCK, "--until-posts", "2"),
    )
    done = ran.json()
    assert done["posts"][0]["ts"].startswith("177459839"), "Slack lives at the moment as well"
    roots = done["root_posts"]
    assert [root["channel"] for root in roots] == ["news", "news"], roots
    first, second = roots
    assert first["at"].startswith("2026-03-27T09:00:")
    assert first["at"].endswith("+01:00")
    assert second["at"].startswith("2026-03-30T09:00:")
    assert second["at"].endswith("+02:00")
    assert first["replies"]
    assert "Nothing new since Fri 27 March" in second["text"]
    assert second["replies"]
