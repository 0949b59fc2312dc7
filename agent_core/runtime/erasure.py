"""Erasure of a person, and retention: databases, durable records and files, in this order.

Both leave alone what is under legal hold, and neither touches a session in which work goes on: what
works with a person's words is stopped first. It may run beside a bot, in another process.
"""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent_core.durable.records import delete_records
from agent_core.ids import SessionId, UserId
from agent_core.runtime.scopes import ScopeSettings
from agent_core.sessions import (
    ERASED,
    AuditRecord,
    Database,
    ErasureStore,
    Forgotten,
    Stop,
    StoredSession,
    TurnQueue,
    is_held,
    rewrite_file,
)
from agent_core.workspaces import RECORDS, WORK_PRODUCTS, delete_files, redact_files

STOP_PATIENCE_S = 30.0
LOOK_EVERY_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReport:
    """What became of a person's contents."""

    sessions: int
    """From which they were deleted."""
    held: Sequence[SessionId]
    """Under legal hold: nothing was deleted there."""
    busy: Sequence[SessionId]
    """Where work did not stop in time: nothing was deleted there."""


class Erasure:
    """Erases people, and what was kept for long enough.

    Args:
        database: Of the state.
        durable_url: Where the steps of turns are recorded.
        clock: Tells the moment, in UTC.
    """

    def __init__(self, database: Database, durable_url: str, clock: Callable[[], datetime]) -> None:
        self._store = ErasureStore(database)
        self._queue = TurnQueue(database)
        self._urls = (str(database.url), durable_url)
        self._clock = clock

    async def erase(self, person: UserId, by: str, *, is_running: bool = True) -> ErasureReport:
        """Delete what is kept of a person; `by` is who wants it, for the audit.

        Where no bot is running, nobody has to stop work first: nobody does any.
        """
        holds = await self._store.holds()
        touched = await self._store.touched(person)
        held = [session for session in touched if is_held(session, holds)]
        free = [session for session in touched if session not in held]
        for session in free:
            await self._queue.stop(session, Stop(by="", why="asked"))
        if is_running:
            await self._until_quiet(free)
        busy: list[SessionId] = []
        for session in free:
            forgotten = await self._store.forget(session, person, force=not is_running)
            if forgotten is None:
                busy.append(session)
            else:
                await asyncio.to_thread(self._follow, forgotten)
        record = AuditRecord(at=self._clock(), kind="erasure", who=by, about={"person": person})
        await self._store.forget_belongings(person, record)
        for url in self._urls:
            await asyncio.to_thread(rewrite_file, url)
        return ErasureReport(sessions=len(free) - len(busy), held=held, busy=busy)

    async def sweep(self, scopes: ScopeSettings) -> None:
        """Delete what each scope has kept for as long as it keeps that."""
        now = self._clock()
        holds = await self._store.holds()
        idle: dict[float, set[SessionId]] = {}
        for session in await self._store.idle(now - timedelta(days=1), now):
            kept = (await scopes.of_session(session.id)).values
            kinds = (
                (kept.keep_transcripts_days, self._delete_transcript),
                (kept.keep_reports_days, self._delete_reports),
                (kept.keep_workspaces_days, self._delete_workspace),
            )
            for days, delete in kinds:
                if days is None or is_held(session.id, holds):
                    continue
                if days not in idle:
                    stored = await self._store.idle(now - timedelta(days=days), now)
                    idle[days] = {each.id for each in stored}
                if session.id in idle[days]:
                    await delete(session)

    async def _delete_transcript(self, session: StoredSession) -> None:
        forgotten = await self._store.forget(session.id)
        if forgotten is not None and forgotten.turns:
            await asyncio.to_thread(delete_records, self._urls[1], forgotten.turns)
            await asyncio.to_thread(delete_files, session.workspace, RECORDS)

    async def _delete_reports(self, session: StoredSession) -> None:
        await asyncio.to_thread(delete_files, session.workspace, [WORK_PRODUCTS])

    async def _delete_workspace(self, session: StoredSession) -> None:
        await asyncio.to_thread(shutil.rmtree, session.workspace, ignore_errors=True)

    async def _until_quiet(self, sessions: Sequence[SessionId]) -> None:
        """Wait until work has stopped and its end is shown, for a while."""
        for _ in range(round(STOP_PATIENCE_S / LOOK_EVERY_S)):
            if not await self._store.is_busy(sessions):
                return
            await asyncio.sleep(LOOK_EVERY_S)

    def _follow(self, forgotten: Forgotten) -> None:
        """Delete what the database does not hold."""
        delete_records(self._urls[1], forgotten.turns)
        workspace = forgotten.workspace
        if forgotten.quotes is None:
            shutil.rmtree(workspace, ignore_errors=True)
        else:
            delete_files(workspace, [*RECORDS, *forgotten.files])
            redact_files(workspace, forgotten.quotes, ERASED)
