"""Working stand-ins for tools: a toolset made of functions."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.testing.models import call
from agent_core.tools import (
    OnProgress,
    ToolContext,
    ToolOutput,
    fault_of_arguments,
    server_of,
    slug_of,
    unknown_tool,
)

ToolFunction = Callable[[JsonObject, ToolContext, OnProgress], Awaitable[ToolOutput | str]]
"""What a fake tool does with its arguments; a plain string is a result without further ado."""

tool_call = call
ANY_OBJECT: JsonObject = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeTool:
    """One tool: what the model is told of it, and what it does."""

    run: ToolFunction
    description: str = "A tool for tests."
    input_schema: JsonObject = field(default_factory=lambda: dict(ANY_OBJECT))
    is_repeatable: bool = True
    """False: it has an effect, which a second call would have again."""


class FakeToolset:
    """Runs functions as tools and keeps the calls it got, in their order.

    An exception of a function is an error output, as the protocol demands.
    """

    def __init__(self, tools: Mapping[str, FakeTool | ToolFunction]) -> None:
        self._tools = {
            name: tool if isinstance(tool, FakeTool) else FakeTool(run=tool)
            for name, tool in tools.items()
        }
        self.calls: list[ToolCall] = []
        self.contexts: list[ToolContext] = []

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        return [
            ToolSpec(
                name=name,
                server=server_of(name),
                slug=slug_of(name),
                description=tool.description,
                input_schema=tool.input_schema,
                is_repeatable=tool.is_repeatable,
            )
            for name, tool in self._tools.items()
        ]

    async def run(self, call: ToolCall, context: ToolContext, progress: OnProgress) -> ToolOutput:
        self.calls.append(call)
        self.contexts.append(context)
        tool = self._tools.get(call.name)
        if tool is None:
            return unknown_tool(call.name, list(self._tools))
        if fault := fault_of_arguments(call.arguments, tool.input_schema):
            return ToolOutput(text=f"Invalid arguments for {call.name}: {fault}", is_error=True)
        try:
            output = await tool.run(call.arguments, context, progress)
        except Exception as error:  # noqa: BLE001 - a toolset never raises
            return ToolOutput(text=f"{type(error).__name__}: {error}", is_error=True)
        return ToolOutput(text=output) if isinstance(output, str) else output


async def ignore_progress(text: str) -> None:
    """A progress callback for tests that do not look at it."""
