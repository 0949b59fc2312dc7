"""Thread -> session -> history, and the turns of each session."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, Select, func, select, update

from agent_core.errors import SessionError
from agent_core.ids import ROOT_RUN, RunId, SessionId, ToolCallId, TurnId, turn_of
from agent_core.messages import MESSAGE, InboundMessage, JsonObject, Message
from agent_core.sessions.database import Database, columns_of, objects_of
from agent_core.sessions.log import WriteBehind
from agent_core.sessions.schema import cursors, effects, messages, sessions, turns
from agent_core.sessions.turns import TURN, StoredTurn, TurnKind, TurnState, Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    id: SessionId
    workspace: Path
    created_at: datetime


SESSION: TypeAdapter[StoredSession] = TypeAdapter(StoredSession)


class SessionStore:
    """Reads and writes sessions, turns and history.

    Writes are idempotent: a replayed turn writes the same rows again.
    """

    def __init__(self, database: Database, behind: WriteBehind) -> None:
        self._database = database
        self._behind = behind

    async def session(self, session: SessionId) -> StoredSession | None:
        """A session by id; None when there is none."""
        query = select(sessions).where(sessions.c.id == session)
        return next(iter(await self._database.read(query, SESSION)), None)

    async def save_session(self, session: StoredSession, *, is_new: bool = False) -> StoredSession:
        """Store a session, or its new workspace; a new one gives way to one that is stored."""
        row = columns_of(session) | {"workspace": str(session.workspace)}
        save = self._database.insert_new(sessions).values(row)
        query = select(sessions).where(sessions.c.id == session.id)

        def store(connection: Connection) -> StoredSession:
            connection.execute(save if is_new else self._database.upsert(sessions, row))
            return objects_of(connection, query, SESSION)[0]

        return await self._database.run(store)

    async def tainted_by(self, session: SessionId) -> str | None:
        """What the session first read from outside; None while it has read nothing."""
        query = select(sessions.c.tainted_by).where(sessions.c.id == session)
        row = await self._database.row(query)
        return row.tainted_by if row is not None else None

    async def taint(self, session: SessionId, source: str) -> None:
        """The session has read from outside: for good."""
        clean = update(sessions).where(
            sessions.c.id == session,
            sessions.c.tainted_by.is_(None),
        )
        await self._database.execute(clean.values(tainted_by=source))

    async def add_turn(self, inbound: InboundMessage, kind: TurnKind = "work") -> StoredTurn | None:
        """Queue a turn for a message; None when its gesture has a turn already."""
        turn_id = turn_of(inbound.key)
        here = turns.c.session == inbound.session
        added = select(turns).where(turns.c.id == turn_id)
        newest = select(func.max(turns.c.seq)).where(here)
        at_work = select(turns.c.id).where(
            here,
            turns.c.status == "running",
            turns.c.kind == "work",
        )
        new = {
            "id": turn_id,
            "session": inbound.session,
            "kind": kind,
            "asker": inbound.asker,
            "status": "queued",
            "generation": 1,
        }
        stored: list[StoredTurn] = []

        def add(connection: Connection) -> bool:
            seq = (connection.execute(newest).scalar() or 0) + 1
            during = connection.execute(at_work).scalar() or ""
            message = replace(inbound, came_during=during)
            row = {**new, "seq": seq, "inbound": message}
            is_new = self._database.insert_if_new(connection, turns, row)
            stored[:] = objects_of(connection, added, TURN)
            return is_new

        while not await self._database.change(add):
            if stored:
                return None
            # Another message took the number in the meantime; the next one is free or taken too.
        return stored[0]

    async def turn(self, turn: TurnId) -> StoredTurn:
        """A turn by id; SessionError where there is none."""
        found = await self._turns(turns.c.id == turn)
        if not found:
            raise SessionError(f"There is no turn {turn}.")
        return found[0]

    async def unfinished_of(self, session: SessionId) -> list[StoredTurn]:
        """The session's turns that have not ended, oldest first."""
        return await self._turns(
            turns.c.session == session,
            turns.c.status != "finished",
        )

    async def turns_until(self, turn: TurnId) -> tuple[Path, list[StoredTurn]]:
        """The session's workspace, and its turns up to this one, oldest first."""
        this = turns.alias()
        query = (
            select(turns, sessions.c.workspace)
            .join(sessions, sessions.c.id == turns.c.session)
            .join(this, (this.c.session == turns.c.session) & (turns.c.seq <= this.c.seq))
            .where(this.c.id == turn)
            .order_by(turns.c.seq)
        )
        rows = await self._database.run(lambda each: each.execute(query).mappings().all())
        workspace = Path(rows[-1]["workspace"])
        return workspace, [TURN.validate_python(dict(row)) for row in rows]

    async def mark_running(self, turn: TurnId) -> bool:
        """Whether the turn may start now; False when it has been started in the meantime."""
        return await self._change(
            turn,
            "queued",
            status="running",
            tries=1,
        )

    async def begin_generation(self, turn: TurnId, generation: int) -> bool:
        """Whether the turn may go on as `generation`; of several askers one is told True."""
        return await self._change(
            turn,
            "running",
            generation - 1,
            generation=generation,
        )

    async def mark_waiting(self, turn: TurnId, generation: int, wait: Wait) -> bool:
        """The turn waits for a person; False when it has gone on in the meantime."""
        return await self._change(
            turn,
            "running",
            generation,
            status="waiting",
            wait=wait,
            tries=0,
        )

    async def end_waiting(self, turn: StoredTurn) -> bool:
        """Whether a waiting turn may go on, as its next generation."""
        later = turn.generation + 1
        return await self._change(
            turn.id,
            "waiting",
            turn.generation,
            status="running",
            generation=later,
            tries=1,
        )

    async def revise(self, turn: StoredTurn, inbound: InboundMessage, kind: TurnKind) -> bool:
        """Another message stands in the place of the turn's; False when it has begun."""
        return await self._change(
            turn.id,
            "queued",
            inbound=inbound,
            kind=kind,
        )

    async def begin_effect(self, turn: TurnId, run: RunId, call: ToolCallId) -> bool:
        """Note that a call is about to have its effect; False when it was noted before."""
        return await self._database.add(effects, {"turn": turn, "run": run, "call": call})

    async def effects_of(self, turn: TurnId) -> frozenset[tuple[RunId, ToolCallId]]:
        """The turn's calls of which it was noted that they are about to have their effect."""
        query = select(effects).where(effects.c.turn == turn)
        rows = await self._database.rows(query)
        return frozenset((RunId(row.run), ToolCallId(row.call)) for row in rows)

    async def mark_queued(self, turn: TurnId) -> None:
        """The turn could not be started; it is next again."""
        await self._change(
            turn,
            "running",
            status="queued",
            tries=0,
        )

    async def note_try(self, turn: TurnId, tries: int, how_far: int) -> None:
        """So many processes in a row have tried the turn, the last of them from there on."""
        statement = update(turns).where(turns.c.id == turn)
        await self._database.execute(statement.values(tries=tries, tried_from=how_far))

    async def append_messages(
        self, turn: TurnId, run: RunId, start: int, new: Sequence[Message]
    ) -> None:
        """Queue messages of a run, numbered from `start` on; reading the history waits for them."""
        numbered = enumerate(new, start)
        self._behind.put_messages(
            [{"turn": turn, "run": run, "seq": seq, "body": body} for seq, body in numbered]
        )

    async def run_messages(self, turn: TurnId, run: RunId) -> tuple[Message, ...]:
        """One run's messages, oldest first."""
        query = (
            select(messages.c.body)
            .where(
                messages.c.turn == turn,
                messages.c.run == run,
            )
            .order_by(messages.c.seq)
        )
        return await self._messages(query)

    async def history_before(self, turn: StoredTurn) -> tuple[Message, ...]:
        """What the session's earlier turns said, oldest first; child runs left out."""
        if turn.seq == 1:
            return ()
        query = (
            select(messages.c.body)
            .join(turns, turns.c.id == messages.c.turn)
            .where(
                turns.c.session == turn.session,
                turns.c.seq < turn.seq,
                messages.c.run == ROOT_RUN,
            )
            .order_by(turns.c.seq, messages.c.seq)
        )
        return await self._messages(query)

    async def session_messages(self, session: SessionId) -> list[tuple[TurnId, RunId, Message]]:
        """All that any run of the session saw and said, turn by turn, each run in its order."""
        query = (
            select(messages.c.turn, messages.c.run, messages.c.body)
            .join(turns, turns.c.id == messages.c.turn)
            .where(turns.c.session == session)
            .order_by(turns.c.seq, messages.c.run, messages.c.seq)
        )
        await self._behind.flush()
        rows = await self._database.rows(query)
        return [
            (TurnId(row.turn), RunId(row.run), MESSAGE.validate_python(row.body)) for row in rows
        ]

    async def words_of(self, session: SessionId) -> list[str]:
        """What people wrote to the bot in a session, oldest first: their own words alone."""
        query = select(turns.c.inbound).where(turns.c.session == session).order_by(turns.c.seq)
        rows = await self._database.rows(query)
        messages = [row.inbound for row in rows]
        return [str(message["text"]) for message in messages if not message.get("is_choice")]

    async def load_cursor(self, reader: str, turn: TurnId) -> JsonObject | None:
        """How far `reader` has shown a turn, in its own words; None when it has not begun."""
        query = select(cursors.c.state).where(
            cursors.c.reader == reader,
            cursors.c.turn == turn,
        )
        row = await self._database.row(query)
        return row.state if row is not None else None

    async def bookmarks_size(self, turn: TurnId) -> int:
        """How much readers have noted of a turn, in characters."""
        query = select(cursors.c.state).where(cursors.c.turn == turn)
        rows = await self._database.rows(query)
        return sum(len(json.dumps(row.state)) for row in rows)

    async def save_cursor(
        self, reader: str, turn: TurnId, state: JsonObject, *, done: bool = False
    ) -> None:
        """Remember how far `reader` is; `done` when it has shown the turn to its end."""
        row = {"reader": reader, "turn": turn, "state": state, "done": done}
        await self._database.execute(self._database.upsert(cursors, row))

    async def unread(self, session: SessionId, reader: str) -> list[StoredTurn]:
        """The session's turns that `reader` has not shown to their end or not begun with."""
        shown = select(cursors.c.turn).where(
            cursors.c.reader == reader,
            cursors.c.done.is_(True),
        )
        return await self._turns(turns.c.session == session, turns.c.id.not_in(shown))

    async def _turns(self, *conditions: ColumnElement[bool]) -> list[StoredTurn]:
        query = select(turns).where(*conditions).order_by(turns.c.seq)
        return await self._database.read(query, TURN)

    async def _change(
        self, turn: TurnId, status: TurnState, generation: int | None = None, /, **values: Any
    ) -> bool:
        """Whether it was of this status and generation, and is as the values say now."""
        statement = update(turns).where(
            turns.c.id == turn,
            turns.c.status == status,
        )
        if generation is not None:
            statement = statement.where(turns.c.generation == generation)
        return await self._database.execute(statement.values(**values))

    async def _messages(self, query: Select[Any]) -> tuple[Message, ...]:
        await self._behind.flush()
        rows = await self._database.rows(query)
        return tuple(MESSAGE.validate_python(row.body) for row in rows)
