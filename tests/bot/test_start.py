"""`bot start` with settings that are missing, wrong, or read in more than one way."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent_core.settings import CoreSettings
from bot.cli import app
from bot.sandbox.slack import SlackStandIn
from bot.settings import BotSettings
from bot.start import missing_settings

GIVEN = {
    "SLACK_BOT_TOKEN": "xoxb-given",
    "SLACK_APP_TOKEN": "xapp-given",
    "ANTHROPIC_API_KEY": "sk-ant-given",
}
NAMES = [name.upper() for model in (BotSettings, CoreSettings) for name in model.model_fields]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No setting of the machine is seen; the returned directory is where `.env` is looked for."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def start(**environment: str) -> Result:
    return CliRunner().invoke(app, ["start"], env=environment)


def missing(monkeypatch: pytest.MonkeyPatch, **environment: str) -> list[str]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return missing_settings(BotSettings(), CoreSettings())


def allowed(monkeypatch: pytest.MonkeyPatch, value: str | None) -> frozenset[str] | None:
    """`ALLOWED_USERS` as read from this environment variable, all three being read alike."""
    names = ("ALLOWED_TEAMS", "ALLOWED_CHANNELS", "ALLOWED_USERS")
    for name in names:
        if value is not None:
            monkeypatch.setenv(name, value)
    made = BotSettings()
    lists = {made.allowed_teams, made.allowed_channels, made.allowed_users}
    [same] = lists
    return same


def test_a_start_without_settings_names_each_and_how_to_get_it() -> None:
    result = start()
    assert result.exit_code == 2
    lines = {line.strip().partition(":")[0]: line for line in result.stderr.splitlines()}
    assert "OAuth & Permissions" in lines["SLACK_BOT_TOKEN"]
    assert "connections:write" in lines["SLACK_APP_TOKEN"]
    assert "platform.claude.com" in lines["ANTHROPIC_API_KEY"]
    assert "bot sandbox" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("name", GIVEN)
def test_only_what_is_missing_is_named(name: str) -> None:
    result = start(**{key: value for key, value in GIVEN.items() if key != name})
    assert result.exit_code == 2
    assert [each for each in GIVEN if f"  {each}: " in result.stderr] == [name]


def test_settings_that_are_there_are_not_repeated() -> None:
    result = start(SLACK_BOT_TOKEN="xoxb-given")
    assert "xoxb-given" not in result.output


@pytest.mark.parametrize("key", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ZAI_API_KEY"])
def test_any_of_the_three_keys_is_enough(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    slack = {name: value for name, value in GIVEN.items() if name.startswith("SLACK_")}
    assert missing(monkeypatch, **slack, **{key: "given"}) == []


def test_an_empty_token_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing(monkeypatch, **{**GIVEN, "SLACK_APP_TOKEN": ""}) == ["SLACK_APP_TOKEN"]


def test_a_file_can_hold_all_of_them(monkeypatch: pytest.MonkeyPatch, clean: Path) -> None:
    lines = [f"{name}={value}" for name, value in GIVEN.items()]
    (clean / ".env").write_text("\n".join(lines), encoding="utf-8")
    assert missing(monkeypatch) == []


@pytest.mark.parametrize(
    ("name", "value"), [("MAX_STEPS", "none"), ("MAX_STEPS", "0"), ("MAX_MINUTES", "an hour")]
)
def test_a_setting_that_is_wrong_is_explained_by_name(name: str, value: str) -> None:
    result = start(**GIVEN, **{name: value})
    assert result.exit_code == 2
    assert name in result.stderr
    assert "Traceback" not in result.output
    assert len(result.stderr.splitlines()) == 1


def test_all_wrong_settings_are_explained_at_once() -> None:
    result = start(**GIVEN, MAX_STEPS="none", MAX_MINUTES="an hour")
    assert "MAX_STEPS" in result.stderr
    assert "MAX_MINUTES" in result.stderr


def test_no_list_means_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert allowed(monkeypatch, None) is None


@pytest.mark.parametrize("value", ["", "  ", "[]", "[ ]", ",", '""'])
def test_an_empty_list_lets_nobody_in(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    assert allowed(monkeypatch, value) == frozenset()


@pytest.mark.parametrize(
    "value",
    ["U1,U2", "U1, U2", " U1  U2 ", '["U1","U2"]', "['U1', 'U2']", "[U1,U2]", "U1,U2,", "U2,U1,U2"],
)
def test_a_list_is_read_however_it_is_written(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    assert allowed(monkeypatch, value) == {"U1", "U2"}


def test_a_list_in_a_file_is_read_in_the_same_way(clean: Path) -> None:
    lines = ['ALLOWED_USERS=["U1", "U2"]', "ALLOWED_TEAMS=", "ALLOWED_CHANNELS=C1,C2"]
    (clean / ".env").write_text("\n".join(lines), encoding="utf-8")
    made = BotSettings()
    assert made.allowed_users == {"U1", "U2"}
    assert made.allowed_teams == frozenset()
    assert made.allowed_channels == {"C1", "C2"}


@pytest.mark.parametrize("url", ["http://slack.test/api", "http://slack.test/api/"])
def test_slack_s_address_ends_in_a_slash(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SLACK_API_URL", url)
    assert BotSettings().slack_api_url == "http://slack.test/api/"


def test_an_empty_address_means_slack_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_API_URL", "")
    assert BotSettings().slack_api_url == "https://slack.com/api/"


def test_tokens_are_not_in_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, value)
    assert "given" not in repr(BotSettings())


def run_start(cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`bot start` as an operator runs it: a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "bot", "start"],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={"PATH": os.defpath, **environment},
        timeout=90,
        check=False,
    )


@pytest.mark.subprocess
async def test_a_token_that_slack_refuses_ends_the_start_with_a_plain_sentence(
    clean: Path,
) -> None:
    async with SlackStandIn() as slack:
        refused = {**GIVEN, "SLACK_API_URL": slack.api_url}
        ended = await asyncio.to_thread(run_start, clean, **refused)
    assert ended.returncode == 2
    assert "The bot cannot start: " in ended.stderr
    assert "invalid_auth" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "xoxb-given" not in ended.stderr


@pytest.mark.subprocess
async def test_a_database_address_that_is_none_ends_the_start_with_a_plain_sentence(
    clean: Path,
) -> None:
    async with SlackStandIn() as slack:
        environment = {
            **GIVEN,
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_APP_TOKEN": slack.app_token,
            "SLACK_API_URL": slack.api_url,
            "DATABASE_URL": "nothing of the kind",
        }
        ended = await asyncio.to_thread(run_start, clean, **environment)
    assert ended.returncode == 2
    assert "DATABASE_URL" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.subprocess
async def test_a_bot_token_in_place_of_the_app_token_ends_the_start(clean: Path) -> None:
    async with SlackStandIn() as slack:
        environment = {
            **GIVEN,
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_APP_TOKEN": slack.bot_token,
            "SLACK_API_URL": slack.api_url,
        }
        ended = await asyncio.to_thread(run_start, clean, **environment)
    assert ended.returncode == 2
    assert "SLACK_APP_TOKEN" in ended.stderr
    assert "Traceback" not in ended.stderr
