"""Gestures that nobody can deliver again are forgotten, and nothing else."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from agent_core.sessions import Database, Ledger
from agent_core.sessions.leases import BATCH_ROWS, KEPT, Leases, new_process_id, purge

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
BODY = {"text": "hello"}


def ledger_of(database: Database) -> Ledger:
    return Ledger(database, Leases(database, new_process_id()))


@pytest.mark.proves("ledger.kept")
async def test_what_was_handed_over_is_forgotten_after_a_day(database: Database) -> None:
    ledger = ledger_of(database)
    old, young = NOW - KEPT - timedelta(seconds=1), NOW - KEPT + timedelta(seconds=1)
    await ledger.record("old", "old too", BODY, old)
    await ledger.record("young", "", BODY, young)
    for key in ("old", "young"):
        await ledger.settle(key)
    assert await purge(database, NOW) == 2
    assert await purge(database, NOW) == 0
    assert await ledger.record("old", "", BODY, NOW)
    assert not await ledger.record("young", "", BODY, NOW)


@pytest.mark.proves("ledger.kept")
async def test_what_was_not_handed_over_is_kept_however_old(database: Database) -> None:
    ledger = ledger_of(database)
    await ledger.record("old", "", BODY, NOW - 30 * KEPT)
    assert await purge(database, NOW) == 0
    assert await ledger.unsettled() == [BODY]


async def test_the_age_is_the_same_in_every_time_zone(database: Database) -> None:
    ledger = ledger_of(database)
    await ledger.record("young", "", BODY, NOW - KEPT + timedelta(hours=1))
    await ledger.settle("young")
    assert await purge(database, NOW.astimezone(timezone(timedelta(hours=5)))) == 0


async def test_many_are_forgotten_in_batches(database: Database) -> None:
    ledger = ledger_of(database)
    for number in range(pairs := BATCH_ROWS // 2 + 10):
        await ledger.record(f"key {number}", f"other {number}", BODY, NOW - 2 * KEPT)
        await ledger.settle(f"key {number}")
    assert await purge(database, NOW) == 2 * pairs
