"""Erasure of a person, and retention: databases, durable records and files, in this order.

Both leave alone what is under legal hold, and neither touches a session in which work goes on: what
works with a person's words is stopped first. It may run beside the bot, in another process.
"""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from agent_core.durable.records import delete_records
from agent_core.ids import SessionId, UserId
from agent_core.runtime.scopes import ScopeSettings
from agent_core.sessions import (
    AuditRecord,
    Database,
    ErasureStore,
    Stop,
    StoredSession,
    TurnQueue,
    is_held,
    redacted,
    rewrite_file,
)
from agent_core.workspaces import RECORDS, WORK_PRODUCTS, delete_files, rewrite_texts

STOP_PATIENCE_S = 30.0
LOOK_EVERY_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReport:
    """What became of a person's contents."""

    erased: int
    """Sessions from which they were deleted."""
    left: Sequence[SessionId]
    """Where nothing was deleted: under legal hold, or work did not stop in time."""


@dataclass(slots=True)
class Erasure:
    """Erases people, and what was kept for long enough."""

    _database: Database
    _durable_url: str
    _clock: Callable[[], datetime]

    async def erase(self, person: UserId, by: str) -> ErasureReport:
        """Delete what is kept of a person; `by` is who wants it, for the audit."""
        store = ErasureStore(self._database)
        holds = await store.holds()
        touched = await store.touched(person)
        left = [session for session in touched if is_held(session, holds)]
        free = [session for session in touched if session not in left]
        for session in free:
            await TurnQueue(self._database).stop(session, Stop(by="", why="asked"))
        for _ in range(round(STOP_PATIENCE_S / LOOK_EVERY_S)):
            if not await store.is_busy(free):
                break
            await asyncio.sleep(LOOK_EVERY_S)
        quotes = await store.quotes_of(person)
        for session in free:
            gone = await store.forget(session, person, quotes)
            if gone is None:
                left.append(session)
                continue
            await asyncio.to_thread(delete_records, self._durable_url, gone.turns)
            if gone.is_whole:
                await asyncio.to_thread(shutil.rmtree, gone.workspace, ignore_errors=True)
            else:
                await asyncio.to_thread(delete_files, gone.workspace, [*RECORDS, *gone.files])
                rewrite = partial(redacted, quotes=quotes)
                await asyncio.to_thread(rewrite_texts, gone.workspace, rewrite)
        record = AuditRecord(at=self._clock(), kind="erasure", who=by, about={"person": person})
        await store.forget_belongings(person, record)
        for url in (str(self._database.url), self._durable_url):
            await asyncio.to_thread(rewrite_file, url)
        return ErasureReport(erased=len(touched) - len(left), left=left)

    async def sweep(self, scopes: ScopeSettings) -> None:
        """Delete what each scope has kept for as long as it keeps that."""
        store = ErasureStore(self._database)
        now = self._clock()
        holds = await store.holds()
        idle: dict[float, list[StoredSession]] = {}
        for session in await store.idle(now - timedelta(days=1)):
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
                    idle[days] = await store.idle(now - timedelta(days=days))
                if session in idle[days]:
                    await delete(session)

    async def _delete_transcript(self, session: StoredSession) -> None:
        gone = await ErasureStore(self._database).forget(session.id)
        if gone and gone.turns:
            await asyncio.to_thread(delete_records, self._durable_url, gone.turns)
            await asyncio.to_thread(delete_files, session.workspace, RECORDS)

    async def _delete_reports(self, session: StoredSession) -> None:
        await asyncio.to_thread(delete_files, session.workspace, [WORK_PRODUCTS])

    async def _delete_workspace(self, session: StoredSession) -> None:
        await asyncio.to_thread(shutil.rmtree, session.workspace, ignore_errors=True)
