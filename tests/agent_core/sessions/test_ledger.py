"""The ledger: a gesture counts once, whichever of its identities it is delivered under."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete

from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from agent_core.sessions import (
    Database,
    LeaseLost,
    Leases,
    Ledger,
    Marks,
    new_process_id,
    purge_ledger,
)
from agent_core.sessions.leases import KEPT
from agent_core.sessions.schema import processes
from tests.agent_core.sessions.databases import opened

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
BODY = {"event": {"type": "message", "text": "hello ❄️"}}


@pytest.fixture
def ledger(database: Database) -> Ledger:
    return ledger_of_a_dead_process(database)


def ledger_of_a_dead_process(database: Database) -> Ledger:
    """Of a process that never said that it lives."""
    return Ledger(database, Leases(database, new_process_id()))


async def ledger_of_a_living_process(database: Database) -> Ledger:
    leases = Leases(database, new_process_id())
    await leases.enter()
    return Ledger(database, leases)


async def left_by_the_dead(database: Database) -> list[JsonObject]:
    """What a process finds that begins now."""
    return await ledger_of_a_dead_process(database).unsettled()


async def test_the_second_key_makes_a_gesture_known_too_and_it_is_taken_up_once(
    ledger: Ledger, database: Database
) -> None:
    assert await ledger.record("T1:C1:1", "T1:C1:client", {"number": 1}, AT)
    assert not await ledger.record("T1:C1:2", "T1:C1:client", {"number": 2}, AT)
    assert not await ledger.record("T1:C1:client", "", BODY, AT)
    assert await left_by_the_dead(database) == [{"number": 1}]


async def test_a_gesture_that_was_forgotten_is_new_again_under_either_key(ledger: Ledger) -> None:
    assert await ledger.record("T1:C1:1", "T1:C1:client", BODY, AT)
    assert await ledger.record("T1:C1:2", "", BODY, AT)
    await ledger.forget("T1:C1:1", "T1:C1:client")
    assert await ledger.record("T1:C1:1", "", BODY, AT)
    assert await ledger.record("T1:C1:client", "", BODY, AT)
    assert not await ledger.record("T1:C1:2", "", BODY, AT)


async def test_what_was_not_handed_over_is_kept_oldest_first_each_once(
    ledger: Ledger, database: Database
) -> None:
    bodies = [{"number": number} for number in range(3)]
    for number in (2, 0, 1):
        keys = (f"T1:C1:{number}", f"T1:C1:client{number}")
        await ledger.record(*keys, bodies[number], AT + timedelta(seconds=number))
    assert await left_by_the_dead(database) == bodies


@pytest.mark.proves("ledger.one_turn")
async def test_of_deliveries_under_several_first_keys_at_the_same_time_one_is_new(
    ledger: Ledger, database: Database
) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(ledger.record(f"T1:C1:{number}", "T1:C1:client", BODY, AT))
            for number in range(20)
        ]
    assert [task.result() for task in tasks].count(True) == 1
    assert await left_by_the_dead(database) == [BODY]


async def test_what_a_living_process_works_on_is_taken_up_by_nobody(database: Database) -> None:
    ledger = await ledger_of_a_living_process(database)
    await ledger.record("T1:C1:1", "", BODY, AT)
    assert await ledger.unsettled() == []
    assert await left_by_the_dead(database) == []


async def test_what_was_taken_up_is_not_given_out_again(ledger: Ledger, database: Database) -> None:
    await ledger.record("T1:C1:1", "", BODY, AT)
    alive = await ledger_of_a_living_process(database)
    assert await alive.unsettled() == [BODY]
    assert await alive.unsettled() == []


@pytest.mark.proves("ledger.taken_up")
async def test_what_could_not_be_handled_is_taken_up_again(database: Database) -> None:
    ledger = await ledger_of_a_living_process(database)
    await ledger.record("T1:C1:1", "", BODY, AT)
    await ledger.release("T1:C1:1")
    assert await ledger.unsettled() == [BODY]


@pytest.mark.proves("ledger.kept")
async def test_the_ledger_outlives_its_process(url: str) -> None:
    for is_new in (True, False):
        async with opened(url) as database:
            ledger = ledger_of_a_dead_process(database)
            assert await ledger.record("T1:C1:1", "", BODY, AT) is is_new


async def test_marks_are_found_by_the_beginning_of_their_names_and_never_move_back(
    database: Database,
) -> None:
    marks = Marks(database)
    await marks.save({})
    await marks.save({"a:1": "5", "a:2": "6", "a_1": "7", "b:1": "8"})
    await marks.save({"a:1": "4", "a:2": "7"})

    assert await marks.load("a:") == {"a:1": "5", "a:2": "7"}
    assert await marks.load("a_") == {"a_1": "7"}


NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


@pytest.mark.proves("ledger.kept")
async def test_what_was_handed_over_is_forgotten_after_a_day_and_all_else_is_kept(
    database: Database,
) -> None:
    ledger = ledger_of_a_dead_process(database)
    old, young = NOW - KEPT - timedelta(seconds=1), NOW - KEPT + timedelta(seconds=1)
    await ledger.record("old", "old too", BODY, old)
    await ledger.record("young", "", BODY, young)
    await ledger.record("not handed over", "", {"number": 1}, NOW - 30 * KEPT)
    for key in ("old", "young"):
        await ledger.settle(key)
    await purge_ledger(database, NOW)
    assert await ledger.unsettled() == [{"number": 1}]
    assert await ledger.record("old", "", BODY, NOW)
    assert not await ledger.record("young", "", BODY, NOW)


async def test_before_an_effect_the_database_is_asked_and_no_clock_trusted(
    database: Database,
) -> None:
    ours, theirs = (Leases(database, new_process_id()) for _ in range(2))
    session = SessionId("T1:C1:1")
    await ours.enter()
    await theirs.enter()
    assert await ours.claim(session) == 1
    await ours.check(session, surely=True)
    # The machine stood still, and its clocks with it; for the others this process is dead.
    await database.execute(delete(processes).where(processes.c.id == ours.process))
    assert await theirs.claim(session) == 2
    with pytest.raises(LeaseLost):
        await ours.check(session, surely=True)
