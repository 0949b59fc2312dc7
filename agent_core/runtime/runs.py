"""Runs: what each run of a turn works with, signals to stop it, and the body of a sub-agent's run.

A turn is a tree of runs: the root run of the main agent, and below it those that runs start.
What a run may touch is in its scope, so that the loop knows neither sessions nor storage.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.clock import local_time
from agent_core.durable import GuardedSteps, Steps, as_recorded, cannot_replay
from agent_core.errors import SessionError
from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    CorrectionInjected,
    EventHeader,
    Intervened,
    MessageTaken,
    Outcome,
    RunFinished,
    RunStarted,
    StepFinished,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId, UserId, is_in_branch
from agent_core.loop.agent import ROUTE_SLOTS, Arrival, Before, RunScope, SteeringMessage
from agent_core.loop.run import run_agent
from agent_core.messages import AttachedFile, JsonObject, user_message
from agent_core.observers import ToolObserved
from agent_core.observers.compliance import correction
from agent_core.prompts import prompt
from agent_core.prompts.language import Language
from agent_core.runtime.attached import read_attached
from agent_core.runtime.failures import apology, child_failure
from agent_core.runtime.parts import STRING, TurnParts
from agent_core.runtime.ready_answers import (
    moment_told,
    one_line,
    opening_text,
    sent_text,
    thread_language,
)
from agent_core.sessions import InboxKind, InboxRow, StoredTurn, again_run
from agent_core.subagents.children import (
    CHILD_RESULT,
    RUN_REQUEST,
    STOPPED,
    ChildRuns,
    RunRequest,
    result_of,
)
from agent_core.tools import ToolContext
from agent_core.words import CORE, Words

T = TypeVar("T")
CORRECTION_SLOT = 2
BEFORE: TypeAdapter[Before] = TypeAdapter(Before)
POSTS_AND_FILES = "the thread's posts and files"

logger = logging.getLogger(__name__)


class Stopped(Exception):
    """The work was ended because a person wanted it so."""


class StopSignals:
    """Tells the runs of turns at work in this process to stop: all of a turn, or one branch."""

    def __init__(self) -> None:
        self._given: defaultdict[TurnId, set[RunId]] = defaultdict(set)
        """Branches that are to stop."""
        self._at_work: defaultdict[TurnId, dict[asyncio.Task[Any], RunId]] = defaultdict(dict)

    def give(self, turn: TurnId, branch: RunId = ROOT_RUN) -> None:
        """The branch is to stop: what of it is at work, and what begins later."""
        self._given[turn].add(branch)
        for working, run in self._at_work.get(turn, {}).items():
            if is_in_branch(run, branch) and not working.cancelling():
                working.cancel()

    def forget(self, turn: TurnId) -> None:
        """The turn has ended."""
        self._given.pop(turn, None)

    async def unless_given(self, turn: StoredTurn, run: RunId, work: Coroutine[Any, Any, T]) -> T:
        """Do `work` of a run, and cancel it when the run is to stop.

        Raises:
            Stopped: it was cancelled, and has ended.
        """
        working = asyncio.create_task(work)
        self._at_work[turn.id][working] = run
        if turn.stop is not None:
            self.give(turn.id)
        try:
            if self._is_given(turn.id, run) and not working.cancelling():
                working.cancel()
            await asyncio.wait({working})
            if self._is_given(turn.id, run) and (working.cancelled() or working.exception()):
                raise Stopped
            return working.result()
        finally:
            working.cancel()
            await asyncio.wait({working})
            del self._at_work[turn.id][working]
            if not self._at_work[turn.id]:
                del self._at_work[turn.id]

    def _is_given(self, turn: TurnId, run: RunId) -> bool:
        return any(is_in_branch(run, branch) for branch in self._given.get(turn, ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What the runs of one turn work with.

    What people write meanwhile is taken in by whatever runs are at work, in order: by each
    sub-agent once, and by the root run once, which alone is in the session's history.
    """

    parts: TurnParts
    turn: StoredTurn
    workspace: Path
    earlier: Sequence[StoredTurn]
    """The session's turns before this one, oldest first."""
    language: Language

    @property
    def words(self) -> Words:
        return CORE.of(self.language)

    @classmethod
    async def on(cls, parts: TurnParts, turn_id: TurnId) -> "Work":
        """Everything that is stored of a turn.

        Raises:
            LeaseLost: another process works on the session.
        """
        workspace, (*earlier, turn) = await parts.store.turns_until(turn_id)
        await parts.leases.check(turn.session)
        parts.run_logs.follow(turn.session, workspace)
        return cls(
            parts=parts,
            turn=turn,
            workspace=workspace,
            earlier=earlier,
            language=thread_language(turn, earlier),
        )

    async def begin(self, request: RunRequest, steps: Steps) -> RunScope:
        """A run's scope. Its steps are done only while this process holds the session."""
        parts, turn, started = self.parts, self.turn, request.started
        run = started.run
        guarded = GuardedSteps(steps, partial(parts.leases.check, turn.session))
        before = Before()
        if run != ROOT_RUN or request.generation > 1:
            before = await guarded.once("before", partial(self._before, run), BEFORE)
        asker = before.asker or started.asker or turn.inbound.asker
        context = ToolContext(
            session=turn.session,
            turn=turn.id,
            run=run,
            asker=asker,
            is_joint=before.is_joint,
            zone=await self.zone_of(asker),
            workspace=self.workspace,
            agent=started.agent,
            places=turn.inbound.places,
            may_wait=run == ROOT_RUN and not turn.inbound.scheduled,
        )

        async def begin_effect(call: ToolCallId) -> bool:
            # A turn that goes on from its history must know of the call.
            await parts.log.flush()
            # What cannot be undone trusts no clock: a machine may have stood still with its own.
            await parts.leases.check(turn.session, surely=True)
            return await parts.store.begin_effect(turn.id, run, call)

        return RunScope(
            context=context,
            steps=guarded,
            emit=parts.log.append,
            clock=parts.clock,
            save=partial(parts.store.append_messages, turn.id, run),
            after_tool_call=lambda call, output, context: parts.observers.notify(
                ToolObserved(call=call, output=output, context=context)
            ),
            inbox=StoredInbox(self, context),
            begin_effect=begin_effect,
            gate=parts.gate,
            children=ChildRuns(
                request,
                steps=guarded,
                log=parts.log,
                inbox=parts.inbox,
                clock=parts.clock,
                places=parts.places_of(turn.id),
                before=before,
            ),
            left=request.limits,
            before=before,
            generation=request.generation,
            words=self.words,
        )

    async def _before(self, run: RunId) -> Before:
        """What earlier generations of a run have stored; results behind that come in once more."""
        parts, turn = self.parts, self.turn.id
        events = await parts.log.of_turn(turn, "message_taken", "run_started", "run_finished")
        authors = [e.author for e in events if isinstance(e, MessageTaken) and e.run == run]
        authors = list(filter(None, authors))
        started = {e.run: e for e in reversed(events) if isinstance(e, RunStarted)}
        children = [e for e in reversed(started.values()) if e.parent == run]
        history = await parts.store.run_messages(turn, run)
        results = [row for row in await parts.inbox.rows(turn, "result") if row.run == run]
        taken = [row for row in results if row.seq is not None and row.seq < len(history)]
        has_ended = any(isinstance(e, RunFinished) and e.run == run for e in events)
        return Before(
            asker=authors[-1] if authors else None,
            is_joint=not {self.turn.inbound.asker}.issuperset(authors),
            history=history,
            children=tuple(children),
            taken=tuple(RunId(row.item) for row in taken),
            has_ended=run != ROOT_RUN and has_ended,
        )

    async def read_files(self, turn: StoredTurn, context: ToolContext) -> tuple[AttachedFile, ...]:
        """What the model gets at once of the files that came with a message."""
        return await read_attached(self.parts.agents.registry, turn.inbound.attachments, context)

    async def taint(self, turn: StoredTurn) -> None:
        """A message that came with posts or files brings text from outside."""
        if turn.inbound.background or turn.inbound.attachments:
            await self.parts.store.taint(turn.session, POSTS_AND_FILES)

    async def zone_of(self, person: UserId) -> str:
        """The time zone that a person had in the session; empty where it is not known."""
        turns = [*self.earlier, self.turn]
        if all(each.inbound.asker != person for each in turns):
            turns = await self.parts.queue.absorbed_by(self.turn.id)
        zones = [each.inbound.author_zone for each in turns if each.inbound.asker == person]
        return next(filter(None, reversed(zones)), "")

    async def ending(self, run: RunId) -> Intervened | None:
        """By what a run is to end that goes on below its turn's end."""
        return await self.parts.inbox.ending(self.turn.id, run)


