"""What runs beside each other cost: `python -m tests.bench.tree [--json]`.

`wall_N_children`: from a message to its answer, with N forked children of equal delay, over the
same with one. `memory_a_child_mb`: what the process holds more while 32 children of four threads
are at work, divided by them. `viewers_factor`: a run's time while 500 watch it, over the same alone
(`tests.bench.viewers`). Real turns, storage and DBOS; the models are scripted.
"""

import asyncio
import resource
import time
from pathlib import Path

from agent_core.events import TurnFinished
from agent_core.messages import JsonObject
from agent_core.models import ModelRequest
from agent_core.runtime import Runtime
from agent_core.subagents.task import SubagentSpec
from agent_core.testing.models import ScriptedModel, ScriptLine, call
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from tests.bench import viewers
from tests.bench.results import Result, come_to_rest, run
from tests.runtimes import inbound, scripted_runtime

DELAY_S = 2.0
COUNTS = (1, 4, 8)
THREADS = 4
AT_WORK = 8
EXPLORER = SubagentSpec(
    name="explorer", description="", tools=("look",), instructions="EXPLORE {{today}} {{workspace}}"
)


def decide(request: ModelRequest) -> ScriptLine:
    """A main agent that forks as many as it is told to, and children that look once."""
    spoken = sum(message.role == "assistant" for message in request.messages)
    if "EXPLORE" in request.system:
        return "Found it." if spoken else call("look", id="look")
    if spoken:
        return "I wait." if spoken == 1 else "All of it."
    count = int(request.messages[0].text.rpartition(" ")[2])
    return [call("fork", {"prompt": f"Part {n}"}, id=f"fork{n}") for n in range(count)]


class Looks:
    """The children's tool: it takes a while, or until it is let go."""

    def __init__(self) -> None:
        self.at_work = 0
        self.go_on: asyncio.Event | None = None

    async def __call__(
        self, arguments: JsonObject, context: ToolContext, progress: OnProgress
    ) -> str:
        self.at_work += 1
        try:
            await (asyncio.sleep(DELAY_S) if self.go_on is None else self.go_on.wait())
        finally:
            self.at_work -= 1
        return "seen " * 2_000


async def measure(root: Path) -> list[Result]:
    """The results in the order of the table."""
    looks = Looks()
    model, tools = ScriptedModel([decide] * 1_000), FakeToolset({"look": looks})
    async with scripted_runtime(root, model=model, tools=tools, specs=[EXPLORER]) as runtime:
        await answered(runtime, 1, 1)  # what is loaded once does not count
        walls_s = {count: await answered(runtime, count, 10 + count) for count in COUNTS}
        memory_mb = await held_mb(runtime, looks)
    ratios = [
        Result(
            name=f"wall_{count}_children",
            value=round(walls_s[count] / walls_s[1], 2),
            unit="x one",
            goal=1.5,
        )
        for count in COUNTS[1:]
    ]
    return [
        Result(name="wall_1_child", value=round(walls_s[1], 2), unit="s"),
        *ratios,
        Result(name="memory_a_child_mb", value=round(memory_mb, 2), unit="MB", goal=3.0),
        *await viewers.measure(root / "viewers"),
    ]


async def answered(runtime: Runtime, children: int, thread: int) -> float:
    """How long a turn with so many children takes, in seconds."""
    since_s = time.perf_counter()
    turn = await runtime.handle(inbound(f"Fork {children}", thread=thread))
    if turn is None:
        raise RuntimeError("the message has a turn already")
    async for _, event in runtime.events(turn):
        if isinstance(event, TurnFinished) and event.outcome != "answered":
            raise RuntimeError(f"the turn ended as {event.outcome}")
    return time.perf_counter() - since_s


async def held_mb(runtime: Runtime, looks: Looks) -> float:
    """What each child at work holds, in MB of the process's own memory."""
    before_mb, looks.go_on = resident_mb(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for thread in range(THREADS):
            group.create_task(answered(runtime, AT_WORK, 100 + thread))
        await come_to_rest(lambda: looks.at_work, THREADS * AT_WORK, patience_s=30.0, late_s=0.5)
        grown_mb = resident_mb() - before_mb
        looks.go_on.set()
    return grown_mb / (THREADS * AT_WORK)


def resident_mb() -> float:
    """Of this process, now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1024**2


if __name__ == "__main__":
    run(__doc__, measure)
