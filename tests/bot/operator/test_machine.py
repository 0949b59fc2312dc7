"""What `bot check` says of this machine: root, database, other bots, toolkit, browser."""

import os
from pathlib import Path

import pytest

from agent_core.errors import SessionError, SettingsError
from agent_core.operator import examine_database, examine_root
from agent_core.settings import CoreSettings
from bot.operator.machine import explain_database
from bot.settings import BotSettings
from tests.agent_core.sessions.databases import locked
from tests.bot.operator.installation import checked
from tests.browser import chromium_path

pytestmark = pytest.mark.usefixtures("clean")

FAR_TOO_MUCH = 2**60
NOT_WRITABLE = Path("/proc/agent")


def at(root: Path) -> CoreSettings:
    return CoreSettings(workspaces_root=root)


def entries(directory: Path) -> list[Path]:
    return list(directory.iterdir())


async def test_a_root_that_is_there_is_fine_and_left_as_it_was(tmp_path: Path) -> None:
    check = await checked("Workspaces", core=at(tmp_path))
    assert check.state == "fine"
    assert str(tmp_path) in check.text
    assert entries(tmp_path) == []


@pytest.mark.skipif(not NOT_WRITABLE.parent.is_dir(), reason="there is no /proc")
def test_a_root_where_nothing_can_be_made_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"cannot be written .*WORKSPACES_ROOT"):
        examine_root(NOT_WRITABLE, make=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_root_without_the_right_to_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    for root in (tmp_path, tmp_path / "below"):
        for make in (True, False):
            with pytest.raises(SettingsError, match=r"cannot be written \(Permission denied\)"):
                examine_root(root, make=make)
    tmp_path.chmod(0o700)


def test_a_full_disk_is_refused_with_what_is_free_and_needed(tmp_path: Path) -> None:
    for make in (True, False):
        with pytest.raises(SettingsError, match=r"is full \(\d+ MB are free; at least \d+ MB"):
            examine_root(tmp_path, make=make, min_free_bytes=FAR_TOO_MUCH)


async def test_a_database_that_another_process_holds_is_told_as_that(tmp_path: Path) -> None:
    file = tmp_path / "state.sqlite"
    with locked(file), pytest.raises(SessionError) as raised:
        await examine_database(at(tmp_path), patience_s=0)
    told = explain_database(raised.value)
    assert told.state == "wrong"
    assert f"{file} cannot be used: database is locked. Another process holds it" in told.text
    assert "end that process" in told.text
    assert "whole" not in told.text


async def test_a_database_that_is_none_or_cannot_be_opened_is_said_what_to_do(
    tmp_path: Path,
) -> None:
    (tmp_path / "turns.sqlite").write_bytes(b"no database" * 900)
    check = await checked("Database", core=at(tmp_path))
    assert check.state == "wrong"
    assert "turns.sqlite cannot be used: file is not a database. See that the file" in check.text
    assert "See that the file is whole" in check.text
    assert "WORKSPACES_ROOT" in check.text
    (tmp_path / "below" / "state.sqlite").mkdir(parents=True)
    check = await checked("Database", core=at(tmp_path / "below"))
    assert (check.state, "may be written" in check.text) == ("wrong", True)
    assert "whole" not in check.text


async def test_a_server_that_is_not_there_is_wrong_without_its_password(tmp_path: Path) -> None:
    url = "postgresql://bot:hush-hush@127.0.0.1:1/bot"
    core = CoreSettings(workspaces_root=tmp_path, database_url=url)
    check = await checked("Database", core=core)
    assert check.state == "wrong"
    assert "DATABASE_URL" in check.text
    assert "hush" not in check.text


@pytest.mark.proves("fleet.shipped")
async def test_the_check_says_which_servers_are_off_until_they_are_asked_for(
    tmp_path: Path,
) -> None:
    check = await checked("Tool servers", core=at(tmp_path))
    assert check.state == "fine"
    assert "youtube: " in check.text
    assert "it is off until you ask for it" in check.text


@pytest.mark.process("what this machine can start is found by starting it")
async def test_the_toolkit_is_started_and_its_tools_counted(tmp_path: Path) -> None:
    root = tmp_path / "root"
    check = await checked("Local toolkit", core=at(root))
    assert check.state == "fine"
    assert not root.exists()


@pytest.mark.proves("browser.check")
@pytest.mark.process("what this machine can start is found by starting it")
async def test_a_browser_that_does_not_start_or_is_not_there_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    (tmp_path / "broken").chmod(0o755)
    broken = CoreSettings(crawl_browser=str(tmp_path / "broken"))
    missing = CoreSettings(crawl_browser=str(tmp_path / "missing"))
    told = [await checked("Browser", core=core) for core in (broken, missing)]
    assert [each.state for each in told] == ["warning", "warning"]
    assert "did not start" in told[0].text
    assert "Install one" in told[1].text
    off = await checked("Browser", core=CoreSettings(crawl_browser="off"))
    assert (off.state, "turned off" in off.text) == ("fine", True)


@pytest.mark.proves("browser.check")
@pytest.mark.process("what this machine can start is found by starting it")
async def test_a_browser_that_starts_is_named_with_its_sandbox(tmp_path: Path) -> None:
    path = chromium_path()
    told = await checked("Browser", core=CoreSettings(crawl_browser=path))
    assert path in told.text
    assert "sandbox" in told.text


@pytest.mark.parametrize(
    ("settings", "state", "said"),
    [
        ({}, "fine", "127.0.0.1 port 8898, but posts have no “Open live view”: CONSOLE_URL"),
        ({"console_url": "http://127.0.0.1:8898"}, "fine", "for people at this machine"),
        ({"console_url": "https://live.example.org"}, "fine", "https://live.example.org"),
        ({"console_host": "0.0.0.0"}, "warning", "no “Open live view”"),  # noqa: S104
        ({"console_url": "http://live.example.org"}, "warning", "without encryption"),
    ],
)
async def test_a_live_view_for_others_wants_encryption(
    settings: dict[str, str], state: str, said: str
) -> None:
    check = await checked("Live view", bot=BotSettings.model_validate(settings))
    assert (check.state, said in check.text) == (state, True)
