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
from agent_core.loop.agent import RunLimits, RunScope
from agent_core.loop.run import run_agent
from agent_core.messages import JsonObject, user_message
from agent_core.observers.corpus import correction
from agent_core.runtime.closing import child_failure
from agent_core.runtime.opening import one_line
from agent_core.runtime.parts import STRING, TurnParts
from agent_core.runtime.run import begin_run
from agent_core.sessions import StoredTurn
from agent_core.subagents.children import (
    CHILD_REQUEST,
    CHILD_RESULT,
    STOPPED,
    Stopped,
    result_of,
)

CORRECTION_SLOT = 2

logger = logging.getLogger(__name__)


async def run_child(parts: TurnParts, steps: Steps, payload: object) -> JsonObject:
    """Do what a ChildRequest asks for; a ChildResult, whatever happens.

    The body replays: it branches only on records and stored facts.
    """
    child, limits, generation = as_recorded(payload, CHILD_REQUEST)
    turn, _, scope = await begin_run(
        parts,
        steps,
        child.turn,
        child.run,
        agent=child.agent,
        limits=limits,
        generation=generation,
        asker=child.asker,
    )
    finished = await parts.log.of_turn(child.turn, "run_finished") if generation > 1 else []
    if not any(each.run == child.run and each.generation < generation for each in finished):
        await _run_child(parts, turn, child, limits, scope)
    ended = result_of(await parts.log.of_turn(child.turn), child)
    return CHILD_RESULT.dump_python(ended, mode="json")


async def _run_child(
    parts: TurnParts, turn: StoredTurn, child: RunStarted, limits: RunLimits, scope: RunScope
) -> None:
    run = child.run
    if await parts.inbox.ending(turn.id, run):
        parts.at_work.stop(turn.id, run)
    work = _work_as_child(parts, turn, child, limits, scope)
    try:
        await parts.at_work.unless_stopped(turn, run, work)
    except Stopped:
        await scope.emit(await _ended(parts, scope))
    except Exception as error:
        if cannot_replay(error):
            raise
        logger.exception("run %s of turn %s failed", run, turn.id)
        parts.at_work.stop(turn.id, run)  # nobody is left to take in what runs below it find
        failure = child_failure(error)
        await scope.emit(RunFinished(**scope.at(0, 1), outcome="failed", text=failure))
    else:
        if not await parts.inbox.ending(turn.id, run):
            await _check(parts, child, scope)


async def _work_as_child(
    parts: TurnParts, turn: StoredTurn, child: RunStarted, limits: RunLimits, scope: RunScope
) -> None:
    async with scope.children.at_work():
        agent = parts.agents.subagent(
            child.agent,
            today=local_time(turn.inbound.received_at, scope.context.zone),
            workspace=scope.context.workspace,
            limits=limits,
            run=child.run,
        )
        opening = scope.history or (user_message(child.task),)
        await run_agent(
            agent,
            (),
            opening,
            scope,
            parent=child.parent,
            task=child.task,
        )


async def _ended(parts: TurnParts, scope: RunScope) -> RunFinished:
    """What a run comes to that was ended from outside, for whoever waits for it."""
    turn, run = scope.context.turn, scope.context.run
    at = scope.at(0, 1)
    ending = await parts.inbox.ending(turn, run)
    if ending is None:
        return RunFinished(**at, outcome="stopped", text=STOPPED)
    name = one_line(ending.by_name)
    findings = _findings_of(await parts.log.of_turn(turn), run)
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
    last_text = ""
    paths: dict[str, None] = {}
    for event in events:
        match event:
            case StepFinished() if event.run == run:
                last_text = event.text.strip() or last_text
            case ArtifactSaved() if is_in_branch(event.run, run):
                paths[f"`{event.path}`"] = None
            case _:
                pass
    files = f"Files: {', '.join(paths)}" if paths else ""
    return "\n\n".join(filter(None, (last_text, files)))


async def _check(parts: TurnParts, child: RunStarted, scope: RunScope) -> None:
    """Hold the run against the rule that its agent's definition names, if it names one."""
    if not parts.agents.spec(child.agent).complete_when:
        return
    messages = await parts.store.run_messages(child.turn, child.run)
    called = [call.name for message in messages for call in message.tool_calls]

    async def check() -> str:
        workspace = scope.context.workspace
        return await asyncio.to_thread(correction, child.task, called, workspace) or ""

    text = await scope.steps.once("compliance", check, STRING)
    if text:
        tracing.note("subagent_compliance_message_injected", agent=child.agent)
        at = scope.at(0, CORRECTION_SLOT)
        await scope.emit(CorrectionInjected(**at, agent=child.agent, text=text))
