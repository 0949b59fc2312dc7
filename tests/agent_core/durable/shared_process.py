"""One of several processes that share a Postgres database. It does what its standard input says.

    python shared_process.py ROOT URL NAME

Lines of input: `say THREAD NUMBER TEXT`, `from_ben THREAD NUMBER TEXT`, `end`. What the process
does leaves lines `NAME what` in `done.log`; tools wait for a file `gate`. It says `ready` first.

The model calls a tool, then another one, then answers; it decides from the request alone.
"""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from agent_core.ids import UserId
from agent_core.messages import InboundMessage, JsonObject, Text, ToolResult
from agent_core.models import ModelRequest
from agent_core.runtime import Runtime
from agent_core.sessions import StoredTurn
from agent_core.testing.models import ScriptedModel, ScriptLine, call
from agent_core.testing.tools import FakeTool, FakeToolset
from agent_core.tools import OnProgress, ToolContext
from tests.runtimes import inbound, scripted_runtime


async def main(root: Path, url: str, name: str) -> None:
    def note(what: str) -> None:
        with (root / "done.log").open("a", encoding="utf-8") as file:
            file.write(f"{name} {what}\n")

    def decide(request: ModelRequest) -> ScriptLine:
        parts = [part for message in request.messages for part in message.parts]
        results = sum(isinstance(part, ToolResult) for part in parts)
        steered = [part.text for part in parts if isinstance(part, Text) and "While" in part.text]
        note(f"model {results}")
        if results < 2:
            return call("look" if results == 0 else "send", id=f"call{results}")
        return f"Done, {len(steered)} messages taken in."

    async def look(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        note(f"look for {context.session}")
        while not (root / "gate").exists():  # noqa: ASYNC110 (of another process)
            await asyncio.sleep(0.05)
        return "seen"

    async def send(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        note(f"sent for {context.session}")
        return "sent"

    def show(turn: StoredTurn, /, *, is_resumed: bool) -> None:
        shown.add(turn.id)

    shown: set[str] = set()
    tools = FakeToolset({"look": look, "send": FakeTool(run=send, is_repeatable=False)})
    model = ScriptedModel([decide] * 10_000)
    async with scripted_runtime(root, model=model, tools=tools, database_url=url) as runtime:
        await runtime.show_with("test", show)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await obey(runtime)


async def obey(runtime: Runtime) -> None:
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while (line := (await lines.readline()).decode().strip()) not in ("", "end"):
        await runtime.handle(message(line))


def message(line: str) -> InboundMessage:
    who, thread, number, text = line.split(" ", 3)
    said = inbound(text, number=int(number), thread=int(thread))
    if who == "say":
        return said
    return replace(said, asker=UserId("T1:U2"), author_name="Ben")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
