"""`bot sandbox --clock`, `--click` and `--until-posts`: runs of the bot."""

import secrets
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.e2e.command_line import run_sandbox

CLOCK = "2026-03-27T08:59:50 Europe/Berlin"


@pytest.mark.process("the command starts the bot as a process of its own")
async def test_the_bot_and_slack_live_at_the_given_moment(tmp_path: Path) -> None:
    town = secrets.choice(("France", "Italy", "Spain"))
    ran = await run_sandbox(tmp_path, f"What is the capital of {town}?", more=("--clock", CLOCK))
    done = ran.json()
    asked, answered = (datetime.fromtimestamp(float(p["ts"]), UTC) for p in done["posts"])
    assert f"{asked:%Y-%m-%dT%H:%M:%S}".startswith("2026-03-27T07:59:5")
    assert f"{answered:%Y-%m-%d}" == "2026-03-27"
    assert Path(done["workspace"]).name.startswith("session_20260327_07595")
    assert done["root_posts"] == []


@pytest.mark.process("the command starts the bot as a process of its own")
async def test_a_bot_without_a_schedule_is_not_waited_for(tmp_path: Path) -> None:
    ran = await run_sandbox(tmp_path, "What is the capital of France?", more=("--until-posts", "1"))
    assert ran.code == 1
    assert "of 1 posts 0 are there" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.process("the command starts the bot as a process of its own")
async def test_a_digest_that_was_agreed_to_comes_on_both_sides_of_a_weekend(
    tmp_path: Path,
) -> None:
    ran = await run_sandbox(
        tmp_path,
        "every weekday at 9 post a digest on battery storage in #news",
        more=("--click", "confirm", "--clock", CLOCK, "--until-posts", "2"),
    )
    first, second = ran.json()["root_posts"]
    assert (first["channel"], second["channel"]) == ("news", "news")
    assert first["at"].startswith("2026-03-27T09:00:")
    assert first["at"].endswith("+01:00")
    assert second["at"].startswith("2026-03-30T09:00:")
    assert second["at"].endswith("+02:00")
    assert first["replies"]
    assert "Nothing new since Fri 27 March" in second["text"]
    assert second["replies"]
