"""A run: steps until there is no tool call, or a limit. New needs come in through hooks."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_core.events import Outcome, RunFinished, RunStarted
from agent_core.ids import RunId
from agent_core.loop.agent import Agent, RunScope
from agent_core.loop.limits import Tally
from agent_core.loop.step import StepResult, run_step
from agent_core.messages import Message
from agent_core.prompts import prompt

DECLINED = "The model declined to answer this request."
NO_WORDS = "The work ended without a closing word from the model. Ask again, or reply “continue”."


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

    Args:
        agent: Who runs.
        earlier: History of earlier turns; sent, not stored again.
        opening: What this run begins with; stored with what it adds.
        scope: Where the run takes place.
        parent: The run whose tool call started this one.
        task: The request, for the run's readers.
    """
    await scope.emit(RunStarted(**scope.at(0, 0), parent=parent, agent=agent.name, task=task))
    await scope.save(0, opening)
    history = [*earlier, *opening]
    tally = Tally()
    limit: str | None = None
    while True:
        closing = prompt("wrap_up", limit=limit) if limit else ""
        place = len(history) - len(earlier)
        step = await run_step(agent, history, scope, tally.steps + 1, place=place, closing=closing)
        history.extend(step.messages)
        tally = tally.plus(step.usage, step.started_at, step.finished_at)
        if step.is_final:
            break
        limit = tally.reached(agent.limits)
    result = RunResult(outcome="limited" if limit else "answered", text=_words(step))
    await scope.emit(RunFinished(**scope.at(0, 1), outcome=result.outcome, text=result.text))
    return result


def _words(step: StepResult) -> str:
    if step.reply.message.text:
        return step.reply.message.text
    return DECLINED if step.reply.stop_reason == "refusal" else NO_WORDS
