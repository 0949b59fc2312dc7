"""`bot start` and `bot check` as an operator runs them: processes of their own."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.sandbox.child import BotProcess, start_bot
from tests.faulty_slack import FaultySlack

pytestmark = pytest.mark.process("a second bot is met at the start of a process")

TIMEOUT_S = 90

Ended = subprocess.CompletedProcess[str]


def environment(slack: FaultySlack, **given: str) -> dict[str, str]:
    basis = {"PATH": os.defpath, "ANTHROPIC_API_KEY": "sk-ant-given", "CRAWL_BROWSER": "off"}
    return {**basis, **slack.environment, **given}


async def run(command: str, cwd: Path, env: dict[str, str], *options: str) -> Ended:
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "bot", command, *options],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=env,
        timeout=TIMEOUT_S,
        check=False,
    )


@asynccontextmanager
async def running(slack: FaultySlack, cwd: Path) -> AsyncGenerator[BotProcess]:
    """A bot that listens; it is killed at the end."""
    bot = await start_bot(environment(slack), cwd)
    try:
        await slack.connected(timeout_s=TIMEOUT_S)
        yield bot
    finally:
        bot.kill()
        await bot.stop()
        await slack.wait_for(lambda _: slack.open_sockets == 0, timeout_s=TIMEOUT_S)


def refusal(ended: Ended) -> str:
    """The one sentence with which a start ended."""
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    [sentence] = [line for line in ended.stderr.splitlines() if "cannot start" in line]
    return sentence


async def test_a_token_that_slack_refuses_ends_the_start_with_a_plain_sentence(
    tmp_path: Path,
) -> None:
    async with FaultySlack() as slack:
        env = environment(slack, SLACK_BOT_TOKEN="xoxb-given")
        said = refusal(await run("start", tmp_path, env))
    assert "invalid_auth" in said
    assert "xoxb-given" not in said


async def test_a_second_bot_on_the_same_files_is_refused_until_the_first_is_gone(
    tmp_path: Path,
) -> None:
    async with FaultySlack() as slack:
        async with running(slack, tmp_path) as first:
            said = refusal(await run("start", tmp_path, environment(slack)))
            assert f"process {first.pid} on " in said
            assert "running since " in said
            assert "DATABASE_URL" in said
            assert slack.open_sockets == 1

            ended = await run("check", tmp_path, environment(slack), "--json")
            checks = {check["name"]: check for check in json.loads(ended.stdout)["checks"]}
            assert checks["other_bots"]["state"] == "warning"
            assert f"process {first.pid} on " in checks["other_bots"]["text"]
            assert checks["database"]["state"] == "fine"
            assert checks["slack_socket_mode"]["state"] == "fine"
            first.check()
        async with running(slack, tmp_path) as third:  # though the first was killed
            third.check()
