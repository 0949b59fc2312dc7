"""Erasure of a person, and retention: databases, durable records and files, in this order.

Both leave alone what is under legal hold, and neither touches a session in which work goes on: what
works with a person's words is stopped first. It may run beside the bot, in another process.
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
    AuditRecord,
    Database,
    ErasureStore,
    Stop,
    StoredSession,
    TurnQueue,
    is_held,
    rewrite_file,
)
from agent_core.workspaces import delete_products, delete_turn_records

STOP_PATIENCE_S = 30.0
LOOK_EVERY_S = 0.2
KINDS = ("transcripts", "reports", "workspaces")
"""What is kept for a time, each by the setting `keep_…_days`."""


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
        held = [session for session in touched if is_held(session, holds)]
        free = {session: first for session, first in touched.items() if session not in held}
        for session in free:
            await TurnQueue(self._database).stop(session, Stop(by="", why="asked"))
        for _ in range(round(STOP_PATIENCE_S / LOOK_EVERY_S)):
            for session, first in list(free.items()):
                if await self._forget(session, person, first):
                    del free[session]
            if not free:
                break
            await asyncio.sleep(LOOK_EVERY_S)
        record = AuditRecord(at=self._clock(), kind="erasure", who=by, about={"person": person})
        await store.forget_belongings(person, record)
        for url in (str(self._database.url), self._durable_url):
            await asyncio.to_thread(rewrite_file, url)
        left = [*held, *free]
        return ErasureReport(erased=len(touched) - len(left), left=left)

    async def _forget(self, session: SessionId, person: UserId, first: int) -> bool:
        """Delete what a session holds of a person, files included; False while work goes on."""
        gone = await ErasureStore(self._database).forget(session, person, first)
        if gone is not None:
            await asyncio.to_thread(delete_records, self._durable_url, gone.turns)
            await asyncio.to_thread(shutil.rmtree, gone.workspace, ignore_errors=True)
        return gone is not None

    async def sweep(self, scopes: ScopeSettings) -> None:
        """Delete what each scope has kept for as long as it keeps that."""
        store = ErasureStore(self._database)
        now = self._clock()
        holds = await store.holds()
        idle: dict[float, list[StoredSession]] = {}
        for session in await store.idle(now - timedelta(days=1)):
            if is_held(session.id, holds):
                continue
            kept = (await scopes.of_session(session.id)).values
            for kind in KINDS:
                days: float | None = getattr(kept, f"keep_{kind}_days")
                if days is None:
                    continue
                if days not in idle:
                    idle[days] = await store.idle(now - timedelta(days=days))
                if session in idle[days]:
                    await self._expire(session, kind)

    async def _expire(self, session: StoredSession, kind: str) -> None:
        workspace = session.workspace
        if kind == "workspaces":
            await asyncio.to_thread(shutil.rmtree, workspace, ignore_errors=True)
        elif kind == "reports":
            await asyncio.to_thread(delete_products, workspace)
        elif gone := await ErasureStore(self._database).forget(session.id):
            await asyncio.to_thread(delete_records, self._durable_url, gone.turns)
            await asyncio.to_thread(delete_turn_records, workspace)
