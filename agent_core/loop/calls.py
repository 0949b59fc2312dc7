"""The tool calls of one step: all in parallel, each answered exactly once, in the model's order."""

import asyncio
from collections.abc import Sequence

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.events import (
    ArtifactSaved,
    ToolCallFinished,
    ToolCallProgressed,
    ToolCallStarted,
)
from agent_core.loop.agent import Agent, RunScope
from agent_core.messages import Message, ToolCall, ToolResult
from agent_core.tools import ToolOutput
from agent_core.tools.results import ResultLimits, fit

OUTPUT: TypeAdapter[ToolOutput] = TypeAdapter(ToolOutput)
PREVIEW_CHARS = 1000
FIRST_ARTIFACT_SLOT = 1000


async def run_calls(agent: Agent, calls: Sequence[ToolCall], scope: RunScope, step: int) -> Message:
    """Run the calls and return the user message with their results."""
    for index, call in enumerate(calls):
        await _announce_start(call, scope, step, index)
    # Tasks begin in the order of their making and record their steps before they first wait, so a
    # replay meets the same order.
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_run_call(agent, call, scope, step, index))
            for index, call in enumerate(calls)
        ]
    return Message(role="user", parts=tuple(task.result() for task in tasks))


async def _run_call(
    agent: Agent, call: ToolCall, scope: RunScope, step: int, index: int
) -> ToolResult:
    output = await _output(agent, call, scope, step, index)
    scope.after_tool_call(call, output, scope.context)
    await _announce_end(call, output, scope, step, index)
    return ToolResult(call_id=call.id, text=output.text, is_error=output.is_error)


async def _output(
    agent: Agent, call: ToolCall, scope: RunScope, step: int, index: int
) -> ToolOutput:
    for tool in agent.body_tools:
        if tool.spec.name == call.name:
            output = await tool.run(call, scope)
            return await fit(
                output,
                call=call.id,
                run=scope.context.run,
                workspace=scope.context.workspace,
                limits=ResultLimits(),
            )

    async def progress(text: str) -> None:
        at = scope.at(step, _slot(index))
        await scope.emit(ToolCallProgressed(**at, call_id=call.id, tool=call.name, text=text))

    async def work() -> ToolOutput:
        return await agent.tools.run(call, scope.context, progress)

    return await scope.steps.once(f"tool:{call.name}", work, OUTPUT)


def _slot(index: int) -> int:
    return 2 + 2 * index


async def _announce_start(call: ToolCall, scope: RunScope, step: int, index: int) -> None:
    tracing.note("tool_call", tool_name=call.name, tool_id=call.id, run=scope.context.run)
    at = scope.at(step, _slot(index))
    await scope.emit(
        ToolCallStarted(**at, call_id=call.id, tool=call.name, arguments=call.arguments)
    )


async def _announce_end(
    call: ToolCall, output: ToolOutput, scope: RunScope, step: int, index: int
) -> None:
    tracing.note(
        "tool_result",
        tool_use_id=call.id,
        content_size=output.size_bytes,
        is_error=output.is_error,
    )
    for offset, artifact in enumerate(output.artifacts):
        at = scope.at(step, FIRST_ARTIFACT_SLOT * (index + 1) + offset)
        await scope.emit(
            ArtifactSaved(
                **at,
                path=artifact.path,
                title=artifact.title,
                mimetype=artifact.mimetype,
                size_bytes=artifact.size_bytes,
            )
        )
    await scope.emit(
        ToolCallFinished(
            **scope.at(step, _slot(index) + 1),
            call_id=call.id,
            tool=call.name,
            is_error=output.is_error,
            preview=output.text[:PREVIEW_CHARS],
            size_bytes=output.size_bytes,
            duration_s=_duration_s(output),
            display=output.display,
        )
    )


def _duration_s(output: ToolOutput) -> float:
    if output.started_at is None or output.finished_at is None:
        return 0.0
    return (output.finished_at - output.started_at).total_seconds()
