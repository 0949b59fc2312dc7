"""`bot check` as a person and a script read it."""

import asyncio
import json
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from bot.check.command import all_checks, judge_settings
from bot.cli import app
from bot.settings import BotSettings, Configuration, read_configuration
from tests.bot.check.installation import KEY, Installation, installed

pytestmark = pytest.mark.process("the check starts the toolkit")

NAMES = [
    "settings",
    "slack_bot_token",
    "slack_socket_mode",
    "main_model",
    "classifier_model",
    "composio",
    "workspaces",
    "database",
    "other_bots",
    "local_toolkit",
    "browser",
]


async def check(world: Installation, *options: str, **changed: str) -> Result:
    env = world.environment() | changed
    return await asyncio.to_thread(CliRunner().invoke, app, ["check", *options], env=env)


async def test_an_installation_that_works_is_told_line_by_line(tmp_path: Path) -> None:
    async with installed(tmp_path / "root") as world:
        result = await check(world)
    assert result.exit_code == 0
    *lines, last = result.stdout.splitlines()
    assert len(lines) == len(NAMES)
    assert all(line.startswith(("fine ", "warning ")) for line in lines)
    assert last.startswith(("Everything is fine", "Nothing is wrong"))


async def test_a_script_gets_one_object_in_the_order_of_the_lines(tmp_path: Path) -> None:
    async with installed(tmp_path) as world:
        result = await check(world, "--json")
    told = json.loads(result.stdout)
    assert told["ok"] is True
    assert [each["name"] for each in told["checks"]] == NAMES
    assert {each["state"] for each in told["checks"]} <= {"fine", "warning"}
    assert all(each["text"] for each in told["checks"])


async def test_what_is_wrong_is_told_without_secrets_and_with_code_1(tmp_path: Path) -> None:
    async with installed(tmp_path) as world:
        world.model.fail(status=401, message=f"no such key: {KEY}", times=2)
        result = await check(
            world, "--json", SLACK_BOT_TOKEN="xoxb-somebody-elses", CRAWL_ALLOW="http://a.test/"
        )
        posted = [call.method for call in world.slack.calls]
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    wrong = [each["name"] for each in told["checks"] if each["state"] == "wrong"]
    assert told["ok"] is False
    assert wrong == [
        "settings",
        "slack_bot_token",
        "main_model",
        "classifier_model",
        "local_toolkit",
    ]
    assert "CRAWL_ALLOW must be put right first" in result.stdout
    assert KEY not in result.output
    assert "xoxb-somebody-elses" not in result.output
    assert set(posted) == {"auth.test", "apps.connections.open"}


def test_without_any_setting_everything_that_is_missing_is_told() -> None:
    result = CliRunner().invoke(app, ["check"])
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    [settings] = [line for line in lines if " Settings: " in line]
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "ANTHROPIC_API_KEY"):
        assert name in settings
    assert sum(line.startswith("wrong ") for line in lines) == 5
    assert lines[-1].startswith("5 of 11 are wrong")
    assert "Traceback" not in result.output


def test_a_file_of_settings_that_cannot_be_read_is_the_only_finding(clean: Path) -> None:
    (clean / ".env").write_bytes(b"ALLOWED_USERS=\xff")
    result = CliRunner().invoke(app, ["check", "--json"])
    assert result.exit_code == 1
    [finding] = json.loads(result.stdout)["checks"]
    assert (finding["name"], finding["state"]) == ("settings", "wrong")
    assert ".env" in finding["text"]


MALFORMED = {
    "SLACK_API_URL": "nowhere",
    "ALLOWED_TEAMS": "my",
    "ALLOWED_USERS": "ann",
    "ANTHROPIC_BASE_URL": "no address",
    "CRAWL_ALLOW": "http://x y",
    "MAX_STEPS": "none",
    "DATABASE_URL": "mysql://db.test/bot",
}


def test_every_wrong_setting_is_told_whole_on_a_line_of_its_own() -> None:
    result = CliRunner().invoke(app, ["check"], env=MALFORMED)
    lines = result.stdout.splitlines()
    [at] = [place for place, line in enumerate(lines) if " Settings: " in line]
    below = lines[at + 1 : at + 2 + len(MALFORMED)]
    for name in MALFORMED:
        [line] = [line for line in below if line.strip().startswith(name)]
        assert line.endswith(".")
    assert below[-1].strip().startswith("Not set, but needed: ")
    assert "8 faults" in lines[at]


def test_a_script_finds_every_wrong_setting_in_the_text() -> None:
    result = CliRunner().invoke(app, ["check", "--json"], env=MALFORMED)
    settings = json.loads(result.stdout)["checks"][0]
    assert set(settings) == {"name", "state", "text"}
    assert all(name in settings["text"] for name in MALFORMED)


def test_one_wrong_setting_is_in_the_line_of_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAX_STEPS", "none")
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1")
    monkeypatch.setenv("SLACK_APP_TOKEN", "xapp-1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-1")
    verdict = judge_settings(read_configuration())
    assert verdict.state == "wrong"
    assert "MAX_STEPS is “none”" in verdict.text
    assert verdict.more == ()


def test_a_list_that_lets_nobody_in_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_USERS", "")
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "xoxb-1" if "BOT" in name else "xapp-1")
    verdict = judge_settings(read_configuration())
    assert verdict.state == "warning"
    assert "ALLOWED_USERS let nobody in" in verdict.text


def test_each_setting_that_a_check_needs_exists() -> None:
    needed = {name for each in all_checks(read_configuration()) for name in each.needs}
    assert needed
    assert needed <= names_of_settings()


def names_of_settings() -> set[str]:
    configuration = read_configuration()
    models = (type(configuration.bot), type(configuration.core))
    return {name.upper() for model in models for name in model.model_fields}


def test_secrets_of_keys_and_addresses_are_known() -> None:
    bot = BotSettings(slack_bot_token=SecretStr("xoxb-hush-hush"))
    read = read_configuration()
    core = read.core.model_copy(update={"database_url": "postgresql://bot:hush-word@db.test/bot"})
    configuration = Configuration(bot=bot, core=core, faults={})
    assert sorted(configuration.secrets) == ["hush-word", "xoxb-hush-hush"]
