"""Messages that come while their session is at work: taken in by a turn, or orders to stop it."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, and_, bindparam, select, update
from sqlalchemy.sql import ColumnElement

from agent_core.fault_points import fault_point
from agent_core.ids import ProcessId, SessionId, TurnId
from agent_core.sessions.asks import ends_wait
from agent_core.sessions.database import Database, objects_of
from agent_core.sessions.schema import asks, leases, turns
from agent_core.sessions.turns import TURN, Stop, StoredTurn, TurnState

_taker = turns.alias()
_WAITS = and_(
    turns.c.session == bindparam("of_session"),
    turns.c.status == "queued",
    turns.c.kind == "work",
    turns.c.seq > bindparam("behind"),
    turns.c.stop.is_(None),
    select(_taker.c.id)
    .where(_taker.c.id == bindparam("taker"), _taker.c.stop.is_(None), _taker.c.status == "running")
    .exists(),
)
"""Messages for a turn to take in; one that is to stop takes nothing more.

Nor does one that waits for a person, whose sub-agents go on: a message may be the answer.
"""
_BY_TAKER = turns.c.taken_by == bindparam("taker")

# Each step of each turn asks these; they are made once, for making them takes longer than asking.
_WAITING = select(turns.c.id).where(_WAITS).limit(1)
_ANYTHING = select(turns.c.id).where(_BY_TAKER | _WAITS).limit(1)
"""Mostly nobody wrote, and then nothing has to be written here either."""
_NEW = (
    update(turns)
    .where(_WAITS)
    .values(status="finished", outcome="steered", taken_by=bindparam("taker"))
)
_TAKEN = select(turns).where(_BY_TAKER)


class Inbox:
    """The queued turns of a session, as the turn at work sees them. Every write is idempotent."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, turn: StoredTurn) -> tuple[StoredTurn, ...]:
        """Messages that wait in the session become part of `turn` for good; all that did, in order.

        What came after a stop is for a turn of its own.
        """
        at = _place_of(turn)

        def take(connection: Connection) -> tuple[StoredTurn, ...]:
            if not connection.execute(_ANYTHING, at).first():
                return ()
            connection.execute(_NEW, at)
            found = objects_of(connection, _TAKEN, TURN, at)
            # Through several processes they may be stored in another order than they were said.
            return tuple(sorted(found, key=lambda each: (each.inbound.received_at, each.seq)))

        fault_point("inbox.before")
        found = await self._database.run(take)
        fault_point("inbox.after")
        return found

    async def taken_by(self, turn: TurnId) -> list[StoredTurn]:
        """All messages that became part of a turn, in order."""
        query = select(turns).where(turns.c.taken_by == turn).order_by(turns.c.seq)
        return await self._database.read(query, TURN)

    async def left_out(self, turn: StoredTurn) -> list[StoredTurn]:
        """What people wrote behind a turn and nothing took in, as a stop ended it all, in order."""
        query = (
            select(turns)
            .where(turns.c.session == turn.session, turns.c.seq > turn.seq)
            .where(turns.c.kind == "work", turns.c.taken_by.is_(None), turns.c.stop.is_not(None))
            .order_by(turns.c.seq)
        )
        stopped = await self._database.read(query, TURN)
        return [each for each in stopped if each.stop is not None and each.stop.why == "asked"]

    async def has_messages(self, turn: StoredTurn) -> bool:
        """Whether messages wait that `take` would make part of the turn."""
        at = _place_of(turn)
        return await self._database.run(lambda each: each.execute(_WAITING, at).first()) is not None

    async def stop(
        self, session: SessionId, stop: Stop, *, before: int | None = None
    ) -> list[StoredTurn]:
        """All unfinished work of a session is to end; which turns that concerns.

        Of several wishes for a turn the first one holds. `before`: only turns of a lower number, as
        what was written after the wish stays.
        """
        work = (turns.c.session == session) & (turns.c.kind == "work")
        return await self._order(stop, work if before is None else work & (turns.c.seq < before))

    async def stop_turn(self, turn: TurnId, stop: Stop) -> list[StoredTurn]:
        """One turn is to end; empty when it has ended, or is small talk that is being answered."""
        can_end = (turns.c.kind == "work") | (turns.c.status == "queued")
        return await self._order(stop, (turns.c.id == turn) & can_end)

    async def news(self, process: ProcessId, now: datetime) -> list[StoredTurn]:
        """Turns of the process's sessions that something is to be done about.

        They are queued, or are to stop, or wait for an Ask that is decided or expired.
        """
        ask = turns.c.wait["ask"].as_string()
        is_over = select(asks.c.id).where(asks.c.id == ask, ends_wait(now)).exists()
        is_to_stop = turns.c.status.in_(("running", "waiting")) & turns.c.stop.is_not(None)
        has_waited = (turns.c.status == "waiting") & is_over
        return await self._of(process, (turns.c.status == "queued") | is_to_stop | has_waited)

    async def of_process(self, process: ProcessId, status: TurnState) -> list[StoredTurn]:
        """Turns of the process's sessions that are said to be at work, or to wait."""
        return await self._of(process, turns.c.status == status)

    async def _of(self, process: ProcessId, which: ColumnElement[bool]) -> list[StoredTurn]:
        query = (
            select(turns)
            .join(leases, leases.c.session == turns.c.session)
            .where(leases.c.process == process, which)
            .order_by(turns.c.session, turns.c.seq)
        )
        return await self._database.read(query, TURN)

    async def _order(self, stop: Stop, which: ColumnElement[bool]) -> list[StoredTurn]:
        found = select(turns).where(which, turns.c.status != "finished").order_by(turns.c.seq)
        told = update(turns).values(stop=stop)

        def order(connection: Connection) -> Sequence[StoredTurn]:
            stopped = objects_of(connection, found, TURN)
            ids = [turn.id for turn in stopped]
            connection.execute(told.where(turns.c.id.in_(ids), turns.c.stop.is_(None)))
            return stopped

        return list(await self._database.run(order))


def _place_of(turn: StoredTurn) -> dict[str, object]:
    return {"taker": turn.id, "of_session": turn.session, "behind": turn.seq}
