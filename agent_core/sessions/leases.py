"""Which process works on which session: one at a time, by a lease with a fencing number.

A process says every few seconds that it lives. What a process holds that has not said so for
`DEAD_AFTER_S` may be taken by another one, under a higher number; the old holder finds out at its
next check. It need not ask the database within `SURE_FOR_S` of saying that it lives, but before an
effect it does. Times are the database's own, so clocks need not agree.
"""

import asyncio
import math
import os
import platform
import secrets
import time
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, exists, func, literal_column, select, update
from sqlalchemy.sql import ColumnElement

from agent_core.fault_points import fault_point
from agent_core.ids import ProcessId, SessionId
from agent_core.sessions.database import Database, DatabaseTrouble
from agent_core.sessions.schema import cursors, leases, ledger, processes, turns

DEAD_AFTER_S = 15.0
SURE_FOR_S = 8.0
"""Nobody takes anything from a process that said so recently that it lives; the rest of
`DEAD_AFTER_S` is for a check that was passed and its effect, which takes a while."""
FORGOTTEN_AFTER_S = 3_600.0
LEAVE_PATIENCE_S = 2.0


KEPT = timedelta(hours=24)
"""Slack's last retry comes after minutes; what is missed while the bot is away is younger, too."""
BATCH_ROWS = 500


class LeaseLost(asyncio.CancelledError):
    """Another process works on the session now: whoever sees this ends, as if cancelled.

    It is a cancellation so that nothing on the way takes it for a failure of the work and
    records it: the work goes on elsewhere.
    """


def new_process_id() -> ProcessId:
    """A name for this process that no other one had or will have."""
    return ProcessId(f"{platform.node()}:{os.getpid()}:{secrets.token_hex(4)}")


