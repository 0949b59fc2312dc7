"""Schedules: which are due, who claims their slots, and what was reported before."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Select, func, select, update
from sqlalchemy.exc import IntegrityError

from agent_core.errors import ScheduleError
from agent_core.ids import SessionId, UserId
from agent_core.schedules.order_reader import PendingOrder
from agent_core.schedules.rule import newest_slot, slots_after
from agent_core.schedules.schedule import Order, Schedule, ScheduleId, Slot, SlotState, slot_named
from agent_core.sessions.database import Store, columns_of
from agent_core.sessions.schema import pending_orders, reported, schedules, slots

UNFINISHED_SLOTS: tuple[SlotState, ...] = ("due", "begun")

_PENDING = TypeAdapter(PendingOrder)
_NUMBER = func.coalesce(schedules.c.number, 0).label("number")
_SCHEDULES = select(*(column for column in schedules.c if column.name != "number"), _NUMBER)
_IS_AGREED = schedules.c.number.is_not(None) & (schedules.c.status != "deleted")


class ScheduleStore(Store):
    """Schedules and their slots: every write is idempotent, and one of several processes claims."""

    async def propose(self, schedule: ScheduleId, order: Order) -> Schedule:
        """Store an order that waits for a yes. Proposed again, the first one stands."""
        row = {
            "id": schedule,
            "team": order.team,
            "place": order.place,
            "order": order,
            "status": "proposed",
            "reason": "",
            "failures": 0,
            "next_due": None,
        }
        await self._database.add(schedules, row)
        return await self.get(schedule)

    async def get(self, schedule: ScheduleId) -> Schedule:
        """A schedule by id; ScheduleError where there is none."""
        stored = await self.find(schedule)
        if stored is None:
            raise ScheduleError(f"There is no schedule {schedule}.")
        return stored

    async def find(self, schedule: ScheduleId) -> Schedule | None:
        """A schedule by id; None where there is none."""
        return await self._database.first(_SCHEDULES.filter_by(id=schedule), Schedule)

    async def of_team(self, team: str) -> list[Schedule]:
        """The team's schedules that were agreed on and not deleted, by number."""
        query = _SCHEDULES.filter_by(team=team).where(_IS_AGREED).order_by(schedules.c.number)
        return await self._database.read(query, Schedule)

    async def proposed(self) -> list[Schedule]:
        """All that wait for their owner's yes."""
        return await self._database.read(_SCHEDULES.filter_by(status="proposed"), Schedule)

    async def activate(self, schedule: ScheduleId, now: datetime) -> Schedule:
        """Make a schedule due by its rule from now on; failures are forgotten."""
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
        """Make a schedule not due until it is activated again."""
        return await self._change(
            schedule,
            status="paused",
            reason=reason,
            next_due=None,
        )

    async def delete(self, schedule: ScheduleId) -> Schedule:
        """Make a schedule never due again. Its posts stay."""
        return await self._change(schedule, status="deleted", next_due=None)

    async def change_order(
        self,
        schedule: ScheduleId,
        order: Order,
        now: datetime,
    ) -> Schedule:
        """Replace the owner's order; an active schedule is due by the new rule."""
        current = await self._change(schedule, place=order.place, order=order)
        if current.status == "active":
            return await self.activate(schedule, now)
        return current

    async def carry_over(
        self,
        proposal: Schedule,
        order: Order,
        now: datetime,
    ) -> Schedule:
        """Give the order of a proposal to the schedule that it changes; the proposal is over."""
        changed = await self.change_order(proposal.order.changes, order, now)
        await self._change(proposal.id, status="over")
        return changed

    async def due(self, now: datetime, *, limit: int) -> list[Schedule]:
        """Active schedules with a slot at or before now, those that wait longest first."""
        query = (
            _SCHEDULES.filter_by(status="active")
            .where(schedules.c.next_due <= now)
            .order_by(schedules.c.next_due, schedules.c.id)
            .limit(limit)
        )
        return await self._database.read(query, Schedule)

    async def claim(self, schedule: Schedule, now: datetime) -> Slot | None:
        """The newest slot that is due, for this process alone; None when it is another's.

        Earlier slots are left out for good. While the schedule's last run is under way, the slot is
        left out as well.
        """
        if schedule.next_due is None:
            return None
        rule = schedule.order.rule
        before = schedule.next_due - timedelta(seconds=1)
        at, count = newest_slot(rule, after=before, until=now)
        next_due = next(slots_after(rule, now), None)
        # Of several processes that read the same `next_due`, one changes it.
        move_on = (
            update(schedules)
            .filter_by(
                id=schedule.id,
                status="active",
                next_due=schedule.next_due,
            )
            .values(next_due=next_due, status="active" if next_due else "over")
        )
        unfinished = _unfinished(schedule.id)

        def claim(connection: Connection) -> bool:
            if not connection.execute(move_on).rowcount or at is None:
                return False
            is_busy = connection.execute(unfinished).first() is not None
            slot = Slot(
                schedule=schedule.id,
                at=at,
                state="left_out" if is_busy else "due",
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
        others = _unfinished(schedule).where(slots.c.at != at)
        slot = Slot(
            schedule=schedule,
            at=at,
            state="due",
            claimed_at=at,
            by_hand=True,
        )

        def claim(connection: Connection) -> bool:
            if connection.execute(others).first():
                return False
            self._database.insert_if_new(connection, slots, columns_of(slot))
            return True

        if not await self._database.change(claim):
            return None
        return await self.slot(schedule, at)

    async def slot(self, schedule: ScheduleId, at: datetime) -> Slot | None:
        """A slot that was claimed."""
        return await self._database.first(select(slots).filter_by(schedule=schedule, at=at), Slot)

    async def slot_of(self, session: SessionId) -> Slot | None:
        """The slot whose turn a session is for; None when it is for none."""
        key = slot_named(session)
        return await self.slot(*key) if key else None

    async def slots_in(self, states: Collection[SlotState], *, limit: int) -> list[Slot]:
        """Slots of these states, oldest first."""
        query = select(slots).where(slots.c.state.in_(states)).order_by(slots.c.at)
        return await self._database.read(query.limit(limit), Slot)

    async def newest_slots(self, schedule: ScheduleId, *, limit: int) -> list[Slot]:
        """The schedule's last slots, newest first."""
        query = select(slots).filter_by(schedule=schedule).order_by(slots.c.at.desc())
        return await self._database.read(query.limit(limit), Slot)

    async def begin(self, slot: Slot) -> None:
        """Note that the slot has its turn."""
        await self._move(slot, ["due"], state="begun")

    async def end(
        self,
        slot: Slot,
        state: SlotState,
        *,
        root: str = "",
    ) -> bool:
        """Store how a slot ended; False when that was known. A success forgets failures."""
        is_new = await self._move(
            slot,
            UNFINISHED_SLOTS,
            state=state,
            root=root,
        )
        if is_new and state != "failed":
            await self._change(slot.schedule, failures=0)
        return is_new

    async def about_thread(
        self,
        place: str,
        root: str,
        origin: SessionId,
    ) -> ScheduleId | None:
        """The schedule that a thread is about; None where it is about none.

        Either a post of the schedule begins the thread, or the schedule is the only one that was
        ordered there and agreed on.
        """
        of_post = (
            select(slots.c.schedule)
            .filter_by(root=root)
            .join(schedules, schedules.c.id == slots.c.schedule)
            .filter_by(place=place)
        )
        posted = await self._database.scalar(of_post)
        if posted is not None:
            return posted
        is_from_here = schedules.c.order["origin"].as_string() == origin
        ordered = select(schedules.c.id).where(is_from_here, _IS_AGREED)
        candidates = await self._database.column(ordered)
        return candidates[0] if len(candidates) == 1 else None

    async def count_failure(self, schedule: ScheduleId, until: datetime | None) -> Schedule:
        """Count one more failed run; the next one is not before `until`."""
        current = await self.get(schedule)
        values: dict[str, Any] = {"failures": current.failures + 1}
        if until is not None and current.status == "active":
            values["next_due"] = next(slots_after(current.order.rule, until), None)
        return await self._change(schedule, **values)

    async def settle_clock(self, now: datetime) -> None:
        """Compute anew when schedules are due, as the clock was set back."""
        active = await self._database.read(_SCHEDULES.filter_by(status="active"), Schedule)
        for schedule in active:
            next_due = next(slots_after(schedule.order.rule, now), None)
            if next_due and schedule.next_due and next_due < schedule.next_due:
                await self._change(schedule.id, next_due=next_due)

    async def reported(self, schedule: ScheduleId, kind: str) -> dict[str, datetime]:
        """Items that earlier runs reported, each with the time of its first report."""
        query = select(reported).filter_by(schedule=schedule, kind=kind)
        rows = await self._database.rows(query)
        return {row.what: row.at for row in rows}

    async def note_reported(
        self,
        schedule: ScheduleId,
        kind: str,
        items: Sequence[str],
        at: datetime,
    ) -> None:
        """Remember reported items; an item that was reported before keeps its date."""
        rows = [
            {
                "schedule": schedule,
                "kind": kind,
                "what": item,
                "at": at,
            }
            for item in dict.fromkeys(items)
        ]
        if rows:
            insert = self._database.insert_new(reported)
            await self._database.run(lambda connection: connection.execute(insert, rows))

    async def pending_order(self, session: SessionId, person: UserId) -> PendingOrder:
        """What a person ordered in a thread and has not settled."""
        query = select(pending_orders.c.body).filter_by(session=session, person=person)
        body = await self._database.scalar(query)
        return _PENDING.validate_python(body or {})

    async def save_pending(
        self,
        session: SessionId,
        person: UserId,
        pending: PendingOrder,
    ) -> None:
        """Store a person's pending order in a thread, in place of the one before."""
        body = _PENDING.dump_python(pending, mode="json", exclude_defaults=True)
        row = {"session": session, "person": person, "body": body}
        await self._database.execute(self._database.upsert(pending_orders, row))

    async def _give_number(self, schedule: ScheduleId) -> None:
        """Give the team's next number to a schedule that has none yet."""
        others = schedules.alias()
        highest = func.coalesce(func.max(others.c.number), 0)
        free = select(highest + 1).where(others.c.team == schedules.c.team)
        numbered = (
            update(schedules)
            .filter_by(id=schedule, number=None)
            .values(number=free.scalar_subquery())
        )
        while True:
            try:
                await self._database.execute(numbered)
            except IntegrityError:
                continue  # another schedule got the same number in the meantime
            return

    async def _change(self, schedule: ScheduleId, **values: Any) -> Schedule:
        await self._database.execute(update(schedules).filter_by(id=schedule).values(values))
        return await self.get(schedule)

    async def _move(self, slot: Slot, states: Collection[SlotState], **values: Any) -> bool:
        this = update(slots).filter_by(schedule=slot.schedule, at=slot.at)
        statement = this.where(slots.c.state.in_(states)).values(values)
        return await self._database.execute(statement)


def _unfinished(schedule: ScheduleId) -> Select[Any]:
    of_schedule = select(slots.c.at).filter_by(schedule=schedule)
    return of_schedule.where(slots.c.state.in_(UNFINISHED_SLOTS))
