"""Schedules begin each slot once, late ones once and labelled, and never on top of each other."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from agent_core.ids import SOMEBODY
from agent_core.messages import InboundMessage
from agent_core.runtime.schedules import Obstacle, Timekeeper
from agent_core.schedules.rule import Rule
from agent_core.schedules.schedule import Schedule, ScheduleId, Slot, SlotState
from agent_core.sessions import Database, ScheduleStore
from tests.schedules import FRIDAY, an_order

NINE = an_order().rule
QUARTERS = Rule(recurrence="FREQ=MINUTELY;INTERVAL=15", zone="UTC", begins=FRIDAY)


class Office:
    """A host and an agent that only note what they are given; the time is set by hand."""

    def __init__(self, database: Database, *, at_once: int = 8) -> None:
        self.now = FRIDAY
        self.begun: list[InboundMessage] = []
        self.troubles: list[Schedule] = []
        self.database = database
        self.store = ScheduleStore(database)
        self.timekeeper = Timekeeper(self.store, self.take, lambda: self.now, at_once=at_once)
        self.timekeeper.attach(self)

    async def take(self, message: InboundMessage) -> None:
        if message.key not in {known.key for known in self.begun}:
            self.begun.append(message)

    async def obstacle(self, schedule: Schedule) -> Obstacle | None:
        """Nothing is in the way."""

    async def material(self, schedule: Schedule, since: datetime) -> str:
        return f"Posts since {since:%Y-%m-%d}"

    async def tell_trouble(self, schedule: Schedule) -> None:
        self.troubles.append(schedule)

    async def add(self, name: str = "one", rule: Rule = NINE) -> Schedule:
        await self.store.propose(ScheduleId(name), an_order(rule=rule))
        return await self.store.activate(ScheduleId(name), self.now)

    async def look(self, now: datetime) -> None:
        self.now = now
        await self.timekeeper.look()

    async def end(self, state: SlotState = "posted") -> None:
        for slot in await self.store.slots_in(("begun",), limit=100):
            await self.timekeeper.end(slot, state, root="1.1")

    async def slots(self, name: str = "one") -> Sequence[Slot]:
        return list(reversed(await self.store.newest_slots(ScheduleId(name), limit=100)))

    def days(self) -> list[str]:
        """When each turn was due."""
        return [message.key.rpartition(":")[2] for message in self.begun]


@pytest.fixture
async def office(tmp_path: Path) -> AsyncGenerator[Office]:
    database = Database(f"sqlite:///{tmp_path}/state.sqlite")
    await database.open()
    yield Office(database)
    await database.close()


@pytest.mark.proves("digest.dst")
async def test_a_weekday_digest_keeps_its_hour_over_the_change_to_summer_time(
    office: Office,
) -> None:
    await office.add()
    moment = FRIDAY
    while moment <= FRIDAY + timedelta(days=5):
        await office.look(moment)
        await office.end()
        moment += timedelta(minutes=30)
    assert office.days() == [
        "20260327T080000Z",
        "20260330T070000Z",
        "20260331T070000Z",
        "20260401T070000Z",
    ]


async def test_a_slot_begins_a_turn_of_its_own_for_its_owner(office: Office) -> None:
    await office.add()
    await office.look(FRIDAY + timedelta(hours=1))
    (message,) = office.begun
    assert message.scheduled
    assert message.asker == "T1:U1"
    assert message.session == "digest:one:20260327T080000Z"
    assert "battery storage" in message.text
    assert message.authors == {"T1:U1"}


@pytest.mark.proves("authors.digests")
@pytest.mark.parametrize(
    ("changes", "author"), [({"reads": "C2"}, SOMEBODY), ({"authors": ("T1:U2",)}, "T1:U2")]
)
async def test_posts_of_a_channel_and_whoever_changed_the_task_are_authors_of_its_turn(
    changes: dict[str, str], author: str, office: Office
) -> None:
    await office.store.propose(ScheduleId("one"), an_order(**changes))
    await office.store.activate(ScheduleId("one"), office.now)
    await office.look(FRIDAY + timedelta(hours=1))
    (message,) = office.begun
    assert message.authors == {"T1:U1", author}


@pytest.mark.proves("digest.late")
async def test_after_days_away_the_newest_slot_runs_once_and_counts_the_others(
    office: Office,
) -> None:
    await office.add()
    for _ in range(5):
        await office.look(FRIDAY + timedelta(days=5, hours=3))
    (slot,) = await office.slots()
    assert office.days() == ["20260401T070000Z"]
    assert slot.left_out == 3
    assert slot.claimed_at - slot.at == timedelta(hours=3)


@pytest.mark.proves("digest.overlap")
async def test_a_run_does_not_begin_while_the_one_before_goes_on(office: Office) -> None:
    await office.add(rule=QUARTERS)
    await office.look(FRIDAY + timedelta(minutes=15))
    await office.look(FRIDAY + timedelta(minutes=30))
    await office.end()
    await office.look(FRIDAY + timedelta(minutes=45))
    assert office.days() == ["20260327T071500Z", "20260327T074500Z"]


@pytest.mark.proves("digest.processes")
async def test_two_processes_begin_a_slot_once(office: Office) -> None:
    other = Office(office.database)
    await office.add()
    async with asyncio.TaskGroup() as group:
        for each in (office, other, office, other):
            group.create_task(each.look(FRIDAY + timedelta(hours=1)))
    assert len(office.begun) + len(other.begun) == 1


@pytest.mark.proves("digest.restart")
async def test_a_slot_that_a_dying_process_claimed_is_begun_by_another(office: Office) -> None:
    schedule = await office.add()
    at = FRIDAY + timedelta(hours=1)
    assert await office.store.claim(schedule, at) is not None
    await office.look(at + timedelta(seconds=5))
    assert office.days() == []
    await office.look(at + timedelta(seconds=40))
    assert office.days() == ["20260327T080000Z"]


@pytest.mark.proves("digest.failing")
async def test_three_failures_in_a_row_pause_it_and_each_is_told(office: Office) -> None:
    await office.add()
    for day in (0, 3, 4, 5):
        await office.look(FRIDAY + timedelta(days=day, hours=1))
        await office.end("failed")
    paused = await office.store.get(ScheduleId("one"))
    assert len(office.begun) == 3
    assert (paused.status, paused.reason) == ("paused", "failing")
    assert [each.failures for each in office.troubles] == [1, 2, 3]


@pytest.mark.proves("digest.back_off")
async def test_a_failing_quarter_hourly_one_backs_off(office: Office) -> None:
    await office.add(rule=QUARTERS)
    moment = FRIDAY
    while moment <= FRIDAY + timedelta(hours=3):
        await office.look(moment)
        await office.end("failed")
        moment += timedelta(minutes=5)
    assert office.days() == ["20260327T071500Z", "20260327T074500Z", "20260327T090000Z"]


async def test_a_success_forgets_the_failures_before_it(office: Office) -> None:
    await office.add()
    ends: list[tuple[int, SlotState]] = [
        (0, "failed"),
        (3, "failed"),
        (4, "nothing_new"),
        (5, "failed"),
    ]
    for day, state in ends:
        await office.look(FRIDAY + timedelta(days=day, hours=1))
        await office.end(state)
    schedule = await office.store.get(ScheduleId("one"))
    assert (schedule.status, schedule.failures) == ("active", 1)


async def test_one_that_was_deleted_meanwhile_stays_deleted(office: Office) -> None:
    await office.add()
    await office.look(FRIDAY + timedelta(hours=1))
    [slot] = await office.slots()
    await office.store.delete(ScheduleId("one"))
    await office.timekeeper.refuse(slot, "may_not_post")
    deleted = await office.store.get(ScheduleId("one"))
    assert (deleted.status, office.troubles) == ("deleted", [])


@pytest.mark.proves("digest.crowd")
async def test_many_that_are_due_at_once_begin_in_portions(office: Office) -> None:
    office = Office(office.database, at_once=3)
    for number in range(8):
        await office.add(f"s{number}")
    counts: list[int] = []
    for second in range(4):
        await office.look(FRIDAY + timedelta(hours=1, seconds=second))
        counts.append(len(office.begun))
        await office.end()
    assert counts == [3, 6, 8, 8]


@pytest.mark.proves("digest.jump")
async def test_a_clock_that_jumped_ahead_and_back_keeps_the_slots_between(office: Office) -> None:
    await office.add()
    await office.look(FRIDAY + timedelta(minutes=1))
    await office.look(FRIDAY + timedelta(days=300))
    await office.end()
    await office.look(FRIDAY + timedelta(minutes=2))
    await office.look(FRIDAY + timedelta(hours=1))
    assert office.days()[-1] == "20260327T080000Z"


async def test_a_paused_one_is_not_due_and_goes_on_without_what_it_missed(office: Office) -> None:
    await office.add()
    await office.store.pause(ScheduleId("one"))
    await office.look(FRIDAY + timedelta(days=3, hours=2))
    assert office.begun == []
    await office.store.activate(ScheduleId("one"), office.now)
    await office.look(FRIDAY + timedelta(days=4))
    assert office.days() == ["20260331T070000Z"]


async def test_a_run_by_hand_is_beside_the_rule_and_waits_for_none(office: Office) -> None:
    schedule = await office.add()
    assert await office.timekeeper.run_now(schedule) is not None
    assert await office.timekeeper.run_now(schedule) is not None  # the same moment
    office.now += timedelta(minutes=1)
    assert await office.timekeeper.run_now(schedule) is None
    assert len(office.begun) == 1
    await office.end()
    await office.look(FRIDAY + timedelta(hours=1))
    assert office.days() == ["20260327T070000Z", "20260327T080000Z"]


async def test_one_with_an_end_is_over_after_its_last_slot(office: Office) -> None:
    until = Rule(
        recurrence=NINE.recurrence,
        zone=NINE.zone,
        begins=FRIDAY,
        ends=FRIDAY + timedelta(days=3, hours=2),
    )
    await office.add(rule=until)
    for day in range(7):
        await office.look(FRIDAY + timedelta(days=day, hours=1))
        await office.end()
    over = await office.store.get(ScheduleId("one"))
    assert office.days() == ["20260327T080000Z", "20260330T070000Z"]
    assert (over.status, over.next_due) == ("over", None)
