"""A run: steps until there is no tool call, or a limit. New needs come in through hooks.

A step is a model call, then the tool calls it asked for (`calls.py`).
"""

from collections.abc import Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.context.history import load_pictures, repaired
from agent_core.errors import ChildRefused, ModelUnavailable
from agent_core.events import (
    HeadingWritten,
    Outcome,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TextDelta,
    Usage,
)
from agent_core.fault_points import fault_point
from agent_core.ids import RunId, ToolCallId
from agent_core.loop.agent import (
    Agent,
    Arrival,
    ChildResult,
    RunLimits,
    RunScope,
    names_away,
)
from agent_core.loop.calls import Headings, run_calls
from agent_core.messages import (
    Message,
    Part,
    Payer,
    Text,
    ToolCall,
    ToolResult,
    is_visible,
    user_message,
)
from agent_core.models import CUT, CallDelta, Delta, ModelRequest, Reply, Retried
from agent_core.models.metered import Cap, CapReached
from agent_core.prompts import prompt
from agent_core.tools import ToolContext, tools_in_sight
from agent_core.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """A finished model call, as it is recorded."""

    reply: Reply
    attempt: int
    duration_s: float
    finished_at: datetime
    arrivals: tuple[Arrival, ...] = ()
    """What came in meanwhile; the model saw it."""
    cap: Cap | None = None
    """The cap at which the call was not made, and its reply is empty, or was the run's last one."""

    @property
    def started_at(self) -> datetime:
        return self.finished_at - timedelta(seconds=self.duration_s)

    @property
    def spoken(self) -> str:
        """The reply's words as they came, so that a cut answer can be joined."""
        parts = self.reply.message.parts
        return "".join(part.text for part in parts if isinstance(part, Text))

    @property
    def is_final(self) -> bool:
        return not self.reply.message.tool_calls


RECORDED_CALL: TypeAdapter[RecordedCall] = TypeAdapter(RecordedCall)
MAX_TASK_CHARS = 200


async def run_step(
    agent: Agent,
    history: Sequence[Message],
    scope: RunScope,
    number: int,
    *,
    seq: int,
    closing: str = "",
) -> tuple[RecordedCall, tuple[Message, ...]]:
    """Make step `number` of a run, counted from 1; its model call, and what it adds to the history.

    That is what came in, the reply, and the results of its calls; it is stored as it comes, from
    position `seq` of the run's history on. Words of `closing` end the run: the model is told them
    and may call no more tools.

    Raises:
        Asked: a call waits for a person.
    """
    with tracing.span(f"conversation_iteration_{number}", run=scope.context.run):
        call = await _call_model(
            agent,
            history,
            scope,
            number,
            seq,
            closing,
        )
        if call.cap is not None:
            return call, _messages(call.arrivals)
        scope = scope.acting_for(call.arrivals)
        await _begin_again(call.arrivals, scope)
        message = _with_fresh_ids(call.reply.message, history)
        if message.text:
            text = message.text
            tracing.note("reasoning", length=len(text), **tracing.content(text_preview=text))
        if call.reply.thinking:
            text = call.reply.thinking
            tracing.note("thinking", length=len(text), **tracing.content(thinking_preview=text))
        if closing:
            parts = tuple(part for part in message.parts if part.kind != "tool_call")
            message = replace(message, parts=parts)
        added = (*_messages(call.arrivals), message)
        await scope.save(seq, added)
        if message.tool_calls:
            behind = seq + len(added)
            results = await run_calls(
                agent,
                message.tool_calls,
                scope,
                number,
                seq=behind,
            )
            added = (*added, results)
    return replace(call, reply=replace(call.reply, message=message)), added


async def _begin_again(arrivals: Sequence[Arrival], scope: RunScope) -> None:
    """Begin the children that people want to be done again."""
    for each in arrivals:
        child = None if isinstance(each, ChildResult) else each.again
        if child is None:
            continue
        with suppress(ChildRefused):  # too much is at work, or nothing left to work with
            acting = scope.acting_as(child.asker or scope.context.asker, "")
            key = child.run.removeprefix(f"{scope.context.run}.")
            await acting.fork(
                key,
                child.task,
                child.agent,
                title=child.title,
                context=child.context,
            )


