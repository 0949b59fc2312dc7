"""Which process works on what: leases on sessions, the ledger of gestures, a lock on SQLite's file.

A session is worked on by one process at a time, by a lease with a fencing number. A process says
every few seconds that it lives. What a process holds that has not said so for `DEAD_AFTER_S` may be
taken by another one, under a higher number; the old holder finds out at its next check. It need not
ask the database within `SURE_FOR_S` of saying that it lives, but before an effect it does. Times
are the database's own, so clocks need not agree.

The ledger has what was received, under each identity it may be delivered with, and which process
handles it.

The operating system ends a file lock with its holder, however that ends. What the lock's file says
is only for people: who holds it.
"""

import asyncio
import math
import os
import platform
import secrets
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import (
    Connection,
    Executable,
    delete,
    exists,
    func,
    literal_column,
    make_url,
    select,
    update,
)
from sqlalchemy.sql import ColumnElement

from agent_core.clock import machine_time
from agent_core.errors import SessionError
from agent_core.fault_points import fault_point
from agent_core.ids import ProcessId, SessionId
from agent_core.messages import JsonObject
from agent_core.sessions.audit_chain import append, audited_refusal
from agent_core.sessions.database import Database, DatabaseTrouble, Store
from agent_core.sessions.migrations import file_of
from agent_core.sessions.schema import (
    cursors,
    leases,
    ledger,
    marks,
    processes,
    turns,
    verdicts,
)

DEAD_AFTER_S = 15.0
SURE_FOR_S = 8.0
"""Nobody takes anything from a process that said so recently that it lives; the rest of
`DEAD_AFTER_S` is for a check that was passed and its effect, which takes a while."""
FORGOTTEN_AFTER_S = 3_600.0
LEAVE_PATIENCE_S = 2.0

_SHOWN = select(cursors.c.turn).filter_by(done=True)
_AT_WORK = (turns.c.status != "finished") | turns.c.id.not_in(_SHOWN)
"""Turns with something left to do, or to show to people."""


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
        """Register this process, right at its start."""
        dead = update(processes).values(seen_s=self._now() - FORGOTTEN_AFTER_S - 1)

        def begin(connection: Connection) -> None:
            if self._database.is_sqlite:
                connection.execute(dead)
            connection.execute(self._heartbeat())

        await self._database.run(begin)

    async def beat(self) -> None:
        """Store a heartbeat. Call it more often than every `SURE_FOR_S`."""
        began_s = _awake_or_asleep_s()
        await self._database.execute(self._heartbeat())
        self._seen_s = began_s

    async def forget_dead(self) -> list[ProcessId]:
        """Delete processes that are gone for good; returns each of them once."""
        statement = (
            delete(processes)
            .where(processes.c.seen_s < self._now() - FORGOTTEN_AFTER_S)
            .where(processes.c.id != self.process)
            .returning(processes.c.id)
        )
        return await self._database.column(statement)

    async def leave(self) -> None:
        """End this process in order: its leases are free at once, and no turn is to blame."""
        own = select(leases.c.session).filter_by(process=self.process)
        blameless = (
            update(turns)
            .where(_AT_WORK, turns.c.session.in_(own), turns.c.tries > 0)
            .values(tries=0)
        )
        self._fences.clear()

        def leave(connection: Connection) -> None:
            connection.execute(blameless)
            connection.execute(delete(processes).filter_by(id=self.process))

        with suppress(DatabaseTrouble):  # then others find out in a while
            await self._database.run(leave, patience_s=LEAVE_PATIENCE_S)

    async def claim(self, session: SessionId) -> int:
        """The lease's fencing number: 0 when another living process holds the session.

        It is 1 for a session of nobody so far, and more for one that was left in the middle.
        """
        fault_point("lease.before")
        fence = await self._database.run(lambda connection: self._claim(connection, session))
        fault_point("lease.after")
        self._fences.pop(session, None)
        if fence:
            self._fences[session] = fence
        return fence

    async def check(self, session: SessionId, *, surely: bool = False) -> None:
        """Return if this process still holds the session; `surely` trusts no clock but asks.

        Raises:
            LeaseLost: another one does, or nobody here ever claimed it.
        """
        fence = self._fences.get(session)
        is_sure = _awake_or_asleep_s() - self._seen_s < SURE_FOR_S
        if fence is not None and is_sure and not surely:
            return
        lease = select(leases.c.session).filter_by(
            session=session,
            process=self.process,
            fence=fence,
        )
        if await self._database.scalar(lease) is None:
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
        query = (
            select(turns.c.session)
            .distinct()
            .outerjoin(leases, leases.c.session == turns.c.session)
            .where(_AT_WORK, self.is_dead(leases.c.process))
        )
        return await self._database.column(query)

    def is_dead(self, process: ColumnElement[Any]) -> ColumnElement[bool]:
        """SQL: whether a process has no recent heartbeat; true of no process, too."""
        is_recent = processes.c.seen_s > self._now() - DEAD_AFTER_S
        return ~exists().where(processes.c.id == process, is_recent)

    def _claim(self, connection: Connection, session: SessionId) -> int:
        row = {"session": session, "process": self.process, "fence": 1}
        if self._database.insert_if_new(connection, leases, row):
            return 1
        takeover = (
            update(leases)
            .filter_by(session=session)
            .where(leases.c.process != self.process, self.is_dead(leases.c.process))
            .values(process=self.process, fence=leases.c.fence + 1)
        )
        connection.execute(takeover)
        own = select(leases.c.fence).filter_by(session=session, process=self.process)
        return connection.execute(own).scalar() or 0

    def _heartbeat(self) -> Executable:
        return self._database.upsert(processes, {"id": self.process, "seen_s": self._now()})

    def _now(self) -> ColumnElement[Any]:
        if self._database.is_sqlite:
            return literal_column("((julianday('now') - 2440587.5) * 86400.0)")
        return func.extract("epoch", func.clock_timestamp())


