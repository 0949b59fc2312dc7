"""`bot start` with settings that are missing, wrong, or read in more than one way."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent_core.settings import CoreSettings
from bot.cli import app
from bot.settings import BotSettings, read_configuration

GIVEN = {
    "SLACK_BOT_TOKEN": "xoxb-given",
    "SLACK_APP_TOKEN": "xapp-given",
    "ANTHROPIC_API_KEY": "sk-ant-given",
}
pytestmark = pytest.mark.usefixtures("clean")


def start(**environment: str) -> Result:
    return CliRunner().invoke(app, ["start"], env=environment)


def missing(monkeypatch: pytest.MonkeyPatch, **environment: str) -> list[str]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return list(read_configuration().missing)


LISTS = {"ALLOWED_TEAMS": "T", "ALLOWED_CHANNELS": "C", "ALLOWED_USERS": "U"}


def allowed(monkeypatch: pytest.MonkeyPatch, value: str | None) -> frozenset[str] | None:
    """`ALLOWED_USERS` as read from this environment variable, all three being read alike."""
    for name, letter in LISTS.items():
        if value is not None:
            monkeypatch.setenv(name, value.replace("U", letter))
    made = BotSettings()
    lists = (made.allowed_teams, made.allowed_channels, made.allowed_users)
    [same] = {None if ids is None else frozenset(f"U{each[1:]}" for each in ids) for ids in lists}
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


@pytest.mark.parametrize("key", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ZAI_API_KEY"])
def test_any_of_the_three_keys_is_enough(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    slack = {name: value for name, value in GIVEN.items() if name.startswith("SLACK_")}
    assert missing(monkeypatch, **slack, **{key: "given"}) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("MAX_STEPS", "none", "is “none”. Write a whole number of at least 1"),
        ("MAX_STEPS", "0", "is “0”. Write a whole number of at least 1"),
        ("MAX_STEPS", "2.5", "is “2.5”. Write a whole number of at least 1"),
        ("MAX_MINUTES", "an hour", "is “an hour”. Write a number above 0"),
        ("MAX_MINUTES", "-1", "is “-1”. Write a number above 0"),
        ("MAX_MINUTES", "nan", "is “nan”. Write a number above 0"),
        ("MAX_TOKENS", "10", "is “10”. Write a whole number of at least 1000"),
        (
            "CRAWL_ALLOW",
            "a.test,http://b.test/",
            "has the entry “http://b.test/”, which is no host",
        ),
        ("CRAWL_ALLOW", "a.test:99999", "has the entry “a.test:99999”"),
        ("CRAWL_CONNECT", "a.test", "has the entry “a.test”. Write pattern=address:port"),
        ("CRAWL_CONNECT", "a.test=b.test:80", "has the entry “a.test=b.test:80”"),
        ("CRAWL_CONNECT", "a.test=127.0.0.1", "has the entry “a.test=127.0.0.1”"),
        ("CRAWL_CONNECT", "a.test=127.0.0.1:80/x", "has the entry “a.test=127.0.0.1:80/x”"),
        ("CONNECT_LINKS", "https://a.test/link", "holds “https://a.test/link”, which is no host"),
        ("CONNECT_LINKS", "b.test, a.test?x", "holds “a.test?x”"),
        ("CONNECT_LINKS", "a.test/link#x", "holds “a.test/link#x”"),
        ("CONNECT_LINKS", "a.test:", "holds “a.test:”"),
        ("DATABASE_URL", "nothing of the kind", "is no address of a database that works here"),
        ("DATABASE_URL", "mysql://db.test/bot", "is no address of a database that works here"),
        ("DATABASE_URL", "postgres://db.test/bot", "older form. Write postgresql://"),
        ("SLACK_API_URL", "slack.com/api", "is no web address. Write a"),
        ("ANTHROPIC_BASE_URL", "gateway.test", "is no web address. Write a"),
        ("COMPOSIO_BASE_URL", "https://", "is no web address. Write a"),
        ("ANTHROPIC_VERSION", "newest", "is “newest”. Write a date"),
        ("AGENT_MODEL", "Claude Sonnet", "is “Claude Sonnet”. Write a model's id"),
        ("CLASSIFIER_MODEL", "a b", "is “a b”. Write a model's id"),
        ("LOGFIRE_PROJECT", "mine", "is “mine”. Write organisation/project"),
        ("ALLOWED_CHANNELS", "C1,#general", "has “#general”, which is no such id. Write channel"),
        ("ALLOWED_USERS", "U1 @ann", "has “@ann”, which is no such id. Write user ids"),
        ("ALLOWED_TEAMS", "C1", "has “C1”, which is no such id. Write team ids"),
        ("CONSOLE_PORT", "99999", "is “99999”. Write a port such as 8898"),
        ("CONSOLE_PORT", "http", "is “http”. Write a port such as 8898"),
        ("CONSOLE_HOST", "this machine", "is “this machine”. Write an address of this"),
        ("CONSOLE_SECRET", "hush-hush", "is too short to keep anybody out. Write at least 16"),
        ("CONSOLE_SECRET", "a" * 64, "repeats too few characters to keep anybody out. Write at"),
        ("CONSOLE_URL", "live.example.org", "is no web address. Write an address"),
        ("CONSOLE_URL", "https://example.org/live", "is more than a scheme, a host and a port"),
        ("WORKSPACES_ROOT", "~nobody-of-this-name/bot", "and that home is not known"),
    ],
)
def test_a_setting_that_is_wrong_is_explained_by_name(name: str, value: str, said: str) -> None:
    result = start(**GIVEN, **{name: value})
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    [_, sentence] = result.stderr.splitlines()
    assert sentence.startswith(f"  {name} ")
    assert said in sentence


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLACK_BOT_TOKEN", "xapp-hush-hush"),
        ("SLACK_BOT_TOKEN", "xoxb-hush hush"),
        ("SLACK_APP_TOKEN", "xoxb-hush-hush"),
        ("ANTHROPIC_API_KEY", "'hush-hush'"),
        ("ANTHROPIC_API_KEY", "hush-hush\n"),
        ("ANTHROPIC_AUTH_TOKEN", "Bearer hush-hush"),
        ("ZAI_API_KEY", "hush-hüsh"),
        ("COMPOSIO_API_KEY", "hush hush"),
        ("LOGFIRE_TOKEN", "hush hush"),
        ("DATABASE_URL", "mysql://bot:hush-hush@db.test/bot"),
        ("ANTHROPIC_BASE_URL", "ftp://bot:hush-hush@gateway.test"),
    ],
)
def test_a_secret_that_is_malformed_is_named_and_not_shown(name: str, value: str) -> None:
    result = start(**{**GIVEN, name: value})
    assert result.exit_code == 2
    [_, sentence] = result.stderr.splitlines()
    assert sentence.startswith(f"  {name} ")
    assert "hush" not in result.output


def test_wrong_and_missing_settings_are_told_together() -> None:
    result = start(ALLOWED_USERS="ann", MAX_STEPS="none", SLACK_BOT_TOKEN="xoxp-1")
    for name in ("ALLOWED_USERS", "MAX_STEPS", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"):
        assert len([line for line in result.stderr.splitlines() if f"  {name}" in line]) == 1
    assert "  ANTHROPIC_API_KEY: " in result.stderr


def test_a_wrong_key_is_not_called_missing() -> None:
    slack = {name: value for name, value in GIVEN.items() if name.startswith("SLACK_")}
    result = start(**slack, ANTHROPIC_AUTH_TOKEN="two words")
    assert "  ANTHROPIC_AUTH_TOKEN " in result.stderr
    assert "ANTHROPIC_API_KEY" not in result.stderr


def test_a_file_of_settings_that_is_no_text_is_explained(clean: Path) -> None:
    (clean / ".env").write_bytes("ALLOWED_USERS=Zoë".encode("latin-1"))
    result = start(**GIVEN)
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "The file .env cannot be read: it must be UTF-8 text that the bot may read."
    ]


def test_a_file_as_windows_writes_it_is_read(monkeypatch: pytest.MonkeyPatch, clean: Path) -> None:
    lines = [f"{name}={value}" for name, value in GIVEN.items()]
    (clean / ".env").write_bytes("\r\n".join(lines).encode("utf-8-sig"))
    assert missing(monkeypatch) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CRAWL_ALLOW", "a.test, *.b.test:8080,127.0.0.1:80,[::1]:8080,::1,"),
        ("CRAWL_CONNECT", "*.test=127.0.0.1:8080, a.test:81=[::1]:80"),
        ("CONNECT_LINKS", "a.test, b.test:8080,c.test/link/s,[::1]:80/x,"),
        ("DATABASE_URL", "postgresql+psycopg://bot@db.test/bot?sslmode=require"),
        ("SLACK_BOT_TOKEN", "xoxe.xoxb-1-rotated"),
        ("ALLOWED_TEAMS", "T1,E1"),
        ("ALLOWED_CHANNELS", "C1,G1,D1"),
        ("ALLOWED_USERS", "U1,W1"),
        ("WORKSPACES_ROOT", "~/bot"),
        ("MAX_MINUTES", "0.5"),
        ("LOGFIRE_PROJECT", "our.team/bot-1"),
    ],
)
def test_what_is_right_is_taken(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert dict(read_configuration().faults) == {}


def test_a_root_in_the_home_directory_is_found(
    monkeypatch: pytest.MonkeyPatch, clean: Path
) -> None:
    monkeypatch.setenv("HOME", str(clean))
    monkeypatch.setenv("WORKSPACES_ROOT", "~/bot")
    assert CoreSettings().workspaces_root == clean / "bot"


def test_a_root_that_is_a_file_ends_the_start(clean: Path) -> None:
    (clean / "AGENT_RUN_WORKSPACES").write_text("mine", encoding="utf-8")
    result = start(**GIVEN)
    assert result.exit_code == 2
    [sentence] = result.stderr.splitlines()
    assert "AGENT_RUN_WORKSPACES is a file" in sentence
    assert (clean / "AGENT_RUN_WORKSPACES").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["state.sqlite", "turns.sqlite"])
def test_a_database_that_is_none_ends_the_start(clean: Path, name: str) -> None:
    (clean / name).write_bytes(b"no database" * 900)
    result = start(**GIVEN, WORKSPACES_ROOT=str(clean))
    assert result.exit_code == 2
    [sentence] = result.stderr.splitlines()
    assert f"{name} cannot be used: file is not a database" in sentence


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


def test_tokens_are_not_in_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, value)
    assert "given" not in repr(BotSettings())


def test_an_empty_console_host_is_not_every_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSOLE_HOST", "")
    assert BotSettings().console_host == "127.0.0.1"


@pytest.mark.proves("console.open_host")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "bot.internal"])  # noqa: S104
def test_several_processes_that_others_reach_need_one_secret(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("CONSOLE_HOST", host)
    monkeypatch.setenv("DATABASE_URL", "postgresql://db/bot")
    [sentence] = read_configuration().faults.values()
    assert f"CONSOLE_HOST is “{host}”, which others can reach" in sentence
    monkeypatch.setenv("CONSOLE_SECRET", "0123456789abcdef")
    assert not read_configuration().faults
    monkeypatch.delenv("CONSOLE_SECRET")
    for own in ("127.0.0.1", "localhost", "::1", "127.8.8.8"):
        monkeypatch.setenv("CONSOLE_HOST", own)
        assert not read_configuration().faults


def test_one_process_makes_a_secret_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSOLE_HOST", "0.0.0.0")  # noqa: S104
    assert not read_configuration().faults


@pytest.mark.proves("settings.no_user_id")
def test_a_user_id_for_everybody_is_ignored_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    result = start(DEFAULT_USER_ID="default")
    assert "DEFAULT_USER_ID" not in result.output
    [warning] = [each for each in caplog.records if "DEFAULT_USER_ID" in each.message]
    assert warning.levelname == "WARNING"


@pytest.mark.proves("accounts.shared")
@pytest.mark.parametrize("name", ["COMPOSIO_USER_ID", "COMPOSIO_ENTITY_ID"])
def test_one_account_for_everybody_is_refused(name: str) -> None:
    result = start(**{name: "default"})
    assert result.exit_code == 2
    assert f"{name} is set: one account for everybody" in result.output
