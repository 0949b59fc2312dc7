"""`bot eval` as a user runs it, with the model stand-in as the server: this measures no model."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.sandbox.model import ModelStandIn
from bot.sandbox.web import SmallWeb
from tests.e2e.command_line import Ran, running

pytestmark = [pytest.mark.process("the command as a user types it"), pytest.mark.timeout(400)]

MANNERS = """
only = ["judge_reply"]
[threads]
pumps = ["ann: @bot how many heat pumps were sold in Spain?", "bot: About 180,000.", "ben: oh"]
[[scenario]]
thread = "pumps"
says = ["ann: ben, did you see the numbers last week?"]
expect.answered = false
"""
REPORT = """
[[scenario]]
says = ["ann: @bot Run this, please:\\n```\\nprint(6 * 7)\\n```"]
expect.outcome = "answered"
expect.answer.pattern = "42"
"""
OPTIONS = ("--suite", "manners", "--suite", "report", "--scenarios", "own")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    own = tmp_path / "own"
    own.mkdir()
    (own / "manners.toml").write_text(MANNERS, encoding="utf-8")
    (own / "report.toml").write_text(REPORT, encoding="utf-8")
    return tmp_path


async def evaluate(directory: Path, *options: str, settings: Mapping[str, str]) -> Ran:
    async with running(directory, "eval", *options, keys=settings) as process:
        out, err = await process.communicate()
    return Ran(code=process.returncode or 0, out=out.decode(), err=err.decode())


def verdicts(ran: Ran) -> list[str]:
    scenarios: list[dict[str, Any]] = json.loads(ran.out)["scenarios"]
    return [scenario["verdict"] for scenario in scenarios]


@pytest.mark.proves("evals.replay", "evals.another_prompt", "evals.table")
async def test_what_a_server_replied_is_replayed_for_the_same_prompts_alone(
    directory: Path,
) -> None:
    async with (
        SmallWeb.builtin(clock=lambda: datetime.now(UTC)) as pages,
        ModelStandIn(pages=pages.ready) as model,
    ):
        key = {"ANTHROPIC_API_KEY": "any", "ANTHROPIC_BASE_URL": model.base_url}
        recorded = await evaluate(directory, *OPTIONS, "--record", "kept", "--json", settings=key)
    assert verdicts(recorded) == ["passed", "passed"], recorded.out
    assert recorded.code == 0
    figures = json.loads(recorded.out)["suites"]

    replayed = await evaluate(directory, *OPTIONS, "--replay", "kept", "--json", settings={})
    assert verdicts(replayed) == verdicts(recorded), replayed.out
    assert json.loads(replayed.out)["suites"] == figures, "tokens, cost and times as recorded"

    # The model's name is a part of the prompt's key as every word of it is.
    changed = await evaluate(
        directory,
        *OPTIONS[:2],
        *OPTIONS[4:],
        "--replay",
        "kept",
        settings={"CLASSIFIER_MODEL": "b"},
    )
    assert changed.code == 1
    assert changed.err.count("recorded for another prompt: run with --record") == 1
    *_, head, row = (line.split() for line in changed.out.splitlines())
    assert head[:4] == ["suite", "passed", "failed", "not_measured"]
    assert row == ["manners", "0", "1", "0", "0", "0", "-", "-", "-"]


@pytest.mark.proves("evals.server")
async def test_a_server_that_does_not_reply_measures_nothing(directory: Path) -> None:
    async def refuse(_: web.Request) -> web.Response:
        error = {"type": "authentication_error", "message": "no such key"}
        return web.json_response({"type": "error", "error": error}, status=401)

    app = web.Application()
    app.router.add_post("/v1/messages", refuse)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    key = {
        "ANTHROPIC_API_KEY": "any",
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{runner.addresses[0][1]}",
    }
    ran = await evaluate(directory, *OPTIONS[:2], *OPTIONS[4:], "--record", "kept", settings=key)
    await runner.cleanup()
    assert ran.code == 1
    assert "not measured: manners" in ran.err
    assert "said 401" in ran.err
    assert not (directory / "kept").exists()
