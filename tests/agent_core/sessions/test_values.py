"""Preferences and the last programs of runs are there again, in either database."""

from dataclasses import replace
from datetime import UTC, datetime

from agent_core.events import Usage
from agent_core.ids import RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.messages import InboundMessage
from agent_core.sessions import (
    Database,
    EventLog,
    Overview,
    Preferences,
    ProgramStore,
    SessionStore,
    Spent,
    StoredProgram,
    WriteBehind,
)
from tests.agent_core.sessions.announced import Announced

ANN, BEN = UserId("T1:U1"), UserId("T1:U2")
AT = datetime(2026, 11, 21, 9, tzinfo=UTC)
ASKED = InboundMessage(
    session=SessionId("T1:C1:1.000001"),
    key="1",
    asker=ANN,
    author_name="Ann",
    text="hi",
    received_at=AT,
)


async def test_a_preference_is_of_one_scope_and_is_set_changed_and_taken_back(
    database: Database,
) -> None:
    preferences = Preferences(database)
    assert await preferences.get(ANN, "language") == ""
    for language in ("de", "fr"):
        await preferences.put(ANN, "language", language)
    await preferences.put(ANN, "digest_time", "07:30")
    await preferences.put("T1:C1", "follow_ups", "mention")
    assert await preferences.of(ANN) == {"language": "fr", "digest_time": "07:30"}
    assert await preferences.get(BEN, "language") == ""
    await preferences.put(ANN, "language", "")
    assert await preferences.of(ANN) == {"digest_time": "07:30"}


async def test_both_databases_tell_what_somebody_has_going_on(
    database: Database, behind: WriteBehind
) -> None:
    store, log = SessionStore(database, behind), EventLog(database, behind)
    turn = await store.add_turn(ASKED)
    assert turn is not None
    used = Announced(turn.id).step_finished(Usage(input_tokens=3, cache_read_tokens=4))
    await log.append(used)
    await log.flush()
    overview = Overview(database)
    assert [each.asked for each in await overview.sessions(ANN)] == ["hi"]
    assert await overview.unfinished("T1") == [turn]
    assert await overview.spent(ANN, AT) == Spent(turns=1, tokens=7)
    assert await overview.spent(BEN, AT) == Spent(turns=0, tokens=0)


FIRST = StoredProgram(
    turn=TurnId("turn:1"),
    run=RunId("root"),
    call=ToolCallId("call_1"),
    body={"printed": "ä"},
    variables=bytes(range(256)),
    paused=b"",
)


async def test_a_run_keeps_its_last_program(database: Database) -> None:
    store = ProgramStore(database)
    second = replace(FIRST, call=ToolCallId("call_2"), paused=b"\x00\xff")
    for program in (FIRST, second, second, replace(FIRST, run=RunId("root.child"))):
        await store.keep(program)
    assert await store.last(FIRST.turn, FIRST.run) == second
    assert await store.last(FIRST.turn, RunId("root.child")) is not None
    assert await store.last(TurnId("turn:2"), FIRST.run) is None


async def test_programs_are_gone_with_the_end_of_their_turn(
    database: Database, behind: WriteBehind
) -> None:
    store, log = ProgramStore(database), EventLog(database, behind)
    other = replace(FIRST, turn=TurnId("turn:2"))
    for program in (FIRST, other):
        await store.keep(program)
    await log.append(Announced(FIRST.turn).finished())
    await log.flush()
    assert await store.last(FIRST.turn, FIRST.run) is None
    assert await store.last(other.turn, other.run) == other
