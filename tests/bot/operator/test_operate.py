"""`bot audit`: what agents did, as people and programs read it."""

import asyncio
import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from agent_core.ids import SessionId, ToolCallId, UserId
from agent_core.mcp import McpServer, Pins, StdioServer
from agent_core.sessions import AuditedAction, AuditLog, Database
from bot.cli import app
from bot.operator.audit import read_since
from tests.agent_core.mcp.conftest import QUICK
from tests.agent_core.mcp.world import NOTE, Told, defined, stored_pins
from tests.agent_core.sessions.test_safeguards import SENDING as DONE

pytestmark = pytest.mark.usefixtures("clean")

NOW = datetime.now(UTC).replace(microsecond=0)
SENDING = replace(
    DONE,
    at=NOW - timedelta(hours=2),
    session=SessionId("T1:C1:1.2"),
    asker=UserId("T1:U1"),
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
    await log.end(SENDING.turn, SENDING.run, SENDING.call, "done", NOW)
    await database.close()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database with a call that ended and one of which nobody knows."""
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


def test_the_list_is_narrowed(url: str) -> None:
    [line] = audit(url, "--json", "--since", "1d").stdout.splitlines()
    assert json.loads(line)["call"] == "call_1"


@pytest.mark.parametrize("line", ["audit", "audit --json", "blacklist list", "blacklist clear"])
def test_where_no_bot_ever_ran_it_says_so_and_makes_nothing(tmp_path: Path, line: str) -> None:
    root = tmp_path / "root"
    environment = {"WORKSPACES_ROOT": str(root), "DATABASE_URL": f"sqlite:///{root}/none.sqlite"}
    result = CliRunner().invoke(app, line.split(), env=environment)
    assert (result.exit_code, result.stdout) == (1, "")
    [sentence] = result.stderr.splitlines()
    assert sentence.startswith(f"No bot has run here yet: {root}")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database_is_said_in_one_line(tmp_path: Path) -> None:
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


Command = Callable[..., Result]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


@pytest.fixture
def bot(tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs `bot mcp …` where `told` is the operator's server."""
    for name in ("EDGAR_IDENTITY", "Z_AI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    write(tmp_path, told=entry(told))
    settings = {"MCP_SERVERS_FILE": "servers.json", "WORKSPACES_ROOT": str(tmp_path)}

    def run(*arguments: str, **environment: str) -> Result:
        return CliRunner().invoke(app, ["mcp", *arguments], env=settings | environment)

    return run


def entry(told: Told, **more: object) -> dict[str, object]:
    return {"command": told.config.command, "args": list(told.config.args), **more}


def write(directory: Path, **servers: object) -> None:
    text = json.dumps({"mcpServers": servers})
    (directory / "servers.json").write_text(text, encoding="utf-8")


def use(config: StdioServer, directory: Path) -> None:
    """What a bot does that uses the server: its definitions are pinned or compared."""

    async def list_tools() -> None:
        async with stored_pins(directory) as store:
            server = McpServer(config, QUICK, pins=Pins(store))
            try:
                await server.tools()
            finally:
                await server.close()

    asyncio.run(list_tools())


def test_the_list_says_what_is_off_and_why(bot: Command, tmp_path: Path, told: Told) -> None:
    limited = entry(told, channels=["C1"], env={"KEY": "${HUSH}"}, timeout=9)
    write(tmp_path, told=limited, broken={"command": "no-such-program"})
    result = bot("list", HUSH="sesame")
    assert result.exit_code == 0
    assert "sesame" not in result.stdout
    lines = {line.split()[0]: line for line in result.stdout.splitlines() if line}
    assert list(lines)[:5] == ["edgartools", "video_audio", "youtube", "zai_vision", "web_reader"]
    assert "EDGAR_IDENTITY is not set" in lines["edgartools"]
    assert lines["told"].split()[1:] == ["stdio", "on", "channels", "C1"]
    assert "the program no-such-program is not found" in lines["broken"]
    assert told.starts == []
    assert not (tmp_path / "state.sqlite").exists()


@pytest.mark.parametrize("command", [("list",), ("test", "told")])
def test_a_broken_file_is_told_with_its_line(
    bot: Command, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "servers.json").write_text('{"mcpServers":\n {,}}', encoding="utf-8")
    result = bot(*command)
    assert result.exit_code == 1
    assert "servers.json cannot be read" in result.stderr
    assert "line 2" in result.stderr


@pytest.mark.process("a server that is added is a program")
def test_a_try_lists_the_tools_with_their_digests(bot: Command, tmp_path: Path, told: Told) -> None:
    asking: dict[str, Any] = {"type": "object", "properties": {"password": {}}}
    told.lists(defined("act"), defined("add", inputSchema=asking))
    result = bot("test", "told")
    assert result.exit_code == 0, result.output
    act, add, end = result.stdout.splitlines()
    digest, state, name = act.split()
    assert (len(digest), state, name) == (12, "new", "act")
    assert add.endswith("add: its parameter password asks for a secret")
    assert end == "It works, and 1 of its 2 tools is on."
    assert not (tmp_path / "state.sqlite").exists()


@pytest.mark.process("a server that is added is a program")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nowhere", "There is no MCP server nowhere. There are: edgartools,"),
        ("edgartools", "is off: EDGAR_IDENTITY is not set"),
        ("dying", "could not be started"),
        ("dying", "no licence"),
    ],
)
def test_a_server_that_does_not_work_is_told_with_code_1(
    bot: Command, tmp_path: Path, name: str, reason: str
) -> None:
    dying = "import sys; sys.exit('no licence')"
    write(tmp_path, dying={"command": sys.executable, "args": ["-I", "-c", dying]})
    result = bot("test", name)
    assert result.exit_code == 1
    assert reason in result.stderr


