"""Sessions, their turns and histories; cursors of readers, begun effects; preferences, programs.

A session is the durable conversation of one thread. Turns are read here and change their status
here; `turns.py` tells which turns a process has to see to, `inbox.py` what a run has yet to take
in.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from cachetools import LRUCache
from sqlalchemy import Connection, Select, delete, func, select, update

from agent_core.errors import SessionError
from agent_core.ids import ROOT_RUN, RunId, SessionId, ToolCallId, TurnId, UserId, turn_of
from agent_core.messages import MESSAGE, InboundMessage, JsonObject, Message
from agent_core.sessions.database import Database, Store, columns_of, objects_of
from agent_core.sessions.log import WriteBehind
from agent_core.sessions.schema import (
    cursors,
    effects,
    messages,
    preferences,
    programs,
    sessions,
    turns,
)
from agent_core.sessions.turns import StoredTurn, TurnKind, TurnState, Wait, authors_in


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    id: SessionId
    workspace: Path
    created_at: datetime


MAX_TAINTED = 10_000
"""Sessions of which a process remembers that they read from outside."""
_TURNS = select(turns).order_by(turns.c.seq)


class SessionStore:
    """Reads and writes sessions, turns and history.

    Writes are idempotent: a replayed turn writes the same rows again.
    """

    def __init__(self, database: Database, behind: WriteBehind) -> None:
        self._database = database
        self._behind = behind
        self._tainted: LRUCache[SessionId, str] = LRUCache(MAX_TAINTED)

    async def session(self, session: SessionId) -> StoredSession | None:
        """A session by id; None when there is none."""
        return await self._database.first(select(sessions).filter_by(id=session), StoredSession)

    async def save_session(self, session: StoredSession, *, is_new: bool = False) -> StoredSession:
        """Store a session, or its new workspace; a new one gives way to one that is stored."""
        row = columns_of(session) | {"workspace": str(session.workspace)}
        save = self._database.upsert(sessions, row)
        if is_new:
            save = self._database.insert_new(sessions).values(row)
        query = select(sessions).filter_by(id=session.id)

        def store(connection: Connection) -> StoredSession:
            connection.execute(save)
            return objects_of(connection, query, StoredSession)[0]

        return await self._database.run(store)

    async def tainted_by(self, session: SessionId) -> str | None:
        """The outside source that the session read first; None while it has read nothing."""
        if session in self._tainted:
            return self._tainted[session]
        query = select(sessions.c.tainted_by).filter_by(id=session)
        source = await self._database.scalar(query)
        if source is not None:
            self._tainted[session] = source  # for good
        return source

    async def taint(self, session: SessionId, source: str) -> None:
        """Taint the session, for good: it has read from outside."""
        if session in self._tainted:
            return
        clean = update(sessions).filter_by(id=session, tainted_by=None)
        await self._database.execute(clean.values(tainted_by=source))

    async def authors(self, session: SessionId) -> frozenset[UserId]:
        """Everybody whose words the session holds."""
        return await self._database.run(partial(authors_in, session=session))

    async def add_turn(self, inbound: InboundMessage, kind: TurnKind = "work") -> StoredTurn | None:
        """Queue a turn for a message; None when its gesture has a turn already."""
        turn_id = turn_of(inbound.key)
        added = select(turns).filter_by(id=turn_id)
        newest = select(func.max(turns.c.seq)).filter_by(session=inbound.session)
        at_work = select(turns.c.id).filter_by(
            session=inbound.session,
            status="running",
            kind="work",
        )
        stored: list[StoredTurn] = []

        def add(connection: Connection) -> bool:
            newest_seq = connection.execute(newest).scalar() or 0
            during = connection.execute(at_work).scalar() or ""
            row = {
                "id": turn_id,
                "session": inbound.session,
                "kind": kind,
                "asker": inbound.asker,
                "seq": newest_seq + 1,
                "status": "queued",
                "generation": 1,
                "tries": 0,
                "tried_from": 0,
                "inbound": replace(inbound, came_during=during),
            }
            is_new = self._database.insert_if_new(connection, turns, row)
            stored[:] = objects_of(connection, added, StoredTurn)
            return is_new

        while not await self._database.change(add):
            if stored:
                return None
            # Another message took the number in the meantime; the next one is free or taken too.
        return stored[0]

    async def turn(self, turn: TurnId) -> StoredTurn:
        """A turn by id; SessionError where there is none."""
        stored = await self._database.first(select(turns).filter_by(id=turn), StoredTurn)
        if stored is None:
            raise SessionError(f"There is no turn {turn}.")
        return stored

    async def unfinished_of(self, session: SessionId) -> list[StoredTurn]:
        """The session's turns that have not ended, oldest first."""
        query = _TURNS.filter_by(session=session).where(turns.c.status != "finished")
        return await self._database.read(query, StoredTurn)

    async def turns_until(self, turn: TurnId) -> tuple[Path, list[StoredTurn]]:
        """The session's workspace, and its turns up to this one, oldest first."""
        last = await self.turn(turn)
        workspace = select(sessions.c.workspace).filter_by(id=last.session)
        query = _TURNS.filter_by(session=last.session).where(turns.c.seq <= last.seq)
        stored = await self._database.read(query, StoredTurn)
        return Path(await self._database.scalar(workspace)), stored

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

    async def mark_waiting(
        self,
        turn: TurnId,
        generation: int,
        wait: Wait,
    ) -> bool:
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
        return await self._change(
            turn.id,
            "waiting",
            turn.generation,
            status="running",
            generation=turn.generation + 1,
            tries=1,
        )

    async def revise(
        self,
        turn: StoredTurn,
        inbound: InboundMessage,
        kind: TurnKind,
    ) -> bool:
        """Replace the message of a queued turn; False when the turn has begun."""
        return await self._change(
            turn.id,
            "queued",
            inbound=inbound,
            kind=kind,
        )

    async def begin_effect(
        self,
        turn: TurnId,
        run: RunId,
        call: ToolCallId,
    ) -> bool:
        """Note that a call is about to have its effect; False when it was noted before."""
        row = {"turn": turn, "run": run, "call": call}
        return await self._database.add(effects, row)

    async def effects_of(self, turn: TurnId) -> frozenset[tuple[RunId, ToolCallId]]:
        """The turn's calls that began their effect: see `begin_effect`."""
        rows = await self._database.rows(select(effects).filter_by(turn=turn))
        return frozenset((row.run, row.call) for row in rows)

    async def mark_queued(self, turn: TurnId) -> None:
        """The turn could not be started; it is next again."""
        await self._change(
            turn,
            "running",
            status="queued",
            tries=0,
        )

    async def note_try(
        self,
        turn: TurnId,
        tries: int,
        how_far: int,
    ) -> None:
        """Store how many processes in a row tried the turn, and where the last one began."""
        tried = update(turns).filter_by(id=turn).values(tries=tries, tried_from=how_far)
        await self._database.execute(tried)

    async def append_messages(
        self,
        turn: TurnId,
        run: RunId,
        start: int,
        new: Sequence[Message],
    ) -> None:
        """Queue messages of a run, numbered from `start` on; reading the history waits for them."""
        rows = [
            {
                "turn": turn,
                "run": run,
                "seq": seq,
                "body": body,
            }
            for seq, body in enumerate(new, start)
        ]
        self._behind.put(messages=rows)

    async def run_messages(self, turn: TurnId, run: RunId) -> tuple[Message, ...]:
        """One run's messages, oldest first."""
        query = select(messages.c.body).filter_by(turn=turn, run=run).order_by(messages.c.seq)
        return await self._messages(query)

    async def history_before(self, turn: StoredTurn) -> tuple[Message, ...]:
        """Messages of the session's earlier turns, oldest first; those of child runs left out."""
        if turn.seq == 1:
            return ()
        query = (
            select(messages.c.body)
            .filter_by(run=ROOT_RUN)
            .join(turns, turns.c.id == messages.c.turn)
            .filter_by(session=turn.session)
            .where(turns.c.seq < turn.seq)
            .order_by(turns.c.seq, messages.c.seq)
        )
        return await self._messages(query)

    async def session_messages(self, session: SessionId) -> list[tuple[TurnId, RunId, Message]]:
        """Messages of all runs of the session, turn by turn, each run in its order."""
        query = (
            select(messages)
            .join(turns, turns.c.id == messages.c.turn)
            .filter_by(session=session)
            .order_by(turns.c.seq, messages.c.run, messages.c.seq)
        )
        await self._behind.flush()
        rows = await self._database.rows(query)
        return [(row.turn, row.run, MESSAGE.validate_python(row.body)) for row in rows]

    async def words_of(self, session: SessionId) -> list[str]:
        """What people wrote to the bot in a session, oldest first: their own words alone."""
        query = select(turns.c.inbound).filter_by(session=session).order_by(turns.c.seq)
        inbounds = await self._database.column(query)
        return [inbound["text"] for inbound in inbounds if not inbound.get("is_choice")]

    async def load_cursor(self, reader: str, turn: TurnId) -> JsonObject | None:
        """How far `reader` has shown a turn, in its own words; None when it has not begun."""
        query = select(cursors.c.state).filter_by(reader=reader, turn=turn)
        return await self._database.scalar(query)

    async def bookmarks_size(self, turn: TurnId) -> int:
        """How much readers have noted of a turn, in characters."""
        states = await self._database.column(select(cursors.c.state).filter_by(turn=turn))
        return sum(len(json.dumps(state)) for state in states)

    async def save_cursor(
        self,
        reader: str,
        turn: TurnId,
        state: JsonObject,
        *,
        done: bool = False,
    ) -> None:
        """Remember how far `reader` is; `done` when it has shown the turn to its end."""
        row = {
            "reader": reader,
            "turn": turn,
            "state": state,
            "done": done,
        }
        await self._database.execute(self._database.upsert(cursors, row))

    async def unread(self, session: SessionId, reader: str) -> list[StoredTurn]:
        """The session's turns that `reader` has not shown to their end or not begun with."""
        shown_turns = select(cursors.c.turn).filter_by(reader=reader, done=True)
        query = _TURNS.filter_by(session=session).where(turns.c.id.not_in(shown_turns))
        return await self._database.read(query, StoredTurn)

    async def _change(
        self,
        turn: TurnId,
        status: TurnState,
        generation: int | None = None,
        /,
        **values: Any,
    ) -> bool:
        """Change a turn of this status and generation; False where it was of another."""
        statement = update(turns).filter_by(id=turn, status=status).values(values)
        if generation is not None:
            statement = statement.filter_by(generation=generation)
        return await self._database.execute(statement)

    async def _messages(self, query: Select[Any]) -> tuple[Message, ...]:
        await self._behind.flush()
        bodies = await self._database.column(query)
        return tuple(MESSAGE.validate_python(body) for body in bodies)


