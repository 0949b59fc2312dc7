"""A run: steps until there is no tool call, or a limit. New needs come in through hooks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent_core.events import Outcome, RunFinished, RunStarted
from agent_core.ids import RunId
from agent_core.loop.agent import Agent, RunLimits, RunScope
from agent_core.loop.step import RecordedCall, run_step
from agent_core.messages import Message, ToolResult, is_visible, user_message
from agent_core.prompts import prompt
from agent_core.words import Words

CUT = ("max_tokens", "model_context_window_exceeded", "pause_turn")
"""Stop reasons of a reply that is not whole."""
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
    is_over = False
    while True:
        closing = ""
        if is_over:
            await scope.children.settle()
            closing = prompt("wrap_up")
        step, added = await run_step(
            agent,
            history,
            replace(scope, left=left),
            number=len(steps) + 1,
            seq=len(history) - len(earlier),
            closing=closing,
        )
        history.extend(added)
        scope = scope.acting_for(step.arrivals)
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
    return RunResult(outcome=outcome, text=_text(texts, step, scope.words))


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
    if is_visible(text):
        return text
    is_refused = step.reply.stop_reason == "refusal"
    return words("answer-declined" if is_refused else "answer-no-words")
