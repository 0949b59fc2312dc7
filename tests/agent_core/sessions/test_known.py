"""Sessions by the order of their ids."""

from datetime import UTC, datetime
from pathlib import Path

from agent_core.ids import SessionId
from agent_core.sessions import Database, SessionStore, StoredSession
from agent_core.sessions.known import KnownSessions


async def test_the_newest_sessions_before_a_time_come_first(
    database: Database, store: SessionStore, tmp_path: Path
) -> None:
    for name in ("T:C:100", "T:C:101", "T:C:102", "T:C:103", "T:D:100"):
        moment = datetime(2026, 11, 1, tzinfo=UTC)
        session = StoredSession(id=SessionId(name), workspace=tmp_path, created_at=moment)
        await store.save_session(session)
    known = KnownSessions(database)

    assert await known.newest_before("T:C:", "103", limit=2) == ["T:C:102", "T:C:101"]
    assert await known.newest_before("T:C:", "100", limit=2) == []
