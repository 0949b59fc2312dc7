"""Monitor of a bot in another process, through its database; the sandbox follows its bot so."""

from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Row, Select, select
from sqlalchemy.exc import OperationalError

from agent_core.events import AnyEvent
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.schedules.schedule import Schedule
from agent_core.sessions import (
    Database,
    EventLog,
    ScheduleStore,
    SessionStore,
    StoredTurn,
    WriteBehind,
)
from agent_core.sessions.schema import cursors, schedules, slots, turns


class BotMonitor:
    """Read-only view of a bot in another process, through its database; needs no tables yet.

    Args:
        url: Of the database.
        reader: The name of the surface's cursor, which tells what is shown of a turn.
    """

    def __init__(self, url: str, *, reader: str) -> None:
        self._reader = reader
        self._database = Database(url)
        behind = WriteBehind(self._database)  # never started: nothing is written from here
        self._store = SessionStore(self._database, behind)
        self._log = EventLog(self._database, behind)

    async def close(self) -> None:
        await self._database.close()

    async def turn(
        self, turn_id: TurnId
    ) -> tuple[StoredTurn, tuple[AnyEvent, ...], Path | None] | None:
        """A turn as it is stored now, its events and workspace; None where there is none."""
        if await self._first(select(turns.c.id).filter_by(id=turn_id)) is None:
            return None
        events = tuple(event for _, event in await self._log.stored(turn_id))
        turn = await self._store.turn(turn_id)
        session = await self._store.session(turn.session)
        workspace = session.workspace if session else None
        return turn, events, workspace

    async def shown(self, turn_id: TurnId) -> JsonObject:
        """How far the surface has shown a turn, in its own words."""
        cursor = select(cursors.c.state).filter_by(
            reader=self._reader,
            turn=turn_id,
        )
        row = await self._first(cursor)
        return row.state if row else {}

    async def is_at_work(self) -> bool:
        """Whether a turn is queued, runs or is not shown to its end, or a slot is under way."""
        shown_turns = select(cursors.c.turn).filter_by(
            reader=self._reader,
            done=True,
        )
        turn_at_work = (
            select(turns.c.id)
            .where(turns.c.status != "waiting")
            .where(turns.c.id.not_in(shown_turns))
        )
        if await self._first(turn_at_work) is not None:
            return True
        slot_at_work = select(slots.c.at).where(slots.c.state.in_(("due", "begun")))
        return await self._first(slot_at_work) is not None

    async def next_due(self) -> datetime | None:
        """When the next schedule is due; None without one."""
        due = schedules.c.next_due
        active = (
            select(due).where(schedules.c.status == "active").where(due.is_not(None)).order_by(due)
        )
        row = await self._first(active)
        return row.next_due if row else None

    async def proposals(self) -> list[Schedule]:
        """The orders that wait for their owner's yes."""
        return await ScheduleStore(self._database).proposed()

    async def _first(self, query: Select[Any]) -> Row[Any] | None:
        """The first row; None as well as long as the bot has not made the table."""
        try:
            return await self._database.run(lambda connection: connection.execute(query).first())
        except OperationalError:
            return None
