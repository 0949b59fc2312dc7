"""Erasure of a person, retention, and legal hold: what is gone is gone from the disk."""

import sqlite3
import tarfile
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dbos._schemas import SCHEMA_PLACEHOLDER
from dbos._schemas.system_database import SystemSchema
from sqlalchemy import create_engine, select

from agent_core.backup import back_up
from agent_core.ids import SessionId, TurnId
from agent_core.runtime import Runtime
from agent_core.sessions.schema import metadata
from agent_core.settings import CoreSettings
from agent_core.testing.models import ScriptedModel, call
from tests.agent_core.runtime.threads import ANN, BEN, begin, end_of, from_ben, waiting
from tests.postgres import driven
from tests.runtimes import inbound, scripted_runtime
from tests.scopes import SteppingClock

TO_DBOS = {SCHEMA_PLACEHOLDER: "dbos"}
PLANTED = "plover-7713"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
REPLIES = [f"Ann wants {PLANTED}.", f"Noted, {PLANTED}.", "Of batteries.", f"And {PLANTED}."]


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[Runtime]:
    model = ScriptedModel([*REPLIES, call("ask_user", {"question": f"Which {PLANTED}?"})])
    async with scripted_runtime(tmp_path / "root", model=model, clock=lambda: NOW) as runtime:
        yield runtime


async def ask(runtime: Runtime, text: str, *, number: int = 1, thread: int = 1) -> TurnId:
    turn = await begin(runtime, inbound(text, number=number, thread=thread))
    await end_of(runtime, turn)
    return turn


def hits(root: Path, word: str) -> list[str]:
    """Files that hold a word."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return [path.name for path in files if word.encode() in path.read_bytes()]


def recorded(root: Path) -> int:
    """How many steps the engine has of all turns; what they hold is packed."""
    with closing(sqlite3.connect(root / "turns.sqlite")) as connection:
        [(count,)] = connection.execute("SELECT count(*) FROM operation_outputs")
    return count


async def backed_up(root: Path, directory: Path) -> Path:
    """A backup, unpacked."""
    settings = CoreSettings(workspaces_root=root, database_url="")
    with tarfile.open(back_up(settings, directory, NOW)) as tar:
        tar.extractall(directory / "unpacked", filter="data")
    return directory / "unpacked"


@pytest.mark.proves("erasure.bytes", "erasure.stops", "erasure.audit")
async def test_an_erased_persons_words_are_in_no_file_and_in_no_backup_made_after_it(
    runtime: Runtime, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    await ask(runtime, f"Look into {PLANTED}")
    own = await runtime.workspace(SessionId("T1:C1:1.000001"), NOW)
    (own / "work_products" / "report.html").write_text(PLANTED, encoding="utf-8")
    others = replace(from_ben("What of batteries?", number=2), session=SessionId("T1:C1:2.000001"))
    bens = await begin(runtime, others)
    await end_of(runtime, bens)
    await ask(runtime, f"Add {PLANTED} here", number=3, thread=2)
    last = replace(others, key="k4", text="and again", background=f"Ann (09:00): {PLANTED}")
    await end_of(runtime, await begin(runtime, replace(last, background_authors=(ANN,))))
    await runtime.preferences.put(ANN, "language", "de")
    open_turn = await waiting(runtime, inbound(f"Which of {PLANTED}?", number=5, thread=3))
    assert {"state.sqlite-wal", "report.html", "run.log"} <= set(hits(root, PLANTED))
    assert recorded(root) > 0
    count, left = await runtime.erasure.erase(ANN, "operator")
    assert (count, left) == (3, [])
    assert hits(root, PLANTED) == []
    assert recorded(root) == 0
    assert hits(root, "What of batteries?") != []
    unpacked = await backed_up(root, tmp_path)
    assert hits(unpacked, PLANTED) == []
    assert hits(unpacked, "What of batteries?") == ["state.sqlite"]
    assert await runtime.preferences.of(ANN) == {}
    assert (await runtime.turn(bens)).inbound.asker == BEN
    with pytest.raises(Exception, match="There is no turn"):
        await runtime.turn(open_turn)
    report = await runtime.audit.verify()
    assert report.faults == []
    [erasure] = [each for each in await runtime.audit.records(None) if each["kind"] == "erasure"]
    assert ANN in str(erasure["about"])


@pytest.mark.proves("keeping.retention", "keeping.open", "keeping.said")
async def test_what_was_kept_long_enough_goes_and_a_later_reply_is_told_so(
    tmp_path: Path,
) -> None:
    clock = SteppingClock(now=NOW)
    question = call("ask_user", {"question": "Which?"})
    model = ScriptedModel(["One.", question, "Anew."])
    async with scripted_runtime(tmp_path, model=model, clock=clock) as runtime:
        await expire(runtime, clock)


async def expire(runtime: Runtime, clock: SteppingClock) -> None:
    first, other = SessionId("T1:C1:1.000001"), SessionId("T1:C1:3.000001")
    turn = await ask(runtime, f"Look into {PLANTED}")
    await waiting(runtime, inbound("Which one?", number=2, thread=3))
    workspace = await runtime.workspace(first, NOW)
    (workspace / "work_products" / "report.html").write_text("<p>", encoding="utf-8")
    scopes = runtime.scopes
    limits = {"keep_transcripts_days": "2", "keep_reports_days": "1"}
    await scopes.change("T1:C1", limits, ANN, key="k", now=NOW)
    clock.now = NOW + timedelta(hours=30)
    await runtime.erasure.sweep(scopes)
    assert not (workspace / "work_products" / "report.html").exists()
    assert (await runtime.turn(turn)).answer is not None
    clock.now = NOW + timedelta(hours=50)
    await runtime.erasure.hold("C1", ends=False)
    await runtime.erasure.sweep(scopes)
    assert (await runtime.turn(turn)).answer is not None
    assert not await runtime.delete_workspace(first)
    await runtime.erasure.hold("C1", ends=True)
    await runtime.erasure.sweep(scopes)
    assert await runtime.sessions.turns_of(first) == []
    assert await runtime.sessions.turns_of(other) != []
    assert workspace.is_dir()
    assert not (workspace / "run.log").exists()
    later = replace(inbound("Go on", number=9), received_at=clock.now)
    answered = await end_of(runtime, await begin(runtime, later))
    assert "What was said here before has been deleted" in answered.answer


async def test_an_erased_persons_words_are_in_no_table_of_postgres(
    tmp_path: Path, postgres_url: str
) -> None:
    model = ScriptedModel([f"Noted, {PLANTED}.", "Of batteries."])
    async with scripted_runtime(tmp_path, model=model, database_url=postgres_url) as runtime:
        await ask(runtime, f"Look into {PLANTED}")
        others = replace(from_ben("Batteries?", number=2), session=SessionId("T1:C1:2.000001"))
        await end_of(runtime, await begin(runtime, others))
        assert await runtime.erasure.erase(ANN, "operator") == (1, [])
        tables = [*metadata.sorted_tables, *SystemSchema.metadata_obj.sorted_tables]
        engine = create_engine(driven(postgres_url))
        with engine.connect().execution_options(schema_translate_map=TO_DBOS) as connection:
            rows = [row for table in tables for row in connection.execute(select(table))]
        engine.dispose()
    assert "Batteries?" in str(rows)
    assert PLANTED not in str(rows)
    assert not [row for row in rows if "T1:C1:1.000001#" in str(row)]