class StoredInbox:
    """The inbox of one run: rows of the table, in the words that its model gets."""

    def __init__(self, work: Work, context: ToolContext) -> None:
        self._work = work
        self._parts = work.parts
        self._turn = work.turn
        self._context = context

    async def take(self, seq: int) -> tuple[Arrival, ...]:
        rows = await self._take(seq)
        return tuple([await self._arrival(row) for row in rows])

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
            await self._work.taint(each)
        await end_silently(self._parts, messages, "steered")
        return rows

    async def _arrival(self, row: InboxRow) -> Arrival:
        match row.kind:
            case "message":
                return await self._message(row)
            case "result":
                return CHILD_RESULT.validate_python(row.body)
            case _:
                return await self._intervention(row.intervention)

    async def _message(self, row: InboxRow) -> SteeringMessage:
        """A message of the thread; the root run is told which sub-agents had it before."""
        turn = row.message
        inbound = turn.inbound
        name = one_line(inbound.author_name)
        sent = sent_text(turn)
        moment = moment_told(inbound)
        text = prompt("steer", author=name, message=sent, moment=moment)
        agents = await self._agents_with(row) if row.run == ROOT_RUN else []
        if agents:
            text = f"{text} {prompt('steer_known', agents=', '.join(agents))}"
        return SteeringMessage(
            turn=turn.id,
            author=inbound.asker,
            author_name=name,
            words=inbound.text or ", ".join(file.name for file in inbound.attachments),
            said=sent,
            text=text,
            files=await self._work.read_files(turn, self._context),
            author_zone=inbound.author_zone,
            moment=moment,
        )

    async def _agents_with(self, row: InboxRow) -> list[str]:
        """The sub-agents that took a message in, each once."""
        rows = await self._parts.inbox.rows(row.turn, "message")
        runs = [each.run for each in rows if each.item == row.item and each.run != ROOT_RUN]
        started = await self._started() if runs else {}
        return list(dict.fromkeys(started[run].agent for run in runs))

    async def _intervention(self, event: Intervened) -> SteeringMessage:
        """An intervention, in the words for the run that was meant or for the one above it."""
        run = self._context.run
        rows = await self._parts.inbox.rows(event.turn, "content")
        tasks = [row.intervention for row in rows if row.intervention.run == event.run]
        started = (await self._started())[event.run]
        task = tasks[-1].text if tasks else started.task
        asker = tasks[-1].by if tasks else started.asker
        name = one_line(event.by_name)
        about = {"author": name, "run": event.run, "task": " ".join(task.split())}
        again = None
        if event.what == "retry":
            again = replace(started, run=again_run(run, event), task=task, asker=asker)
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
            said=event.text,
            text=text,
            author_zone=await self._work.zone_of(event.by),
            intervention=event.n,
            again=again,
        )

    async def _started(self) -> dict[RunId, RunStarted]:
        """How each run of the turn began first."""
        events = await self._parts.log.of_turn(self._turn.id, "run_started")
        return {event.run: event for event in reversed(events) if isinstance(event, RunStarted)}


