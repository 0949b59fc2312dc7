"""Which process works on which session: one at a time, by a lease with a fencing number.

A process says every few seconds that it lives. What a process holds that has not said so for
`DEAD_AFTER_S` may be taken by another one, under a higher number; the old holder finds out at its
next check, before its next effect. Times are the database's own, so clocks need not agree.
"""

import asyncio
import os
import platform
import secrets
from typing import Any

from sqlalchemy import Connection, delete, exists, func, insert, literal_column, select, update
from sqlalchemy.sql import ColumnElement

from agent_core.fault_points import fault_point
from agent_core.ids import ProcessId, SessionId
from agent_core.sessions.database import Database
from agent_core.sessions.schema import cursors, leases, ledger, processes, turns

DEAD_AFTER_S = 15.0
FORGOTTEN_AFTER_S = 3_600.0


class LeaseLost(asyncio.CancelledError):
    """Another process works on the session now: whoever sees this ends, as if cancelled.

    It is a cancellation so that nothing on the way takes it for a failure of the work and
    records it: the work goes on elsewhere.
    """


def new_process_id() -> ProcessId:
    """A name for this process that no other one had or will have."""
    return ProcessId(f"{platform.node()}:{os.getpid()}:{secrets.token_hex(4)}")


class Leases:
    """The leases of one process. On SQLite, which has one process at a time, all others are dead."""

    def __init__(self, database: Database, process: ProcessId) -> None:
        self.process = process
        self._database = database
        self._fences: dict[SessionId, int] = {}

    async def enter(self) -> None:
        """This process begins."""
        row = {"id": self.process, "seen_s": self._now()}

        def begin(connection: Connection) -> None:
            if self._database.is_sqlite:
                connection.execute(delete(processes))
            connection.execute(insert(processes).values(row))

        await self._database.run(begin)

    async def beat(self) -> None:
        """This process lives. Call it much more often than every `DEAD_AFTER_S`."""
        forgotten = processes.c.seen_s < self._now() - FORGOTTEN_AFTER_S

        def say(connection: Connection) -> None:
            alive = update(processes).where(processes.c.id == self.process)
            if connection.execute(alive.values(seen_s=self._now())).rowcount == 0:
                connection.execute(
                    insert(processes).values(id=self.process, seen_s=self._now())
                )
            connection.execute(delete(processes).where(forgotten))

        await self._database.run(say)

    async def leave(self) -> None:
        """This process ends in order: what it holds is free at once."""
        statement = delete(processes).where(processes.c.id == self.process)
        await self._database.run(lambda connection: connection.execute(statement))
        self._fences.clear()

    async def claim(self, session: SessionId) -> bool:
        """Whether this process works on the session from now on, or did already."""
        fault_point("lease.before")
        fence = await self._database.run(lambda connection: self._claim(connection, session))
        fault_point("lease.after")
        if fence is None:
            self._fences.pop(session, None)
            return False
        self._fences[session] = fence
        return True

    async def check(self, session: SessionId) -> None:
        """Return if this process still holds the session.

        Raises:
            LeaseLost: another one does, or nobody here ever claimed it.
        """
        query = select(leases.c.process, leases.c.fence).where(leases.c.session == session)
        row = await self._database.run(lambda connection: connection.execute(query).first())
        mine = self._fences.get(session)
        if row is None or row.process != self.process or row.fence != mine:
            self._fences.pop(session, None)
            raise LeaseLost(f"{session} is worked on by another process")

    def holds(self, session: SessionId) -> bool:
        """Whether this process holds the session, as far as it knows."""
        return session in self._fences

    async def orphans(self, reader: str) -> list[SessionId]:
        """Sessions of dead processes with something left to do, or to show by `reader`."""
        shown = select(cursors.c.turn).where(cursors.c.reader == reader, cursors.c.done.is_(True))
        query = (
            select(turns.c.session)
            .distinct()
            .outerjoin(leases, leases.c.session == turns.c.session)
            .where((turns.c.status != "finished") | turns.c.id.not_in(shown))
            .where(leases.c.process.is_(None) | ~self._is_alive(leases.c.process))
        )
        rows = await self._database.run(lambda connection: connection.execute(query).all())
        return [SessionId(row.session) for row in rows]

    def without_owner(self) -> ColumnElement[bool]:
        """True of rows of the ledger whose process is dead, or that nobody has."""
        return ~self._is_alive(ledger.c.process)

    def _claim(self, connection: Connection, session: SessionId) -> int | None:
        row = {"session": session, "process": self.process, "fence": 1}
        if self._database.insert_if_new(connection, leases, row):
            return 1
        taken = (
            update(leases)
            .where(leases.c.session == session, leases.c.process != self.process)
            .where(~self._is_alive(leases.c.process))
            .values(process=self.process, fence=leases.c.fence + 1)
        )
        connection.execute(taken)
        query = select(leases.c.process, leases.c.fence).where(leases.c.session == session)
        held = connection.execute(query).one()
        return held.fence if held.process == self.process else None

    def _is_alive(self, process: ColumnElement[Any]) -> ColumnElement[bool]:
        return exists().where(
            processes.c.id == process, processes.c.seen_s > self._now() - DEAD_AFTER_S
        )

    def _now(self) -> ColumnElement[float]:
        if self._database.is_sqlite:
            return literal_column("((julianday('now') - 2440587.5) * 86400.0)")
        return func.extract("epoch", func.clock_timestamp())
