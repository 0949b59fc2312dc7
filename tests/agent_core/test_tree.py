"""The agent tree: what its events tell of a turn's runs, live and days later."""

from pathlib import Path
from typing import Any

import pytest

from agent_core.events import ATTEMPTS_A_GENERATION, AnyEvent
from agent_core.ids import AgentId
from agent_core.messages import JsonObject
from agent_core.testing.models import Held
from agent_core.testing.tools import FakeToolset
from agent_core.tree import AgentTree
from tests.agent_core.runtime.test_interventions import SESSION, by_run, reached, task
from tests.agent_core.runtime.threads import begin, end_of, inbound
from tests.agent_core.turn_events import at, made
from tests.runtimes import scripted_runtime

ROOT, CHILD = AgentId("turn:1/root"), AgentId("turn:1/root.a")


class Told:
    """A tree, and what it was told; each call is the next event, a second later."""

    def __init__(self) -> None:
        self.tree = AgentTree()
        self.events: list[AnyEvent] = []

    def __call__(self, kind: str, run: str = "root", /, **fields: Any) -> tuple[AgentId, ...]:
        number = len(self.events) + 1
        at = {"session": SESSION, "turn": "turn:1", "step": 0, "n": number}
        event = made(kind, number, run=run, **at | fields)
        self.events.append(event)
        return self.tree.take(number, event)

    def begun(self) -> "Told":
        """A root run with one child at work."""
        self("turn_started", text="Compare A and B.")
        self("run_started", parent=None, agent="universal-agent", task="Compare A and B.")
        self("run_started", "root.a", task="What is A?")
        return self

    def said(self, run: str, text: str, step: int = 1) -> None:
        usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_tokens": 2}
        self("step_finished", run, step=step, text=text, usage=usage)

    def called(self, run: str, call: str, **arguments: Any) -> None:
        self("tool_call_started", run, call_id=call, tool="look", arguments=arguments)

    def returned(self, run: str, call: str, **ended: Any) -> None:
        self("tool_call_finished", run, call_id=call, tool="look", **ended)

    def state(self, agent: AgentId) -> JsonObject:
        return self.tree.agents[agent].as_json()


@pytest.mark.proves("agent.state")
def test_an_agent_is_told_with_the_names_of_the_description() -> None:
    told = Told().begun()
    assert told.state(ROOT) | {"metadata": {}} == {
        "agentId": ROOT,
        "parentId": None,
        "status": "running",
        "userContent": "Compare A and B.",
        "userComment": None,
        "subagents": [CHILD],
        "messages": [{"role": "user", "content": "Compare A and B."}],
        "result": None,
        "metadata": {},
        "createdAt": 1_795_271_453_123,
    }
    assert (told.state(CHILD)["parentId"], told.state(CHILD)["metadata"]["agent"]) == (
        ROOT,
        "explorer",
    )


@pytest.mark.proves("agent.state")
def test_steps_tools_tokens_and_files_are_counted_for_the_run_that_has_them() -> None:
    told = Told().begun()
    told.said("root.a", "I look.")
    told.called("root.a", "x", query="A", token="xoxb-1234567890-abcdefgh")
    told.called("root.a", "y")
    told("tool_call_progressed", "root.a", call_id="y", tool="look", text="half")
    told.returned("root.a", "x")
    saved = {"path": "work_products/a.html", "title": "A", "mimetype": "text/html"}
    told("artifact_saved", "root.a", **saved, size_bytes=7)
    told.said("root.a", "A is good.", step=2)
    metadata = told.state(CHILD)["metadata"]
    assert [(tool["state"], tool["durationMs"], tool["display"]) for tool in metadata["tools"]] == [
        ("done", 1250, ""),
        ("running", None, "half"),
    ]
    assert "xoxb-1234567890" not in metadata["tools"][0]["arguments"]
    assert metadata["tokens"]["total"] == 34
    assert metadata["steps"] == 2
    assert metadata["artifacts"] == [saved | {"sizeBytes": 7}]
    assert told.state(CHILD)["messages"][1:] == [
        {"role": "assistant", "content": "I look."},
        {"role": "assistant", "content": "A is good."},
    ]
    assert told.state(ROOT)["metadata"]["tokens"]["total"] == 0


@pytest.mark.proves("agent.queued")
def test_a_child_that_waits_for_a_seat_is_queued_and_its_time_counts_from_its_first_step() -> None:
    told = Told().begun()
    before = told.state(CHILD)["metadata"]
    assert (before["isQueued"], before["startedAt"]) == (True, None)
    told("step_started", "root.a", step=1)
    during = told.state(CHILD)["metadata"]
    assert during["isQueued"] is False
    assert during["startedAt"] is not None
    assert told.state(ROOT)["metadata"]["isQueued"] is False


