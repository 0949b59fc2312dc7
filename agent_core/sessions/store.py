"""Thread -> session -> history, and the turns of each session."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Row, func, select, update

from agent_core.errors import SessionError
from agent_core.events import Outcome
from agent_core.ids import ROOT_RUN, RunId, SessionId, TurnId
from agent_core.messages import INBOUND, MESSAGE, InboundMessage, JsonObject, Message
from agent_core.sessions.database import Database
from agent_core.sessions.schema import cursors, ledger, messages, sessions, turns

Status = Literal["queued", "running", "finished"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    id: SessionId
    workspace: Path
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    id: TurnId
    session: SessionId
    seq: int
    """1 for the session's first turn."""
    status: Status
    generation: int
    """1, or more when the turn went on from its history in a new workflow."""
    inbound: InboundMessage
    outcome: Outcome | None
    answer: str | None


class SessionStore:
    """Reads and writes sessions, turns and history.

    Writes are idempotent: a replayed turn writes the same rows again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def session(self, session: SessionId) -> StoredSession | None:
        row = await self._one(select(sessions).where(sessions.c.id == session))
        if row is None:
            return None
        return StoredSession(
            id=SessionId(row.id), workspace=Path(row.workspace), created_at=row.created_at
        )

    async def save_session(self, session: StoredSession) -> None:
        """Store a session, or its new workspace when it is known already."""
        row = {
            "id": session.id,
            "workspace": str(session.workspace),
            "created_at": session.created_at,
        }
        async with self._database.engine.begin() as connection:
            await connection.execute(self._database.upsert(sessions, row, ["id"]))

    async def record(self, keys: Sequence[str], body: JsonObject, at: datetime) -> bool:
        """Write a gesture's identities and payload; False when one of them was known already."""
        known = select(func.count()).select_from(ledger).where(ledger.c.key.in_(keys))
        rows = [
            {"key": key, "body": body if place == 0 else {}, "at": at, "settled": place > 0}
            for place, key in enumerate(dict.fromkeys(filter(None, keys)))
        ]
        async with self._database.engine.begin() as connection:
            is_new = (await connection.execute(known)).scalar() == 0
            for row in rows:
                is_new &= await self._database.insert_if_new(connection, ledger, row) or not is_new
        return is_new

    async def settle(self, key: str) -> None:
        """The gesture was handed over; its payload is not needed again."""
        async with self._database.engine.begin() as connection:
            await connection.execute(update(ledger).where(ledger.c.key == key).values(settled=True))

    async def unsettled(self) -> list[JsonObject]:
        """Payloads that were recorded and not handed over, oldest first, each once."""
        query = select(ledger.c.body).where(ledger.c.settled.is_(False)).order_by(ledger.c.at)
        async with self._database.engine.connect() as connection:
            return [row.body for row in (await connection.execute(query)).all()]

    async def add_turn(self, inbound: InboundMessage) -> StoredTurn | None:
        """Queue a turn for a message; None when its gesture has a turn already."""
        turn_id = TurnId(f"turn:{inbound.key}")
        newest = select(func.max(turns.c.seq)).where(turns.c.session == inbound.session)
        async with self._database.engine.begin() as connection:
            seq = ((await connection.execute(newest)).scalar() or 0) + 1
            row = {
                "id": turn_id,
                "session": inbound.session,
                "seq": seq,
                "status": "queued",
                "generation": 1,
                "inbound": INBOUND.dump_python(inbound, mode="json"),
            }
            added = await self._database.insert_if_new(connection, turns, row)
        return await self.turn(turn_id) if added else None

    async def turn(self, turn: TurnId) -> StoredTurn:
        row = await self._one(select(turns).where(turns.c.id == turn))
        if row is None:
            raise SessionError(f"There is no turn {turn}.")
        return _turn(row)

    async def next_queued(self, session: SessionId) -> StoredTurn | None:
        """The session's oldest queued turn, unless one is running."""
        query = (
            select(turns)
            .where(turns.c.session == session, turns.c.status != "finished")
            .order_by(turns.c.seq)
            .limit(1)
        )
        row = await self._one(query)
        return _turn(row) if row is not None and row.status == "queued" else None

    async def unfinished(self) -> list[StoredTurn]:
        """All turns that are queued or running, oldest first in their session."""
        query = select(turns).where(turns.c.status != "finished")
        async with self._database.engine.connect() as connection:
            rows = (await connection.execute(query.order_by(turns.c.session, turns.c.seq))).all()
        return [_turn(row) for row in rows]

    async def last_turn(self, session: SessionId) -> StoredTurn | None:
        query = select(turns).where(turns.c.session == session).order_by(turns.c.seq.desc())
        row = await self._one(query.limit(1))
        return _turn(row) if row is not None else None

    async def turn_before(self, turn: StoredTurn) -> StoredTurn | None:
        query = select(turns).where(turns.c.session == turn.session, turns.c.seq == turn.seq - 1)
        row = await self._one(query)
        return _turn(row) if row is not None else None

    async def mark_running(self, turn: TurnId, *, generation: int) -> None:
        await self._update(turn, status="running", generation=generation)

    async def mark_finished(self, turn: TurnId, *, outcome: Outcome, answer: str) -> None:
        await self._update(turn, status="finished", outcome=outcome, answer=answer)

    async def append_messages(
        self, turn: TurnId, run: RunId, start: int, new: Sequence[Message]
    ) -> None:
        """Store messages of a run, numbered from `start` on."""
        rows = [
            {
                "turn": turn,
                "run": run,
                "seq": start + offset,
                "body": MESSAGE.dump_python(message, mode="json"),
            }
            for offset, message in enumerate(new)
        ]
        async with self._database.engine.begin() as connection:
            await connection.execute(self._database.insert_new(messages), rows)

    async def run_messages(self, turn: TurnId, run: RunId) -> tuple[Message, ...]:
        """One run's messages, oldest first."""
        query = (
            select(messages.c.body)
            .where(messages.c.turn == turn, messages.c.run == run)
            .order_by(messages.c.seq)
        )
        async with self._database.engine.connect() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(MESSAGE.validate_python(row.body) for row in rows)

    async def history_before(self, turn: StoredTurn) -> tuple[Message, ...]:
        """What the session's earlier turns said, oldest first; child runs left out."""
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
        async with self._database.engine.connect() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(MESSAGE.validate_python(row.body) for row in rows)

    async def load_cursor(self, reader: str, turn: TurnId) -> JsonObject | None:
        query = select(cursors.c.state).where(cursors.c.reader == reader, cursors.c.turn == turn)
        row = await self._one(query)
        return row.state if row is not None else None

    async def save_cursor(
        self, reader: str, turn: TurnId, state: JsonObject, *, done: bool = False
    ) -> None:
        row = {"reader": reader, "turn": turn, "state": state, "done": done}
        async with self._database.engine.begin() as connection:
            await connection.execute(self._database.upsert(cursors, row, ["reader", "turn"]))

    async def unread(self, reader: str) -> list[StoredTurn]:
        """Turns that `reader` has begun to show and not shown to the end."""
        query = (
            select(turns)
            .join(cursors, cursors.c.turn == turns.c.id)
            .where(cursors.c.reader == reader, cursors.c.done.is_(False))
        )
        async with self._database.engine.connect() as connection:
            return [_turn(row) for row in (await connection.execute(query)).all()]

    async def _one(self, query: Any) -> Row[Any] | None:
        async with self._database.engine.connect() as connection:
            return (await connection.execute(query)).first()

    async def _update(self, turn: TurnId, **values: object) -> None:
        async with self._database.engine.begin() as connection:
            await connection.execute(update(turns).where(turns.c.id == turn).values(**values))


def _turn(row: Row[Any]) -> StoredTurn:
    return StoredTurn(
        id=TurnId(row.id),
        session=SessionId(row.session),
        seq=row.seq,
        status=row.status,
        generation=row.generation,
        inbound=INBOUND.validate_python(row.inbound),
        outcome=row.outcome,
        answer=row.answer,
    )
