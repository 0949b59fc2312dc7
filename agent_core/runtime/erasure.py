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
    OPERATOR,
    AuditLog,
    AuditRecord,
    Database,
    ErasureStore,
    Preferences,
    Stop,
    StoredSession,
    TurnQueue,
    rewrite_file,
)
from agent_core.workspaces import delete_files

LOOKS = 150
"""At a session in which work is to stop."""
LOOK_EVERY_S = 0.2
HOLD = "hold"
"""The scope of preferences that are legal holds, each of the name of what is held."""
FILES_OF = {
    "transcripts": ("run.log", "summary.txt", "trace.json", "traces/*"),
    "reports": ("work_products/**/*",),
    "workspaces": (),
}
"""Kinds of what is kept for a time, each by the setting `keep_…_days`, and files of each."""


@dataclass(slots=True)
class Erasure:
    """Erases people, and what was kept for long enough; puts a part of a session's id under hold.

    The part may be a channel's id, or a thread's or team's.
    """

    database: Database
    store: ErasureStore
    _durable_url: str
    _clock: Callable[[], datetime]

    async def holds(self) -> dict[str, str]:
        """Legal holds, each with since when."""
        return await Preferences(self.database).of(HOLD)

    async def is_held(self, session: SessionId) -> bool:
        """Whether a part of its id is under legal hold."""
        return any(f":{part}:" in f":{session}:" for part in await self.holds())

    async def hold(self, part: str, *, ends: bool) -> None:
        """Put what has this part in its id under legal hold, or end that."""
        now = self._clock()
        since = "" if ends else now.isoformat(timespec="minutes")
        about = {"hold": part, "since": since}
        record = AuditRecord(at=now, kind="admin", who=OPERATOR, about=about)
        await AuditLog(self.database).audit(record)
        await Preferences(self.database).put(HOLD, part, since)

    async def erase(self, person: UserId, by: str) -> tuple[int, Sequence[SessionId]]:
        """Delete what is kept of a person; `by` is who wants it, for the audit.

        It gives in how many sessions, and those where nothing was deleted: they are under hold, or
        their work did not stop in time.
        """
        touched = await self.store.touched(person)
        left = [session for session in touched if await self.is_held(session)]
        for session in touched:
            if session not in left and not await self._forget(session, person):
                left.append(session)
        record = AuditRecord(at=self._clock(), kind="erasure", who=by, about={"person": person})
        await self.store.forget_belongings(person, record)
        for url in (str(self.database.url), self._durable_url):
            await asyncio.to_thread(rewrite_file, url)
        return len(touched) - len(left), left

    async def _forget(self, session: SessionId, person: UserId) -> bool:
        """Delete what a session holds of a person, files included; False where work goes on."""
        await TurnQueue(self.database).stop(session, Stop(by="", why="asked"))
        for _ in range(LOOKS):
            gone = await self.store.forget(session, person)
            if gone is not None:
                await asyncio.to_thread(delete_records, self._durable_url, gone[0])
                await asyncio.to_thread(shutil.rmtree, gone[1], ignore_errors=True)
                return True
            await asyncio.sleep(LOOK_EVERY_S)
        return False

    async def sweep(self, scopes: ScopeSettings) -> None:
        """Delete what each scope has kept for as long as it keeps that."""
        now = self._clock()
        idle: dict[int, list[StoredSession]] = {}
        for session in await self.store.idle(now - timedelta(days=1)):
            kept = (await scopes.of_session(session.id)).values
            for kind in FILES_OF:
                days = getattr(kept, f"keep_{kind}_days")
                if days is None or await self.is_held(session.id):
                    continue
                if days not in idle:
                    idle[days] = await self.store.idle(now - timedelta(days=days))
                if session in idle[days]:
                    await self._expire(session, kind)

    async def _expire(self, session: StoredSession, kind: str) -> None:
        if kind == "transcripts" and (gone := await self.store.forget(session.id)):
            await asyncio.to_thread(delete_records, self._durable_url, gone[0])
        await asyncio.to_thread(delete_files, session.workspace, FILES_OF[kind])
        if kind == "workspaces":
            await asyncio.to_thread(shutil.rmtree, session.workspace, ignore_errors=True)
