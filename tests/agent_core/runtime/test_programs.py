"""Programs within turns: over a question and a restart, and where there is none."""

from pathlib import Path

import pytest

from agent_core.events import ArtifactSaved
from agent_core.programs import Interpreter
from agent_core.testing.models import ScriptedModel, ScriptLine, call
from tests.agent_core.runtime.threads import begin, end_of, events_of, told, waiting
from tests.runtimes import inbound, scripted_runtime

pytestmark = pytest.mark.process("programs run in processes of Monty")

ASK = call("ask_user", {"question": "Which year?"}, id="q")


def program(code: str, *, id: str = "p") -> ScriptLine:
    return call("run_python", {"code": code}, id=id)


async def test_variables_outlive_a_question_and_a_restart(tmp_path: Path) -> None:
    script = [program("x = 41\nplot('bar', {'a': x})"), ASK]
    async with scripted_runtime(
        tmp_path, interpreter=Interpreter(), model=ScriptedModel(script)
    ) as runtime:
        turn = await waiting(runtime, inbound("continue"))
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
