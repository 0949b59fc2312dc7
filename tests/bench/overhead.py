"""What our turn costs beside bare calls of the same model, both against the stand-in in one run.

`python -m tests.bench.overhead [--json]`. `iteration_extra_ms`: a tool iteration of ours (durable,
over the stdio toolkit, events and history stored) less one of a bare loop on the anthropic SDK with
the tool in process. `simple_ratio`: from a mention in Slack to the finished answer there, over one
bare call that takes 300 ms.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import anthropic

from agent_core.events import StepFinished, TurnFinished
from agent_core.runtime import Runtime, build_runtime
from agent_core.settings import CoreSettings
from bot.app import running_bot
from bot.sandbox.model import ReplyPace, ReplyText, ToolUse
from bot.settings import BotSettings
from tests.bench.results import Result, run
from tests.e2e.world import settings_of
from tests.faulty_slack import FaultySlack
from tests.runtimes import inbound
from tests.scripted_stand_in import ScriptedStandIn

ITERATIONS = 40
ROUNDS = 5
SIMPLE_ROUNDS = 7
CALL_S = 0.3
TOOL = "mcp__local_toolkit__list_local_files"


def core_settings(base_url: str, root: Path) -> CoreSettings:
    model = {"ANTHROPIC_API_KEY": "sandbox", "ANTHROPIC_BASE_URL": base_url}
    return settings_of(CoreSettings, model, workspaces_root=root, max_steps=ITERATIONS + 5)


@asynccontextmanager
async def model_process(turns: int) -> AsyncGenerator[str]:
    """The address of a stand-in in another process, so that its work is not counted as ours."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bench.overhead",
        "serve",
        str(turns),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the stand-in has no pipes")
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


async def serve_model(turns: int) -> None:
    """Print the address of a stand-in scripted for so many turns; stdin's end stops it."""
    async with ScriptedStandIn() as model:
        for _ in range(turns):
            model.play(ToolUse(name=TOOL, input={}), times=ITERATIONS)
            model.play(ReplyText(text="Done."))
        sys.stdout.write(f"{model.base_url}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


async def sent_prompt(root: Path) -> dict[str, Any]:
    """The prompt and the tools that our own turn sends, for the bare loop to send as well."""
    async with (
        ScriptedStandIn() as model,
        build_runtime(core_settings(model.base_url, root)) as runtime,
    ):
        model.play(ReplyText(text="Done."))
        await run_turn(runtime, thread=1)
        body = cast("dict[str, Any]", model.calls[-1].body)
    return {"system": body["system"], "tools": body["tools"]}


async def bare_iteration_ms(base_url: str, prompt: dict[str, Any]) -> float:
    """A loop as short as the SDK allows: stream, run the tool in process, again."""
    messages: list[Any] = [{"role": "user", "content": "continue"}]
    async with anthropic.AsyncAnthropic(api_key="sandbox", base_url=base_url) as client:
        started = time.perf_counter()
        while True:
            async with client.messages.stream(
                model="claude-sonnet-5-5", max_tokens=16_000, messages=messages, **prompt
            ) as stream:
                reply = await stream.get_final_message()
            if reply.stop_reason != "tool_use":
                break
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": "[]"}
                for block in reply.content
                if block.type == "tool_use"
            ]
            content = [block.model_dump(exclude_none=True) for block in reply.content]
            messages += [
                {"role": "assistant", "content": content},
                {"role": "user", "content": results},
            ]
        return (time.perf_counter() - started) * 1000 / ITERATIONS


async def run_turn(runtime: Runtime, thread: int) -> list[datetime]:
    """One turn in a session of its own; the moments at which its model calls were finished."""
    turn = await runtime.handle(inbound("continue", thread=thread))
    if turn is None:
        raise RuntimeError("the runtime did not take the message")
    moments: list[datetime] = []
    async for _, event in runtime.events(turn):
        if isinstance(event, StepFinished):
            moments.append(event.at)
        if isinstance(event, TurnFinished) and event.outcome != "answered":
            raise RuntimeError(f"the turn ended as {event.outcome}: {event.answer}")
    return moments


