"""Backup and restore: what was open goes on where the copy is put back."""

import importlib
import shutil
import sqlite3
import tarfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent_core.backup import back_up, restore
from agent_core.errors import AgentError
from agent_core.settings import CoreSettings
from agent_core.testing.models import Held, ScriptedModel, call
from tests.agent_core.runtime.threads import begin, end_of, waiting
from tests.postgres import PACKAGE, new_database
from tests.runtimes import inbound, scripted_runtime

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def settings_at(root: Path, database_url: str = "") -> CoreSettings:
    return CoreSettings(workspaces_root=root, database_url=database_url)


@pytest.mark.proves("backup.round_trip")
async def test_a_turn_that_waits_and_one_at_work_go_on_where_a_backup_is_restored(
    tmp_path: Path,
) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    question = call("ask_user", {"question": "Which?"})
    held = Held(then="Never said.")
    model = ScriptedModel([question, held])
    async with scripted_runtime(before, model=model) as runtime:
        turn = await waiting(runtime, inbound("Which one?"))
        at_work = await begin(runtime, inbound("Look", thread=2))
        await held.reached.wait()
        workspace = await runtime.workspace(inbound("").session, NOW)
        (workspace / "work_products" / "a.csv").write_text("1", encoding="utf-8")
        archive = back_up(settings_at(before), tmp_path, NOW)
    shutil.rmtree(before)
    restore(settings_at(after), archive)
    model = ScriptedModel(["Taken up.", "The blue one."])
    async with scripted_runtime(after, model=model) as runtime:
        assert (await end_of(runtime, at_work)).answer == "Taken up."
        await runtime.handle(replace(inbound("The blue one", number=2)), is_answer=True)
        assert (await end_of(runtime, turn)).answer == "The blue one."
        moved = await runtime.workspace(inbound("").session, NOW)
        assert moved.parent == after
        assert (moved / "work_products" / "a.csv").read_text(encoding="utf-8") == "1"


@pytest.mark.proves("backup.refused")
async def test_a_restore_overwrites_no_database_and_takes_no_archive_of_a_newer_version(
    tmp_path: Path,
) -> None:
    before = tmp_path / "before"
    async with scripted_runtime(before, model=ScriptedModel(["One."])) as runtime:
        await end_of(runtime, await begin(runtime, inbound("Look")))
        archive = back_up(settings_at(before), tmp_path / "a.tar.gz", NOW)
        assert archive.stat().st_mode & 0o077 == 0
        with pytest.raises(AgentError, match="There is a database already"):
            restore(settings_at(before), archive)
    with closing(sqlite3.connect(before / "state.sqlite")) as connection:
        connection.execute("UPDATE schema_revision SET name = '9999'")
        connection.commit()
    shutil.copy(before / "state.sqlite", before / "state.sqlite.before-0004")
    with pytest.raises(AgentError, match="used by another version"):
        back_up(settings_at(before), tmp_path, NOW)
    (tmp_path / "text").write_text("no archive", encoding="utf-8")
    (tmp_path / "revision.txt").write_text("9999", encoding="utf-8")
    with tarfile.open(tmp_path / "newer", "w:gz") as tar:
        tar.add(tmp_path / "revision.txt", "revision.txt")
        for name in ("state.sqlite", "turns.sqlite"):
            tar.add(before / name, name)
    refusals = {"text": "is no backup", "none": "is no backup", "newer": "A newer version"}
    for name, why in refusals.items():
        with pytest.raises(AgentError, match=why):
            restore(settings_at(tmp_path / "after"), tmp_path / name)
    assert (before / "state.sqlite.before-0004").exists()
    with pytest.raises(AgentError, match="no bot has run"):
        back_up(settings_at(tmp_path / "empty"), tmp_path, NOW)


@pytest.mark.proves("backup.postgres")
async def test_postgres_is_dumped_and_restored(
    tmp_path: Path, postgres_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = [new_database(postgres_server) for _ in range(2)]
    before, after = [settings_at(tmp_path / str(n), url) for n, url in enumerate(urls)]
    root = before.workspaces_root
    monkeypatch.setenv("PATH", "")
    root.mkdir()
    async with scripted_runtime(
        root, model=ScriptedModel(["One."]), database_url=urls[0]
    ) as runtime:
        turn = await begin(runtime, inbound("Look"))
        await end_of(runtime, turn)
        with pytest.raises(AgentError, match="pg_dump is missing"):
            back_up(before, tmp_path, NOW)
        package = Path(importlib.import_module(PACKAGE).__file__ or "").parent
        newest = max(package.glob("pginstall*/bin"))
        monkeypatch.setenv("PATH", str(newest))
        archive = back_up(before, tmp_path, NOW)
        with pytest.raises(AgentError, match="There is a database already"):
            restore(before, archive)
    restore(after, archive)
    async with scripted_runtime(
        after.workspaces_root, model=ScriptedModel([]), database_url=urls[1]
    ) as runtime:
        assert (await runtime.turn(turn)).answer == "One."
