"""Which schedule a thread is about, in each kind of database."""

from agent_core.ids import SessionId
from agent_core.schedules.schedule import ScheduleId
from agent_core.sessions import Database
from agent_core.sessions.schedules import ScheduleStore
from tests.schedules import FRIDAY, an_order

NOW, THREAD = FRIDAY, SessionId("T1:C1:1.0")
ORDER = an_order(origin=THREAD, place="C0NEWS")


async def agreed_on(store: ScheduleStore, name: str) -> ScheduleId:
    schedule = ScheduleId(name)
    await store.propose(schedule, ORDER, NOW)
    await store.activate(schedule, NOW)
    return schedule


async def test_the_thread_of_an_order_is_about_the_one_that_was_agreed_on_there(
    database: Database,
) -> None:
    store = ScheduleStore(database)
    await store.propose(ScheduleId("waiting"), ORDER, NOW)
    assert await store.told_in("C1", "1.0", THREAD) is None
    first = await agreed_on(store, "first")
    assert await store.told_in("C1", "1.0", THREAD) == first
    assert await store.told_in("C1", "2.0", SessionId("T1:C1:2.0")) is None
    assert await store.told_in("C1", "1.0") is None
    second = await agreed_on(store, "second")
    assert await store.told_in("C1", "1.0", THREAD) is None
    await store.delete(first)
    assert await store.told_in("C1", "1.0", THREAD) == second


async def test_the_thread_of_a_post_is_about_the_schedule_that_it_told(database: Database) -> None:
    store = ScheduleStore(database)
    schedule = await agreed_on(store, "first")
    slot = await store.claim_by_hand(schedule, NOW)
    assert slot is not None
    await store.end(slot, "posted", root="7.0")
    assert await store.told_in("C0NEWS", "7.0", SessionId("T1:C0NEWS:7.0")) == schedule
    assert await store.told_in("C1", "7.0", SessionId("T1:C1:7.0")) is None