class Preferences(Store):
    """Short values by scope and name; a scope is a person, `team:user`, or a `team:channel`.

    Names: `language` (en, de, es, fr), `written` (the language of the last message) and
    `digest_time` (HH:MM) of a person, `follow_ups` (meant, two_party, mention) of a channel; `up`
    or `down` by each person of the scope `feedback:TURN`; where each person's tools of apps come
    from in the scope `composio`. Nothing of this is checked here.
    """

    async def get(self, scope: str, name: str) -> str:
        """Empty where nothing is set."""
        values = await self.of(scope)
        return values.get(name, "")

    async def put(
        self,
        scope: str,
        name: str,
        value: str,
    ) -> None:
        """Set a value in place of the one before; an empty one deletes it."""
        if value:
            row = {"scope": scope, "name": name, "value": value}
            statement = self._database.upsert(preferences, row)
        else:
            statement = delete(preferences).filter_by(scope=scope, name=name)
        await self._database.execute(statement)

    async def of(self, scope: str) -> dict[str, str]:
        """All values of a scope, by name."""
        query = select(preferences).filter_by(scope=scope)
        rows = await self._database.rows(query)
        return {row.name: row.value for row in rows}

    async def scopes(self) -> list[str]:
        """Every scope for which anything is set."""
        query = select(preferences.c.scope).distinct()
        return await self._database.column(query)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProgram:
    """The last program of a run."""

    turn: TurnId
    run: RunId
    call: ToolCallId
    """The tool call that brought it."""
    body: JsonObject = field(default_factory=dict[str, Any])
    """What is known of it here: counts, what it printed, how it ended."""
    variables: bytes = b""
    """All that was defined when the last program ended; empty where there is nothing."""
    paused: bytes = b""
    """The program where it waits; empty for one that waits for nothing."""


class ProgramStore(Store):
    """One program a run: the next one takes the place of the last one, whose variables it has.

    With the end of their turn the log deletes them.
    """

    async def last(self, turn: TurnId, run: RunId) -> StoredProgram | None:
        """None for a run without programs."""
        query = select(programs).filter_by(turn=turn, run=run)
        return await self._database.first(query, StoredProgram)

    async def keep(self, program: StoredProgram) -> None:
        """Safe to do again."""
        await self._database.execute(self._database.upsert(programs, columns_of(program)))


def move_workspaces(connection: Connection, root: Path) -> None:
    """Note that all workspaces lie in another root now."""
    before = connection.execute(select(sessions.c.workspace)).scalar()
    old_root = str(Path(before or "").parent)
    moved = func.replace(sessions.c.workspace, old_root, str(root))
    connection.execute(update(sessions).values(workspace=moved))
