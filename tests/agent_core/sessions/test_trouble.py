"""A database that is locked, full or restarting loses nothing and doubles nothing."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from agent_core.events import AnyEvent
from agent_core.ids import ROOT_RUN, ToolCallId
from agent_core.messages import Message, user_message
from agent_core.sessions import (
    DEAD_AFTER_S,
    Database,
    DatabaseTrouble,
    EventLog,
    Leases,
    Ledger,
    SessionStore,
    StoredTurn,
    WriteBehind,
    new_process_id,
)
from agent_core.sessions.leases import ACK_PATIENCE_S
from tests.agent_core.sessions.announced import TURN, whole_turn
from tests.agent_core.sessions.databases import LostCommits, full, locked, opened, told_of_trouble
from tests.runtimes import inbound

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
BODY = {"event": {"text": "hello"}}
TIMEOUT_S = 30
SHORT_S = 3
"""Enough for a thread to begin on a busy machine."""
ACK_LIMIT_S = 3.0
FEW = 20


@pytest.fixture
async def on_file(sqlite_url: str) -> AsyncIterator[Database]:
    async with opened(sqlite_url) as database:
        yield database


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


def ledger_of(database: Database) -> Ledger:
    return Ledger(database, Leases(database, new_process_id()))


@pytest.mark.proves("database.locked")
async def test_a_write_waits_for_a_lock_and_is_done_once(on_file: Database, file: Path) -> None:
    behind = WriteBehind(on_file)
    store = SessionStore(on_file, behind)
    async with asyncio.timeout(TIMEOUT_S), asyncio.TaskGroup() as group:
        with told_of_trouble() as told, locked(file):
            adding = group.create_task(store.add_turn(inbound("hello")))
            await told.wait()
            assert on_file.trouble == "database is locked"
            assert not adding.done()
    turn = adding.result()
    assert turn is not None
    assert await store.unfinished_of(turn.session) == [turn]
    assert on_file.trouble is None


async def test_a_gesture_that_cannot_be_recorded_is_refused_before_slack_asks_again(
    on_file: Database, file: Path
) -> None:
    ledger = ledger_of(on_file)
    with locked(file):
        began = time.monotonic()
        with pytest.raises(DatabaseTrouble, match="database is locked") as refused:
            await ledger.record("T1:C1:1", "", BODY, AT)
        assert time.monotonic() - began < ACK_LIMIT_S
    assert not refused.value.may_be_stored
    assert await ledger.record("T1:C1:1", "", BODY, AT), "the next delivery is the first one"


async def test_gestures_do_not_wait_behind_work_that_waits(on_file: Database, file: Path) -> None:
    ledger, store = ledger_of(on_file), SessionStore(on_file, WriteBehind(on_file))
    async with asyncio.timeout(TIMEOUT_S), asyncio.TaskGroup() as group:
        with locked(file):
            for number in range(10):
                group.create_task(store.add_turn(inbound("hello", number=number)))
            began = time.monotonic()
            with pytest.raises(DatabaseTrouble):
                await ledger.record("T1:C1:1", "", BODY, AT)
            assert time.monotonic() - began < ACK_LIMIT_S
    assert ACK_PATIENCE_S < ACK_LIMIT_S


@pytest.mark.proves("ledger.disk_full", "database.full")
async def test_a_full_disk_refuses_gestures_and_keeps_what_turns_announce(
    on_file: Database,
) -> None:
    behind, ledger = WriteBehind(on_file), ledger_of(on_file)
    behind.start()
    log = EventLog(on_file, behind)
    events = [event for _ in range(3) for event in whole_turn()]
    large = {"text": "x" * 100_000}
    async with asyncio.timeout(TIMEOUT_S):
        with told_of_trouble() as told:
            async with full(on_file):
                for event in events:
                    await log.append(event)
                with pytest.raises(DatabaseTrouble, match="full"):
                    await ledger.record("T1:C1:1", "", large, AT)
                await told.wait()
        await log.flush()
        assert [event for _, event in await log.stored(TURN)] == whole_turn()
        assert await ledger.record("T1:C1:1", "", large, AT)
        await behind.close()


async def test_what_a_database_will_never_take_is_not_tried_again(database: Database) -> None:
    tries: list[int] = []

    def insert_twice(connection: Connection) -> None:
        tries.append(1)
        row = "INSERT INTO processes (id, seen_s) VALUES ('one', 0)"
        connection.execute(text(row))
        connection.execute(text(row))

    with pytest.raises(IntegrityError):
        await database.run(insert_twice)
    assert len(tries) == 1
    assert database.trouble is None


async def test_work_that_is_given_up_in_the_middle_leaves_nothing(database: Database) -> None:
    loop, entered, left = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()

    def slow(connection: Connection) -> None:
        connection.execute(text("INSERT INTO processes (id, seen_s) VALUES ('one', 0)"))
        loop.call_soon_threadsafe(entered.set)
        asyncio.run_coroutine_threadsafe(left.wait(), loop).result(TIMEOUT_S)

    with pytest.raises(DatabaseTrouble, match="does not answer") as given_up:
        await database.run(slow, patience_s=SHORT_S)
    assert entered.is_set()
    assert not given_up.value.may_be_stored
    left.set()
    rows = await database.run(lambda c: c.execute(text("SELECT id FROM processes")).all())
    assert rows == []


@pytest.mark.process("Postgres goes away and comes back")
async def test_a_process_that_is_suspended_in_a_transaction_holds_nobody_up_for_long(
    postgres_url: str,
) -> None:
    row = text("INSERT INTO processes (id, seen_s) VALUES ('one', 0) ON CONFLICT DO NOTHING")
    loop, entered, goes_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def stand_still(connection: Connection) -> None:
        connection.execute(row)
        loop.call_soon_threadsafe(entered.set)
        goes_on.wait(TIMEOUT_S)

    async with opened(postgres_url) as one, opened(postgres_url) as other:
        async with asyncio.TaskGroup() as group:
            group.create_task(one.run(stand_still))
            await entered.wait()
            await other.run(lambda c: c.execute(row), patience_s=DEAD_AFTER_S)
            goes_on.set()
        rows = await other.run(lambda c: c.execute(text("SELECT id FROM processes")).all())
    assert [each.id for each in rows] == ["one"]


@pytest.fixture
def line(postgres_url: str) -> LostCommits:
    """To Postgres; it breaks at commits when it is told to."""
    return LostCommits(postgres_url)


@pytest.fixture
async def behind_line(line: LostCommits) -> AsyncIterator[Database]:
    async with line.running() as url, opened(url) as database:
        yield database


@pytest.mark.process("Postgres goes away and comes back")
class TestACommitWithoutAnAnswer:
    """It was done, and the connection broke before anybody was told."""

    async def test_a_gesture_is_new_to_the_delivery_that_stored_it(
        self, line: LostCommits, behind_line: Database
    ) -> None:
        ledger = ledger_of(behind_line)
        line.armed = 1
        assert await ledger.record("T1:C1:1", "T1:C1:client", BODY, AT)
        assert line.lost == 1
        assert not await ledger.record("T1:C1:1", "T1:C1:client", BODY, AT)
        assert await ledger.unsettled() == [BODY]

    async def test_a_gesture_that_had_to_be_refused_is_taken_up(
        self, line: LostCommits, behind_line: Database
    ) -> None:
        leases = Leases(behind_line, new_process_id())
        await leases.enter()
        ledger = Ledger(behind_line, leases)
        line.armed = 1_000
        with pytest.raises(DatabaseTrouble) as refused:
            await ledger.record("T1:C1:1", "", BODY, AT)
        assert refused.value.may_be_stored
        line.armed = 0
        assert not await ledger.record("T1:C1:1", "", BODY, AT), "Slack delivers it again"
        assert await ledger.unsettled() == [BODY]
        assert await ledger.unsettled() == []

    async def test_what_is_taken_up_is_given_out(
        self, line: LostCommits, behind_line: Database
    ) -> None:
        await ledger_of(behind_line).record("T1:C1:1", "", BODY, AT)
        leases = Leases(behind_line, new_process_id())
        await leases.enter()
        line.armed = 1
        assert await Ledger(behind_line, leases).unsettled() == [BODY]
        assert line.lost == 1
        assert await Ledger(behind_line, leases).unsettled() == []

    async def test_a_turn_is_added_started_and_continued(
        self, line: LostCommits, behind_line: Database
    ) -> None:
        store = SessionStore(behind_line, WriteBehind(behind_line))
        line.armed = 1
        turn = await store.add_turn(inbound("hello"))
        assert turn is not None
        line.armed = 1
        assert await store.mark_running(turn.id)
        line.armed = 1
        assert await store.begin_generation(turn.id, 2)
        line.armed = 1
        assert await store.begin_effect(turn.id, ROOT_RUN, ToolCallId("call_1"))
        assert line.lost == 4
        assert await store.add_turn(inbound("hello")) is None
        assert not await store.mark_running(turn.id)
        assert not await store.begin_effect(turn.id, ROOT_RUN, ToolCallId("call_1"))

    async def test_events_are_stored_and_told_once(
        self, line: LostCommits, behind_line: Database
    ) -> None:
        heard: list[AnyEvent] = []
        behind = WriteBehind(behind_line)
        behind.start()
        log = EventLog(behind_line, behind)
        log.watch(heard.append)
        line.armed = 1
        for event in whole_turn():
            await log.append(event)
        async with asyncio.timeout(TIMEOUT_S):
            await log.flush()
            await behind.close()
        assert line.lost == 1
        assert heard == whole_turn()
        assert [event for _, event in await log.stored(TURN)] == whole_turn()


@pytest.mark.proves("database.restarted")
@pytest.mark.process("Postgres goes away and comes back")
async def test_postgres_restarts_under_load_and_everything_is_there_once(own_postgres: Any) -> None:
    server, url = own_postgres
    async with opened(url) as database:
        behind = WriteBehind(database)
        behind.start()
        store = SessionStore(database, behind)
        added: list[StoredTurn] = []
        is_calm = asyncio.Event()

        async def work() -> None:
            while not is_calm.is_set() or len(added) < FEW:
                number = len(added)
                turn = await store.add_turn(replace(inbound(f"message {number}"), key=f"{number}"))
                assert turn is not None
                assert await store.mark_running(turn.id)
                await store.append_messages(turn.id, ROOT_RUN, 0, [turn_says(number)])
                added.append(turn)

        async def restart() -> None:
            for _ in range(3):
                await asyncio.to_thread(server.stop)
                await asyncio.to_thread(server.start)
            is_calm.set()

        with told_of_trouble() as told:
            async with asyncio.timeout(TIMEOUT_S * 2), asyncio.TaskGroup() as group:
                group.create_task(work())
                group.create_task(restart())
        assert told.is_set()
        async with asyncio.timeout(TIMEOUT_S):
            await behind.close()
        turns = await store.unfinished_of(added[0].session)
        assert [turn.id for turn in turns] == [turn.id for turn in added]
        assert [turn.seq for turn in turns] == list(range(1, len(added) + 1))
        for number, turn in enumerate(turns):
            assert await store.run_messages(turn.id, ROOT_RUN) == (turn_says(number),)


def turn_says(number: int) -> Message:
    return user_message(f"message {number}")