async def end_absorbed(parts: TurnParts, turn: StoredTurn) -> None:
    """Emit TurnFinished for every message this turn absorbed, as a stop may have come between.

    What the root run did not take in stays said: whoever goes on later knows of it.
    """
    rows = await parts.inbox.rows(turn.id, "message")
    stored = len(await parts.store.run_messages(turn.id, ROOT_RUN)) if rows else 0
    for row in rows:
        if row.run == ROOT_RUN and (row.seq is None or row.seq >= stored):
            opening = user_message(opening_text(row.message))
            await parts.store.append_messages(row.message.id, ROOT_RUN, 0, [opening])
    await end_silently(parts, await parts.queue.absorbed_by(turn.id), "steered")


def turn_at(parts: TurnParts, turn: StoredTurn, slot: str) -> EventHeader:
    """The fields of a turn's own events, which are announced once, in whatever generation."""
    return EventHeader(
        session=turn.session,
        turn=turn.id,
        run=ROOT_RUN,
        step=0,
        attempt=1,
        n=ROUTE_SLOTS[slot],
        at=parts.clock(),
    )


async def end_silently(parts: TurnParts, ended: Sequence[StoredTurn], outcome: Outcome) -> None:
    """End turns without an answer: `stopped` when they were taken back, `steered` otherwise.

    Their readers are told when this returns. Safe to do again.
    """
    for turn in ended:
        await _announce_end(parts, turn, outcome)
    if ended:
        await parts.log.flush()


