"""Sessions by the order of their ids, and what is unfinished in them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent_core.ids import SessionId, TurnId
from agent_core.sessions import Database, Inbox, SessionStore, StoredSession
from agent_core.sessions.store import KnownSessions
from agent_core.testing.runtimes import inbound


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


async def test_what_is_unfinished_comes_from_the_newest_sessions_first(
    database: Database, store: SessionStore, tmp_path: Path
) -> None:
    for number, name in enumerate(["T:D:100", "T:C:101", "T:C:102", "S:C:103"]):
        moment = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(hours=number)
        session = StoredSession(id=SessionId(name), workspace=tmp_path, created_at=moment)
        await store.save_session(session)
        for key in (name, f"{name}:more"):
            await store.add_turn(replace(inbound("go on"), session=session.id, key=key))
    taker = await store.turn(TurnId("turn:T:C:102"))
    await store.mark_running(taker.id)
    [taken] = await Inbox(database).take(taker, "1:1")
    known = KnownSessions(database)

    unfinished = [turn.inbound.key for turn in await known.unfinished("T:")]
    assert unfinished == ["T:C:102", "T:C:101", "T:C:101:more", "T:D:100", "T:D:100:more"]
    assert len(await known.unfinished("T:C:", limit=2)) == 2
    assert taken.taken_by == taker.id
