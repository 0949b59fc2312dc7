"""A database for the length of a block, closed however the block ends."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import make_url

from agent_core.sessions import Database


@asynccontextmanager
async def opened(url: str) -> AsyncGenerator[Database]:
    database = Database(url)
    try:
        await database.open()
        yield database
    finally:
        await database.close()


NO_LIMIT_PAGES = 1_000_000


@contextmanager
def locked(file: Path) -> Generator[None]:
    """Somebody else writes to an SQLite file within the block."""
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        yield
        writer.execute("ROLLBACK")


@asynccontextmanager
async def full(database: Database) -> AsyncGenerator[None]:
    """An SQLite file cannot grow within the block."""
    await database.run(lambda c: c.exec_driver_sql("PRAGMA max_page_count = 1").scalar())
    try:
        yield
    finally:
        limit = f"PRAGMA max_page_count = {NO_LIMIT_PAGES}"
        await database.run(lambda c: c.exec_driver_sql(limit).scalar())


@contextmanager
def told_of_trouble() -> Generator[asyncio.Event]:
    """Set once a database says that it is in trouble."""
    met_trouble = asyncio.Event()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            met_trouble.set()

    logger, listener = logging.getLogger("agent_core.sessions.database"), Listener()
    logger.addHandler(listener)
    try:
        yield met_trouble
    finally:
        logger.removeHandler(listener)


class LostCommits:
    """Stands between the bot and Postgres. A commit that is `armed` is done, and nobody is told."""

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._connections: set[asyncio.Task[None]] = set()
        self.armed = 0
        self.lost = 0

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[str]:
        """Gives the URL to use instead."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()[:2]
        address = self._url.set(host=host, port=port).set(query={})
        try:
            yield address.render_as_string(hide_password=False)
        finally:
            server.close()
            for connection in self._connections:
                connection.cancel()
            if self._connections:
                await asyncio.wait(self._connections)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        with suppress(ConnectionError, asyncio.CancelledError):
            await self._relay(reader, writer)
        writer.close()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = f"{self._url.query['host']}/.s.PGSQL.5432"
        from_server, to_server = await asyncio.open_unix_connection(path)
        answers = asyncio.create_task(_pass_on(from_server, writer))
        try:
            while said := await reader.read(65_536):
                is_lost = self.armed > 0 and b"COMMIT\0" in said
                if is_lost:
                    self.armed, self.lost = self.armed - 1, self.lost + 1
                    answers.cancel()
                    await asyncio.wait({answers})
                to_server.write(said)
                await to_server.drain()
                if is_lost:
                    await from_server.read(1)  # it is done
                    return
        finally:
            answers.cancel()
            await asyncio.wait({answers})
            to_server.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while said := await reader.read(65_536):
            writer.write(said)
            await writer.drain()