@pytest.mark.process("a server that is added is a program")
def test_a_change_is_shown_and_accepted(bot: Command, tmp_path: Path, told: Told) -> None:
    use(told.config, tmp_path)
    assert "accepted  act" in bot("test", "told").stdout
    told.lists(defined("where"), defined("act", "Does it.\nSays so.", inputSchema=NOTE))
    use(told.config, tmp_path)

    listed = bot("list").stdout
    assert "told act: its description and input schema changed since it was accepted" in listed
    assert "off       act" in bot("test", "told").stdout

    shown = bot("accept", "told", "act", "--show")
    assert shown.exit_code == 0
    for line in ('-  "description": "Does it."', '+  "description": "Does it.\\n', '+Says so."'):
        assert line in shown.stdout
    assert bot("list").stdout == listed

    accepted = bot("accept", "told")
    assert (accepted.exit_code, accepted.stdout.splitlines()[-1]) == (0, "Accepted: act.")
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as reader:
        [record] = reader.execute("SELECT kind, who, about FROM audit_chain").fetchall()
    assert record == ("admin", "operator", '{"act":"accept act of told"}')
    assert "accepted  act" in bot("test", "told").stdout
    again = bot("accept", "told", "act")
    assert again.exit_code == 1
    assert "Nothing of told act waits" in again.stderr


@pytest.mark.process("a server that is added is a program")
@pytest.mark.proves("hub.look_alikes")
def test_a_tool_that_looks_like_another_is_listed_with_the_reason_until_it_is_gone(
    bot: Command, tmp_path: Path, told: Told
) -> None:
    told.lists(defined("act"), defined("\u0430ct"), defined("Act"))
    use(told.config, tmp_path)
    listed = bot("list").stdout
    assert "told 'Act': its name looks like that of act" in listed
    assert "told '\\u0430ct': its name has signs other than plain letters and digits" in listed
    assert listed.index("told 'Act'") < listed.index("told '\\u0430ct'")
    assert "refused   'Act'" in bot("test", "told").stdout
    told.lists(defined("act"))
    use(told.config, tmp_path)
    assert "refused" not in bot("list").stdout


def test_a_setting_that_is_wrong_is_named(bot: Command) -> None:
    result = bot("list", DATABASE_URL="mysql://x")
    assert result.exit_code == 2
    assert "DATABASE_URL" in result.stderr


@pytest.mark.proves("audit.commands")
def test_a_head_that_was_exported_shows_later_what_was_cut_off(url: str, tmp_path: Path) -> None:
    *records, last = map(json.loads, audit(url, "export", "--since", "1d").stdout.splitlines())
    assert [(each["kind"], each["who"], each["about"]["call"]) for each in records] == [
        ("call", "T1:U1", "call_1"),
        ("outcome", "", "call_1"),
    ]
    assert (last["head"], last["newest"], last["faults"]) == (records[-1]["hash"], 3, [])
    assert "GMAIL_SEND_EMAIL" not in json.dumps(records)  # contents lie apart

    result = audit(url, "verify", "--head", last["head"])
    assert (result.exit_code, json.loads(result.stdout)) == (0, last)
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as writer:
        writer.executescript(
            "DELETE FROM audit_chain WHERE number = 3; UPDATE audit_head SET number = 2, "
            "hash = (SELECT hash FROM audit_chain WHERE number = 2)"
        )
    assert audit(url, "verify").exit_code == 0
    result = audit(url, "verify", "--head", last["head"])
    assert (result.exit_code, "cut off" in result.stdout) == (1, True)
