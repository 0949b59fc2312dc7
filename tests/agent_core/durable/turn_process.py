"""A process with one turn in it. It kills itself where a given call begins; run again, it goes on.

    python turn_process.py ROOT NAME [CALL]

The model decides from the request alone, so both processes behave alike; NAME is the main agent's.
Each model call and each tool call leaves a line in `paid.log`; the answer goes to `answer.txt`.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from agent_core.ids import TurnId
from agent_core.messages import JsonObject, ToolResult
from agent_core.models import ModelRequest
from agent_core.runtime import Runtime
from agent_core.testing.models import ScriptedModel, ScriptLine, call
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from tests.runtimes import inbound, scripted_runtime

CHILD_TOOL = "mcp__local_toolkit__search_corpus"
TASK = call(
    "Task",
    {"description": "d", "prompt": "A note.", "subagent_type": "report-creation-expert"},
    id="delegate",
)


async def main(root: Path, name: str, kill_at: str = "") -> None:
    def pay(what: str) -> None:
        with (root / "paid.log").open("a", encoding="utf-8") as file:
            file.write(f"{what}\n")
        if kill_at == what:
            os.kill(os.getpid(), signal.SIGKILL)

    def decide(request: ModelRequest) -> ScriptLine:
        results = [
            part.call_id
            for message in request.messages
            for part in message.parts
            if isinstance(part, ToolResult)
        ]
        is_child = "Report Creation Expert" in request.system
        pay(f"model {'child' if is_child else 'root'} {len(results)}")
        if is_child:
            return "The note." if results else call(CHILD_TOOL, id="child_look")
        looks = [call("look", id="one"), call("look", id="two")]
        return [looks, "unreachable", TASK, "All done."][len(results)]

    async def look(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        pay("tool")
        return "seen"

    tools = FakeToolset({"look": look, CHILD_TOOL: look})
    model = ScriptedModel([decide] * 20)
    async with scripted_runtime(root, model=model, tools=tools, main_name=name) as runtime:
        await follow(runtime, root)


async def follow(runtime: Runtime, root: Path) -> None:
    message = inbound("continue")
    await runtime.handle(message)
    turn_id = TurnId(f"turn:{message.key}")
    async with asyncio.timeout(30):
        async for _ in runtime.events(turn_id):
            pass
    turn = await runtime.turn(turn_id)
    (root / "answer.txt").write_text(turn.answer or "", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