def _awake_or_asleep_s() -> float:
    """A clock that goes on while the machine or the process is suspended."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Leases:
    """The leases of one process. On SQLite, which has one at a time, all others are dead."""

    def __init__(self, database: Database, process: ProcessId) -> None:
        self.process = process
        self._database = database
        self._fences: dict[SessionId, int] = {}
        self._seen_s = -math.inf

    async def enter(self) -> None:
        """This process begins."""
        row = {"id": self.process, "seen_s": self._now()}
        dead = update(processes).values(seen_s=self._now() - FORGOTTEN_AFTER_S - 1)

        def begin(connection: Connection) -> None:
            if self._database.is_sqlite:
                connection.execute(dead)
            connection.execute(self._database.upsert(processes, row))

        await self._database.run(begin)

    async def beat(self) -> None:
        """This process lives. Call it more often than every `SURE_FOR_S`."""
        row = {"id": self.process, "seen_s": self._now()}
        began_s = _awake_or_asleep_s()
        await self._database.execute(self._database.upsert(processes, row))
        self._seen_s = began_s

    async def forget_dead(self) -> list[ProcessId]:
        """Processes that are gone for good; each is told of once."""
        statement = (
            delete(processes)
            .where(processes.c.seen_s < self._now() - FORGOTTEN_AFTER_S)
            .where(processes.c.id != self.process)
            .returning(processes.c.id)
        )
        rows = await self._database.rows(statement)
        return [ProcessId(row.id) for row in rows]

    async def leave(self) -> None:
        """This process ends in order: what it holds is free at once, and no turn is to blame."""
        mine = select(leases.c.session).where(leases.c.process == self.process)
        shown = select(cursors.c.turn).where(cursors.c.done.is_(True))
        at_work = (turns.c.status != "finished") | turns.c.id.not_in(shown)
        at_work &= turns.c.session.in_(mine) & (turns.c.tries > 0)
        self._fences.clear()

        def leave(connection: Connection) -> None:
            connection.execute(update(turns).where(at_work).values(tries=0))
            connection.execute(delete(processes).where(processes.c.id == self.process))

        with suppress(DatabaseTrouble):  # then others find out in a while
            await self._database.run(leave, patience_s=LEAVE_PATIENCE_S)

    async def claim(self, session: SessionId) -> int:
        """The lease's number: 0 when another living process holds the session.

        It is 1 for a session of nobody so far, and more for one that was left in the middle.
        """
        fault_point("lease.before")
        fence = await self._database.run(lambda connection: self._claim(connection, session))
        fault_point("lease.after")
        if fence:
            self._fences[session] = fence
        else:
            self._fences.pop(session, None)
        return fence

    async def check(self, session: SessionId, *, surely: bool = False) -> None:
        """Return if this process still holds the session; `surely` trusts no clock but asks.

        Raises:
            LeaseLost: another one does, or nobody here ever claimed it.
        """
        mine = self._fences.get(session)
        is_sure = _awake_or_asleep_s() - self._seen_s < SURE_FOR_S
        if mine is not None and is_sure and not surely:
            return
        query = select(leases.c.process, leases.c.fence).where(leases.c.session == session)
        row = await self._database.row(query)
        if row is None or row.process != self.process or row.fence != mine:
            self._fences.pop(session, None)
            raise LeaseLost(f"{session} is worked on by another process")

    def let_go(self, session: SessionId) -> None:
        """Forget that this process holds the session, so that the next `claim` says so again."""
        self._fences.pop(session, None)

    def holds(self, session: SessionId) -> bool:
        """Whether this process holds the session, as far as it knows."""
        return session in self._fences

    def held(self) -> list[SessionId]:
        """All sessions that this process holds, as far as it knows."""
        return list(self._fences)

    async def orphans(self) -> list[SessionId]:
        """Sessions of dead processes with something left to do, or to show to people."""
        shown = select(cursors.c.turn).where(cursors.c.done.is_(True))
        query = (
            select(turns.c.session)
            .distinct()
            .select_from(turns.outerjoin(leases, leases.c.session == turns.c.session))
            .where((turns.c.status != "finished") | turns.c.id.not_in(shown))
            .where(leases.c.process.is_(None) | ~self._is_alive(leases.c.process))
        )
        rows = await self._database.rows(query)
        return [SessionId(row.session) for row in rows]

    def without_owner(self) -> ColumnElement[bool]:
        """True of rows of the ledger whose process is dead, or that nobody has."""
        return ~self._is_alive(ledger.c.process)

    def _claim(self, connection: Connection, session: SessionId) -> int:
        row = {"session": session, "process": self.process, "fence": 1}
        if self._database.insert_if_new(connection, leases, row):
            return 1
        taken = (
            update(leases)
            .where(
                leases.c.session == session,
                leases.c.process != self.process,
            )
            .where(~self._is_alive(leases.c.process))
            .values(
                process=self.process,
                fence=leases.c.fence + 1,
            )
        )
        connection.execute(taken)
        query = select(leases.c.process, leases.c.fence).where(leases.c.session == session)
        held = connection.execute(query).one()
        return held.fence if held.process == self.process else 0

    def _is_alive(self, process: ColumnElement[Any]) -> ColumnElement[bool]:
        return exists().where(
            processes.c.id == process,
            processes.c.seen_s > self._now() - DEAD_AFTER_S,
        )

    def _now(self) -> ColumnElement[Any]:
        if self._database.is_sqlite:
            return literal_column("((julianday('now') - 2440587.5) * 86400.0)")
        return func.extract("epoch", func.clock_timestamp())


async def purge_ledger(database: Database, now: datetime) -> int:
    """Delete gestures that were handed over and are older than `KEPT`. Returns how many keys.

    Each batch is a transaction of its own, so that nobody waits long. History and events stay.
    """
    old = (
        select(ledger.c.key)
        .where(
            ledger.c.settled.is_(True),
            ledger.c.at < now - KEPT,
        )
        .limit(BATCH_ROWS)
    )
    batch = delete(ledger).where(ledger.c.key.in_(old))

    def forget(connection: Connection) -> int:
        return connection.execute(batch).rowcount

    total = 0
    while count := await database.run(forget):
        total += count
    return total
