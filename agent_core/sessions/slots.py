"""The slots of schedules: the moments at which they were due, and what became of each."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from agent_core.ids import SessionId
from agent_core.schedules.schedule import ScheduleId, Slot, SlotState, slot_named
from agent_core.sessions.database import Database
from agent_core.sessions.schema import slots

UNFINISHED: tuple[SlotState, ...] = ("due", "begun")


class SlotStore:
    """Every write is idempotent."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def claim_by_hand(self, schedule: ScheduleId, at: datetime) -> Slot | None:
        """A slot for a run that a person wants now; None while another run is under way."""
        busy = select(slots.c.at).where(
            slots.c.schedule == schedule, slots.c.state.in_(UNFINISHED), slots.c.at != at
        )
        row = slot_row(schedule, at, "due", at, left_out=0, by_hand=True)

        def claim(connection: Connection) -> bool:
            if connection.execute(busy).first():
                return False
            self.database.insert_if_new(connection, slots, row)
            return True

        return await self.slot(schedule, at) if await self.database.change(claim) else None

    async def slot(self, schedule: ScheduleId, at: datetime) -> Slot | None:
        """A slot that was claimed."""
        query = select(slots).where(slots.c.schedule == schedule, slots.c.at == at)
        row = await self.database.run(lambda connection: connection.execute(query).first())
        return _slot(row) if row is not None else None

    async def slot_of(self, session: SessionId) -> Slot | None:
        """The slot whose turn a session is for; None when it is for none."""
        named = slot_named(session)
        return await self.slot(*named) if named else None

    async def slots_in(self, states: Collection[SlotState], *, limit: int) -> list[Slot]:
        """Slots of these states, oldest first."""
        query = select(slots).where(slots.c.state.in_(states)).order_by(slots.c.at).limit(limit)
        rows = await self.database.run(lambda connection: connection.execute(query).all())
        return list(map(_slot, rows))

    async def newest_slots(self, schedule: ScheduleId, *, limit: int) -> list[Slot]:
        """The schedule's last slots, newest first."""
        query = (
            select(slots)
            .where(slots.c.schedule == schedule)
            .order_by(slots.c.at.desc())
            .limit(limit)
        )
        rows = await self.database.run(lambda connection: connection.execute(query).all())
        return list(map(_slot, rows))

    async def begin(self, slot: Slot) -> None:
        """The slot's turn is there."""
        await self._move(slot, ("due",), state="begun")

    async def end(self, slot: Slot, state: SlotState, *, root: str = "") -> bool:
        """What became of the slot; False when that was known already."""
        return await self._move(slot, UNFINISHED, state=state, root=root)

    async def _move(self, slot: Slot, states: Collection[SlotState], **values: Any) -> bool:
        statement = (
            update(slots)
            .where(slots.c.schedule == slot.schedule, slots.c.at == slot.at)
            .where(slots.c.state.in_(states))
            .values(**values)
        )
        return await self.database.change(
            lambda connection: bool(connection.execute(statement).rowcount)
        )


def in_utc(moment: datetime) -> datetime:
    """SQLite gives times without a zone; all of ours are UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def slot_row(
    schedule: ScheduleId,
    at: datetime,
    state: SlotState | str,
    now: datetime,
    *,
    left_out: int,
    by_hand: bool = False,
) -> dict[str, Any]:
    """A slot as it is stored when it is claimed."""
    return {
        "schedule": schedule,
        "at": at,
        "state": state,
        "claimed_at": now,
        "left_out": left_out,
        "by_hand": by_hand,
        "root": "",
    }


def _slot(row: Row[Any]) -> Slot:
    return Slot(
        schedule=ScheduleId(row.schedule),
        at=in_utc(row.at),
        state=row.state,
        claimed_at=in_utc(row.claimed_at),
        left_out=row.left_out,
        by_hand=row.by_hand,
        root=row.root,
    )
