"""What a run's Python has kept is there again, bytes and all, in either database."""

from dataclasses import replace

from agent_core.ids import RunId, ToolCallId, TurnId
from agent_core.sessions import Database, EventLog, ProgramStore, StoredProgram, WriteBehind
from tests.agent_core.sessions.announced import Announced

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
