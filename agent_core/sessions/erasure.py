"""Erasure and retention in the database: what goes of a transcript, and what goes of a person.

A transcript is a session's turns, with all rows that belong to them; the session's row, its taint
and whose words it held stay, as its files may hold them still. Of a person go the transcripts of
sessions that they began, in others' sessions the turns that they asked for and their words in the
rest, and what is theirs alone. The audit keeps ids and hashes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from re import Pattern
from typing import Any

from sqlalchemy import Connection, Text, cast, delete, or_, select, union, update

from agent_core.ids import SessionId, TurnId, UserId
from agent_core.sessions.database import Store
from agent_core.sessions.redaction import pattern_of, redacted, words_by
from agent_core.sessions.schema import (
    asks,
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

OF_TURN = (messages, events, inbox, cursors, effects, programs, asks, disclosures)
"""Tables whose rows belong to a turn, by its id."""
_WITH_WORDS = ("inbound", "answer", "stop", "body", "state", "reason")
"""Columns that may quote somebody."""
GOING_ON = ("proposed", "active", "paused")
"""States of a digest for which the thread is kept in which it was ordered."""
HOLD = "hold"
"""The preference that stops retention and erasure in its scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was deleted of a session in the database, and what has to follow elsewhere."""

    turns: Sequence[TurnId]
    workspace: Path
    files: Sequence[str]
    """What people attached to these turns; relative to the workspace."""
    pattern: Pattern[str] | None
    """Finds a person's words in what stays of others'; None where the whole transcript went."""


def is_held(session: SessionId, holds: Iterable[str]) -> bool:
    """Whether a legal hold is on the session: on a part of its id, such as a channel's."""
    return any(f":{scope}:" in f":{session}:" for scope in holds)


class ErasureStore(Store):
    """Deletes what is to go of one session in one transaction."""

    async def holds(self) -> dict[str, str]:
        """Scopes under legal hold, each with since when."""
        rows = await self._database.rows(select(preferences).filter_by(name=HOLD))
        return {row.scope: row.value for row in rows}

    async def idle(self, before: datetime, now: datetime) -> list[StoredSession]:
        """Sessions whose workspace nobody used since `before`, and for which nothing is open.

        Open are turns, Asks, and digests that were ordered there and go on.
        """
        received_at = turns.c.inbound["received_at"].as_string()
        origin = schedules.c.order["origin"].as_string()
        is_used = or_(
            sessions.c.created_at >= before,
            received_at >= before.isoformat(),
            turns.c.status != "finished",
            (asks.c.state == "open") & (asks.c.deadline > now),
            schedules.c.status.in_(GOING_ON),
        )
        used = (
            select(sessions.c.workspace)
            .outerjoin(turns, turns.c.session == sessions.c.id)
            .outerjoin(asks, asks.c.session == sessions.c.id)
            .outerjoin(schedules, origin == sessions.c.id)
            .where(is_used)
        )
        query = select(sessions).where(sessions.c.workspace.not_in(used))
        return await self._database.read(query, StoredSession)

    async def touched(self, person: UserId) -> list[SessionId]:
        """Sessions that hold a person's words."""
        id = f'"{person}"'
        query = union(
            select(turns.c.session).where(cast(turns.c.inbound, Text).contains(id)),
            select(events.c.session).where(cast(events.c.body, Text).contains(id)),
            select(quoted_authors.c.session).filter_by(author=person),
        )
        return await self._database.column(query)

    async def forget(self, session: SessionId, person: UserId | None = None) -> Forgotten | None:
        """Delete a session's transcript, or what it holds of a person; None while work goes on."""
        asked = select(turns).filter_by(session=session).order_by(turns.c.seq)
        announced = select(events.c.body).filter_by(session=session)
        directory = select(sessions.c.workspace).filter_by(id=session)

        def forget(connection: Connection) -> Forgotten | None:
            rows = connection.execute(asked).all()
            if any(row.status != "finished" for row in rows):
                return None
            records = [row.inbound for row in rows]
            is_whole = person is None or (bool(rows) and records[0]["asker"] == person)
            gone = [row for row in rows if is_whole or row.inbound["asker"] == person]
            records += connection.execute(announced).scalars()
            for author in authors_in(connection, session):
                row = {"session": session, "author": author}
                self._database.insert_if_new(connection, quoted_authors, row)
            pattern = None
            ids = [row.id for row in gone]
            _delete_turns(connection, ids)
            if not is_whole:
                pattern = _pattern_of(person, records)
                _redact(connection, session, pattern)
            return Forgotten(
                turns=ids,
                workspace=Path(connection.execute(directory).scalar_one()),
                files=[file["path"] for row in gone for file in row.inbound["attachments"]],
                pattern=pattern,
            )

        return await self._database.run(forget)

    async def forget_belongings(self, person: UserId) -> None:
        """Delete what is a person's alone: preferences, feedback, digests, orders."""
        is_theirs = or_(preferences.c.scope == person, preferences.c.name == person)
        is_owners = schedules.c.order["owner"].as_string() == person
        own = select(schedules.c.id).where(is_owners)
        statements = (
            delete(preferences).where(is_theirs),
            delete(pending_orders).filter_by(person=person),
            delete(reported).where(reported.c.schedule.in_(own)),
            delete(slots).where(slots.c.schedule.in_(own)),
            delete(schedules).where(is_owners),
        )

        def forget(connection: Connection) -> None:
            for statement in statements:
                connection.execute(statement)

        await self._database.run(forget)


def _delete_turns(connection: Connection, ids: Sequence[TurnId]) -> None:
    for table in OF_TURN:
        connection.execute(delete(table).where(table.c.turn.in_(ids)))
    connection.execute(update(turns).where(turns.c.taken_by.in_(ids)).values(taken_by=None))
    connection.execute(delete(turns).where(turns.c.id.in_(ids)))


def _pattern_of(person: UserId | None, records: Sequence[dict[str, Any]]) -> Pattern[str]:
    own = [text for record in records for text in words_by(person, record)]
    others = [each["text"] for each in records if each.get("asker") not in (None, person)]
    return pattern_of(own, others)


def _redact(connection: Connection, session: SessionId, pattern: Pattern[str]) -> None:
    """Put the mark in place of a person's words in all that is left of a session's turns."""
    ids = select(turns.c.id).filter_by(session=session)
    for table in (turns, *OF_TURN):
        turn = table.c.id if table is turns else table.c.turn
        names = [name for name in _WITH_WORDS if name in table.c]
        for row in connection.execute(select(table).where(turn.in_(ids))).mappings().all():
            old = {name: row[name] for name in names}
            new = redacted(pattern, old)
            if new == old:
                continue
            if table is messages:  # a provider takes its signed blocks back as they were or not
                parts = new["body"]["parts"]
                new["body"]["parts"] = [each for each in parts if each["kind"] != "opaque"]
            keys = {column.name: row[column.name] for column in table.primary_key}
            connection.execute(update(table).filter_by(**keys).values(new))