@pytest.mark.proves("agent.ends")
@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("answered", "completed"),
        ("limited", "completed"),
        ("failed", "failed"),
        ("stopped", "stopped"),
    ],
)
def test_how_runs_end_is_their_status_and_the_answer_is_marked(outcome: str, status: str) -> None:
    told = Told().begun()
    told("run_finished", "root.a", outcome=outcome, text="Of A.")
    assert (told.state(CHILD)["status"], told.state(CHILD)["result"]) == (status, "Of A.")
    assert not told.state(CHILD)["metadata"]["isFinalAnswer"]
    told("turn_finished", outcome=outcome, answer="All.", reference="r", is_tainted=True)
    root = told.state(ROOT)
    assert (root["status"], root["result"]) == (status, "All.")
    assert root["metadata"]["isFinalAnswer"] == (status == "completed")
    assert root["metadata"]["isTainted"]


@pytest.mark.proves("agent.ends")
def test_no_part_is_at_work_once_its_turn_has_ended() -> None:
    told = Told().begun()
    told("turn_finished", outcome="failed", answer="It broke.", reference="r", is_tainted=True)
    cut = told.state(CHILD)
    assert (cut["status"], cut["metadata"]["isQueued"]) == ("stopped", False)


@pytest.mark.proves("agent.waits")
def test_a_question_waits_with_its_options_until_the_run_goes_on() -> None:
    told = Told().begun()
    ask = {"ask": "1", "call_id": "q", "deadline": at(60)}
    told("question_asked", **ask, question="Which one?", options=["A", "B"])
    root = told.state(ROOT)
    assert root["status"] == "waiting"
    assert (root["metadata"]["wait"]["prompt"], root["metadata"]["wait"]["options"]) == (
        "Which one?",
        ["A", "B"],
    )
    told("step_started", "root.a", step=1)
    assert told.state(ROOT)["status"] == "waiting"
    told("message_taken", author="T1:U1", author_name="Ann", text="A", taken="turn:2")
    assert (told.state(ROOT)["status"], told.state(ROOT)["metadata"]["wait"]) == ("running", None)


@pytest.mark.proves("agent.live")
def test_live_text_is_what_the_step_under_way_has_said() -> None:
    told = Told().begun()
    told("step_started", "root.a", step=1)
    assert told("text_delta", "root.a", step=1, text="Hel") == (CHILD,)
    told("step_retried", "root.a", step=1, attempt=2, reason="busy", wait_s=1.0)
    told("text_delta", "root.a", step=1, attempt=2, text="Hello")
    assert told.state(CHILD)["metadata"]["live"] == "Hello"
    told.said("root.a", "Hello.")
    told("text_delta", "root.a", step=1, attempt=2, text=" too late")
    assert told.state(CHILD)["metadata"]["live"] == ""
    anew = ATTEMPTS_A_GENERATION + 1
    told("text_delta", "root.a", step=1, attempt=anew, text="After a restart")
    assert told.state(CHILD)["metadata"]["live"] == "After a restart"


@pytest.mark.proves("agent.interventions")
def test_who_stepped_in_is_told_and_whether_the_run_has_taken_it_in() -> None:
    told = Told().begun()
    by = {"by": "T1:U2", "by_name": "Ben"}
    told("intervened", "root.a", n=101, key="x", what="comment", text="Poland, too", **by)
    told("intervened", "root.a", n=102, key="y", what="content", text="What is C?", **by)
    taken = {"author": "T1:U2", "author_name": "Ben", "text": "Poland, too", "taken": ""}
    told("message_taken", "root.a", **taken, intervention=101)
    child = told.state(CHILD)
    assert (child["userContent"], child["userComment"]["text"]) == ("What is C?", "Poland, too")
    assert [
        (each["kind"], each["byName"], each["taken"]) for each in child["metadata"]["interventions"]
    ] == [("comment", "Ben", True), ("content", "Ben", False)]


def test_a_message_that_became_part_of_another_turn_is_no_agent() -> None:
    told = Told()
    told("turn_started", text="")
    told("turn_finished", outcome="steered", answer="", reference="")
    assert told.tree.agents == {}


@pytest.mark.proves("agent.later")
async def test_a_tree_that_was_watched_is_the_one_that_is_opened_later(tmp_path: Path) -> None:
    held = Held(then="Of b.")
    model = by_run(root=[(task("a"), task("b")), "Both."], a=["Of a."], b=[held])
    async with scripted_runtime(tmp_path, model=model, tools=FakeToolset({})) as runtime:
        turn = await begin(runtime, inbound("continue"))
        await reached(held)
        tree = await runtime.tree(SESSION)
        held.release.set()
        async for place, event in runtime.events(SESSION, after=tree.cursor):
            tree.take(place, event)
            if event.kind == "turn_finished":
                break
        await end_of(runtime, turn)
        live = {agent: state.as_json() for agent, state in tree.agents.items()}
        assert len(live) == 3
    async with scripted_runtime(tmp_path, model=by_run(root=[])) as runtime:
        later = await runtime.tree(SESSION)
    assert {agent: state.as_json() for agent, state in later.agents.items()} == live