async def give_up(parts: TurnParts, turn: StoredTurn, why: SessionError | None = None) -> None:
    """End a turn that cannot be worked on, with an apology."""
    reference = turn.inbound.key.rpartition(":")[2]
    said = apology(why or SessionError(), reference, thread_language(turn, ()))
    await _announce_end(parts, turn, "failed", answer=said, reference=reference)
    await parts.log.flush()


async def _announce_end(
    parts: TurnParts, turn: StoredTurn, outcome: Outcome, *, answer: str = "", reference: str = ""
) -> None:
    asked = turn.inbound
    at = turn_at(parts, turn, "turn_started")
    await parts.log.append(
        TurnStarted(**at, asker=asked.asker, author_name=asked.author_name, text="")
    )
    at = turn_at(parts, turn, "turn_finished")
    await parts.log.append(TurnFinished(**at, outcome=outcome, answer=answer, reference=reference))


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
        said = child_failure(error)
        await scope.emit(RunFinished(**scope.at(0, 1), outcome="failed", text=said))
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
        await run_agent(agent, (), opening, scope, parent=child.parent, task=child.task)


async def _ended(work: Work, scope: RunScope) -> RunFinished:
    """What a run comes to that was ended from outside, for whoever waits for it."""
    run, at = scope.context.run, scope.at(0, 1)
    ending = await work.ending(run)
    if ending is None:
        return RunFinished(**at, outcome="stopped", text=STOPPED)
    name = one_line(ending.by_name)
    found = _found_by(await work.parts.log.of_turn(work.turn.id), run)
    if ending.what == "done" and ending.run == run:
        said = f"({name} marked this as done.)\n\n{ending.text or found}".strip()
        return RunFinished(**at, outcome="answered", text=said)
    text = f"This work was stopped by {name}."
    if ending.what == "retry" and ending.run == run:
        text = f"{name} wants this to be done again: it is begun anew, and that result counts."
    if ending.text:
        text += f" They said: {ending.text}"
    if found:
        text += f"\n\nWhat it had found until then:\n\n{found}"
    return RunFinished(**at, outcome="stopped", text=text)


def _found_by(events: Sequence[AnyEvent], run: RunId) -> str:
    """For the model: the last words of a run that was ended, and the files saved in its branch."""
    said = [e.text.strip() for e in events if isinstance(e, StepFinished) and e.run == run]
    saved = [e for e in events if isinstance(e, ArtifactSaved) and is_in_branch(e.run, run)]
    paths = dict.fromkeys(each.path for each in saved)
    files = f"Files: {', '.join(f'`{path}`' for path in paths)}" if paths else ""
    return "\n\n".join(filter(None, (next(filter(None, reversed(said)), ""), files)))


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
