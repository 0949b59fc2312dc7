"""Schedules: which are due, who claims their slots, and what was reported before."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, func, select, update
from sqlalchemy.exc import IntegrityError

from agent_core.errors import ScheduleError
from agent_core.ids import SessionId, UserId
from agent_core.schedules.order_reader import PendingOrder
from agent_core.schedules.rule import newest_slot, slots_after
from agent_core.schedules.schedule import Order, Schedule, ScheduleId, Slot, SlotState, slot_named
from agent_core.sessions.database import Database, columns_of
from agent_core.sessions.schema import pending_orders, reported, schedules, slots

SCHEDULE: TypeAdapter[Schedule] = TypeAdapter(Schedule)
SLOT: TypeAdapter[Slot] = TypeAdapter(Slot)
_PENDING: TypeAdapter[PendingOrder] = TypeAdapter(PendingOrder)
_NUMBER = func.coalesce(schedules.c.number, 0).label("number")
_SCHEDULES = select(_NUMBER, *(column for column in schedules.c if column.name != "number"))
UNFINISHED_SLOTS: tuple[SlotState, ...] = ("due", "begun")
_AGREED = (schedules.c.number.is_not(None), schedules.c.status != "deleted")


class ScheduleStore:
    """Schedules and their slots: every write is idempotent, and one of several processes claims."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def propose(self, schedule: ScheduleId, order: Order, now: datetime) -> Schedule:
        """Store an order that waits for a yes. Proposed again, the first one stands."""
        row = {
            "id": schedule,
            "team": order.team,
            "owner": order.owner,
            "place": order.place,
            "order": order,
            "status": "proposed",
            "reason": "",
            "failures": 0,
            "next_due": None,
            "created_at": now,
        }
        await self._database.add(schedules, row)
        return await self.get(schedule)

    async def get(self, schedule: ScheduleId) -> Schedule:
        """A schedule by id; ScheduleError where there is none."""
        found = await self.find(schedule)
        if found is None:
            raise ScheduleError(f"There is no schedule {schedule}.")
        return found

    async def find(self, schedule: ScheduleId) -> Schedule | None:
        """A schedule by id; None where there is none."""
        return next(iter(await self._schedules(schedules.c.id == schedule)), None)

    async def of_team(self, team: str) -> list[Schedule]:
        """The team's schedules that were agreed on and not deleted, by number."""
        return await self._schedules(schedules.c.team == team, *_AGREED)

    async def activate(self, schedule: ScheduleId, now: datetime) -> Schedule:
        """From now on it is due by its rule; failures are forgotten."""
        await self._give_number(schedule)
        current = await self.get(schedule)
        next_due = next(slots_after(current.order.rule, now), None)
        return await self._change(
            schedule,
            status="active" if next_due else "over",
            next_due=next_due,
            reason="",
            failures=0,
        )

    async def pause(self, schedule: ScheduleId, reason: str = "") -> Schedule:
        """It is not due until it is activated again."""
        return await self._change(
            schedule,
            status="paused",
            reason=reason,
            next_due=None,
        )

    async def delete(self, schedule: ScheduleId) -> Schedule:
        """It is never due again. What it has posted stays."""
        return await self._change(schedule, status="deleted", next_due=None)

    async def change_order(self, schedule: ScheduleId, order: Order, now: datetime) -> Schedule:
        """Its owner wants something else from now on; an active one is due by the new rule."""
        await self._change(schedule, place=order.place, order=order)
        current = await self.get(schedule)
        return await self.activate(schedule, now) if current.status == "active" else current

    async def carry_over(self, proposal: Schedule, order: Order, now: datetime) -> Schedule:
        """What a proposal changes of another schedule is so from now on; the proposal is over."""
        changed = await self.change_order(proposal.order.changes, order, now)
        await self._change(proposal.id, status="over")
        return changed

    async def due(self, now: datetime, *, limit: int) -> list[Schedule]:
        """Active schedules with a slot at or before now, those that wait longest first."""
        query = (
            _SCHEDULES.where(
                schedules.c.status == "active",
                schedules.c.next_due <= now,
            )
            .order_by(schedules.c.next_due, schedules.c.id)
            .limit(limit)
        )
        return await self._database.read(query, SCHEDULE)

    async def claim(self, schedule: Schedule, now: datetime) -> Slot | None:
        """The newest slot that is due, for this process alone; None when it is another's.

        Earlier slots are left out for good. While the schedule's last run is under way, the slot is
        left out as well.
        """
        if schedule.next_due is None:
            return None
        before = schedule.next_due - timedelta(seconds=1)
        at, count = newest_slot(schedule.order.rule, after=before, until=now)
        then = next(slots_after(schedule.order.rule, now), None)
        moved = (
            update(schedules)
            .where(
                schedules.c.id == schedule.id,
                schedules.c.status == "active",
            )
            .where(schedules.c.next_due == schedule.next_due)
            .values(
                next_due=then,
                status="active" if then else "over",
            )
        )
        busy = select(slots.c.at).where(
            slots.c.schedule == schedule.id,
            slots.c.state.in_(UNFINISHED_SLOTS),
        )

        def claim(connection: Connection) -> bool:
            if not connection.execute(moved).rowcount or at is None:
                return False
            slot = Slot(
                schedule=schedule.id,
                at=at,
                state="left_out" if connection.execute(busy).first() else "due",
                claimed_at=now,
                left_out=count - 1,
            )
            return self._database.insert_if_new(connection, slots, columns_of(slot))

        if not await self._database.change(claim) or at is None:
            return None
        slot = await self.slot(schedule.id, at)
        return slot if slot is not None and slot.state == "due" else None

    async def claim_by_hand(self, schedule: ScheduleId, at: datetime) -> Slot | None:
        """A slot for a run that a person wants now; None while another run is under way."""
        busy = select(slots.c.at).where(
            slots.c.schedule == schedule,
            slots.c.state.in_(UNFINISHED_SLOTS),
            slots.c.at != at,
        )
        slot = Slot(
            schedule=schedule,
            at=at,
            state="due",
            claimed_at=at,
            by_hand=True,
        )

        def claim(connection: Connection) -> bool:
            if connection.execute(busy).first():
                return False
            self._database.insert_if_new(connection, slots, columns_of(slot))
            return True

        return await self.slot(schedule, at) if await self._database.change(claim) else None

    async def slot(self, schedule: ScheduleId, at: datetime) -> Slot | None:
        """A slot that was claimed."""
        query = select(slots).where(
            slots.c.schedule == schedule,
            slots.c.at == at,
        )
        return next(iter(await self._database.read(query, SLOT)), None)

    async def slot_of(self, session: SessionId) -> Slot | None:
        """The slot whose turn a session is for; None when it is for none."""
        named = slot_named(session)
        return await self.slot(*named) if named else None

    async def slots_in(self, states: Collection[SlotState], *, limit: int) -> list[Slot]:
        """Slots of these states, oldest first."""
        query = select(slots).where(slots.c.state.in_(states)).order_by(slots.c.at).limit(limit)
        return await self._database.read(query, SLOT)

    async def newest_slots(self, schedule: ScheduleId, *, limit: int) -> list[Slot]:
        """The schedule's last slots, newest first."""
        query = (
            select(slots)
            .where(slots.c.schedule == schedule)
            .order_by(slots.c.at.desc())
            .limit(limit)
        )
        return await self._database.read(query, SLOT)

    async def begin(self, slot: Slot) -> None:
        """The slot's turn is there."""
        await self._move(slot, ("due",), state="begun")

    async def end(self, slot: Slot, state: SlotState, *, root: str = "") -> bool:
        """What became of the slot, which ends failures before it; False when that was known."""
        is_new = await self._move(
            slot,
            UNFINISHED_SLOTS,
            state=state,
            root=root,
        )
        if is_new and state != "failed":
            await self._change(slot.schedule, failures=0)
        return is_new

    async def told_in(self, place: str, root: str, origin: SessionId) -> ScheduleId | None:
        """The schedule that a thread is about; None where it is about none.

        A post that begins the thread has told of it, or it is the one that was ordered there and
        agreed on.
        """
        of_post = (
            select(slots.c.schedule)
            .join(schedules, schedules.c.id == slots.c.schedule)
            .where(
                schedules.c.place == place,
                slots.c.root == root,
            )
        )
        ordered = select(schedules.c.id).where(
            schedules.c.order["origin"].as_string() == origin,
            *_AGREED,
        )
        row = await self._database.row(of_post)
        if row is not None:
            return ScheduleId(row.schedule)
        found = await self._database.rows(ordered)
        return ScheduleId(found[0].id) if len(found) == 1 else None

    async def count_failure(self, schedule: ScheduleId, until: datetime | None) -> Schedule:
        """One more run came to nothing; the next one is not before `until`."""
        current = await self.get(schedule)
        wanted: dict[str, Any] = {"failures": current.failures + 1}
        if until is not None and current.status == "active":
            wanted["next_due"] = next(slots_after(current.order.rule, until), None)
        return await self._change(schedule, **wanted)

    async def settle_clock(self, now: datetime) -> None:
        """The clock was set back: what is due next is found anew."""
        for schedule in await self._schedules(schedules.c.status == "active"):
            next_due = next(slots_after(schedule.order.rule, now), None)
            if next_due and schedule.next_due and next_due < schedule.next_due:
                await self._change(schedule.id, next_due=next_due)

    async def reported(self, schedule: ScheduleId, kind: str) -> dict[str, datetime]:
        """What was told in earlier runs, and when it was first."""
        query = select(reported.c.what, reported.c.at).where(
            reported.c.schedule == schedule,
            reported.c.kind == kind,
        )
        rows = await self._database.rows(query)
        return {row.what: row.at for row in rows}

    async def note_reported(
        self, schedule: ScheduleId, kind: str, told: Sequence[str], at: datetime
    ) -> None:
        """Remember what was told; what was told before keeps its date."""
        rows = [
            {"schedule": schedule, "kind": kind, "what": what, "at": at}
            for what in dict.fromkeys(told)
        ]
        if rows:
            insert = self._database.insert_new(reported)
            await self._database.run(lambda connection: connection.execute(insert, rows))

    async def pending_order(self, session: SessionId, person: UserId) -> PendingOrder:
        """What a person ordered in a thread and has not settled."""
        query = select(pending_orders.c.body).filter_by(session=session, person=person)
        row = await self._database.row(query)
        return _PENDING.validate_python(row.body) if row is not None else PendingOrder()

    async def save_pending(self, session: SessionId, person: UserId, pending: PendingOrder) -> None:
        """This waits from now on, in place of what did."""
        body = _PENDING.dump_python(pending, mode="json", exclude_defaults=True)
        row = {"session": session, "person": person, "body": body}
        await self._database.execute(self._database.upsert(pending_orders, row))

    async def _give_number(self, schedule: ScheduleId) -> None:
        """The team's next one, for a schedule that has none yet."""
        others = schedules.alias()
        of_team = others.c.team == schedules.c.team
        free = select(func.coalesce(func.max(others.c.number), 0) + 1).where(of_team)
        given = (
            update(schedules)
            .where(
                schedules.c.id == schedule,
                schedules.c.number.is_(None),
            )
            .values(number=free.scalar_subquery())
        )
        while True:
            try:
                await self._database.execute(given)
            except IntegrityError:
                continue  # another one has got the same in the meantime
            return

    async def _change(self, schedule: ScheduleId, **values: Any) -> Schedule:
        statement = update(schedules).where(schedules.c.id == schedule).values(**values)
        await self._database.execute(statement)
        return await self.get(schedule)

    async def _move(self, slot: Slot, states: Collection[SlotState], **values: Any) -> bool:
        statement = (
            update(slots)
            .where(
                slots.c.schedule == slot.schedule,
                slots.c.at == slot.at,
            )
            .where(slots.c.state.in_(states))
            .values(**values)
        )
        return await self._database.execute(statement)

    async def _schedules(self, *conditions: ColumnElement[bool]) -> list[Schedule]:
        query = _SCHEDULES.where(*conditions).order_by(schedules.c.number)
        return await self._database.read(query, SCHEDULE)
