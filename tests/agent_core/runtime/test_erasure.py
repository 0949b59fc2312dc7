"""Erasure of a person, retention, and legal hold: what is gone is gone from the disk."""

import sqlite3
import tarfile
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent_core.backup import back_up
from agent_core.ids import SessionId, TurnId
from agent_core.messages import Attachment
from agent_core.runtime import Runtime
from agent_core.scoped_settings import SettingsFile
from agent_core.sessions import AuditLog
from agent_core.settings import CoreSettings
from agent_core.testing.models import ScriptedModel, call
from tests.agent_core.runtime.threads import ANN, BEN, begin, end_of, from_ben, told, waiting
from tests.runtimes import inbound, scripted_runtime

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
    assert report.faults == ()
    [erasure] = [each for each in await runtime.audit.records(None) if each["kind"] == "erasure"]
    assert ANN in str(erasure["about"])