def _messages(arrivals: Sequence[Arrival]) -> tuple[Message, ...]:
    """What came in meanwhile, as the model gets it."""
    return tuple(
        user_message(_result_text(each))
        if isinstance(each, ChildResult)
        else user_message(each.text, each.files)
        for each in arrivals
    )


def _result_text(result: ChildResult) -> str:
    """A child's result in words; its id and its task tell which it is."""
    task = " ".join(result.task.split())
    return prompt(
        "child_result",
        run=result.run,
        task=task if len(task) <= MAX_TASK_CHARS else f"{task[:MAX_TASK_CHARS]}…",
        ended="failed" if result.is_error else "has ended",
        text=result.text,
    )


async def _call_model(
    agent: Agent, history: Sequence[Message], scope: RunScope, number: int, seq: int, closing: str
) -> RecordedCall:
    what = names_away(agent.away(scope.context), scope.words)
    away = scope.words("notice-tools-away-now", what=what) if what else ""
    await scope.emit(StepStarted(**scope.at(number, 0), away=away))

    async def work() -> RecordedCall:
        arrivals = await scope.inbox.take(seq)
        added = _messages(arrivals)
        await scope.save(seq, added)
        await scope.announce(arrivals, number)
        acting = scope.acting_for(arrivals)
        request = await _request(
            agent,
            [*history, *added],
            acting.context,
            closing,
        )
        fault_point("model_call.before")
        try:
            call = await _stream(agent, request, acting, number)
        except CapReached as reached:
            message = Message(role="assistant", parts=())
            call = RecordedCall(
                reply=Reply(message=message, stop_reason="cap", usage=Usage(), model=""),
                attempt=1,
                duration_s=0.0,
                finished_at=scope.clock(),
                cap=reached.cap,
            )
        fault_point("model_call.after")
        return replace(call, arrivals=arrivals)

    call = await scope.steps.once(f"model:{agent.name}", work, RECORDED_CALL)
    # Told at once, and again from the record: a crash may have kept the first from the log.
    await scope.announce(call.arrivals, number)
    if call.cap is not None:
        return call
    await scope.emit(
        StepFinished(
            **scope.at(number, 1, call.attempt),
            text=call.reply.message.text,
            thinking=call.reply.thinking,
            model=call.reply.model,
            stop_reason=call.reply.stop_reason,
            usage=call.reply.usage,
            duration_s=call.duration_s,
            tool_calls=len(call.reply.message.tool_calls),
        )
    )
    return call


async def _request(
    agent: Agent, history: Sequence[Message], context: ToolContext, closing: str
) -> ModelRequest:
    """The request of a model call: the history, and tools as they can be had just now."""
    specs = tools_in_sight(await agent.tools.specs(context), history)
    lines = [f"- {name}: {reason}" for name, reason in agent.away(context).items()]
    away = prompt("tools_away", servers="\n".join(lines)) if lines else ""
    return ModelRequest(
        system=agent.system,
        messages=_with_closing(repaired(history), away, closing),
        pictures=await load_pictures(history, context.workspace),
        tools=(*specs, *(tool.spec for tool in agent.body_tools)),
        may_call_tools=not closing,
        payer=Payer(person=context.asker, session=context.session, turn=context.turn),
        may_overdraw=bool(closing),
    )


