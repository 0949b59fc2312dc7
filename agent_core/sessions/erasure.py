"""Erasure and retention in the database: what goes of a transcript, and what goes of a person.

A transcript is a session's turns, with all rows that belong to them; the session's row, its taint
and whose words it held stay, as its files may hold them still. Of a person go the transcripts of
sessions that they began. In others' sessions go the turns that they asked for and all that the bot
wrote, as any of that may quote them; what others wrote stays. The audit keeps ids and hashes.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Text, cast, delete, make_url, select, union, update

from agent_core.ids import SessionId, TurnId, UserId
from agent_core.sessions.audit_chain import AuditRecord, erase
from agent_core.sessions.database import Store
from agent_core.sessions.migrations import file_of
from agent_core.sessions.schema import (
    asks,
    audit_chain,
    cursors,
    disclosures,
    effects,
    events,
    inbox,
    messages,
    pending_orders,
    preferences,
    programs,
    quoted_authors,
    reported,
    schedules,
    sessions,
    slots,
    turns,
)
from agent_core.sessions.store import StoredSession
from agent_core.sessions.turns import authors_in

ERASED = "[erased]"
OF_TURN = (messages, events, inbox, cursors, effects, programs, asks, disclosures)
"""Tables whose rows belong to a turn, by its id."""

DeletedWork = tuple[Sequence[TurnId], Path]
"""Turns of which the bot's work was deleted, and the workspace with what it made."""


class ErasureStore(Store):
    """Deletes what is to go of one session in one transaction."""

    async def people(self, user: str) -> list[UserId]:
        """Who asked for something, by their id with or without the team's."""
        query = select(turns.c.asker).distinct()
        is_named = (turns.c.asker == user) | turns.c.asker.endswith(f":{user}")
        return await self._database.column(query.where(is_named))

    async def idle(self, before: datetime) -> list[StoredSession]:
        """Sessions whose workspace nobody used since `before`, and in which no turn is open."""
        received_at = turns.c.inbound["received_at"].as_string()
        used = (
            select(sessions.c.workspace)
            .outerjoin(turns, turns.c.session == sessions.c.id)
            .where(
                (sessions.c.created_at >= before)
                | (received_at >= before.isoformat())
                | (turns.c.status != "finished")
            )
        )
        query = select(sessions).where(sessions.c.workspace.not_in(used))
        return await self._database.read(query, StoredSession)

    async def touched(self, person: UserId) -> list[SessionId]:
        """Sessions that hold a person's words, or in which a tool quoted them."""
        id = f'"{person}"'
        query = union(
            select(turns.c.session).where(cast(turns.c.inbound, Text).contains(id)),
            select(events.c.session).where(cast(events.c.body, Text).contains(id)),
            select(quoted_authors.c.session).filter_by(author=person),
        )
        return await self._database.column(query)

    async def forget(self, session: SessionId, person: UserId | None = None) -> DeletedWork | None:
        """Delete a session's transcript, or what it holds of a person; None while work goes on.

        Work goes on, too, while its end is not shown to people.
        """
        shown = cursors.c.turn == turns.c.id
        asked = select(turns, cursors.c.done).outerjoin(cursors, shown).filter_by(session=session)
        directory = select(sessions.c.workspace).filter_by(id=session)

        def forget(connection: Connection) -> DeletedWork | None:
            rows = connection.execute(asked.order_by(turns.c.seq)).all()
            if any(row.status != "finished" or row.done is False for row in rows):
                return None
            for author in authors_in(connection, session):
                row = {"session": session, "author": author}
                self._database.insert_if_new(connection, quoted_authors, row)
            connection.execute(delete(quoted_authors).filter_by(session=session, author=person))
            ids = [row.id for row in rows]
            for table in OF_TURN:
                connection.execute(delete(table).where(table.c.turn.in_(ids)))
            _forget_turns(connection, rows, person)
            return ids, Path(connection.execute(directory).scalar_one())

        return await self._database.run(forget)

    async def forget_belongings(self, person: UserId, record: AuditRecord) -> None:
        """Delete what is a person's alone: preferences, feedback, digests, orders."""
        is_owners = schedules.c.order["owner"].as_string() == person
        own = select(schedules.c.id).where(is_owners)
        is_theirs = audit_chain.c.about.contains(f'"{person}"') | (audit_chain.c.who == person)
        statements = (
            delete(preferences).filter_by(scope=person),
            delete(preferences).filter_by(name=person),
            delete(pending_orders).filter_by(person=person),
            delete(reported).where(reported.c.schedule.in_(own)),
            delete(slots).where(slots.c.schedule.in_(own)),
            delete(schedules).where(is_owners),
        )

        def forget(connection: Connection) -> None:
            for statement in statements:
                connection.execute(statement)
            erase(connection, record, is_theirs)

        await self._database.run(forget)


def _forget_turns(connection: Connection, rows: Sequence[Row[Any]], person: UserId | None) -> None:
    """Delete turns; of others in a session that is not the person's, what they wrote stays."""
    begun_by = [row.inbound["asker"] for row in rows[:1]]
    for row in rows:
        left = row.inbound | {"background": ERASED}
        change = update(turns).values(inbound=left, answer=ERASED, taken_by=None)
        if person in (None, left["asker"], *begun_by):
            change = delete(turns)
        connection.execute(change.where(turns.c.id == row.id))


def rewrite_file(url: str) -> None:
    """Rewrite a file of SQLite, so that deleted bytes are gone; Postgres does so by itself."""
    file = file_of(make_url(url))
    if file is None:
        return
    with closing(sqlite3.connect(file, timeout=30, isolation_level=None)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
