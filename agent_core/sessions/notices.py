"""Notices between the processes of a database: Postgres's LISTEN and NOTIFY.

A notice is part of the transaction that it tells of. Each process listens with one connection; what
was told while that was lost is not told again. An SQLite file has one process, which hears of
everything without this.
"""

import json
import logging
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress

import psycopg
from psycopg.conninfo import make_conninfo
from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError

from agent_core.errors import SessionError
from agent_core.messages import JsonObject
from agent_core.sessions.database import POSTGRES_CONNECT, Database

logger = logging.getLogger(__name__)

CHANNEL = "agent_events"
MAX_BYTES = 7_000
"""Of a notice; Postgres takes less than 8,000."""
SEND_PATIENCE_S = 2.0


class Notices:
    """Sends what the other processes are to hear, and hears what they send."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own = secrets.token_hex(8)
        """Tells this sender's notices from others'."""
        self.is_heard = not database.is_sqlite
        """Whether there is anybody to hear."""

    def tell(self, connection: Connection, notices: Sequence[JsonObject]) -> None:
        """Send notices with the connection's transaction; one that is too long is left out."""
        if not self.is_heard:
            return
        for notice in notices:
            text = json.dumps({"from": self._own, **notice})  # in ASCII: it may hold anything
            if len(text) <= MAX_BYTES:
                connection.execute(select(func.pg_notify(CHANNEL, text)))

    async def send(self, notices: Sequence[JsonObject]) -> None:
        """Send them by themselves. A database in trouble costs them."""
        with suppress(SessionError, SQLAlchemyError):
            await self._database.run(
                lambda connection: self.tell(connection, notices),
                patience_s=SEND_PATIENCE_S,
            )

    async def listen(self) -> AsyncGenerator[JsonObject]:
        """Notices of others until the connection is lost; the first one is empty: it is made."""
        url = self._database.url.set(drivername="postgresql")
        wanted = {name: value for name, value in POSTGRES_CONNECT.items() if name not in url.query}
        try:
            address = make_conninfo(url.render_as_string(hide_password=False), **wanted)
            listening = psycopg.AsyncConnection.connect(address, autocommit=True)
            async with await listening as connection:
                await connection.execute(f"LISTEN {CHANNEL}")
                yield {}
                async for notice in connection.notifies():
                    content = json.loads(notice.payload)
                    if content.pop("from", "") != self._own:
                        yield content
        except (psycopg.Error, SQLAlchemyError, SessionError, OSError, ValueError) as error:
            logger.warning("other processes are not heard: %s", error)
