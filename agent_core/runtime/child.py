"""The body of a sub-agent's run: it ends with a result for its parent, whatever happens."""

import asyncio
import logging
from collections.abc import Sequence

from agent_core import tracing
from agent_core.clock import local_time
from agent_core.durable import Steps, as_recorded, cannot_replay
from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    CorrectionInjected,
    RunFinished,
    RunStarted,
    StepFinished,
)
from agent_core.ids import RunId, is_in_branch
from agent_core.loop.agent import RunScope
from agent_core.loop.run import run_agent
from agent_core.messages import JsonObject, user_message
from agent_core.observers.corpus import correction
from agent_core.runtime.failures import child_failure
from agent_core.runtime.parts import STRING, TurnParts
from agent_core.runtime.ready_answers import (
    one_line,
)
from agent_core.runtime.scope import Work
from agent_core.runtime.stop import Stopped, StopSignals
from agent_core.subagents.children import (
    CHILD_RESULT,
    RUN_REQUEST,
    STOPPED,
    RunRequest,
    result_of,
)

CORRECTION_SLOT = 2

logger = logging.getLogger(__name__)


async def run_child(
    parts: TurnParts, signals: StopSignals, steps: Steps, payload: JsonObject
) -> JsonObject:
    """Do what a RunRequest asks for; a ChildResult, whatever happens.

    The body replays: it branches only on records and stored facts.
    """
    request = as_recorded(payload, RUN_REQUEST)
    child = request.started
    work = await Work.on(parts, child.turn)
    scope = await work.begin(request, steps)
    if not scope.before.has_ended:
        await _run_child(work, signals, request, scope)
    ended = result_of(await parts.log.of_turn(child.turn), child)
    return CHILD_RESULT.dump_python(ended, mode="json")


async def _run_child(
    work: Work, signals: StopSignals, request: RunRequest, scope: RunScope
) -> None:
    turn, run = work.turn, request.started.run
    if await work.ending(run):
        signals.give(turn.id, run)
    try:
        await signals.unless_given(turn, run, _work_as_child(work, request, scope))
    except Stopped:
        await scope.emit(await _ended(work, scope))
    except Exception as error:
        if cannot_replay(error):
            raise
        logger.exception("run %s of turn %s failed", run, turn.id)
        signals.give(turn.id, run)  # nobody is left to take in what runs below it find
        failure = child_failure(error)
        await scope.emit(RunFinished(**scope.at(0, 1), outcome="failed", text=failure))
    else:
        if not await work.ending(run):
            await _check(work.parts, request.started, scope)


async def _work_as_child(work: Work, request: RunRequest, scope: RunScope) -> None:
    child = request.started
    async with scope.children.at_work():
        agent = work.parts.agents.subagent(
            child.agent,
            today=local_time(work.turn.inbound.received_at, scope.context.zone),
            workspace=work.workspace,
            limits=request.limits,
            depth=request.depth,
        )
        opening = scope.before.history or (user_message(child.task),)
        await run_agent(
            agent,
            (),
            opening,
            scope,
            parent=child.parent,
            task=child.task,
        )


async def _ended(work: Work, scope: RunScope) -> RunFinished:
    """What a run comes to that was ended from outside, for whoever waits for it."""
    run, at = scope.context.run, scope.at(0, 1)
    ending = await work.ending(run)
    if ending is None:
        return RunFinished(**at, outcome="stopped", text=STOPPED)
    name = one_line(ending.by_name)
    findings = _findings_of(await work.parts.log.of_turn(work.turn.id), run)
    if ending.what == "done" and ending.run == run:
        result = f"({name} marked this as done.)\n\n{ending.text or findings}".strip()
        return RunFinished(**at, outcome="answered", text=result)
    text = f"This work was stopped by {name}."
    if ending.what == "retry" and ending.run == run:
        text = f"{name} wants this to be done again: it is begun anew, and that result counts."
    if ending.text:
        text += f" They said: {ending.text}"
    if findings:
        text += f"\n\nWhat it had found until then:\n\n{findings}"
    return RunFinished(**at, outcome="stopped", text=text)


def _findings_of(events: Sequence[AnyEvent], run: RunId) -> str:
    """For the model: the last words of a run that was ended, and the files saved in its branch."""
    texts = [e.text.strip() for e in events if isinstance(e, StepFinished) and e.run == run]
    last_text = next(filter(None, reversed(texts)), "")
    saved = [e for e in events if isinstance(e, ArtifactSaved) and is_in_branch(e.run, run)]
    paths = dict.fromkeys(each.path for each in saved)
    files = f"Files: {', '.join(f'`{path}`' for path in paths)}" if paths else ""
    return "\n\n".join(filter(None, (last_text, files)))


async def _check(parts: TurnParts, child: RunStarted, scope: RunScope) -> None:
    """Hold the run against the rule that its agent's definition names, if it names one."""
    if not parts.agents.spec(child.agent).complete_when:
        return
    messages = await parts.store.run_messages(child.turn, child.run)
    called = [call.name for message in messages for call in message.tool_calls]

    async def check() -> str:
        workspace = scope.context.workspace
        return (
            await asyncio.to_thread(
                correction,
                child.task,
                called,
                workspace,
            )
            or ""
        )

    text = await scope.steps.once("compliance", check, STRING)
    if text:
        tracing.note("subagent_compliance_message_injected", agent=child.agent)
        at = scope.at(0, CORRECTION_SLOT)
        await scope.emit(CorrectionInjected(**at, agent=child.agent, text=text))