ACK_PATIENCE_S = 2.5
"""Slack waits three seconds; what is not acknowledged then it delivers again."""

_MANY_DOUBTS = 1_000
KEPT = timedelta(days=7)
"""So a bot that stood still for days still knows what it had before; Slack's last retry comes after
minutes."""


class Ledger:
    """Written before anything is acknowledged, so that no gesture is lost and none counts twice."""

    def __init__(
        self, database: Database, leases: Leases, clock: Callable[[], datetime] = machine_time
    ) -> None:
        self._database = database
        self._leases = leases
        self._clock = clock
        self._doubts: deque[str] = deque(maxlen=_MANY_DOUBTS)
        """Deliveries that may be stored although `record` had to say that they are not."""

    async def record(
        self,
        key: str,
        second_key: str,
        body: JsonObject,
        at: datetime | None = None,
    ) -> bool:
        """Write a gesture's identities and payload; False when one of them was known already.

        An empty second key counts for nothing. The payload is kept with the first key.

        Raises:
            DatabaseTrouble: the gesture is not to be acknowledged. Where it was stored all the
                same, `unsettled` returns it.
        """
        delivery = secrets.token_hex(8)
        # In one order everywhere, so that two deliveries at once cannot wait for each other.
        keys = sorted({key, second_key} - {""})
        known: JsonObject = {"body": {}, "settled": True, "process": ""}
        new: JsonObject = {"body": body, "settled": False, "process": self._leases.process}
        received = {"at": at or self._clock(), "delivery": delivery}
        rows = [{"key": each, **received, **(new if each == key else known)} for each in keys]
        insert = self._database.insert_new(ledger).returning(ledger.c.key)

        def write(connection: Connection) -> bool:
            added = connection.execute(insert, rows).scalars().all()
            if len(added) == len(rows):
                return True
            if key in added:
                connection.execute(update(ledger).filter_by(key=key).values(known))
            # An earlier attempt of this very delivery may have been committed.
            deliveries = select(ledger.c.delivery).where(ledger.c.key.in_(keys)).distinct()
            return not added and connection.execute(deliveries).scalars().all() == [delivery]

        fault_point("ledger.before")
        try:
            is_new = await self._database.run(write, patience_s=ACK_PATIENCE_S)
        except DatabaseTrouble as trouble:
            if trouble.may_be_stored:
                self._doubts.append(delivery)
            raise
        fault_point("ledger.after")
        return is_new

    async def has(self, key: str) -> bool:
        """Whether a gesture was recorded under this identity."""
        recorded = select(ledger.c.key).filter_by(key=key)
        return await self._database.scalar(recorded) is not None

    async def settle(self, key: str) -> None:
        """The gesture was handed over; its payload is not needed again."""
        await self._change(key, settled=True, body={})

    async def forget(self, key: str, second_key: str) -> None:
        """Delete a delivery that was no gesture: under either key it may become one."""
        keys = list(filter(None, (key, second_key)))
        await self._database.execute(delete(ledger).where(ledger.c.key.in_(keys)))

    async def judged(self, key: str, verdict: str) -> None:
        """Note for `KEPT` why a gesture is left unanswered."""
        row = {"key": key, "at": self._clock(), "verdict": verdict}
        await self._database.execute(self._database.upsert(verdicts, row))

    async def refuse(self, key: str, who: str, reason: str) -> None:
        """Note that somebody may not do what a gesture wants, in the audit, too."""
        where = key.rpartition(":")[0]
        record = audited_refusal(self._clock(), who, where=where, reason=reason)
        await self._database.run(partial(append, record=record))
        await self.judged(key, reason)

    async def release(self, key: str) -> None:
        """Handling the gesture failed: any process may take it up again."""
        await self._change(key, process="")

    async def unsettled(self) -> list[JsonObject]:
        """Payloads that were not handed over and that nobody alive works on, oldest first.

        This process works on them from now on: the next call does not return them.
        """
        delivery = secrets.token_hex(8)
        doubtful = ledger.c.delivery.in_([*self._doubts, delivery])
        statement = (
            update(ledger)
            .filter_by(settled=False)
            .where(self._leases.is_dead(ledger.c.process) | doubtful)
            .values(process=self._leases.process, delivery=delivery)
            .returning(ledger.c.body, ledger.c.at)
        )
        rows = await self._database.rows(statement)
        return [row.body for row in sorted(rows, key=lambda row: row.at)]

    async def _change(self, key: str, **values: object) -> None:
        await self._database.execute(update(ledger).filter_by(key=key).values(values))


