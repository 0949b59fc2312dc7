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
from agent_core.fault_points import fault_point
from agent_core.loop.agent import Agent, RunScope
from agent_core.messages import Message, ToolCall, ToolResult
from agent_core.sessions.turns import Question
from agent_core.tools import ToolOutput
from agent_core.tools.effects import is_repeatable, lost_result
from agent_core.tools.results import ResultLimits, fit

OUTPUT: TypeAdapter[ToolOutput] = TypeAdapter(ToolOutput)
IS_SO: TypeAdapter[bool] = TypeAdapter(bool)
PREVIEW_CHARS = 1000
FIRST_ARTIFACT_SLOT = 1000
ONE_QUESTION = "One question at a time: this one was not asked. Ask it later if you still need to."


NOT_ASKED = (
    "Not asked: somebody wrote in the thread meanwhile. Read that first, and ask again if you "
    "still need to."
)


class Asked(Exception):
    """A call waits for a person; the other calls of its step are done, with these results."""

    def __init__(self, question: Question, results: Message | None) -> None:
        super().__init__(question.text)
        self.question = question
        self.results = results


async def run_calls(agent: Agent, calls: Sequence[ToolCall], scope: RunScope, step: int) -> Message:
    """Run the calls and return the user message with their results.

    Raises:
        Asked: one of the calls is a question to a person.
    """
    for index, call in enumerate(calls):
        await _announce_start(call, scope, step, index)
    # Tasks begin in the order of their making and record their steps before they first wait, so a
    # replay meets the same order.
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_run_call(agent, call, scope, step, index))
            for index, call in enumerate(calls)
        ]
    outcomes = [task.result() for task in tasks]
    results, question = _sorted(outcomes)
    if question is None:
        return Message(role="user", parts=results)
    if await scope.steps.once("written meanwhile", scope.has_messages, IS_SO):
        unasked = ToolResult(call_id=question.call_id, text=NOT_ASKED, is_error=True)
        return Message(role="user", parts=(*results, unasked))
    raise Asked(question, Message(role="user", parts=results) if results else None)


def _sorted(
    outcomes: Sequence[ToolResult | Question],
) -> tuple[tuple[ToolResult, ...], Question | None]:
    """The results, and the first question; further ones are answered with a refusal."""
    results: list[ToolResult] = []
    first: Question | None = None
    for outcome in outcomes:
        if isinstance(outcome, ToolResult):
            results.append(outcome)
        elif first is None:
            first = outcome
        else:
            results.append(ToolResult(call_id=outcome.call_id, text=ONE_QUESTION, is_error=True))
    return tuple(results), first


async def _run_call(
    agent: Agent, call: ToolCall, scope: RunScope, step: int, index: int
) -> ToolResult | Question:
    output = await _output(agent, call, scope, step, index)
    if isinstance(output, Question):
        await _announce_end(call, ToolOutput(text=""), scope, step, index)
        return output
    scope.after_tool_call(call, output, scope.context)
    await _announce_end(call, output, scope, step, index)
    return ToolResult(call_id=call.id, text=output.text, is_error=output.is_error)


async def _output(
    agent: Agent, call: ToolCall, scope: RunScope, step: int, index: int
) -> ToolOutput | Question:
    for tool in agent.body_tools:
        if tool.spec.name == call.name:
            output = await tool.run(call, scope)
            if isinstance(output, Question):
                return output
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
        specs = await agent.tools.specs(scope.context)
        if not is_repeatable(call, specs) and not await scope.begin_effect(call.id):
            return lost_result()
        fault_point("tool_call.before")
        output = await agent.tools.run(call, scope.context, progress)
        fault_point("tool_call.after")
        return output

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
            may_have_happened=output.may_have_happened,
        )
    )


def _duration_s(output: ToolOutput) -> float:
    if output.started_at is None or output.finished_at is None:
        return 0.0
    return (output.finished_at - output.started_at).total_seconds()
