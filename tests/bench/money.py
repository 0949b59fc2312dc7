"""What caps let through, and how much of its input a turn reads from the prompt cache.

`python -m tests.bench.money [--json]`. Fifty turns at once, in two processes on one Postgres, meet
a cap of the workspace: `overdraft` is what they spend beyond it, in calls a run. `cache reads` are
the share of input that ten steps read from the cache, from the requests that were really sent: as
Anthropic caches, whatever an earlier request had up to one of its cache points.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

from agent_core.events import StepFinished
from agent_core.runtime import build_runtime
from bot.sandbox.model import ReplyText, ToolUse
from tests.agent_core.runtime.test_budget import A_CALL, TOOLS, cost_of, free, spender
from tests.agent_core.runtime.threads import begin, end_of
from tests.bench.overhead import core_settings
from tests.bench.results import Result, run
from tests.postgres import new_database, postgres
from tests.runtimes import inbound, scripted_runtime
from tests.scripted_stand_in import ScriptedStandIn

PROCESSES = 2
TURNS = 25
"""Of each process."""
CAP_USD = 1.0
STEPS = 10
LOOK_BACK = 20
"""So many blocks before a cache point the provider looks for what it has."""
PAGE_CHARS = 4_000
"""A step reads about a page."""


async def spend_in_process(root: Path, url: str, number: int) -> None:
    """Have this process's turns spend; print what came of it."""
    model = spender()
    classifier = free("COMPLEX")
    caps = {"team": CAP_USD}
    async with scripted_runtime(
        root, model=model, tools=TOOLS, caps=caps, classifier=classifier, database_url=url
    ) as runtime:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        threads = range(number * TURNS + 1, (number + 1) * TURNS + 1)
        turns = [await begin(runtime, inbound("look around", thread=each)) for each in threads]
        ends = [await end_of(runtime, turn) for turn in turns]
    closings = [request.payer for request in model.requests if not request.may_call_tools]
    report = {
        "usd": cost_of(model),
        "closings": len(closings),
        "runs_with_two": len(closings) - len(set(closings)),
        "silent": sum("this workspace has used up" not in end.answer for end in ends),
    }
    sys.stdout.write(f"{json.dumps(report)}\n")


async def measure_caps(root: Path) -> list[Result]:
    with postgres(for_benchmark=True) as server:
        url = new_database(server)
        processes: list[asyncio.subprocess.Process] = []
        for number in range(PROCESSES):
            command = (sys.executable, "-m", "tests.bench.money", "spend", str(root / str(number)))
            process = await asyncio.create_subprocess_exec(
                *command,
                url,
                str(number),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
            processes.append(process)
            await _line(process)
        for process in processes:
            cast("asyncio.StreamWriter", process.stdin).write(b"go\n")
        reports = [json.loads(await _line(process)) for process in processes]
        for process in processes:
            await process.wait()
    total = {name: sum(report[name] for report in reports) for name in reports[0]}
    beyond = max(total["usd"] - CAP_USD, 0.0)
    calls_a_run = beyond / A_CALL.cost_usd / max(total["closings"], 1)
    return [
        Result(name="spent", value=round(total["usd"], 3), unit="USD"),
        Result(name="overdraft", value=round(calls_a_run, 3), unit="calls a run", goal=1),
        Result(name="runs with two calls beyond", value=total["runs_with_two"], unit="", goal=0),
        Result(name="turns ended without words", value=total["silent"], unit="", goal=0),
    ]


async def _line(process: asyncio.subprocess.Process) -> str:
    return (await cast("asyncio.StreamReader", process.stdout).readline()).decode().strip()


async def measure_cache(root: Path) -> list[Result]:
    page = "Heat pumps in old houses. " * (PAGE_CHARS // 26)
    async with (
        ScriptedStandIn() as model,
        build_runtime(core_settings(model.base_url, root)) as runtime,
    ):
        shares: list[float] = []
        known: set[str] = set()
        for thread in (1, 2):
            before = len(model.calls)
            for number in range(STEPS - 1):
                arguments = {"path": f"notes/{number}.md", "content": f"{number} {page}"}
                tool = "mcp__local_toolkit__write_local_file"
                model.play(ToolUse(name=tool, input=arguments))
            model.play(ReplyText(text="Done."))
            turn = await begin(runtime, inbound("continue", thread=thread))
            steps = [event async for _, event in runtime.events(turn)]
            if sum(isinstance(event, StepFinished) for event in steps) != STEPS:
                raise RuntimeError("the turn has other steps than were played")
            bodies = [cast("dict[str, Any]", call.body) for call in model.calls[before:]]
            shares.append(read_share(bodies, known))
    first, second = (round(share, 3) for share in shares)
    # Ten calls read at most 90 % where not even the tools are there yet.
    return [
        Result(name="cache reads of the first turn", value=first, unit="of input"),
        Result(
            name="cache reads of a turn", value=second, unit="of input", goal=0.9, at_least=True
        ),
    ]


def read_share(bodies: Sequence[dict[str, Any]], known: set[str]) -> float:
    """Which part of the input of these requests is read from the cache, which `known` stands for.

    It has the prefixes that earlier requests wrote, up to each of their cache points.
    """
    read = whole = 0
    for body in bodies:
        blocks = list(_blocks(body))
        texts = [json.dumps(block | {"cache_control": None}, sort_keys=True) for block in blocks]
        prefixes = list(accumulate(texts))
        points = [number for number, block in enumerate(blocks) if "cache_control" in block]
        hits = [
            len(prefixes[number])
            for point in points
            for number in range(max(0, point - LOOK_BACK), point + 1)
            if prefixes[number] in known
        ]
        read += max(hits, default=0)
        whole += len(prefixes[-1])
        known.update(prefixes[point] for point in points)
    return read / whole


def _blocks(body: dict[str, Any]) -> list[dict[str, Any]]:
    """All that is cached, in the order of the provider: tools, system, messages."""
    blocks = [*body.get("tools", ()), *body.get("system", ())]
    for message in body["messages"]:
        blocks += [{**block, "role": message["role"]} for block in message["content"]]
    return blocks


async def measure(root: Path) -> list[Result]:
    return [*await measure_caps(root / "caps"), *await measure_cache(root / "cache")]


def main() -> None:
    if sys.argv[1:2] == ["spend"]:
        root, url, number = sys.argv[2:]
        asyncio.run(spend_in_process(Path(root), url, int(number)))
    else:
        run(__doc__, measure)


if __name__ == "__main__":
    main()