async def purge_ledger(database: Database, now: datetime) -> None:
    """Delete gestures that were handed over and are older than `KEPT`; history and events stay."""
    await database.execute(delete(ledger).filter_by(settled=True).where(ledger.c.at < now - KEPT))
    await database.execute(delete(verdicts).where(verdicts.c.at < now - KEPT))


class Marks(Store):
    """Named values that move on and never back.

    Values are compared as text, so those of one name must be written in one width.
    """

    async def load(self, prefix: str) -> dict[str, str]:
        """The marks whose names begin with `prefix`."""
        query = select(marks).where(marks.c.name.startswith(prefix, autoescape=True))
        rows = await self._database.rows(query)
        return {row.name: row.value for row in rows}

    async def save(self, values: Mapping[str, str]) -> None:
        """Move marks on, all in one transaction; a mark that is further already stays."""
        insert = self._database.insert(marks)
        value = insert.excluded.value
        move = insert.on_conflict_do_update(
            index_elements=["name"],
            set_={"value": value},
            where=marks.c.value < value,
        )
        rows = [{"name": name, "value": value} for name, value in sorted(values.items())]
        if rows:
            await self._database.run(lambda connection: connection.execute(move, rows))


FILE_LOCK_PATIENCE_S = 0.5
"""How long a look by `holder_of`, or a process that is just ending, may keep the lock."""
_NAMELESS = "a process that has not said who it is"


@asynccontextmanager
async def sole_process(url: str) -> AsyncGenerator[None]:
    """Hold the lock on a database within the block. Postgres needs none.

    Raises:
        SessionError: another process has it, or it cannot be made.
    """
    database = file_of(make_url(url))
    if database is None:
        yield
        return
    lock = _lock(database)
    file = Path(lock.lock_file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(lock.acquire, timeout=FILE_LOCK_PATIENCE_S)
    except Timeout as error:
        raise SessionError(
            f"another bot works with {database}: {_read(file)}. Stop that one first, or set "
            "DATABASE_URL to a Postgres database, which several processes can share."
        ) from error
    except OSError as error:
        raise SessionError(
            f"the file {file} cannot be written or locked ({error.strerror}). Use a local disk "
            "that can be written, or set DATABASE_URL to a Postgres database."
        ) from error
    try:
        now = datetime.now(UTC)
        _write(file, f"process {os.getpid()} on {platform.node()}, running since {now:%F %R} UTC")
        yield
    finally:
        _write(file, "")
        lock.release()


def holder_of(url: str) -> str | None:
    """Who holds the lock on a database now, in words, or None; changes nothing."""
    database = file_of(make_url(url))
    lock = _lock(database) if database is not None else None
    if lock is None or not Path(lock.lock_file).exists():
        return None
    try:
        with lock.acquire(timeout=0):
            return None
    except Timeout:
        return _read(Path(lock.lock_file))
    except OSError:
        return None


def _lock(database: Path) -> FileLock:
    path = database.with_name(f"{database.name}.lock")
    return FileLock(
        path,
        thread_local=False,
        fallback_to_soft=False,
        poll_interval=0.05,
    )


def _write(file: Path, holder: str) -> None:
    """What is written is for people; a full disk does not cost the lock."""
    with suppress(OSError):
        file.write_text(holder, encoding="utf-8")


def _read(file: Path) -> str:
    with suppress(OSError, UnicodeError):
        return file.read_text(encoding="utf-8") or _NAMELESS
    return _NAMELESS
