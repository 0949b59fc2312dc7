"""Erasure and retention in the database: what goes of a transcript, and what goes of a person.

A transcript is a session's turns, with all rows that belong to them; the session's row, its taint
and whose words it held stay, as its files may hold them still. Of a person go the transcripts of
sessions that they began. In others' sessions go the turns that they asked for and, from the first
turn with their words on, all that the bot wrote, as any of that may quote them; what others wrote
stays. The audit keeps ids and hashes.
"""

import sqlite3
from collections.abc import Collection, Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Text,
    cast,
    delete,
    func,
    insert,
    make_url,
    or_,
    select,
    update,
)

from agent_core.ids import SessionId, TurnId, UserId
from agent_core.sessions.audit_chain import AuditRecord, append, erase
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
    turns,
)
from agent_core.sessions.store import StoredSession
from agent_core.sessions.turns import authors_in

ERASED = "[erased]"
HOLD = "hold"
"""The preference that stops retention and erasure in its scope."""
OF_TURN = (messages, events, inbox, cursors, effects, programs, asks, disclosures)
"""Tables whose rows belong to a turn, by its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was deleted of a session in the database, and what has to follow elsewhere."""

    turns: Collection[TurnId]
    """Those of which the bot's work was deleted."""
    workspace: Path


def is_held(session: SessionId, holds: Iterable[str]) -> bool:
    """Whether a legal hold is on the session: on a part of its id, such as a channel's."""
    return any(f":{scope}:" in f":{session}:" for scope in holds)


class ErasureStore(Store):
    """Deletes what is to go of one session in one transaction."""

    async def holds(self) -> dict[str, str]:
        """Scopes under legal hold, each with since when."""
        rows = await self._database.rows(select(preferences).filter_by(name=HOLD))
        return {row.scope: row.value for row in rows}

    async def hold(self, scope: str, since: str, record: AuditRecord) -> None:
        """Put a scope under legal hold; end that where `since` is empty."""

        def hold(connection: Connection) -> None:
            connection.execute(delete(preferences).filter_by(scope=scope, name=HOLD))
            if since:
                row = {"scope": scope, "name": HOLD, "value": since}
                connection.execute(insert(preferences).values(row))
            append(connection, record)

        await self._database.run(hold)

    async def people(self, user: str) -> list[UserId]:
        """Who asked for something, by their id with or without the team's."""
        query = select(turns.c.asker).distinct()
        is_named = (turns.c.asker == user) | turns.c.asker.endswith(f":{user}")
        return await self._database.column(query.where(is_named))

    async def idle(self, before: datetime) -> list[StoredSession]:
        """Sessions whose workspace nobody used since `before`, and in which no turn is open."""
        received_at = turns.c.inbound["received_at"].as_string()
        is_recent = or_(sessions.c.created_at >= before, received_at >= before.isoformat())
        used = (
            select(sessions.c.workspace)
            .outerjoin(turns, turns.c.session == sessions.c.id)
            .where(is_recent | (turns.c.status != "finished"))
        )
        query = select(sessions).where(sessions.c.workspace.not_in(used))
        return await self._database.read(query, StoredSession)

    async def touched(self, person: UserId) -> dict[SessionId, int]:
        """Sessions that hold a person's words, each with the number of the first turn with them.

        It is 0 where a tool quoted them, which may have been in any turn.
        """
        id = f'"{person}"'
        is_named = cast(turns.c.inbound, Text).contains(id) | cast(events.c.body, Text).contains(id)
        query = (
            select(turns.c.session, func.min(turns.c.seq).label("first"))
            .outerjoin(events, events.c.turn == turns.c.id)
            .where(is_named)
            .group_by(turns.c.session)
        )
        first = {row.session: row.first for row in await self._database.rows(query)}
        quoted = select(quoted_authors.c.session).filter_by(author=person)
        return first | dict.fromkeys(await self._database.column(quoted), 0)

    async def forget(
        self, session: SessionId, person: UserId | None = None, first: int = 0
    ) -> Forgotten | None:
        """Delete a session's transcript, or what it holds of a person; None while work goes on.

        Work goes on, too, while its end is not shown to people. For `first` see `touched`.
        """
        shown = cursors.c.turn == turns.c.id
        asked = select(turns, cursors.c.done).outerjoin(cursors, shown).filter_by(session=session)
        directory = select(sessions.c.workspace).filter_by(id=session)

        def forget(connection: Connection) -> Forgotten | None:
            rows = connection.execute(asked.order_by(turns.c.seq)).all()
            if any(row.status != "finished" or row.done is False for row in rows):
                return None
            for author in authors_in(connection, session):
                row = {"session": session, "author": author}
                self._database.insert_if_new(connection, quoted_authors, row)
            askers = [row.inbound["asker"] for row in rows]
            is_whole = person is None or askers[:1] == [person]
            work = [row for row in rows if is_whole or row.seq >= first]
            gone = [row.id for row in work if is_whole or row.inbound["asker"] == person]
            _delete_work(connection, [row.id for row in work])
            connection.execute(delete(turns).where(turns.c.id.in_(gone)))
            _erase_around(connection, [row for row in work if row.id not in gone])
            return Forgotten(
                turns={row.id for row in work},
                workspace=Path(connection.execute(directory).scalar_one()),
            )

        return await self._database.run(forget)

    async def forget_belongings(self, person: UserId, record: AuditRecord) -> None:
        """Delete what is a person's alone: preferences, feedback, digests, orders."""
        is_owners = schedules.c.order["owner"].as_string() == person
        own = select(schedules.c.id).where(is_owners)
        is_about = audit_chain.c.about.contains(f'"{person}"')
        statements = (
            delete(preferences).filter_by(scope=person),
            delete(preferences).filter_by(name=person),
            delete(pending_orders).filter_by(person=person),
            delete(reported).where(reported.c.schedule.in_(own)),
            delete(schedules).where(is_owners),
        )

        def forget(connection: Connection) -> None:
            for statement in statements:
                connection.execute(statement)
            erase(connection, record, is_about | (audit_chain.c.who == person))

        await self._database.run(forget)


def _delete_work(connection: Connection, ids: Collection[TurnId]) -> None:
    for table in OF_TURN:
        connection.execute(delete(table).where(table.c.turn.in_(ids)))


def _erase_around(connection: Connection, rows: Iterable[Row[Any]]) -> None:
    """Leave of turns what was asked for, in its own words."""
    for row in rows:
        words = row.inbound | {"background": ERASED}
        left = update(turns).filter_by(id=row.id)
        connection.execute(left.values(inbound=words, answer=ERASED, taken_by=None))


def rewrite_file(url: str) -> None:
    """Rewrite a file of SQLite, so that deleted bytes are gone; Postgres does so by itself."""
    file = file_of(make_url(url))
    if file is None:
        return
    with closing(sqlite3.connect(file, timeout=30, isolation_level=None)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
