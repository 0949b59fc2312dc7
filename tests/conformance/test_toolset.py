"""What every toolset promises, the fake included."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp.server.mcpserver import Context

from agent_core.mcp import McpHub, ServerConfig, StdioServer
from agent_core.messages import JsonObject
from agent_core.testing.tools import FakeTool, FakeToolset, ignore_progress, tool_call
from agent_core.tools import AgentTools, OnProgress, Registry, ToolContext, Toolset
from tests.agent_core.mcp.loopback import served
from tests.tool_calls import echo_server, tool_context

pytestmark = pytest.mark.process("one of the toolsets is a process")

TEXT: JsonObject = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}
RAW_SERVER = Path(__file__).parents[1] / "agent_core" / "mcp" / "servers" / "raw.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A toolset with a tool that says its `text` back and one that never ends."""

    toolset: Toolset
    echo: str
    hang: str


async def echo(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    return arguments["text"]


async def hang(_: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    await progress("begun")
    await asyncio.Event().wait()
    return "never"


def fake_toolset() -> FakeToolset:
    return FakeToolset({"echo": FakeTool(run=echo, input_schema=TEXT), "hang": hang})


@asynccontextmanager
async def fake() -> AsyncGenerator[Subject, None]:
    yield Subject(toolset=fake_toolset(), echo="echo", hang="hang")


@asynccontextmanager
async def restricted() -> AsyncGenerator[Subject, None]:
    view = AgentTools(Registry(fake_toolset()), ["echo", "hang"])
    yield Subject(toolset=view, echo="echo", hang="hang")


@asynccontextmanager
async def over(config: ServerConfig) -> AsyncGenerator[Subject, None]:
    hub = McpHub([config])
    prefix = f"mcp__{config.name}__"
    try:
        yield Subject(toolset=hub, echo=f"{prefix}echo", hang=f"{prefix}hang")
    finally:
        await hub.close()


@asynccontextmanager
async def http_hub() -> AsyncGenerator[Subject, None]:
    server = echo_server("near")

    async def hang(ctx: Context) -> str:
        await ctx.report_progress(1, None, "begun")
        await asyncio.Event().wait()
        return "never"

    server.add_tool(hang)
    async with served(server) as config, over(config) as subject:
        yield subject


def stdio_hub() -> AbstractAsyncContextManager[Subject]:
    args = ("-I", str(RAW_SERVER), "well")
    return over(StdioServer(name="raw", command=sys.executable, args=args))


SUBJECTS: list[Callable[[], AbstractAsyncContextManager[Subject]]] = [
    fake,
    restricted,
    http_hub,
    stdio_hub,
]


@pytest.fixture(params=SUBJECTS, ids=lambda make: make.__name__)
async def subject(request: pytest.FixtureRequest) -> AsyncGenerator[Subject, None]:
    async with request.param() as subject:
        yield subject


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return tool_context(tmp_path)


async def test_specs_have_unique_names_and_object_schemas(
    subject: Subject, context: ToolContext
) -> None:
    specs = await subject.toolset.specs(context)
    names = [spec.name for spec in specs]
    assert {subject.echo, subject.hang} <= set(names)
    assert len(set(names)) == len(names)
    assert all(spec.input_schema["type"] == "object" for spec in specs)


async def test_a_call_gets_its_result(subject: Subject, context: ToolContext) -> None:
    call = tool_call(subject.echo, {"text": "hello"})
    output = await subject.toolset.run(call, context, ignore_progress)
    assert (output.text, output.is_error) == ("hello", False)


@pytest.mark.parametrize("name", ["", "nothing", "mcp__raw__nothing", "mcp__near__", "é" * 500])
async def test_an_unknown_tool_is_a_value(
    subject: Subject, context: ToolContext, name: str
) -> None:
    output = await subject.toolset.run(tool_call(name), context, ignore_progress)
    assert output.is_error
    assert output.text


@pytest.mark.parametrize("arguments", [{}, {"text": 7}, {"text": None}, {"other": "x"}])
async def test_invalid_arguments_are_a_value_that_names_the_field(
    subject: Subject, context: ToolContext, arguments: JsonObject
) -> None:
    output = await subject.toolset.run(tool_call(subject.echo, arguments), context, ignore_progress)
    assert output.is_error
    assert "text" in output.text


async def test_cancelling_a_call_ends_it_and_leaves_the_toolset_usable(
    subject: Subject, context: ToolContext
) -> None:
    begun = asyncio.Event()

    async def note(text: str) -> None:
        begun.set()

    running = asyncio.create_task(subject.toolset.run(tool_call(subject.hang), context, note))
    async with asyncio.timeout(10):
        await begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        call = tool_call(subject.echo, {"text": "next"})
        output = await subject.toolset.run(call, context, ignore_progress)
    assert output.text == "next"


async def test_calls_run_side_by_side(subject: Subject, context: ToolContext) -> None:
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        calls = [
            group.create_task(
                subject.toolset.run(
                    tool_call(subject.echo, {"text": str(n)}, id=f"c{n}"), context, ignore_progress
                )
            )
            for n in range(8)
        ]
    assert [each.result().text for each in calls] == [str(n) for n in range(8)]
