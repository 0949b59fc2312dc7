"""Turns and their queue: what each is about, how far it is, what a process has to see to.

A turn is a row of `turns` with a status; the process that holds its session's lease works on it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, Select, select, update

from agent_core.events import Outcome
from agent_core.ids import ProcessId, SessionId, TurnId
from agent_core.messages import InboundMessage
from agent_core.sessions.asks import Wait, ends_wait
from agent_core.sessions.database import Store, objects_of
from agent_core.sessions.schema import asks, leases, turns

TurnState = Literal["queued", "running", "waiting", "finished"]

TurnKind = Literal["work", "at_once", "stop"]
"""`work` goes one after another in a session, `at_once` waits for nobody, `stop` ends the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A wish that a turn end now."""

    by: str
    """Who said so, by name; empty when nobody did."""
    why: Literal["asked", "deleted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    id: TurnId
    session: SessionId
    seq: int
    """1 for the session's first turn."""
    status: TurnState
    generation: int
    """1, or more when the turn went on from its history in a new workflow."""
    inbound: InboundMessage
    outcome: Outcome | None
    answer: str | None
    kind: TurnKind = "work"
    stop: Stop | None = None
    wait: Wait | None = None
    taken_by: TurnId | None = None
    """The turn whose work the message became part of."""
    tries: int = 0
    """How many processes in a row have been at work on it, or showed it, and did not end in order;
    the present one included."""
    tried_from: int = 0
    """How far it was when the last of them began: in the log and in what is shown of it."""


TURN = TypeAdapter(StoredTurn)


class TurnQueue(Store):
    """Reads the queue, and marks turns that are to stop. Every write is idempotent."""

    async def news(self, process: ProcessId, now: datetime) -> list[StoredTurn]:
        """Turns of the process's sessions that something is to be done about.

        They are queued, or are to stop, or wait for an Ask that is decided or expired.
        """
        ask = turns.c.wait["ask"].as_string()
        is_over = (
            select(asks.c.id)
            .where(
                asks.c.id == ask,
                ends_wait(now),
            )
            .exists()
        )
        is_to_stop = turns.c.status.in_(("running", "waiting")) & turns.c.stop.is_not(None)
        is_queued = turns.c.status == "queued"
        has_waited = (turns.c.status == "waiting") & is_over
        return await self._of(process, is_queued | is_to_stop | has_waited)

    async def of_process(self, process: ProcessId, status: TurnState) -> list[StoredTurn]:
        """Turns of the process's sessions with a status."""
        return await self._of(process, turns.c.status == status)

    async def absorbed_by(self, turn: TurnId) -> list[StoredTurn]:
        """All messages that became part of a turn, in order."""
        query = select(turns).filter_by(taken_by=turn).order_by(turns.c.seq)
        return await self._database.read(query, StoredTurn)

    async def left_out(self, turn: StoredTurn) -> list[StoredTurn]:
        """Messages behind a turn that nothing took in, as a stop ended it all, in order."""
        is_stopped = turns.c.stop["why"].as_string() == "asked"
        query = (
            select(turns)
            .filter_by(
                session=turn.session,
                kind="work",
                taken_by=None,
            )
            .where(turns.c.seq > turn.seq, is_stopped)
            .order_by(turns.c.seq)
        )
        return await self._database.read(query, StoredTurn)

    async def stop(
        self,
        session: SessionId,
        stop: Stop,
        *,
        before: int | None = None,
    ) -> list[StoredTurn]:
        """Mark all unfinished work of a session to stop; the turns that this concerns.

        Of several wishes for a turn the first one holds. `before`: only turns of a lower number, as
        what was written after the wish stays.
        """
        query = select(turns).filter_by(session=session, kind="work")
        if before is not None:
            query = query.where(turns.c.seq < before)
        return await self._mark(stop, query)

    async def stop_turn(self, turn: TurnId, stop: Stop) -> list[StoredTurn]:
        """Mark one turn; empty when it has ended, or is small talk that is being answered."""
        can_end = (turns.c.kind == "work") | (turns.c.status == "queued")
        return await self._mark(stop, select(turns).filter_by(id=turn).where(can_end))

    async def _of(self, process: ProcessId, which: ColumnElement[bool]) -> list[StoredTurn]:
        query = (
            select(turns)
            .where(which)
            .join(leases, leases.c.session == turns.c.session)
            .filter_by(process=process)
            .order_by(turns.c.session, turns.c.seq)
        )
        return await self._database.read(query, StoredTurn)

    async def _mark(self, stop: Stop, query: Select[Any]) -> list[StoredTurn]:
        unfinished = query.where(turns.c.status != "finished").order_by(turns.c.seq)
        unmarked = update(turns).filter_by(stop=None).values(stop=stop)

        def mark(connection: Connection) -> list[StoredTurn]:
            stopped = objects_of(connection, unfinished, StoredTurn)
            ids = [turn.id for turn in stopped]
            connection.execute(unmarked.where(turns.c.id.in_(ids)))
            return stopped

        return await self._database.run(mark)
