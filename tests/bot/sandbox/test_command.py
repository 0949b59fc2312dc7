"""`bot sandbox --clock`, `--click` and `--until-posts`: runs of the bot."""

from pathlib import Path

import pytest

from tests.e2e.command_line import run_sandbox

CLOCK = "2026-03-27T08:59:50 Europe/Berlin"


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
    done = ran.json()
    assert done["posts"][0]["ts"].startswith("177459839"), "Slack lives at the moment as well"
    first, second = done["root_posts"]
    assert (first["channel"], second["channel"]) == ("news", "news")
    assert first["at"].startswith("2026-03-27T09:00:")
    assert first["at"].endswith("+01:00")
    assert second["at"].startswith("2026-03-30T09:00:")
    assert second["at"].endswith("+02:00")
    assert first["replies"]
    assert "Nothing new since Fri 27 March" in second["text"]
    assert second["replies"]
