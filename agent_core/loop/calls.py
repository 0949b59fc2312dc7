"""The tool calls of one step: all in parallel, each answered exactly once, in the model's order.

`ask_user` is here, too: its call becomes an Ask, a question whose answer the turn waits for.
`Headings` reads a call that the model is still writing.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from itertools import count
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

from agent_core import tracing
from agent_core.consent import ask_of
from agent_core.events import ArtifactSaved, ToolCallFinished, ToolCallProgressed, ToolCallStarted
from agent_core.fault_points import fault_point
from agent_core.loop.agent import Agent, BodyTool, RunScope
from agent_core.messages import Message, ToolCall, ToolResult
from agent_core.models import CallDelta, ToolSpec
from agent_core.prompts import prompt, schema
from agent_core.sessions import Ask, Question
from agent_core.tools import LOST_RESULT, OnProgress, ToolOutput, fit, opened, sources_in

ASK_USER = "ask_user"
MAX_OPTIONS = 10
PATIENCE = timedelta(days=7)
"""How long a question waits for its answer."""

FIRST_SLOT = 2
BOOL: TypeAdapter[bool] = TypeAdapter(bool)
PREVIEW_CHARS = 1000
FIRST_ARTIFACT_SLOT = 1000
ONE_QUESTION = "One question at a time: this one was not asked. Ask it later if you still need to."
NOT_ASKED = (
    "Not asked: somebody wrote in the thread meanwhile. Read that first, and ask again if you "
    "still need to."
)


_EDITED = (
    "A person changed this call before they approved it. It was made with these arguments: "
    "{arguments}\n\n{text}"
)

MAX_TAIL_CHARS = 400
"""So much is looked at again, since a heading may come in pieces."""

_HEADING = re.compile(r'(?:\\n|")## +((?:[^"\\]|\\[^n])+?)\s*\\n')
"""A Markdown section in a JSON string, where a line's end is written `\\n`."""
_NUMBERED = re.compile(r"\d+[.):]?\s")

PERFORMED: TypeAdapter[list[ToolOutput] | Ask] = TypeAdapter(list[ToolOutput] | Ask)
"""A call as it is recorded: made, or kept back until a person has done something about it."""