async def _stream(
    agent: Agent, request: ModelRequest, scope: RunScope, number: int
) -> RecordedCall:
    started_at = scope.clock()
    attempt = 1
    headings = Headings()
    async with aclosing(agent.model.stream(request)) as stream:
        async for item in stream:
            match item:
                case Delta() if scope.context.settings.values.cite_or_stay_silent:
                    pass  # an answer that may be withheld is not shown while it is written
                case Delta():
                    await scope.emit(TextDelta(**scope.at(number, 1, attempt), text=item.text))
                case CallDelta():
                    if heading := headings.newest(item):
                        await scope.emit(
                            HeadingWritten(
                                **scope.at(number, 1, attempt),
                                tool=item.tool,
                                heading=scope.gate.spoken(heading),
                            )
                        )
                case Retried():
                    attempt = item.attempt
                    headings = Headings()
                    await scope.emit(scope.retried(item, number, 1))
                case Reply():
                    finished_at = scope.clock()
                    return RecordedCall(
                        reply=item,
                        attempt=attempt,
                        duration_s=(finished_at - started_at).total_seconds(),
                        finished_at=finished_at,
                    )
    raise ModelUnavailable("The model ended its stream without a reply.")


def _with_closing(messages: tuple[Message, ...], *closing: str) -> tuple[Message, ...]:
    """Words for this call alone, behind all others."""
    more = tuple(Text(text=words) for words in closing if words)
    if not more or not messages:
        return messages
    last = messages[-1]
    return (*messages[:-1], replace(last, parts=(*last.parts, *more)))


def _with_fresh_ids(message: Message, history: Sequence[Message]) -> Message:
    """Some gateways number the calls of each reply anew, or alike: an id in use gets a suffix.

    The same on every replay, for it depends on the history alone.
    """
    used = {call.id for earlier in history for call in earlier.tool_calls}
    parts: list[Part] = []
    for position, part in enumerate(message.parts):
        if isinstance(part, ToolCall):
            if part.id in used:
                part = replace(part, id=ToolCallId(f"{part.id}_{len(history)}_{position}"))
            used.add(part.id)
        parts.append(part)
    return replace(message, parts=tuple(parts))


MAX_CONTINUATIONS = 3
GO_ON = (
    "Your reply was cut off by its length limit. Go on exactly where you stopped; repeat nothing."
)
PAUSED = "You paused. Go on exactly where you stopped; repeat nothing."
REMINDER = "You have not called `{tool}` with success: nobody sees what you write. Call it now."
SAY_IT = "Your reply was empty. Say in words what you did and found, for the person who asked."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    outcome: Outcome
    text: str
    has_findings: bool = False
    """Of one that was stopped: an answer could be made of what there is."""
    cap: Cap | None = None
    """The cap that ended it; without a text nothing was begun."""


async def run_agent(
    agent: Agent,
    earlier: Sequence[Message],
    opening: Sequence[Message],
    scope: RunScope,
    *,
    parent: RunId | None,
    task: str,
) -> RunResult:
    """Run an agent to its end and return what it says.

    `earlier` is the history of earlier turns, sent and not stored again; `opening` is what this run
    begins with, stored with what it adds; `task` is the request, for the run's readers. A failure
    is announced by the caller, who knows the words for it.

    Raises:
        Asked: the run waits for a person; it goes on from its history when the answer is there.
    """
    await scope.emit(
        RunStarted(
            **scope.at(0, 0),
            parent=parent,
            agent=agent.name,
            task=task,
        )
    )
    with tracing.agent_span(agent.name, scope.context.turn):
        result = await _run_steps(agent, earlier, opening, scope)
    await scope.emit(
        RunFinished(
            **scope.at(0, 1),
            outcome=result.outcome,
            text=result.text,
        )
    )
    return result


async def _run_steps(
    agent: Agent, earlier: Sequence[Message], opening: Sequence[Message], scope: RunScope
) -> RunResult:
    await scope.save(0, opening)
    history = [*earlier, *opening]
    steps: list[RecordedCall] = []
    left = agent.limits
    texts: list[str] = []
    is_over = not agent.limits.max_steps
    while True:
        closing = await _closing(scope) if is_over else ""
        step, added = await _step_within_caps(
            agent,
            history,
            replace(scope, left=left),
            number=len(steps) + 1,
            seq=len(history) - len(earlier),
            closing=closing,
        )
        history.extend(added)
        scope = scope.acting_for(step.arrivals)
        is_over |= step.cap is not None
        steps.append(step)
        left = _left(agent.limits, steps)
        if step.is_final:
            texts.append(step.spoken)
            if is_over:
                break
            own = history[len(earlier) :]
            request = _request_to_go_on(step, texts) or _reminder(agent, own)
            if request is not None:
                await scope.save(len(own), (request,))
                history.append(request)
            elif await scope.children.settle():
                texts.clear()  # its last words come when it has all results
            else:
                break
        is_over = _is_over(
            agent.limits,
            left,
            len(steps),
            scope.children.tokens,
        )
    is_limited = is_over | (step.reply.stop_reason in CUT)
    outcome = "limited" if is_limited else "answered"
    return RunResult(outcome=outcome, text=_text(texts, step, scope.words), cap=step.cap)


