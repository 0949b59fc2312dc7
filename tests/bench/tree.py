"""What runs beside each other cost: `python -m tests.bench.tree [--json]`.

`wall_N_children`: from a message to its answer, with N forked children of equal delay, over the
same with one. `memory_a_child_mb`: what the process holds more while 32 children of four threads
are at work, divided by them. `viewers_factor`: a run's time while 500 watch it from a process of
their own, over the same alone. Real turns, storage and DBOS; the models are scripted.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import aiohttp

from agent_core.events import TurnFinished
from agent_core.messages import JsonObject
from agent_core.models import Delta, ModelRequest, Reply
from agent_core.runtime import Runtime
from agent_core.subagents.task import SubagentSpec
from agent_core.testing.models import ScriptedModel, ScriptLine, call, text_reply
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from bot.console.live import MAX_SOCKETS
from tests.bench.results import Result, come_to_rest, resident_mb, run
from tests.bot.console.world import ConsoleWorld, console_world, visitor
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
        *await measure_viewers(root / "viewers"),
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


VIEWERS = 500
MAX_COMING = 50
"""Whose first request is under way at once: more from one address give way to each other."""
ROUNDS = 3
WORDS = 600
WORDS_PER_S = 150.0
GOAL_FACTOR = 1.1


class PacedModel:
    """Writes at the pace of a real one, each time anew."""

    @property
    def name(self) -> str:
        return "paced"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Reply, None]:
        words = [f"word{number} " for number in range(WORDS)]
        clock = asyncio.get_running_loop().time
        begun_s = clock()
        for number, word in enumerate(words):
            await asyncio.sleep(begun_s + number / WORDS_PER_S - clock())
            yield Delta(text=word)
        yield text_reply("".join(words))


async def measure_viewers(root: Path) -> list[Result]:
    """The run's median time without and with viewers, and how many saw it to its end."""
    alone: list[float] = []
    watched: list[float] = []
    saw = 0
    await asyncio.to_thread(root.mkdir, exist_ok=True)
    async with console_world(root, PacedModel()) as world:
        cookies = [await _cookie(world, n) for n in range(-(-VIEWERS // MAX_SOCKETS))]
        await _run_s(world)
        for _ in range(ROUNDS):
            alone.append(await _run_s(world))
            async with _watching(world, ";".join(cookies)) as process:
                watched.append(await _run_s(world))
                assert process.stdout is not None
                saw = int(await process.stdout.readline())
    factor = statistics.median(watched) / statistics.median(alone)
    return [
        Result(name="run_unwatched", value=round(statistics.median(alone), 3), unit="s"),
        Result(name="run_watched", value=round(statistics.median(watched), 3), unit="s"),
        Result(name="viewers_factor", value=round(factor, 3), unit="x", goal=GOAL_FACTOR),
        Result(name="viewers_to_the_end", value=saw, unit="", goal=VIEWERS, at_least=True),
    ]


async def _cookie(world: ConsoleWorld, number: int) -> str:
    """Of one more person of the team."""
    users = world.slack.state.users
    user = replace(users[world.slack.user_id("ann")], id=f"U0VIEWER{number}")
    users[user.id] = user
    async with visitor(world, user.id) as person:
        return "=".join(person.cookie)


async def _run_s(world: ConsoleWorld) -> float:
    clock = asyncio.get_running_loop().time
    await world.say("Write something")
    begun_s = clock()
    [turn] = await world.runtime.sessions.unfinished(world.session)
    async for _ in world.runtime.events(turn.id):
        pass
    return clock() - begun_s


@asynccontextmanager
async def _watching(
    world: ConsoleWorld, cookies: str
) -> AsyncGenerator[asyncio.subprocess.Process]:
    url = f"{world.address}/ws?session={world.session}"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.tree", "watch", url, cookies,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        await process.stdout.readline()  # all are there
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def watch(url: str, cookies: Sequence[str]) -> None:
    """So many viewers: a line when all are there, another with how many saw the end."""
    there = asyncio.Semaphore(0)
    coming = asyncio.Semaphore(MAX_COMING)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as http:

        async def see(number: int) -> bool:
            cookie = {"Cookie": cookies[number % len(cookies)]}
            async with coming:
                socket = await http.ws_connect(url, headers=cookie)
            async with socket:
                async for message in socket:
                    if '"type":"ready"' in message.data:
                        there.release()
                    elif '"type":"agent-completed"' in message.data:
                        return True
            return False

        async with asyncio.TaskGroup() as group:
            seeing = [group.create_task(see(number)) for number in range(VIEWERS)]
            for _ in range(VIEWERS):
                await there.acquire()
            print("there", flush=True)  # noqa: T201
    print(sum(task.result() for task in seeing), flush=True)  # noqa: T201


if __name__ == "__main__":
    if sys.argv[1:2] == ["watch"]:
        asyncio.run(watch(sys.argv[2], sys.argv[3].split(";")))
    else:
        run(__doc__, measure)
