"""What it costs a run to be watched by 500 people: its time with and without them.

`uv run python -m tests.bench.viewers` prints it alone. The viewers are in a process of their own.
"""

import asyncio
import statistics
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import aiohttp

from agent_core.models import Delta, ModelRequest, Reply
from agent_core.testing.models import text_reply
from bot.console.live import MAX_SOCKETS
from tests.bench.results import Result, run
from tests.bot.console.world import ConsoleWorld, console_world, visitor

VIEWERS = 500
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


async def measure(root: Path, *, viewers: int = VIEWERS) -> Sequence[Result]:
    """The run's median time without and with viewers, and how many saw it to its end."""
    alone: list[float] = []
    watched: list[float] = []
    saw = 0
    await asyncio.to_thread(root.mkdir, exist_ok=True)
    async with console_world(root, PacedModel()) as world:
        cookies = [await _cookie(world, n) for n in range(-(-viewers // MAX_SOCKETS))]
        await _run_s(world)
        for _ in range(ROUNDS):
            alone.append(await _run_s(world))
            async with _watching(world, ";".join(cookies), viewers) as process:
                watched.append(await _run_s(world))
                assert process.stdout is not None
                saw = int(await process.stdout.readline())
    factor = statistics.median(watched) / statistics.median(alone)
    return [
        Result(name="run_unwatched", value=round(statistics.median(alone), 3), unit="s"),
        Result(name="run_watched", value=round(statistics.median(watched), 3), unit="s"),
        Result(name="viewers_factor", value=round(factor, 3), unit="x", goal=GOAL_FACTOR),
        Result(name="viewers_to_the_end", value=saw, unit="", goal=viewers, at_least=True),
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
    world: ConsoleWorld, cookies: str, viewers: int
) -> AsyncGenerator[asyncio.subprocess.Process]:
    url = f"{world.address}/ws?session={world.session}"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.viewers", "watch", url, cookies, str(viewers),
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


async def watch(url: str, cookies: Sequence[str], viewers: int) -> None:
    """So many viewers: a line when all are there, another with how many saw the end."""
    there = asyncio.Semaphore(0)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as http:

        async def see(number: int) -> bool:
            cookie = {"Cookie": cookies[number % len(cookies)]}
            async with http.ws_connect(url, headers=cookie) as socket:
                async for message in socket:
                    if '"type":"ready"' in message.data:
                        there.release()
                    elif '"type":"agent-completed"' in message.data:
                        return True
            return False

        async with asyncio.TaskGroup() as group:
            seeing = [group.create_task(see(number)) for number in range(viewers)]
            for _ in range(viewers):
                await there.acquire()
            print("there", flush=True)  # noqa: T201
    print(sum(task.result() for task in seeing), flush=True)  # noqa: T201


if __name__ == "__main__":
    if sys.argv[1:2] == ["watch"]:
        asyncio.run(watch(sys.argv[2], sys.argv[3].split(";"), int(sys.argv[4])))
    else:
        run(__doc__, measure, viewers=VIEWERS)
