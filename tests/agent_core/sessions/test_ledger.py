"""The ledger: a gesture counts once, whichever of its identities it is delivered under."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from agent_core.sessions import Database, Ledger
from tests.agent_core.sessions.databases import opened

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
BODY = {"event": {"type": "message", "text": "hello ❄️"}}


@pytest.fixture
def ledger(database: Database) -> Ledger:
    return Ledger(database)


async def test_a_gesture_is_new_once(ledger: Ledger) -> None:
    assert await ledger.record(("T1:C1:1", ""), BODY, AT)
    assert not await ledger.record(("T1:C1:1", ""), BODY, AT)


async def test_the_second_key_makes_a_gesture_known_too(ledger: Ledger) -> None:
    assert await ledger.record(("T1:C1:1", "T1:C1:client"), BODY, AT)
    assert not await ledger.record(("T1:C1:2", "T1:C1:client"), BODY, AT)
    assert not await ledger.record(("T1:C1:client", ""), BODY, AT)


async def test_all_keys_of_a_delivery_that_was_known_are_known_from_then_on(
    ledger: Ledger,
) -> None:
    await ledger.record(("T1:C1:1", "T1:C1:client"), BODY, AT)
    await ledger.record(("T1:C1:2", "T1:C1:client"), BODY, AT)
    assert not await ledger.record(("T1:C1:2", ""), BODY, AT)


async def test_an_empty_second_key_is_no_key(ledger: Ledger) -> None:
    assert await ledger.record(("T1:C1:1", ""), BODY, AT)
    assert await ledger.record(("T1:C1:2", ""), BODY, AT)


async def test_two_equal_keys_are_one(ledger: Ledger) -> None:
    assert await ledger.record(("T1:C1:1", "T1:C1:1"), BODY, AT)
    assert await ledger.unsettled() == [BODY]


async def test_what_was_not_handed_over_is_kept_oldest_first_each_once(ledger: Ledger) -> None:
    bodies = [{"number": number} for number in range(3)]
    for number in (2, 0, 1):
        keys = (f"T1:C1:{number}", f"T1:C1:client{number}")
        await ledger.record(keys, bodies[number], AT + timedelta(seconds=number))
    assert await ledger.unsettled() == bodies


async def test_what_was_handed_over_is_not_kept(ledger: Ledger) -> None:
    await ledger.record(("T1:C1:1", "T1:C1:client"), BODY, AT)
    await ledger.settle("T1:C1:1")
    assert await ledger.unsettled() == []
    assert not await ledger.record(("T1:C1:1", "T1:C1:client"), BODY, AT)


async def test_a_second_delivery_is_not_kept_to_be_handed_over_again(ledger: Ledger) -> None:
    await ledger.record(("T1:C1:1", "T1:C1:client"), BODY, AT)
    await ledger.record(("T1:C1:2", "T1:C1:client"), BODY, AT)
    await ledger.settle("T1:C1:1")
    assert await ledger.unsettled() == []


async def test_settling_what_nobody_recorded_changes_nothing(ledger: Ledger) -> None:
    await ledger.record(("T1:C1:1", ""), BODY, AT)
    await ledger.settle("T1:C1:other")
    assert await ledger.unsettled() == [BODY]


async def test_of_deliveries_at_the_same_time_one_is_new(ledger: Ledger) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(ledger.record(("T1:C1:1", "T1:C1:client"), BODY, AT))
            for _ in range(20)
        ]
    assert [task.result() for task in tasks].count(True) == 1
    assert await ledger.unsettled() == [BODY]


async def test_of_deliveries_under_several_first_keys_at_the_same_time_one_is_new(
    ledger: Ledger,
) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(ledger.record((f"T1:C1:{number}", "T1:C1:client"), BODY, AT))
            for number in range(20)
        ]
    assert [task.result() for task in tasks].count(True) == 1
    assert await ledger.unsettled() == [BODY]


async def test_the_ledger_outlives_its_process(url: str) -> None:
    for is_new in (True, False):
        async with opened(url) as database:
            assert await Ledger(database).record(("T1:C1:1", ""), BODY, AT) is is_new