async def _closing(scope: RunScope) -> str:
    """What the last call of a run that is over is told, once all its children have ended."""
    await scope.children.settle()
    return prompt("wrap_up")


async def _step_within_caps(
    agent: Agent,
    history: Sequence[Message],
    scope: RunScope,
    number: int,
    *,
    seq: int,
    closing: str,
) -> tuple[RecordedCall, tuple[Message, ...]]:
    """As `run_step`. At a cap one more call, beyond it, answers with what there is, if anything."""
    step, added = await run_step(agent, history, scope, number, seq=seq, closing=closing)
    if step.cap is None:
        return step, added
    has_work = number > 1 or added or scope.history or await scope.children.settle()
    if closing or not has_work:
        return step, added
    last, answer = await run_step(
        agent,
        [*history, *added],
        scope.acting_for(step.arrivals),
        number,
        seq=seq + len(added),
        closing=await _closing(scope),
    )
    return replace(last, cap=step.cap), (*added, *answer)


def _left(limits: RunLimits, steps: Sequence[RecordedCall]) -> RunLimits:
    """What the run's own model calls leave of time and tokens; steps are each run's own.

    Times come from recorded steps, so a replay decides the same.
    """
    spent_s = (steps[-1].finished_at - steps[0].started_at).total_seconds()
    tokens = sum(step.reply.usage.total_tokens for step in steps)
    return replace(
        limits,
        max_duration_s=max(limits.max_duration_s - spent_s, 0.0),
        max_tokens=max(limits.max_tokens - tokens, 0),
    )


def _is_over(limits: RunLimits, left: RunLimits, steps: int, child_tokens: int) -> bool:
    """Whether a limit is reached."""
    has_time = steps < limits.max_steps and bool(left.max_duration_s)
    return not has_time or left.max_tokens <= child_tokens


def _request_to_go_on(step: RecordedCall, texts: Sequence[str]) -> Message | None:
    """What to ask a model whose words were cut off or did not come; None when they are whole."""
    if len(texts) > MAX_CONTINUATIONS:
        return None
    match step.reply.stop_reason:
        case "max_tokens":
            return user_message(GO_ON)
        case "pause_turn":
            return user_message(PAUSED)
        case "end_turn" if not is_visible("".join(texts)):
            return user_message(SAY_IT)
        case _:
            return None


def _reminder(agent: Agent, run: Sequence[Message]) -> Message | None:
    """Said once to a run that ends without the call by which it gives its result."""
    if not agent.owes:
        return None
    reminder = user_message(REMINDER.format(tool=agent.owes))
    succeeded = {
        part.call_id
        for message in run
        for part in message.parts
        if isinstance(part, ToolResult) and not part.is_error
    }
    calls = [call for message in run for call in message.tool_calls if call.name == agent.owes]
    is_given = any(call.id in succeeded for call in calls)
    return None if is_given or reminder in run else reminder


def _text(texts: Sequence[str], step: RecordedCall, words: Words) -> str:
    text = "".join(texts).strip()
    if step.reply.stop_reason in CUT:
        return f"{text}…\n\n{words('answer-cut-off')}"
    if is_visible(text) or step.cap:
        return text
    is_refused = step.reply.stop_reason == "refusal"
    return words("answer-declined" if is_refused else "answer-no-words")
