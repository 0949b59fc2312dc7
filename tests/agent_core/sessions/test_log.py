"""The event log: what is appended is stored once, in order, and told to every reader."""

import asyncio

import pytest

from agent_core.events import AnyEvent
from agent_core.ids import TurnId
from agent_core.sessions import (
    Database,
    EventLog,
    Inbox,
    Leases,
    SessionStore,
    WriteBehind,
    new_process_id,
)
from agent_core.sessions.log import LoggedEvent
from tests.agent_core.sessions.announced import OTHER_TURN, TURN, Announced, whole_turn
from tests.agent_core.turn_events import at, made
from tests.runtimes import inbound

TIMEOUT_S = 10


@pytest.fixture
def log(database: Database, behind: WriteBehind) -> EventLog:
    return EventLog(database, behind)


async def append(log: EventLog, *events: AnyEvent) -> None:
    for event in events:
        await log.append(event)


async def flush(log: EventLog) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        await log.flush()


async def read_all(log: EventLog, turn: TurnId = TURN, *, after: int = 0) -> list[LoggedEvent]:
    async with asyncio.timeout(TIMEOUT_S):
        return [positioned async for positioned in log.read(turn, after=after)]


class Reader:
    """Reads a turn in a task of its own; `begun` is set once it has its first event."""

    def __init__(self, log: EventLog, *, after: int = 0) -> None:
        self.seen: list[AnyEvent] = []
        self.places: list[int] = []
        self.begun = asyncio.Event()
        self._log = log
        self._after = after

    async def read(self) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            async for place, event in self._log.read(TURN, after=self._after):
                self.seen.append(event)
                self.places.append(place)
                self.begun.set()


def only(positioned: list[LoggedEvent]) -> list[AnyEvent]:
    return [event for _, event in positioned]


async def test_a_live_reader_gets_events_in_order_live_only_ones_included(log: EventLog) -> None:
    turn = Announced()
    first = turn.started()
    rest: list[AnyEvent] = [
        turn.delta("Noth"),
        turn.called("look"),
        turn.delta("ing."),
        turn.finished(),
    ]
    reader = Reader(log)
    async with asyncio.TaskGroup() as group:
        group.create_task(reader.read())
        await append(log, first)
        await reader.begun.wait()
        await append(log, *rest)
    assert reader.seen == [first, *rest]
    assert reader.places == sorted(reader.places)


async def test_live_only_events_are_not_stored(log: EventLog) -> None:
    turn = Announced()
    first, words, last = turn.started(), turn.delta("Noth"), turn.finished()
    of = {"session": first.session, "turn": first.turn, "n": 99}
    progressed = made("tool_call_progressed", **of, call_id="c1", tool="look", text="half")
    await append(log, first, words, progressed, last)
    await flush(log)
    assert only(await read_all(log)) == [first, last]


async def test_a_reader_goes_on_behind_its_cursor(log: EventLog) -> None:
    events = whole_turn()
    await append(log, *events)
    await flush(log)
    stored = await log.stored(TURN)
    place_of_second = stored[1][0]
    assert await read_all(log, after=place_of_second) == stored[2:]
    assert await log.stored(TURN, after=place_of_second) == stored[2:]


async def test_replayed_events_are_kept_and_told_once(log: EventLog) -> None:
    events = whole_turn()
    reader = Reader(log)
    async with asyncio.TaskGroup() as group:
        group.create_task(reader.read())
        await append(log, *events[:2])
        await reader.begun.wait()
        await append(log, *events[:2], *events)
    await flush(log)
    assert reader.seen == events
    assert only(await log.stored(TURN)) == events


async def test_who_keeps_records_hears_of_each_stored_event_once(
    database: Database, behind: WriteBehind
) -> None:
    heard: list[AnyEvent] = []
    events = whole_turn()
    log = EventLog(database, behind)
    log.watch(heard.append)
    await append(log, *events[:2], Announced().delta("live"))
    await flush(log)
    await append(log, *events)
    await flush(log)
    assert heard == events


@pytest.mark.parametrize(
    "words",
    [
        "",
        "snow ❄️ and \U0001f9ea",
        "tab\tnewline\n",
        'quote" and \\',
        "x" * 100_000,
        "\x00",
        "\ud83d",
    ],
)
async def test_words_of_any_kind_come_back_as_they_were(log: EventLog, words: str) -> None:
    events = [Announced().started(words)]
    await append(log, *events)
    await flush(log)
    assert only(await log.stored(TURN)) == events


async def test_a_record_keeper_that_fails_does_not_end_the_log(
    database: Database, behind: WriteBehind
) -> None:
    def fail(event: AnyEvent) -> None:
        raise ValueError("this event has no line")

    log = EventLog(database, behind)
    log.watch(fail)
    await append(log, *whole_turn())
    reached = EventLog(database, behind)
    await append(reached, *whole_turn(OTHER_TURN))
    await flush(reached)
    assert only(await reached.stored(OTHER_TURN)) == whole_turn(OTHER_TURN)


async def test_an_event_that_a_database_refuses_does_not_stop_the_others(log: EventLog) -> None:
    turn = Announced()
    before, odd, after = turn.started(), turn.called(odd=float("nan")), turn.finished()
    await append(log, before, odd, after)
    await flush(log)
    kept = only(await log.stored(TURN))
    assert [event for event in kept if event.kind != odd.kind] == [before, after]


async def test_an_intervention_waits_until_it_is_carried_out_by_who_holds_its_session(
    log: EventLog, database: Database, store: SessionStore
) -> None:
    leases, inbox = Leases(database, new_process_id()), Inbox(database)
    await leases.enter()
    turn = await store.add_turn(inbound("Compare them."))
    assert turn is not None
    await leases.claim(turn.session)
    stop = Announced(turn.id).intervened()
    await append(log, stop, stop)
    await flush(log)
    assert await inbox.to_carry_out(leases.process) == [stop]
    assert await inbox.to_carry_out(new_process_id()) == []
    assert await inbox.ending(turn.id, stop.run) == stop
    await inbox.hand_on(turn.id, str(stop.n))
    assert await inbox.to_carry_out(leases.process) == []
    assert await inbox.ending(turn.id, stop.run) == stop


async def test_the_newest_sign_of_the_model_is_known(log: EventLog) -> None:
    away = made("step_retried", turn=TURN, reason="", wait_s=8, given_up_at=at(600))
    back = Announced().delta("Here I am.")
    for sign in (away, back):
        await append(log, sign)
        assert log.heard[TURN] == sign
