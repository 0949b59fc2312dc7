"""Erasure and retention in the database: what goes of a transcript, and what goes of a person.

A transcript is a session's turns, with all rows that belong to them; the session's row, its taint
and whose words it held stay, as its files may hold them still. Of a person go the transcripts of
sessions that they began, in others' sessions the turns that they asked for, and what is theirs
alone. What others' turns quote of them becomes a mark: it is known by its sentences, and by words
that are names, numbers or addresses by their form. The audit keeps ids and hashes.
"""

import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Text, cast, delete, make_url, or_, select, union, update

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
    turns,
)
from agent_core.sessions.store import StoredSession
from agent_core.sessions.turns import authors_in

ERASED = "[erased]"
HOLD = "hold"
"""The preference that stops retention and erasure in its scope."""
OF_TURN = (messages, events, inbox, cursors, effects, programs, asks, disclosures)
"""Tables whose rows belong to a turn, by its id."""
_QUOTING = ("inbound", "answer", "stop", "body", "state", "reason")
"""Columns that may quote somebody."""
_AUTHORS = ("asker", "author", "by")
_TEXTS = ("text", "title", "reason")
"""Fields beside an author's that hold the author's words."""
_SENTENCE = re.compile(r"""\w[^.!?:;\n"\\]* [^.!?:;\n"\\]{6,}""")
_WORD = re.compile(r"[\w@+-]+(?:\.[\w@+-]+)*")
_TELLING = re.compile(
    r"""(?=[\w@.+-]*[\d@+-])\w[\w@.+-]{3,}\w
    |(?<=[\w,][ ])[A-Z]\w{4,}
    |[^\W_]{12,}""",
    re.VERBOSE,
)
"""Words with a digit or sign inside, capitals within a sentence, and very long words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was deleted of a session in the database, and what has to follow elsewhere."""

    turns: Collection[TurnId]
    """All that the session had: durable records of others' turns quote the person, too."""
    workspace: Path
    files: Sequence[str]
    """What people attached to the deleted turns; relative to the workspace."""
    is_whole: bool
    """Whether nothing of the transcript is left."""


def is_held(session: SessionId, holds: Iterable[str]) -> bool:
    """Whether a legal hold is on the session: on a part of its id, such as a channel's."""
    return any(f":{scope}:" in f":{session}:" for scope in holds)


def redacted(text: str, quotes: Set[str]) -> str:
    """A text, or JSON, with a mark in place of these sentences and words."""

    def mark(match: re.Match[str]) -> str:
        return ERASED if match[0] in quotes else match[0]

    return _WORD.sub(mark, _SENTENCE.sub(mark, text))


class ErasureStore(Store):
    """Deletes what is to go of one session in one transaction."""

    async def holds(self) -> dict[str, str]:
        """Scopes under legal hold, each with since when."""
        rows = await self._database.rows(select(preferences).filter_by(name=HOLD))
        return {row.scope: row.value for row in rows}

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

    async def is_busy(self, of: Sequence[SessionId]) -> bool:
        """Whether work goes on in one of these sessions, or is not shown to its end."""
        unshown = select(cursors.c.turn).filter_by(done=False)
        is_at_work = (turns.c.status != "finished") | turns.c.id.in_(unshown)
        query = select(turns.c.id).where(turns.c.session.in_(of), is_at_work)
        return await self._database.scalar(query) is not None

    async def touched(self, person: UserId) -> list[SessionId]:
        """Sessions that hold a person's words."""
        queries = [
            select(table.c.session).where(cast(column, Text).contains(f'"{person}"'))
            for table, column in _RECORDS
        ]
        quoted = select(quoted_authors.c.session).filter_by(author=person)
        return await self._database.column(union(quoted, *queries))

    async def quotes_of(self, person: UserId) -> Set[str]:
        """The sentences and telling words by which what a person wrote is known elsewhere."""
        quotes: set[str] = set()
        for _, column in _RECORDS:
            query = select(column).where(cast(column, Text).contains(f'"{person}"'))
            for record in await self._database.column(query):
                for text in _words_by(person, record):
                    quotes.update(_SENTENCE.findall(text), _TELLING.findall(text))
        return quotes

    async def forget(
        self, session: SessionId, person: UserId | None = None, quotes: Set[str] = frozenset()
    ) -> Forgotten | None:
        """Delete a session's transcript, or what it holds of a person; None while work goes on."""
        asked = select(turns).filter_by(session=session).order_by(turns.c.seq)
        directory = select(sessions.c.workspace).filter_by(id=session)

        def forget(connection: Connection) -> Forgotten | None:
            rows = connection.execute(asked).all()
            if any(row.status != "finished" for row in rows):
                return None
            for author in authors_in(connection, session):
                row = {"session": session, "author": author}
                self._database.insert_if_new(connection, quoted_authors, row)
            own = [row for row in rows if row.inbound["asker"] == person]
            is_whole = person is None or own[:1] == rows[:1]
            gone = rows if is_whole else own
            _delete_turns(connection, [row.id for row in gone])
            _redact(connection, session, quotes)
            return Forgotten(
                turns={row.id for row in rows},
                workspace=Path(connection.execute(directory).scalar_one()),
                files=[file["path"] for row in gone for file in row.inbound["attachments"]],
                is_whole=is_whole,
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


def rewrite_file(url: str) -> None:
    """Rewrite a file of SQLite, so that deleted bytes are gone; Postgres does so by itself."""
    file = file_of(make_url(url))
    if file is None:
        return
    with closing(sqlite3.connect(file, timeout=30, isolation_level=None)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


_RECORDS = ((turns, turns.c.inbound), (events, events.c.body))
"""Where people's words stand beside their authors."""


def _delete_turns(connection: Connection, ids: Sequence[TurnId]) -> None:
    for table in OF_TURN:
        connection.execute(delete(table).where(table.c.turn.in_(ids)))
    connection.execute(update(turns).where(turns.c.taken_by.in_(ids)).values(taken_by=None))
    connection.execute(delete(turns).where(turns.c.id.in_(ids)))


def _words_by(person: UserId, record: dict[str, Any]) -> Iterator[str]:
    """The person's own texts in a message or event; a background of several authors as a whole."""
    if person in [record.get(name) for name in _AUTHORS]:
        yield from (record[name] for name in _TEXTS if record.get(name))
    if person in record.get("background_authors", ()):
        yield record["background"]


def _redact(connection: Connection, session: SessionId, quotes: Set[str]) -> None:
    """Put the mark in place of quotes in what is left of a session."""
    ids = select(turns.c.id).filter_by(session=session)
    for table in (turns, *OF_TURN):
        turn = table.c.id if table is turns else table.c.turn
        rows = connection.execute(select(table).where(turn.in_(ids))).mappings().all()
        for row in rows:
            old = {name: row[name] for name in _QUOTING if name in row}
            text = json.dumps(old, ensure_ascii=False)
            new = redacted(text, quotes)
            if new != text:
                keys = {column.name: row[column.name] for column in table.primary_key}
                values = json.loads(new, object_hook=_without_signed)
                connection.execute(update(table).filter_by(**keys).values(values))


def _without_signed(record: dict[str, Any]) -> dict[str, Any]:
    """A message without the provider's signed blocks: they go back as they were, or not at all."""
    if "parts" in record:
        record["parts"] = [part for part in record["parts"] if part["kind"] != "opaque"]
    return record
