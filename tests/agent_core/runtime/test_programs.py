"""Programs within turns: over children that are runs, over a question, and where there is none."""

from pathlib import Path

import pytest

from agent_core.events import ArtifactSaved, ResultTaken, RunStarted
from agent_core.messages import Text, ToolResult
from agent_core.models import ModelRequest
from agent_core.testing.models import Line, ScriptedModel, call
from agent_core.testing.runtimes import inbound, scripted_runtime
from agent_core.tools.interpreter import Interpreter
from tests.agent_core.runtime.threads import begin, end_of, events_of, told, until

pytestmark = pytest.mark.process("programs run in processes of Monty")

ASK = call("ask_user", {"question": "Which year?"}, id="q")


def program(code: str, *, id: str = "p") -> Line:
    return call("run_python", {"code": code}, id=id)


def as_asked(request: ModelRequest) -> Line:
    """A child says what it was asked; the main agent runs a program over two of them."""
    parts = [part for message in request.messages for part in message.parts]
    results = [part.text for part in parts if isinstance(part, ToolResult)]
    asked = next(part.text for part in parts if isinstance(part, Text))
    if "explore" in request.system:
        return f"about {asked}"
    if not results:
        return program("results = [wait(i) for i in [fork(q) for q in ['moss', 'fern']]]\nresults")
    return f"It says {results[-1]}"


async def test_a_program_works_over_child_runs_and_has_their_results(tmp_path: Path) -> None:
    async with scripted_runtime(
        tmp_path, interpreter=Interpreter(), model=ScriptedModel([as_asked] * 4)
    ) as runtime:
        turn = await begin(runtime, inbound("continue"))
        events = await events_of(runtime, turn)
        assert "['about moss', 'about fern']" in (await end_of(runtime, turn)).answer
    children = [e for e in events if isinstance(e, RunStarted) and e.parent is not None]
    assert [(child.agent, child.task) for child in children] == [
        ("explorer", "moss"),
        ("explorer", "fern"),
    ]
    assert all(child.run.startswith("root.p.") for child in children)
    taken = [event.run for event in events if isinstance(event, ResultTaken)]
    assert sorted(taken) == sorted(child.run for child in children)


async def test_variables_outlive_a_question_and_a_restart(tmp_path: Path) -> None:
    script = [program("x = 41\nplot('bar', {'a': x})"), ASK]
    async with scripted_runtime(
        tmp_path, interpreter=Interpreter(), model=ScriptedModel(script)
    ) as runtime:
        turn = await begin(runtime, inbound("continue"))
        await until(runtime, turn, "waiting")
    model = ScriptedModel([program("x + 1", id="again"), "Done."])
    async with scripted_runtime(tmp_path, interpreter=Interpreter(), model=model) as runtime:
        await begin(runtime, inbound("2026", number=2))
        events = await events_of(runtime, turn)
    assert "Value:\n42" in told(model.requests[-1])
    assert [e.mimetype for e in events if isinstance(e, ArtifactSaved)] == ["image/svg+xml"]


@pytest.mark.proves("python.off")
async def test_where_programs_cannot_be_run_the_model_is_told_and_has_no_such_tool(
    tmp_path: Path,
) -> None:
    model = ScriptedModel([program("1"), "No."])
    interpreter = Interpreter(fault="pydantic-monty is not installed")
    async with scripted_runtime(tmp_path, model=model, interpreter=interpreter) as runtime:
        await end_of(runtime, await begin(runtime, inbound("continue")))
    assert "run_python: pydantic-monty is not installed" in told(model.requests[0])
    assert "run_python" not in {tool.name for tool in model.requests[0].tools}
    assert "There is no tool run_python" in told(model.requests[1])