async def our_iteration_ms(runtime: Runtime, thread: int) -> float:
    """The mean time between two model calls of one turn with as many iterations."""
    moments = await run_turn(runtime, thread)
    if len(moments) != ITERATIONS + 1:
        raise RuntimeError(f"{len(moments)} steps instead of {ITERATIONS + 1}")
    return (moments[-1] - moments[0]).total_seconds() * 1000 / ITERATIONS


async def measure_iterations(root: Path) -> list[Result]:
    prompt = await sent_prompt(root / "prompt")
    async with (
        model_process(turns=2 + 2 * ROUNDS) as base_url,
        build_runtime(core_settings(base_url, root)) as runtime,
    ):
        await our_iteration_ms(runtime, thread=1)  # warms up both sides
        await bare_iteration_ms(base_url, prompt)
        ours: list[float] = []
        bare: list[float] = []
        for round_number in range(ROUNDS):
            bare.append(await bare_iteration_ms(base_url, prompt))
            ours.append(await our_iteration_ms(runtime, thread=round_number + 2))
    our_ms, bare_ms = statistics.median(ours), statistics.median(bare)
    return [
        Result(name="iteration_ours_ms", value=round(our_ms, 2), unit="ms"),
        Result(name="iteration_bare_ms", value=round(bare_ms, 2), unit="ms"),
        Result(name="iteration_extra_ms", value=round(our_ms - bare_ms, 2), unit="ms", goal=15),
    ]


async def bare_call_s(model: ScriptedStandIn) -> float:
    model.play(ReplyText(text="SIMPLE"))
    async with anthropic.AsyncAnthropic(api_key="sandbox", base_url=model.base_url) as client:
        started = time.perf_counter()
        async with client.messages.stream(
            model="claude-sonnet-5-5",
            max_tokens=4_000,
            messages=[{"role": "user", "content": "What is the capital of France?"}],
        ) as stream:
            await stream.get_final_message()
        return time.perf_counter() - started


async def mention_to_answer_s(model: ScriptedStandIn, slack: FaultySlack) -> float:
    """Both the classifier and the fast answer say SIMPLE here, so the answer is that word."""
    model.play(ReplyText(text="SIMPLE"), times=2)
    started = time.perf_counter()
    ts = await slack.say("ann", "general", f"{slack.mention} What is the capital of France?")
    await slack.wait_for(
        lambda s: [p for p in s.thread("general", ts) if p.user == s.bot_user_id], timeout_s=20
    )
    return time.perf_counter() - started


@asynccontextmanager
async def bot_beside(model: ScriptedStandIn, root: Path) -> AsyncGenerator[FaultySlack]:
    async with FaultySlack(rate_limits=False) as slack:
        settings = settings_of(BotSettings, slack.environment)
        async with running_bot(settings, core_settings(model.base_url, root)):
            await slack.connected(timeout_s=30)
            yield slack


async def measure_simple(root: Path) -> list[Result]:
    pace = ReplyPace(first_token_s=CALL_S)
    async with ScriptedStandIn(pace=pace) as model, bot_beside(model, root) as slack:
        await mention_to_answer_s(model, slack)
        await bare_call_s(model)
        ours: list[float] = []
        bare: list[float] = []
        for _ in range(SIMPLE_ROUNDS):
            bare.append(await bare_call_s(model))
            ours.append(await mention_to_answer_s(model, slack))
    our_s, bare_s = statistics.median(ours), statistics.median(bare)
    return [
        Result(name="simple_ours_ms", value=round(our_s * 1000, 1), unit="ms"),
        Result(name="simple_bare_ms", value=round(bare_s * 1000, 1), unit="ms"),
        Result(name="simple_ratio", value=round(our_s / bare_s, 3), unit="ratio", goal=1.15),
    ]


async def measure(root: Path) -> list[Result]:
    return [*await measure_iterations(root / "iterations"), *await measure_simple(root / "simple")]


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve_model(int(sys.argv[2])))
    else:
        run(__doc__, measure)
