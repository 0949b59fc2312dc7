"""`bot audit`: what agents did, as people and programs read it."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent_core.ids import ConsentId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.sessions import Database
from agent_core.sessions.audit import AuditedAction, AuditEntry, AuditLog
from bot.audit_command import read_since
from bot.cli import app

NOW = datetime.now(UTC).replace(microsecond=0)
SENDING = AuditEntry(
    at=NOW - timedelta(hours=2),
    session=SessionId("T1:C1:1.2"),
    turn=TurnId("turn_1"),
    run=RunId("root"),
    call=ToolCallId("call_1"),
    asker=UserId("T1:U1"),
    tool="mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL",
    actions=(
        AuditedAction(slug="GMAIL_SEND_EMAIL", account="ada@x.test", arguments_digest="5d" * 32),
    ),
    digest="7f" * 32,
    consent=ConsentId("c1"),
    approved_by=UserId("T1:U2"),
)
LOST = replace(
    SENDING,
    at=NOW - timedelta(days=2),
    call=ToolCallId("call_2"),
    asker=UserId("T1:U3"),
    tool="mcp__wiki__create_page",
    actions=(AuditedAction(slug="create_page", account="\x1b[31mred", arguments_digest="0" * 64),),
    approved_by=None,
)


def audit(url: str, *arguments: str) -> Result:
    environment = {"DATABASE_URL": url, "COLUMNS": "200"}
    return CliRunner().invoke(app, ["audit", *arguments], env=environment)


async def fill(url: str) -> None:
    database = Database(url)
    await database.open()
    log = AuditLog(database)
    await log.begin(LOST)
    await log.begin(SENDING)
    await log.end(replace(SENDING, at=NOW), "done")
    await database.close()


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database with a call that ended and one of which nobody knows."""
    monkeypatch.chdir(tmp_path)
    address = f"sqlite:///{tmp_path}/state.sqlite"
    asyncio.run(fill(address))
    return address


def test_people_see_a_table_newest_first_and_what_may_have_happened(url: str) -> None:
    result = audit(url)
    headings, first, second = result.stdout.splitlines()
    assert result.exit_code == 0
    assert headings.split()[:3] == ["WHEN", "OUTCOME", "ASKER"]
    for said in ("done", "T1:U1", "GMAIL_SEND_EMAIL", "ada@x.test", "T1:U2", "T1:C1:1.2"):
        assert said in first
    assert "may have happened" in second
    assert "\x1b" not in second


def test_programs_read_a_line_of_json_for_each(url: str) -> None:
    done, lost = map(json.loads, audit(url, "--json").stdout.splitlines())
    assert (done["outcome"], done["may_have_happened"]) == ("done", False)
    assert (lost["outcome"], lost["may_have_happened"], lost["ended_at"]) == ("begun", True, None)
    assert done["at"] == SENDING.at.isoformat()
    assert done["approved_by"] == "T1:U2"
    assert done["actions"] == [
        {"slug": "GMAIL_SEND_EMAIL", "account": "ada@x.test", "arguments_digest": "5d" * 32}
    ]
    assert done["digest"] == SENDING.digest


@pytest.mark.parametrize(
    "arguments", [("--since", "1d"), ("--user", "U1"), ("--tool", "gmail_*"), ("--user", "T1:U2")]
)
def test_the_list_is_narrowed(url: str, arguments: tuple[str, str]) -> None:
    [line] = audit(url, "--json", *arguments).stdout.splitlines()
    assert json.loads(line)["call"] == "call_1"


def test_nothing_found_is_said_to_people_and_is_nothing_to_programs(url: str) -> None:
    assert "No call" in audit(url, "--user", "U9").stdout
    assert audit(url, "--user", "U9", "--json").stdout == ""


def test_a_database_that_is_not_there_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = audit(f"sqlite:///{tmp_path}/none.sqlite")
    assert (result.exit_code, "No call" in result.stdout) == (0, True)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "state.sqlite").write_text("this is no database " * 100, encoding="utf-8")
    result = audit(f"sqlite:///{tmp_path}/state.sqlite")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


def test_a_time_that_is_none_is_refused(url: str) -> None:
    result = audit(url, "--since", "yesterday")
    assert result.exit_code == 2
    assert "'yesterday' is no time" in result.stderr


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("90m", NOW - timedelta(minutes=90)),
        ("12h", NOW - timedelta(hours=12)),
        ("4w", NOW - timedelta(weeks=4)),
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-01T08:00:00+02:00", datetime(2026, 11, 1, 6, tzinfo=UTC)),
        ("all", None),
    ],
)
def test_a_time_is_written_as_people_write_it(words: str, moment: datetime | None) -> None:
    assert read_since(words, NOW) == moment


def test_a_time_before_all_times_is_refused() -> None:
    with pytest.raises(ValueError, match="is no time"):
        read_since("99999w", NOW.replace(year=1000))
