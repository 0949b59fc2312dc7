"""The database behind sessions: one engine, SQLite by default, Postgres by URL."""

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Table, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from agent_core.database_errors import is_damage, passes, reason_of
from agent_core.errors import SessionError
from agent_core.sessions.attempt import Attempt
from agent_core.sessions.engine import make_engine
from agent_core.sessions.migrations import file_of, upgrade, way_back
from agent_core.sessions.trouble import DatabaseTrouble, TroubleLog

T = TypeVar("T")

PATIENCE_S = 600.0
"""How long work waits for a database in trouble: longer than any restart, shorter than a night."""
OPEN_PATIENCE_S = 120.0
"""How long a start waits, another process's upgrade included."""
POSTGRES_THREADS = 8

_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 2.0


class Database:
    """Runs each unit of work as one transaction in a thread of its own.

    Args:
        url: An SQLAlchemy URL such as `sqlite:///path/state.sqlite` or `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.engine: Engine = make_engine(self.url)
        self._trouble = TroubleLog()
        # One thread serialises the writers of an SQLite file better than its lock does.
        self._threads = ThreadPoolExecutor(
            1 if self.is_sqlite else POSTGRES_THREADS, thread_name_prefix="sessions"
        )

    @property
    def trouble(self) -> str | None:
        """Why work has to wait just now; None when it does not."""
        return self._trouble.reason

    async def open(self, *, patience_s: float = OPEN_PATIENCE_S) -> None:
        """Bring the tables to what the code knows: make them, or alter older ones.

        Raises:
            SessionError: the database cannot be reached or written, is damaged, or was used by a
                newer version of the code.
        """
        file = file_of(self.url)
        try:
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
            await self.run(upgrade, patience_s=patience_s)
        except (SQLAlchemyError, OSError, DatabaseTrouble) as error:
            self.engine.dispose()
            place = self.url.render_as_string(hide_password=True)
            reason = error.reason if isinstance(error, DatabaseTrouble) else reason_of(error)
            remedy = f". To go on, {way_back(file)}" if is_damage(error) else ""
            raise SessionError(f"the database {place} cannot be used: {reason}{remedy}") from error

    async def close(self) -> None:
        """Wait for what is under way, then close the connections."""
        await asyncio.to_thread(self._threads.shutdown)
        self.engine.dispose()

    async def run(self, work: Callable[[Connection], T], *, patience_s: float = PATIENCE_S) -> T:
        """Do `work` in one transaction, off the event loop; an exception rolls it back.

        While the database is in passing trouble (locked, full, restarting, away) it is done again
        and again, and once more where nobody knows whether the last commit was done: `work` MUST
        leave the same behind when it is done twice. For the answer see `change`.

        Raises:
            DatabaseTrouble: there is trouble still after `patience_s`.
        """
        ends_at = asyncio.get_running_loop().time() + patience_s
        pauses, in_doubt, has_waited = _pauses(), False, False
        while True:
            attempt = Attempt(self.engine, work)
            try:
                async with asyncio.timeout_at(ends_at):
                    done = await self._in_thread(attempt)
            except (SQLAlchemyError, OSError) as error:
                if not passes(error):
                    raise
                in_doubt = attempt.give_up() or in_doubt
                await self._wait_out(error, next(pauses), ends_at, in_doubt=in_doubt)
                has_waited = True
            else:
                if has_waited:
                    self._trouble.end()
                return done

    async def change(
        self, work: Callable[[Connection], bool], *, patience_s: float = PATIENCE_S
    ) -> bool:
        """Do `work` as `run` does, and say whether it changed something in any attempt.

        `work` says it of one attempt. An earlier one counts because it may have been committed
        although the word of it was lost; the last one then finds nothing to change.
        """
        said: list[bool] = []

        def add_up(connection: Connection) -> bool:
            said.append(work(connection))
            return any(said)

        return await self.run(add_up, patience_s=patience_s)

    async def _in_thread(self, attempt: Attempt[T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, attempt)

    async def _wait_out(
        self, error: Exception, pause_s: float, ends_at: float, *, in_doubt: bool
    ) -> None:
        reason = reason_of(error)
        if isinstance(error, TimeoutError):  # perhaps behind others, who know more
            reason = self._trouble.reason or reason
        self._trouble.meet(reason)
        if asyncio.get_running_loop().time() + pause_s >= ends_at:
            raise DatabaseTrouble(reason, may_be_stored=in_doubt) from error
        await asyncio.sleep(pause_s)

    def insert_new(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An INSERT that leaves existing rows alone."""
        if self.is_sqlite:
            return sqlite.insert(table).on_conflict_do_nothing()
        return postgresql.insert(table).on_conflict_do_nothing()

    def upsert(
        self, connection: Connection, table: Table, row: Mapping[str, Any], keys: Sequence[str]
    ) -> None:
        """Insert `row`, or replace the row with the same `keys`."""
        rest = {name: value for name, value in row.items() if name not in keys}
        insert = (sqlite.insert if self.is_sqlite else postgresql.insert)(table)
        connection.execute(
            insert.values(dict(row)).on_conflict_do_update(index_elements=list(keys), set_=rest)
        )

    def insert_if_new(self, connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
        """Insert `row`; False when its key was there already."""
        insert = self.insert_new(table).returning(*table.primary_key)
        return connection.execute(insert, dict(row)).first() is not None


def _pauses() -> Iterator[float]:
    """Twice as long each time, and never twice the same for two who wait."""
    pause_s = _FIRST_PAUSE_S
    while True:
        yield pause_s
        pause_s = min(pause_s * random.uniform(1.5, 2.5), _LONGEST_PAUSE_S)  # noqa: S311 (no secret)
