"""What our hub costs beside a bare `mcp.Client`, and what many tools cost the model.

`python -m tests.bench.tools [--json]`. `call_ratio_*`: a call through the registry and the hub, as
the loop makes it, over the same call of a bare client to the same server, in turn in one run
(medians; over stdio each has its own process of the same program). `tokens_*`: what the model is
told of so many tools at a conversation's start, our own toolkit included, at four characters of
JSON a token; `tokens_500_found` is the most after each of several searches, which bring what they
find into sight.
"""

import statistics
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from agent_core.loop.calls import ask_user_tool
from agent_core.mcp import McpHub, ServerConfig, StdioServer
from agent_core.messages import Message, ToolResult
from agent_core.models import ToolSpec
from agent_core.subagents.task import child_tools, shipped_specs
from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import AgentTools, Registry, Toolset, tools_in_sight
from agent_core.tools.search import FIND_TOOLS, tokens_of
from tests.agent_core.mcp.loopback import served
from tests.agent_core.tools.catalogue import catalogue, fake_tools
from tests.bench.results import Result, run
from tests.tool_calls import echo_server, tool_context

WARM_UP = 30
CALLS = 400
WORDS = "a line of some length, as tools say them"
SEARCHES = ("create a calendar event", "10-K filings", "refund a charge", "share a folder")

Once = Callable[[], Awaitable[object]]


async def timed_ms(once: Once) -> float:
    started = time.perf_counter()
    await once()
    return (time.perf_counter() - started) * 1000


async def measure_ratio(name: str, ours: Once, bare: Once) -> list[Result]:
    """Call by call in turn, so that what else the machine does falls on both."""
    for _ in range(WARM_UP):
        await ours()
        await bare()
    pairs = [(await timed_ms(ours), await timed_ms(bare)) for _ in range(CALLS)]
    our_ms = statistics.median(our_ms for our_ms, _ in pairs)
    bare_ms = statistics.median(bare_ms for _, bare_ms in pairs)
    return [
        Result(name=f"call_ours_{name}_ms", value=round(our_ms, 3), unit="ms"),
        Result(name=f"call_bare_{name}_ms", value=round(bare_ms, 3), unit="ms"),
        Result(name=f"call_ratio_{name}", value=round(our_ms / bare_ms, 3), unit="ratio", goal=1.2),
    ]


@asynccontextmanager
async def our_call(config: ServerConfig, workspace: Path) -> AsyncGenerator[Once]:
    hub = McpHub([config])
    registry = Registry(hub)
    context = tool_context(workspace)
    call = tool_call(f"mcp__{config.name}__echo", {"text": WORDS})

    async def once() -> None:
        output = await registry.run(call, context, ignore_progress)
        if output.text != WORDS:
            raise RuntimeError(f"the hub answered: {output.text}")

    try:
        yield once
    finally:
        await hub.close()


def bare_call(client: Client) -> Once:
    async def once() -> None:
        result = await client.call_tool("echo", {"text": WORDS})
        if result.is_error:
            raise RuntimeError(f"the server answered: {result.content}")

    return once


async def measure_stdio(workspace: Path) -> list[Result]:
    """Each has a process of its own, of the same program."""
    args = ["-m", "tests.bench.tools", "--serve-stdio"]
    config = StdioServer(name="child", command=sys.executable, args=tuple(args))
    parameters = StdioServerParameters(command=sys.executable, args=args)
    async with our_call(config, workspace) as ours, Client(stdio_client(parameters)) as client:
        return await measure_ratio("stdio", ours, bare_call(client))


async def measure_http(workspace: Path) -> list[Result]:
    async with AsyncExitStack() as stack:
        config = await stack.enter_async_context(served(echo_server()))
        ours = await stack.enter_async_context(our_call(config, workspace))
        client = await stack.enter_async_context(Client(config.url))
        return await measure_ratio("http", ours, bare_call(client))


@asynccontextmanager
async def our_toolkit() -> AsyncGenerator[Toolset]:
    args = ("-m", "mcp_local")
    hub = McpHub(
        [StdioServer(name="local_toolkit", command=sys.executable, args=args, trusted=True)]
    )
    try:
        yield hub
    finally:
        await hub.close()


async def measure_tokens(workspace: Path) -> list[Result]:
    body = (child_tools(shipped_specs())[0].spec, ask_user_tool().spec)
    results: list[Result] = []
    async with our_toolkit() as toolkit:
        for count in (10, 100, 500):
            own = await toolkit.specs(tool_context(workspace))
            tools = AgentTools(fake_tools([*own, *catalogue(count)]))
            specs = [*await tools.specs(tool_context(workspace)), *body]
            goal = 3_000 if count == 500 else None
            results += [
                _tokens(f"tokens_{count}", tools_in_sight(specs, ()), goal),
                _tokens(f"tokens_{count}_all", specs),
            ]
        results.append(await _tokens_found(tools, specs, workspace))
    return results


async def _tokens_found(tools: AgentTools, specs: Sequence[ToolSpec], workspace: Path) -> Result:
    history: list[Message] = []
    most = 0
    for number, query in enumerate(SEARCHES):
        call = tool_call(FIND_TOOLS, {"query": query}, id=f"call_{number}")
        output = await tools.run(call, tool_context(workspace), ignore_progress)
        history += [
            Message(role="assistant", parts=(call,)),
            Message(role="user", parts=(ToolResult(call_id=call.id, text=output.text),)),
        ]
        most = max(most, tokens_of(tools_in_sight(specs, history)))
    return Result(name="tokens_500_found", value=most, unit="tokens")


def _tokens(name: str, specs: Sequence[ToolSpec], goal: float | None = None) -> Result:
    return Result(name=name, value=tokens_of(specs), unit="tokens", goal=goal)


async def measure(workspace: Path) -> list[Result]:
    return [
        *await measure_stdio(workspace),
        *await measure_http(workspace),
        *await measure_tokens(workspace),
    ]


if __name__ == "__main__":
    if "--serve-stdio" in sys.argv:
        echo_server().run()
    else:
        run(__doc__, measure)
