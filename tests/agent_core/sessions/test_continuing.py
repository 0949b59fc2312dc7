"""What was told unasked is known in the conversation that goes on about it."""

from datetime import UTC, datetime
from pathlib import Path

from agent_core.ids import SessionId
from agent_core.messages import Text
from agent_core.runtime import Runtime
from agent_core.schedules.schedule import ScheduleId
from agent_core.sessions import Database, ScheduleStore, StoredTurn
from agent_core.testing.models import ScriptedModel
from tests.agent_core.runtime.threads import begin, end_of
from tests.runtimes import inbound, scripted_runtime
from tests.schedules import FRIDAY, an_order

THREAD = inbound("", thread=99).session
ORDERED_IN = SessionId("T1:C1:1.0")
ORDER = an_order(origin=ORDERED_IN, place="C0NEWS")


async def go_on(runtime: Runtime) -> None:
    turn = await begin(runtime, inbound("continue"))
    await end_of(runtime, turn)
    for _ in range(2):  # it may be done again after a crash
        now = datetime.now(UTC)
        await runtime.sessions.go_on_in(THREAD, turn, reader="r", now=now, text="*Nine*")


async def test_a_reply_knows_what_was_said_in_the_other_session(tmp_path: Path) -> None:
    model = ScriptedModel(["nine bridges", "as I said"])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        await go_on(runtime)
        reply = await begin(runtime, inbound("continue", number=2, thread=99))
        assert (await end_of(runtime, reply)).answer == "as I said"
        now = datetime.now(UTC)
        here, there = inbound("").session, THREAD
        assert await runtime.workspace(here, now) == await runtime.workspace(there, now)
    request = model.requests[-1]
    texts = [part.text for m in request.messages for part in m.parts if isinstance(part, Text)]
    assert (texts.count("nine bridges"), texts.count("*Nine*")) == (1, 1)


async def test_what_was_told_is_not_shown_once_more(tmp_path: Path) -> None:
    shown: list[str] = []

    def reader(turn: StoredTurn, /, *, is_resumed: bool) -> None:
        shown.append(turn.session)

    async with scripted_runtime(tmp_path, model=ScriptedModel(["nine bridges"])) as runtime:
        await go_on(runtime)
    async with scripted_runtime(tmp_path, model=ScriptedModel([])) as runtime:
        await runtime.show_with("r", reader)
    assert shown == [inbound("").session]


async def agreed_on(store: ScheduleStore, name: str) -> ScheduleId:
    schedule = ScheduleId(name)
    await store.propose(schedule, ORDER)
    await store.activate(schedule, FRIDAY)
    return schedule


async def test_the_thread_of_an_order_is_about_the_one_that_was_agreed_on_there(
    database: Database,
) -> None:
    store = ScheduleStore(database)
    await store.propose(ScheduleId("waiting"), ORDER)
    assert await store.about_thread("C1", "1.0", ORDERED_IN) is None
    first = await agreed_on(store, "first")
    assert await store.about_thread("C1", "1.0", ORDERED_IN) == first
    assert await store.about_thread("C1", "2.0", SessionId("T1:C1:2.0")) is None
    second = await agreed_on(store, "second")
    assert await store.about_thread("C1", "1.0", ORDERED_IN) is None
    await store.delete(first)
    assert await store.about_thread("C1", "1.0", ORDERED_IN) == second


async def test_the_thread_of_a_post_is_about_the_schedule_that_it_told(database: Database) -> None:
    store = ScheduleStore(database)
    schedule = await agreed_on(store, "first")
    slot = await store.claim_by_hand(schedule, FRIDAY)
    assert slot is not None
    await store.end(slot, "posted", root="7.0")
    assert await store.about_thread("C0NEWS", "7.0", SessionId("T1:C0NEWS:7.0")) == schedule
    assert await store.about_thread("C1", "7.0", SessionId("T1:C1:7.0")) is None