class Asked(Exception):
    """A call waits for a person; others of its step are done, or come later."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(ask.kind)
        self.ask = ask


async def run_calls(
    agent: Agent,
    calls: Sequence[ToolCall],
    scope: RunScope,
    step: int,
    *,
    seq: int,
    first_slot: int = FIRST_SLOT,
    is_announced: bool = False,
) -> Message:
    """Run the calls, all in parallel, and return the user message with their results.

    It is stored at position `seq` of the run's history, also where some of the calls wait. Their
    events begin at `first_slot` of the step. Those that are announced are begun again after a wait:
    their readers know of them.

    Raises:
        Asked: a person has to answer, approve or connect something first.
    """
    slots = list(zip(count(first_slot, 2), calls, strict=False))
    if not is_announced:
        for slot, call in slots:
            await _announce_start(call, scope, step, slot)
    # Tasks begin in the order of their making and record their steps before they first wait, so a
    # replay meets the same order.
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_run_call(agent, call, scope, step, slot)) for slot, call in slots
        ]
    outcomes = [task.result() for task in tasks]
    results, ask = _sorted(outcomes)
    if ask is not None and await _is_outdated(ask, scope):
        unasked = ToolResult(call_id=ask.call_id, text=NOT_ASKED, is_error=True)
        results = (*results, unasked)
        ask = None
    message = Message(role="user", parts=results)
    if results:
        await scope.save(seq, (message,))
    if ask is not None:
        raise Asked(ask)
    return message


async def _is_outdated(ask: Ask, scope: RunScope) -> bool:
    """Whether somebody wrote before a question was asked."""
    if ask.kind != "question":
        return False
    return await scope.steps.once("written meanwhile", scope.inbox.has_messages, BOOL)


def _sorted(outcomes: Sequence[ToolResult | Ask]) -> tuple[tuple[ToolResult, ...], Ask | None]:
    """The results, and the Ask that the turn waits for first.

    Approvals and connections go before questions, one after another: a call without a result is
    begun again after the wait. A further question is answered with a refusal.
    """
    asks = [each for each in outcomes if isinstance(each, Ask)]
    before_questions = [each for each in asks if each.kind != "question"]
    first = next(iter(before_questions or asks), None)
    results: list[ToolResult] = []
    for each in outcomes:
        if isinstance(each, ToolResult):
            results.append(each)
        elif each.kind == "question" and each is not first:
            unasked = ToolResult(
                call_id=each.call_id,
                text=ONE_QUESTION,
                is_error=True,
            )
            results.append(unasked)
    return tuple(results), first


async def _run_call(
    agent: Agent, call: ToolCall, scope: RunScope, step: int, slot: int
) -> ToolResult | Ask:
    preview = tracing.content(input_preview=call.arguments)
    with tracing.tool_span(call.name, call.id, scope.context.run, **preview):
        output = await _output(agent, call, scope, step, slot)
        if isinstance(output, ToolOutput):
            return await end_call(call, output, scope, step, slot)
        if output.kind == "question":
            await _announce_end(call, ToolOutput(text=""), scope, step, slot)
        return output


async def end_call(
    call: ToolCall, output: ToolOutput, scope: RunScope, step: int, slot: int
) -> ToolResult:
    """Tell everybody how a call ended; its result for the model."""
    scope.after_tool_call(call, output, scope.context)
    await _announce_end(
        call,
        output,
        scope,
        step,
        slot,
    )
    return ToolResult(
        call_id=call.id,
        text=output.text,
        is_error=output.is_error,
        picture=output.picture,
    )


async def _output(
    agent: Agent, call: ToolCall, scope: RunScope, step: int, slot: int
) -> ToolOutput | Ask:
    for tool in agent.body_tools:
        if tool.spec.name == call.name:
            output = await tool.output(call, scope)
            if isinstance(output, Ask):
                return output
            return await fit(output, call.id, scope.context)

    async def progress(text: str) -> None:
        at = scope.at(step, slot)
        await scope.emit(
            ToolCallProgressed(
                **at,
                call_id=call.id,
                tool=call.name,
                text=scope.gate.spoken(text),
            )
        )

    async def work() -> list[ToolOutput] | Ask:
        done = await _perform(agent, call, scope, progress)
        return [done] if isinstance(done, ToolOutput) else done

    performed = await scope.steps.once(f"tool:{call.name}", work, PERFORMED)
    return performed[0] if isinstance(performed, list) else performed


async def _perform(
    agent: Agent, call: ToolCall, scope: RunScope, progress: OnProgress
) -> ToolOutput | Ask:
    """Make the call, if nothing and nobody stands in its way."""
    specs = await agent.tools.specs(scope.context)
    spec = next((spec for spec in specs if spec.name == call.name), None)
    original = call
    if scope.generation > 1:  # a call that waited for a person
        call = await scope.gate.edited(call, scope.context)
    made = opened(call)
    held = await scope.gate.before(made, spec, scope.context)
    if held is not None:
        return held
    if not made.is_repeatable(spec) and not await scope.begin_effect(call.id):
        return LOST_RESULT
    fault_point("tool_call.before")
    output = await agent.tools.run(call, scope.context, progress)
    fault_point("tool_call.after")
    ended = await scope.gate.after(made, output, scope.context)
    if call is original or not isinstance(ended, ToolOutput):
        return ended
    changed = json.dumps(call.arguments, ensure_ascii=False)
    return replace(ended, text=_EDITED.format(arguments=changed, text=ended.text))


async def _announce_start(call: ToolCall, scope: RunScope, step: int, slot: int) -> None:
    at = scope.at(step, slot)
    await scope.emit(
        ToolCallStarted(
            **at,
            call_id=call.id,
            tool=call.name,
            arguments=call.arguments,
        )
    )


async def _announce_end(
    call: ToolCall, output: ToolOutput, scope: RunScope, step: int, slot: int
) -> None:
    size = output.size_bytes or len(output.text.encode("utf-8", "replace"))
    tracing.note(
        "tool_result",
        tool_use_id=call.id,
        content_size=size,
        is_error=output.is_error,
        **tracing.content(content_preview=output.text),
    )
    duration_s = 0.0
    if output.started_at and output.finished_at:
        duration_s = (output.finished_at - output.started_at).total_seconds()
    for offset, artifact in enumerate(output.artifacts):
        at = scope.at(step, FIRST_ARTIFACT_SLOT * (slot // 2) + offset)
        await scope.emit(ArtifactSaved(**at, **asdict(artifact)))
    await scope.emit(
        ToolCallFinished(
            **scope.at(step, slot + 1),
            call_id=call.id,
            tool=call.name,
            is_error=output.is_error,
            preview=output.text[:PREVIEW_CHARS],
            size_bytes=size,
            duration_s=duration_s,
            may_have_happened=output.may_have_happened,
            sources=() if output.is_error else sources_in(output.text),
        )
    )


QuestionText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=3_000)
]
OptionText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class AskArguments(BaseModel):
    model_config = ConfigDict(extra="ignore")

    question: QuestionText
    options: Annotated[tuple[OptionText, ...], Field(max_length=MAX_OPTIONS)] = ()


def ask_user_tool() -> BodyTool:
    """The tool of the agent that speaks with the person."""

    async def ask(call: ToolCall, scope: RunScope) -> Ask:
        arguments = AskArguments.model_validate(call.arguments)
        question = Question(text=arguments.question, options=arguments.options)
        return ask_of(call.id, scope.context, question, scope.clock() + PATIENCE)

    spec = ToolSpec(
        name=ASK_USER,
        description=prompt(ASK_USER),
        input_schema=schema(ASK_USER),
    )
    return BodyTool(spec=spec, run=ask)


class Headings:
    """Headings of a text that a model is writing into a tool call, read while the call grows.

    A report is written into one call for a minute and more; they are what people can follow.
    """

    def __init__(self) -> None:
        self._tail = ""
        self._count = 0

    def newest(self, piece: CallDelta) -> str:
        """The heading that this piece ends, with the number of its section; mostly empty."""
        self._tail += piece.text
        newest = ""
        end = 0
        for match in _HEADING.finditer(self._tail):
            self._count += 1
            newest = self._numbered(match[1])
            end = match.end(1)
        self._tail = self._tail[end:][-MAX_TAIL_CHARS:]
        return newest

    def _numbered(self, written: str) -> str:
        try:
            heading = str(json.loads(f'"{written}"'))
        except ValueError:
            heading = written
        if _NUMBERED.match(heading):
            return heading
        return f"{self._count} {heading}"
