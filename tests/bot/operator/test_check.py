"""`bot check` as a person and a script read it."""

import asyncio
import json
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from bot.cli import app
from bot.operator import Check, Finding, fine, wrong
from bot.operator.check import MAX_QUOTE_CHARS, judge_settings, run_checks
from bot.settings import BotSettings, Configuration, read_configuration
from tests.bot.operator.installation import KEY, Installation, installed

pytestmark = [pytest.mark.process("the check starts the toolkit"), pytest.mark.usefixtures("clean")]

NAMES = [
    "settings", "slack_bot_token", "slack_socket_mode", "main_model", "classifier_model",
    "composio", "workspaces", "database", "other_bots", "local_toolkit", "browser", "python",
    "tool_servers", "live_view",
]  # fmt: skip


NO_BROWSER = {"CRAWL_BROWSER": "off"}
"""Where the browser is not the point: to look for one is to start it."""


async def check(world: Installation, *options: str, **changed: str) -> Result:
    env = world.environment() | changed
    return await asyncio.to_thread(CliRunner().invoke, app, ["check", *options], env=env)


async def test_a_script_gets_one_object_in_the_order_of_the_lines(tmp_path: Path) -> None:
    """On a busy machine a check may run into its limit: that each is fine is for its own tests."""
    async with installed(tmp_path) as world:
        result = await check(world, "--json", **NO_BROWSER)
    told = json.loads(result.stdout)
    is_well = all(each["state"] != "wrong" for each in told["checks"])
    assert (told["ok"], result.exit_code) == (is_well, 0 if is_well else 1)
    assert [each["name"] for each in told["checks"]] == NAMES
    assert all(each["text"] for each in told["checks"])


async def test_what_is_wrong_is_told_without_secrets_and_with_code_1(tmp_path: Path) -> None:
    async with installed(tmp_path) as world:
        world.model.fail(status=401, message=f"no such key: {KEY}", times=2)
        wrong = {"SLACK_BOT_TOKEN": "xoxb-somebody-elses", "CRAWL_ALLOW": "http://a.test/"}
        result = await check(world, "--json", **wrong, **NO_BROWSER)
        posted = [call.method for call in world.slack.calls]
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    found = [each["name"] for each in told["checks"] if each["state"] == "wrong"]
    assert told["ok"] is False
    faulty = {"settings", "slack_bot_token", "main_model", "classifier_model", "local_toolkit"}
    assert faulty <= set(found)
    assert "CRAWL_ALLOW must be put right first" in result.stdout
    assert KEY not in result.output
    assert "xoxb-somebody-elses" not in result.output
    assert set(posted) == {"auth.test", "apps.connections.open"}


def test_without_any_setting_everything_that_is_missing_is_told() -> None:
    result = CliRunner().invoke(app, ["check"], env=NO_BROWSER)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    [settings] = [line for line in lines if " Settings: " in line]
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "ANTHROPIC_API_KEY"):
        assert name in settings
    assert sum(line.startswith("wrong ") for line in lines) == 5
    assert lines[-1].startswith("5 of 14 are wrong")
    assert "Traceback" not in result.output


def test_a_file_of_settings_that_cannot_be_read_is_the_only_finding(clean: Path) -> None:
    (clean / ".env").write_bytes(b"ALLOWED_USERS=\xff")
    result = CliRunner().invoke(app, ["check", "--json"])
    assert result.exit_code == 1
    [finding] = json.loads(result.stdout)["checks"]
    assert (finding["name"], finding["state"]) == ("settings", "wrong")
    assert ".env" in finding["text"]


async def test_a_list_that_lets_nobody_in_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_USERS", "")
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "xoxb-1" if "BOT" in name else "xapp-1")
    found = await judge_settings(read_configuration())
    assert found.state == "warning"
    assert "ALLOWED_USERS let nobody in" in found.text


def test_secrets_of_keys_and_addresses_are_known() -> None:
    bot = BotSettings(slack_bot_token=SecretStr("xoxb-hush-hush"))
    read = read_configuration()
    core = read.core.model_copy(update={"database_url": "postgresql://bot:hush-word@db.test/bot"})
    configuration = Configuration(bot=bot, core=core, faults={})
    assert sorted(configuration.secrets) == ["hush-word", "xoxb-hush-hush"]


TIMEOUT_S = 5


async def ran(
    *checks: Check, faulty: tuple[str, ...] = (), secrets: tuple[str, ...] = (), limit_s: float = 5
) -> list[Finding]:
    reported: list[Finding] = []
    async with asyncio.timeout(TIMEOUT_S):
        findings = await run_checks(
            checks, faulty=faulty, secrets=secrets, report=reported.append, limit_s=limit_s
        )
    assert reported == findings
    return findings


async def well() -> Finding:
    return fine("well.")


async def test_what_takes_too_long_is_wrong_and_keeps_nobody() -> None:
    async def never() -> Finding:
        await asyncio.Event().wait()
        return fine("never.")

    late, other = await ran(
        Check(title="Late", look=never), Check(title="Other", look=well), limit_s=0.05
    )
    assert (late.state, other.state) == ("wrong", "fine")
    assert "no answer within 0.05 seconds" in late.text


async def test_a_check_that_breaks_leaves_the_others() -> None:
    async def broken() -> Finding:
        raise ZeroDivisionError("at 0x7f")

    found, other = await ran(Check(title="Broken", look=broken), Check(title="Other", look=well))
    assert found.state == "wrong"
    assert "ZeroDivisionError" in found.text
    assert "0x7f" not in found.text
    assert other.state == "fine"


async def test_what_somebody_else_said_is_cut_after_its_secrets_are_left_out() -> None:
    secret = "hush-" * 40

    async def quotes() -> Finding:
        return wrong("it refuses; set another.", f"{'x' * 100}\n{secret}{'y' * 1000}")

    [found] = await ran(Check(title="Quote", look=quotes), secrets=(secret,))
    ours, _, theirs = found.text.partition(" It said: ")
    assert ours == "it refuses; set another."
    assert theirs.startswith(f"“{'x' * 100} …yyy")
    assert len(theirs.strip("“”.")) == MAX_QUOTE_CHARS
