"""A call whose result a crash took away: made again where that is harmless, told of where not."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text

from agent_core.consent.policy import read_policy
from agent_core.events import ToolCallFinished
from agent_core.ids import ROOT_RUN
from agent_core.messages import InboundMessage, JsonObject
from agent_core.models import ModelRequest
from agent_core.runtime.opening import kind_of
from agent_core.sessions import Database, Inbox, SessionStore, StoredTurn, WriteBehind
from agent_core.testing.models import Held, ScriptedModel, ScriptLine, call
from agent_core.testing.tools import FakeTool, FakeToolset
from agent_core.tools import LOST_RESULT, OnProgress, ToolContext, ToolOutput
from agent_core.tracing import trace_id_of
from agent_core.workspaces import create_workspace
from tests.agent_core.runtime.threads import (
    at_work,
    begin,
    end_of,
    events_of,
    from_ben,
    look,
    told,
    until,
    waiting,
)
from tests.runtimes import inbound, scripted_runtime

SEARCH = "mcp__composio__COMPOSIO_SEARCH_WEB"


@pytest.mark.parametrize(
    ("name", "hint", "is_repeatable"),
    [("send", True, True), ("send", False, False), (SEARCH, False, True)],
)
async def test_a_call_that_was_under_way_when_the_process_ended(
    tmp_path: Path, name: str, hint: bool, is_repeatable: bool
) -> None:
    under_way, made = asyncio.Event(), 0

    async def send(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        nonlocal made
        made += 1
        under_way.set()
        if made == 1:
            await asyncio.Event().wait()
        return "sent"

    tools = FakeToolset({name: FakeTool(run=send, is_repeatable=hint)})
    first = ScriptedModel([call(name)])
    async with scripted_runtime(tmp_path, model=first, tools=tools) as runtime:
        turn = await begin(runtime, inbound("continue"))
        await under_way.wait()
    again = ScriptedModel(["Done."])
    async with scripted_runtime(tmp_path, model=again, tools=tools) as runtime:
        answer = (await end_of(runtime, turn)).answer
        [finished] = [e for e in await events_of(runtime, turn) if isinstance(e, ToolCallFinished)]
    assert made == (2 if is_repeatable else 1)
    assert (LOST_RESULT.text in told(again.requests[0])) == (not is_repeatable)
    assert finished.may_have_happened == (not is_repeatable)
    told_person = (
        "I cannot tell whether this was done: “send”. Please check before it is done again."
    )
    assert answer == ("Done." if is_repeatable else f"{told_person}\n\nDone.")


async def test_a_call_that_only_reads_leaves_nobody_wondering_what_has_happened(
    tmp_path: Path,
) -> None:
    async def be_late(
        arguments: JsonObject, context: ToolContext, progress: OnProgress
    ) -> ToolOutput:
        return ToolOutput(text="Too late.", is_error=True, may_have_happened=True)

    tools = FakeToolset({"mcp__notes__get_note": be_late})
    model = ScriptedModel([call("mcp__notes__get_note"), "Done."])
    policy = read_policy()
    async with scripted_runtime(tmp_path, model=model, tools=tools, policy=policy) as runtime:
        answer = (await end_of(runtime, await begin(runtime, inbound("continue")))).answer
    assert answer == "Done."


TIMEOUT_S = 20
ASK = call("ask_user", {"question": "Which year?"}, id="q")


class Beside:
    """The database as another process sees it."""

    def __init__(self, root: Path) -> None:
        self.database = Database(f"sqlite:///{root}/state.sqlite")
        self.store = SessionStore(self.database, WriteBehind(self.database))

    async def queue(self, message: InboundMessage) -> StoredTurn:
        turn = await self.store.add_turn(message, kind_of(message))
        assert turn is not None
        return turn

    async def say(self, statement: str) -> None:
        await self.database.run(lambda connection: connection.execute(text(statement)))


async def test_a_turn_that_has_just_begun_when_its_process_ends_does_not_fail(
    tmp_path: Path,
) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel(["Early."] * 12)) as runtime:
        turns = [await begin(runtime, inbound("continue", thread=n)) for n in range(1, 13)]
    async with scripted_runtime(tmp_path, model=ScriptedModel(["Late."] * 12)) as runtime:
        ends = [await end_of(runtime, turn) for turn in turns]
    assert {(end.outcome, end.answer) for end in ends} <= {
        ("answered", "Early."),
        ("answered", "Late."),
    }


async def test_what_is_written_after_a_stop_is_work_again(tmp_path: Path) -> None:
    held = Held(then="unheard")
    async with at_work(held.reached, tmp_path, model=ScriptedModel([held])) as (runtime, turn):
        pass
    beside = Beside(tmp_path)
    order = await beside.queue(from_ben("stop", number=2))
    later = await beside.queue(inbound("continue with the other one", number=3))

    def decide(request: ModelRequest) -> ScriptLine:
        return "The other." if "the other one" in told(request) else Held(then="unheard")

    async with scripted_runtime(tmp_path, model=ScriptedModel([decide] * 2)) as runtime:
        assert (await end_of(runtime, turn)).outcome == "stopped"
        assert (await end_of(runtime, order.id)).outcome == "steered"
        assert (await end_of(runtime, later.id)).answer == "The other."


async def test_a_second_stop_while_the_first_is_under_way_is_one_with_it(tmp_path: Path) -> None:
    reached, ending, may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def slow(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            ending.set()
            await may_end.wait()
        return "never"

    tools = FakeToolset({"slow": slow})
    async with scripted_runtime(tmp_path, model=ScriptedModel([call("slow")]), tools=tools) as run:
        turn = await begin(run, inbound("continue"))
        await reached.wait()
        first = await begin(run, from_ben("stop", number=2))
        await ending.wait()
        second = await begin(run, inbound("stop", number=3))
        assert (await end_of(run, second)).outcome == "steered"
        may_end.set()
        assert (await end_of(run, turn)).answer.startswith("Ben stopped this.")
        assert (await end_of(run, first)).outcome == "steered"


async def test_what_a_turn_took_just_before_it_was_stopped_ends_with_it(tmp_path: Path) -> None:
    held = Held(then="unheard")
    async with at_work(held.reached, tmp_path, model=ScriptedModel([held])) as (runtime, turn):
        message = await begin(runtime, inbound("and Poland", number=2))
        # The turn's own call for messages, cut off after it was stored.
        await Inbox(Beside(tmp_path).database).take(await runtime.turn(turn), ROOT_RUN, 1)
        assert await runtime.stop(inbound("").session, by="Cleo")
        assert (await end_of(runtime, turn)).outcome == "stopped"
        assert (await end_of(runtime, message)).outcome == "steered"


async def test_an_answer_that_was_taken_back_leaves_the_question_open(tmp_path: Path) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel([ASK])) as runtime:
        turn = await waiting(runtime, inbound("continue"))
    beside = Beside(tmp_path)
    answer = await beside.queue(inbound("2025", number=2))
    await beside.store.end_waiting(await beside.store.turn(turn))
    model = ScriptedModel(["In 2026."])
    await beside.say("UPDATE turns SET status = 'finished' WHERE seq = 2")
    async with scripted_runtime(tmp_path, model=model) as runtime:
        await until(runtime, turn, "waiting", generation=3)
        await begin(runtime, inbound("2026", number=3))
        assert (await end_of(runtime, turn)).answer == "In 2026."
    assert "Ann answered: 2026" in told(model.requests[0])
    assert answer.inbound.text not in told(model.requests[0])


async def test_a_turn_that_breaks_off_again_and_again_ends_with_an_apology(tmp_path: Path) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel([ASK])) as runtime:
        turn = await waiting(runtime, inbound("continue"))
    beside = Beside(tmp_path)
    await beside.say("UPDATE turns SET status = 'running', generation = 50")
    async with scripted_runtime(tmp_path, model=ScriptedModel(["Next."])) as runtime:
        end = await end_of(runtime, turn)
        assert (end.outcome, end.reference) == ("failed", trace_id_of(turn)[:8])
        assert "Something went wrong on my side." in end.answer
        more = await begin(runtime, inbound("continue", number=2))
        assert (await end_of(runtime, more)).answer == "Next."


async def test_a_workspace_with_a_strange_file_does_not_keep_a_turn_from_ending(
    tmp_path: Path,
) -> None:
    message = inbound("continue")
    workspace = create_workspace(tmp_path, now=message.received_at, session=message.session)
    (workspace / "search_results" / "odd.json").write_text("[1]", encoding="utf-8")
    model = ScriptedModel([call("look"), "Done."])
    tools = FakeToolset({"look": look})
    async with scripted_runtime(tmp_path, model=model, tools=tools) as runtime:
        turn = await begin(runtime, message)
        end = await end_of(runtime, turn)
    assert (end.outcome, end.answer) == ("answered", "Done.")
    assert (end.is_tainted, end.sources) == (True, ())


async def test_a_call_is_on_disk_before_it_has_its_effect(tmp_path: Path) -> None:
    beside, seen = Beside(tmp_path), list[str]()

    async def send(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        stored = await beside.store.run_messages(context.turn, ROOT_RUN)
        seen.extend(call.id for message in stored for call in message.tool_calls)
        return "sent"

    tools = FakeToolset({"send": FakeTool(run=send, is_repeatable=False)})
    model = ScriptedModel([call("send", id="c1"), "Done."])
    async with scripted_runtime(tmp_path, model=model, tools=tools) as runtime:
        await end_of(runtime, await begin(runtime, inbound("continue")))
    assert seen == ["c1"]


async def test_one_session_that_cannot_be_seen_to_does_not_hold_up_the_others(
    tmp_path: Path,
) -> None:
    def show(turn: StoredTurn, /, *, is_resumed: bool) -> None:
        if turn.session == inbound("", thread=1).session:
            raise RuntimeError("not this one")

    async with scripted_runtime(tmp_path, model=ScriptedModel(["Done."])) as runtime:
        await runtime.show_with("test", show)
        beside = Beside(tmp_path)
        for thread in (1, 2):
            message = inbound("continue", thread=thread)
            await runtime.workspace(message.session, message.received_at)
            turn = await beside.queue(message)
        assert (await end_of(runtime, turn.id)).answer == "Done."
