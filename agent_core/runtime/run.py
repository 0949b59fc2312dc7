"""What a run works with, its scope and its inbox; and the body of a sub-agent's run.

A turn is a tree of runs: the root run of the main agent, and below it those that runs start. What a
run may touch is in its scope, so that the loop knows neither sessions nor storage.
`agent_core/sessions/inbox.py` says which rows a run takes in, and why none is lost or doubled.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.clock import local_time
from agent_core.durable import GuardedSteps, Steps, as_recorded, cannot_replay
from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    CorrectionInjected,
    Intervened,
    MessageTaken,
    RunFinished,
    RunStarted,
    StepFinished,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId, UserId, is_in_branch
from agent_core.loop.agent import Arrival, ChildResult, RunLimits, RunScope, SteeringMessage
from agent_core.loop.run import run_agent
from agent_core.messages import JsonObject, Message, user_message
from agent_core.observers import ToolObserved
from agent_core.observers.corpus import correction
from agent_core.prompts import prompt
from agent_core.runtime.closing import child_failure, end_silently
from agent_core.runtime.opening import (
    moment_words,
    one_line,
    read_attached,
    sent_text,
    thread_language,
)
from agent_core.runtime.parts import STRING, TurnParts
from agent_core.sessions import (
    EventLog,
    InboxKind,
    InboxRow,
    SessionStore,
    StoredTurn,
    again_run,
)
from agent_core.subagents.children import (
    CHILD_REQUEST,
    CHILD_RESULT,
    STOPPED,
    BegunChildren,
    ChildRuns,
    Stopped,
    result_of,
)
from agent_core.tools import ToolContext
from agent_core.words import CORE

logger = logging.getLogger(__name__)

POSTS_AND_FILES = "the thread's posts and files"
CORRECTION_SLOT = 2
_HISTORY: TypeAdapter[tuple[Message, ...]] = TypeAdapter(tuple[Message, ...])
_BEGUN: TypeAdapter[BegunChildren] = TypeAdapter(BegunChildren)


async def begin_run(
    parts: TurnParts,
    steps: Steps,
    turn_id: TurnId,
    run: RunId,
    *,
    agent: str,
    limits: RunLimits,
    generation: int,
    asker: UserId | None = None,
) -> tuple[StoredTurn, list[StoredTurn], RunScope]:
    """The run's turn, the session's turns before it, oldest first, and the run's scope.

    The run's steps are done only while this process holds the session. A later generation goes on
    from the stored history; what it branches on is recorded, or is an event of an earlier one.

    Raises:
        LeaseLost: another process works on the session.
    """
    workspace, (*earlier, turn) = await parts.store.turns_until(turn_id)
    await parts.leases.check(turn.session)
    parts.run_logs.follow(turn.session, workspace)
    guarded = GuardedSteps(steps, partial(parts.leases.check, turn.session))
    asker = asker or turn.inbound.asker
    history: tuple[Message, ...] = ()
    begun: BegunChildren = ()
    if generation > 1:
        stored = partial(parts.store.run_messages, turn.id, run)
        history = await guarded.once("history", stored, _HISTORY)
        children = partial(_begun_children, parts, turn.id, run, len(history))
        begun = await guarded.once("children", children, _BEGUN)
        for event in await parts.log.of_turn(turn.id, "message_taken"):
            is_own = event.run == run and event.generation < generation
            if is_own and isinstance(event, MessageTaken):
                asker = event.author or asker
    settings = await parts.scopes.of_session(turn.session)
    context = ToolContext(
        session=turn.session,
        turn=turn.id,
        run=run,
        asker=asker,
        zone=await zone_of(parts, turn, asker),
        workspace=workspace,
        agent=agent,
        places=turn.inbound.places,
        may_wait=run == ROOT_RUN and not turn.inbound.scheduled,
        settings=settings,
    )
    # Instructions are words in the run: their authors are among the session's authors.
    authors = [UserId(each.author) for each in settings.held["instructions"] if each.author]
    if authors:
        await parts.known_sessions.note_quoted(turn.session, authors)

    async def begin_effect(call: ToolCallId) -> bool:
        # A turn that goes on from its history must know of the call.
        await parts.log.flush()
        # What cannot be undone trusts no clock: a machine may have stood still with its own.
        await parts.leases.check(turn.session, surely=True)
        return await parts.store.begin_effect(turn.id, run, call)

    scope = RunScope(
        context=context,
        steps=guarded,
        emit=parts.log.append,
        clock=parts.clock,
        save=partial(parts.store.append_messages, turn.id, run),
        after_tool_call=lambda call, output, context: parts.observers.notify(
            ToolObserved(call=call, output=output, context=context)
        ),
        inbox=StoredInbox(parts, turn, context),
        begin_effect=begin_effect,
        gate=parts.gate,
        children=ChildRuns(
            context,
            limits,
            steps=guarded,
            log=parts.log,
            inbox=parts.inbox,
            clock=parts.clock,
            seats=parts.at_work.seats_of(turn.id),
            begun=begun,
        ),
        left=limits,
        history=history,
        generation=generation,
        words=CORE.of(thread_language(turn)),
    )
    return turn, earlier, scope


async def _begun_children(
    parts: TurnParts, turn: TurnId, run: RunId, history_length: int
) -> BegunChildren:
    """The children of a run so far; results behind its stored history come in once more."""
    started = await first_starts(parts.log, turn)
    results: dict[str, ChildResult] = {}
    for row in await parts.inbox.rows(turn, "result"):
        if row.run == run and row.seq is not None and row.seq < history_length:
            results[row.item] = CHILD_RESULT.validate_python(row.body)
    children = [each for each in started.values() if each.parent == run]
    return tuple((each, results.get(each.run)) for each in children)


async def first_starts(log: EventLog, turn: TurnId) -> dict[RunId, RunStarted]:
    """How each run of a turn began first."""
    started: dict[RunId, RunStarted] = {}
    for event in await log.of_turn(turn, "run_started"):
        if isinstance(event, RunStarted):
            started.setdefault(event.run, event)
    return started


async def zone_of(parts: TurnParts, turn: StoredTurn, person: UserId) -> str:
    """The time zone that a person had in the session; empty where it is not known."""
    if person == turn.inbound.asker and turn.inbound.author_zone:
        return turn.inbound.author_zone
    _, turns = await parts.store.turns_until(turn.id)
    turns += await parts.queue.absorbed_by(turn.id)
    zones = [each.inbound.author_zone for each in turns if each.inbound.asker == person]
    return next(filter(None, reversed(zones)), "")


class StoredInbox:
    """The inbox of one run: rows of the table, in the words that its model gets."""

    def __init__(self, parts: TurnParts, turn: StoredTurn, context: ToolContext) -> None:
        self._parts = parts
        self._turn = turn
        self._context = context

    async def take(self, seq: int) -> tuple[Arrival, ...]:
        arrivals: list[Arrival] = []
        for row in await self._take(seq):
            match row.kind:
                case "message":
                    arrivals.append(await self._message(row))
                case "result":
                    arrivals.append(CHILD_RESULT.validate_python(row.body))
                case _:
                    arrivals.append(await self._intervention(row.intervention))
        return tuple(arrivals)

    async def answers(self, seq: int) -> tuple[SteeringMessage, ...]:
        rows = await self._take(seq, "message")
        return tuple([await self._message(row) for row in rows])

    async def has_messages(self) -> bool:
        return await self._parts.inbox.has_messages(self._turn)

    async def _take(self, seq: int, *kinds: InboxKind) -> list[InboxRow]:
        # A turn that goes on from its history does not pay again for what it had.
        await self._parts.log.flush()
        rows = await self._parts.inbox.take(self._turn, self._context.run, seq, kinds)
        messages = [row.message for row in rows if row.kind == "message"]
        for each in messages:
            await taint(self._parts.store, each)
        await end_silently(self._parts, messages, "steered")
        return rows

    async def _message(self, row: InboxRow) -> SteeringMessage:
        """A message of the thread; the root run is told which sub-agents had it before."""
        turn = row.message
        inbound = turn.inbound
        name = one_line(inbound.author_name)
        sent = sent_text(turn)
        moment = moment_words(inbound)
        text = prompt("steer", author=name, message=sent, moment=moment)
        agents = await self._agents_with(row) if row.run == ROOT_RUN else []
        if agents:
            text = f"{text} {prompt('steer_known', agents=', '.join(agents))}"
        return SteeringMessage(
            turn=turn.id,
            author=inbound.asker,
            author_name=name,
            words=inbound.text or ", ".join(file.name for file in inbound.attachments),
            whole=sent,
            text=text,
            files=await read_attached(
                self._parts.agents.registry, inbound.attachments, self._context
            ),
            author_zone=inbound.author_zone,
            moment=moment,
        )

    async def _agents_with(self, row: InboxRow) -> list[str]:
        """The sub-agents that took a message in, each once."""
        rows = await self._parts.inbox.rows(row.turn, "message")
        runs = [each.run for each in rows if each.item == row.item and each.run != ROOT_RUN]
        started = await first_starts(self._parts.log, row.turn) if runs else {}
        return list(dict.fromkeys(started[run].agent for run in runs))

    async def _intervention(self, event: Intervened) -> SteeringMessage:
        """An intervention, in the words for the run that was meant or for the one above it."""
        run = self._context.run
        started = (await first_starts(self._parts.log, event.turn))[event.run]
        for row in await self._parts.inbox.rows(event.turn, "content"):
            change = row.intervention
            if change.run == event.run:
                started = replace(started, task=change.text, asker=change.by)
        name = one_line(event.by_name)
        about = {"author": name, "run": event.run, "task": " ".join(started.task.split())}
        again = None
        if event.what == "retry":
            again = replace(started, run=again_run(run, event))
            text = prompt("run_again", **about, new=again.run)
        elif event.run == run:
            text = prompt(f"run_{event.what}", author=name, text=event.text)
        else:
            text = prompt("run_late", **about, text=event.text)
        return SteeringMessage(
            turn=TurnId(""),
            author=UserId("") if again else event.by,
            author_name=name,
            words=event.text,
            whole=event.text,
            text=text,
            author_zone=await zone_of(self._parts, self._turn, event.by),
            intervention=event.n,
            again=again,
        )


async def taint(store: SessionStore, turn: StoredTurn) -> None:
    """Note that a message came with posts or files, which bring text from outside."""
    if turn.inbound.background or turn.inbound.attachments:
        await store.taint(turn.session, POSTS_AND_FILES)


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
            settings=scope.context.settings,
        )
        opening = scope.history or (user_message(f"{child.task}{child.context}"),)
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
        tracing.note("subagent_compliance_message_injected", agent=child.agent, **tracing.WARNING)
        at = scope.at(0, CORRECTION_SLOT)
        await scope.emit(CorrectionInjected(**at, agent=child.agent, text=text))
