"""Runs: what each run of a turn works with, signals to stop it, and the body of a sub-agent's run.

A turn is a tree of runs: the root run of the main agent, and below it those that runs start.
What a run may touch is in its scope, so that the loop knows neither sessions nor storage.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.clock import local_time
from agent_core.durable import GuardedSteps, Steps, as_recorded, cannot_replay, first_cause
from agent_core.errors import SessionError
from agent_core.events import (
    CorrectionInjected,
    Intervened,
    MessageTaken,
    Outcome,
    RunFinished,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import (
    ROOT_RUN,
    RunId,
    ToolCallId,
    TurnId,
    UserId,
    child_run,
    is_in_branch,
)
from agent_core.loop.agent import ROUTE_SLOTS, Again, ChildResult, Limits, RunScope, Taken
from agent_core.loop.calls import IS_SO
from agent_core.loop.run import run_agent
from agent_core.messages import (
    MESSAGES,
    AttachedFile,
    JsonObject,
    Message,
    ToolCall,
    user_message,
)
from agent_core.observers import ToolObserved
from agent_core.observers.compliance import correction
from agent_core.prompts import prompt
from agent_core.runtime.attached import read_attached
from agent_core.runtime.parts import TEXT, TurnParts
from agent_core.runtime.ready_answers import (
    moment_told,
    one_line,
    opening_text,
    sent_text,
    thread_language,
)
from agent_core.runtime.standing import apology, child_failure, found_by
from agent_core.sessions import StoredSession, StoredTurn
from agent_core.sessions.interventions import TurnInterventions
from agent_core.subagents.children import (
    CHILD_REQUEST,
    CHILD_RESULT,
    LOST,
    STOPPED,
    ChildRequest,
    ChildRuns,
    result_of,
)
from agent_core.tools import MAIN_AGENT, ToolContext, ToolOutput
from agent_core.words import CORE

T = TypeVar("T")
CORRECTION_SLOT = 2
ASKER: TypeAdapter[UserId] = TypeAdapter(UserId)
TELLING = ("intervened", "message_taken", "run_finished", "run_started")
"""Kinds of events that tell what a run has yet to take in."""
POSTS_AND_FILES = "the thread's posts and files"

logger = logging.getLogger(__name__)


class Stopped(Exception):
    """The work was ended because a person wanted it so."""


class StopSignals:
    """Tells the runs of turns at work in this process to stop: all of a turn, or one branch."""

    def __init__(self) -> None:
        self._given: defaultdict[TurnId, set[RunId]] = defaultdict(set)
        """Branches that are to stop."""
        self._at_work: defaultdict[TurnId, list[tuple[RunId, asyncio.Event]]] = defaultdict(list)

    def give(self, turn: TurnId, branch: RunId = ROOT_RUN) -> None:
        """The branch is to stop: what of it is at work, and what begins later."""
        self._given[turn].add(branch)
        for run, signal in self._at_work.get(turn, ()):
            if is_in_branch(run, branch):
                signal.set()

    def forget(self, turn: TurnId) -> None:
        """The turn has ended."""
        self._given.pop(turn, None)

    async def unless_given(self, turn: StoredTurn, run: RunId, work: Coroutine[Any, Any, T]) -> T:
        """Do `work` of a run, and cancel it when the run is to stop.

        Raises:
            Stopped: it was cancelled, and has ended.
        """
        if turn.stop is not None:
            self.give(turn.id)
        if any(is_in_branch(run, branch) for branch in self._given.get(turn.id, ())):
            work.close()
            raise Stopped
        here = (run, asyncio.Event())
        self._at_work[turn.id].append(here)
        working = asyncio.create_task(work)
        waiting = asyncio.create_task(here[1].wait())
        try:
            await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise Stopped
            return working.result()
        finally:
            waiting.cancel()
            working.cancel()
            await asyncio.wait({working, waiting})
            self._at_work[turn.id].remove(here)
            if not self._at_work[turn.id]:
                del self._at_work[turn.id]


class Work:
    """What the runs of one turn work with.

    What people write meanwhile is taken in by whatever runs are at work, in order: by each
    sub-agent once, and by the root run once, which alone is in the session's history.
    """

    def __init__(
        self,
        parts: TurnParts,
        turn: StoredTurn,
        session: StoredSession,
        earlier: Sequence[StoredTurn],
    ) -> None:
        self.parts = parts
        self.turn = turn
        self.workspace = session.workspace
        self.earlier = earlier
        """The session's turns before this one, oldest first."""
        self.language = thread_language(turn, earlier)
        self.words = CORE.of(self.language)
        parts.run_logs.follow(session.id, session.workspace)

    @classmethod
    async def on(cls, parts: TurnParts, turn_id: TurnId) -> "Work":
        """Everything that is stored of a turn.

        Raises:
            LeaseLost: another process works on the session.
        """
        turn = await parts.store.turn(turn_id)
        await parts.leases.check(turn.session)
        earlier = (await parts.store.turns_until(turn))[:-1]
        return cls(parts, turn, await parts.store.session_of(turn), earlier)

    def scope(
        self,
        run: RunId,
        steps: Steps,
        *,
        generation: int,
        asker: UserId,
        zone: str,
        agent: str = MAIN_AGENT,
        depth: int = 0,
        limits: Limits,
        is_known: bool,
    ) -> RunScope:
        """A run's scope. Its steps are done only while this process holds the session.

        `is_known`: it may have children already.
        """
        parts, turn = self.parts, self.turn
        guarded = GuardedSteps(steps, partial(parts.leases.check, turn.session))
        context = ToolContext(
            session=turn.session,
            turn=turn.id,
            run=run,
            asker=asker,
            zone=zone,
            workspace=self.workspace,
            agent=agent,
            places=turn.inbound.places,
            may_wait=run == ROOT_RUN and not turn.inbound.scheduled,
        )

        async def begin_effect(call: ToolCallId) -> bool:
            # A turn that goes on from its history must know of the call.
            await parts.log.flush()
            # What cannot be undone trusts no clock: a machine may have stood still with its own.
            await parts.leases.check(turn.session, surely=True)
            return await parts.store.begin_effect(turn.id, run, call)

        def observe(call: ToolCall, output: ToolOutput, context: ToolContext) -> None:
            parts.observers.notify(ToolObserved(call=call, output=output, context=context))

        return RunScope(
            context=context,
            steps=guarded,
            emit=parts.log.append,
            clock=parts.clock,
            save=partial(parts.store.append_messages, turn.id, run),
            after_tool_call=observe,
            take_messages=partial(self._take, context),
            has_messages=partial(parts.inbox.has_messages, turn),
            begin_effect=begin_effect,
            gate=parts.gate,
            children=ChildRuns(
                context,
                steps=guarded,
                log=parts.log,
                clock=parts.clock,
                places=parts.places_of(turn.id),
                depth=depth,
                limits=limits,
                is_known=is_known,
            ),
            left=limits,
            generation=generation,
        )

    async def _take(self, context: ToolContext, place: str) -> tuple[Taken, ...]:
        """Messages for a run's next model call; for the root run they are stored as the turn's.

        A sub-agent gets what the root run has yet to take in, and it itself had not.
        """
        # A turn that goes on from its history does not pay again for what it had.
        await self.parts.log.flush()
        is_root = context.run == ROOT_RUN
        turns = await self.parts.inbox.take(self.turn, place if is_root else None)
        for each in turns:
            await self.taint(each)
        await end_silently(self.parts, turns, "steered")
        known = TurnInterventions(await self.parts.log.of_turn(self.turn.id, *TELLING))
        taken: list[Taken] = []
        for each in turns:
            by = [event for event in known.heard if event.taken == each.id]
            if is_root:
                agents = [known.started[e.run].agent for e in by if e.run != ROOT_RUN]
            elif any(event.run == context.run and place != event.place for event in by):
                continue
            else:
                agents = []
            taken.append(_taken(each, agents, await self.read_files(each, context)))
        if place.endswith(":answer"):
            return tuple(taken)  # a question is answered in the thread
        left = known.left((context.run, place))
        mine = [event for run, event in left if run == context.run]
        return (*taken, *[await self._told(event, known, context) for event in mine])

    async def _told(
        self, wish: Intervened, known: TurnInterventions, context: ToolContext
    ) -> Taken:
        """An intervention as a run gets it that is to take it in."""
        name = one_line(wish.by_name)
        task, asker = known.task(wish.run)
        asker = asker or context.asker
        about = {"author": name, "run": wish.run, "task": " ".join(task.split())}
        again = None
        if wish.what == "retry":
            key = f"again-{wish.n}"
            text = prompt("run_again", **about, new=child_run(context.run, key))
            agent, zone = known.started[wish.run].agent, await self.zone_of(asker)
            again = Again(key=key, prompt=task, agent=agent, asker=asker, zone=zone)
        elif wish.run == context.run:
            text = prompt(f"run_{wish.what}", author=name, text=wish.text)
        else:
            text = prompt("run_late", **about, text=wish.text)
        return Taken(
            turn=TurnId(""),
            author=UserId("") if again else wish.by,
            author_name=name,
            words=wish.text,
            said=wish.text,
            text=text,
            author_zone=await self.zone_of(wish.by),
            intervention=wish.n,
            again=again,
        )

    async def read_files(self, turn: StoredTurn, context: ToolContext) -> tuple[AttachedFile, ...]:
        """What the model gets at once of the files that came with a message."""
        return await read_attached(self.parts.agents.registry, turn.inbound.attachments, context)

    async def taint(self, turn: StoredTurn) -> None:
        """A message that came with posts or files brings text from outside."""
        if turn.inbound.background or turn.inbound.attachments:
            await self.parts.store.taint(turn.session, POSTS_AND_FILES)

    async def end_taken(self) -> None:
        """The turn ends: the readers of all that it took are told, if a stop came between.

        What only sub-agents had taken in stays said: whoever goes on later knows of it.
        """
        taken = await self.parts.inbox.taken_by(self.turn.id)
        heard = {event.taken for event in await self._heard(ROOT_RUN)} if taken else set[TurnId]()
        for each in taken:
            if each.id not in heard:
                said = [user_message(opening_text(each))]
                await self.parts.store.append_messages(each.id, ROOT_RUN, 0, said)
        await end_silently(self.parts, taken, "steered")

    async def acting_for(self, run: RunId, asker: UserId) -> UserId:
        """Whose message a run took in last; `asker` where it took none in."""
        heard = await self._heard(run)
        return next((event.author for event in reversed(heard) if event.author), asker)

    async def zone_of(self, person: UserId) -> str:
        """The time zone that a person had last in the session; empty where it is not known."""
        taken = await self.parts.inbox.taken_by(self.turn.id)
        said = [each.inbound for each in (*self.earlier, self.turn, *taken)]
        zones = (each.author_zone for each in reversed(said) if each.asker == person)
        return next(filter(None, zones), "")

    async def history_of(self, run: RunId) -> tuple[Message, ...]:
        """What an earlier workflow of a run has stored.

        What it took without leaving a trace of it is taken once more.
        """
        heard, turn = await self._heard(run), self.turn.id
        if run == ROOT_RUN:
            await self.parts.inbox.forget_places(turn, but={event.taken for event in heard})
        return await self.parts.store.run_messages(turn, run)

    async def ending(self, run: RunId) -> Intervened | None:
        """By what a run is to end that goes on below its turn's end."""
        events = await self.parts.log.of_turn(self.turn.id, "intervened")
        return TurnInterventions(events).ending(run)

    async def _heard(self, run: RunId) -> list[MessageTaken]:
        """What a run has taken in."""
        events = await self.parts.log.of_turn(self.turn.id)
        return [each for each in events if isinstance(each, MessageTaken) and each.run == run]


def _taken(turn: StoredTurn, known: Sequence[str], files: tuple[AttachedFile, ...]) -> Taken:
    """A message as a run gets it; `known` names the sub-agents that had it before."""
    name = one_line(turn.inbound.author_name)
    said, moment = sent_text(turn), moment_told(turn.inbound)
    text = prompt("steer", author=name, message=said, moment=moment)
    also = prompt("steer_known", agents=", ".join(dict.fromkeys(known))) if known else ""
    return Taken(
        turn=turn.id,
        author=turn.inbound.asker,
        author_name=name,
        words=turn.inbound.text or ", ".join(file.name for file in turn.inbound.attachments),
        said=said,
        text=f"{text} {also}".strip(),
        files=files,
        author_zone=turn.inbound.author_zone,
        moment=moment,
    )


def turn_at(parts: TurnParts, turn: StoredTurn, slot: str) -> dict[str, Any]:
    """The fields of a turn's own events, which are announced once, in whatever generation."""
    return {
        "session": turn.session,
        "turn": turn.id,
        "run": ROOT_RUN,
        "step": 0,
        "attempt": 1,
        "n": ROUTE_SLOTS[slot],
        "at": parts.clock(),
    }


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
    """Do what a ChildRequest asks for; a ChildResult, whatever happens.

    The body replays: it branches only on records and stored facts.
    """
    request = as_recorded(payload, CHILD_REQUEST)
    turn = TurnId(request.turn)
    work = await Work.on(parts, turn)
    scope = work.scope(
        request.run,
        steps,
        generation=request.generation,
        asker=UserId(request.asker),
        zone=request.zone,
        agent=request.agent,
        depth=request.depth,
        limits=request.limits,
        is_known=request.is_known,
    )
    if not await _has_ended(parts, request, scope):
        await _run_child(work, signals, request, scope)
    ended = result_of(await parts.log.of_turn(turn), request.run, request.prompt)
    lost = ChildResult(run=request.run, task=request.prompt, text=LOST, is_error=True)
    return CHILD_RESULT.dump_python(ended or lost, mode="json")


async def _has_ended(parts: TurnParts, request: ChildRequest, scope: RunScope) -> bool:
    """Whether an earlier workflow has brought the run to its end."""
    if not request.is_known:
        return False

    async def look() -> bool:
        events = await parts.log.of_turn(TurnId(request.turn))
        return result_of(events, request.run, request.prompt) is not None

    return await scope.steps.once("ended", look, IS_SO)


async def _run_child(
    work: Work, signals: StopSignals, request: ChildRequest, scope: RunScope
) -> None:
    turn = work.turn
    if await work.ending(request.run):
        signals.give(turn.id, request.run)
    try:
        await signals.unless_given(turn, request.run, _work_as_child(work, request, scope))
    except Stopped:
        await scope.emit(await _ended(work, scope))
    except Exception as error:
        if cannot_replay(error):
            raise
        logger.exception("run %s of turn %s failed", request.run, turn.id)
        signals.give(turn.id, request.run)  # nobody is left to take in what runs below it find
        await scope.emit(RunFinished(**scope.at(0, 1), outcome="failed", text=_failure(error)))
    else:
        if not await work.ending(request.run):
            await _check(work.parts, request, scope)


def _failure(error: BaseException) -> str:
    return child_failure(first_cause(error))


async def _work_as_child(work: Work, request: ChildRequest, scope: RunScope) -> None:
    run = request.run
    async with scope.children.at_work():
        agent = work.parts.agents.subagent(
            request.agent,
            today=local_time(work.turn.inbound.received_at, request.zone),
            workspace=work.workspace,
            limits=request.limits,
            depth=request.depth,
        )
        done: tuple[Message, ...] = ()
        if request.is_known:
            done = await scope.steps.once("history", partial(work.history_of, run), MESSAGES)
            last = partial(work.acting_for, run, UserId(request.asker))
            asker = await scope.steps.once("asker", last, ASKER)
            scope = scope.acting_as(asker, await work.zone_of(asker))
        opening = done or (user_message(request.prompt),)
        parent, task = request.parent, request.prompt
        await run_agent(agent, (), opening, scope, parent=parent, task=task, failed=_failure)


async def _ended(work: Work, scope: RunScope) -> RunFinished:
    """What a run comes to that was ended from outside, for whoever waits for it."""
    run, at = scope.context.run, scope.at(0, 1)
    ending = await work.ending(run)
    if ending is None:
        return RunFinished(**at, outcome="stopped", text=STOPPED)
    name = one_line(ending.by_name)
    found = found_by(await work.parts.log.of_turn(work.turn.id), run)
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


async def _check(parts: TurnParts, request: ChildRequest, scope: RunScope) -> None:
    """Hold the run against the rule that its agent's definition names, if it names one."""
    if not parts.agents.spec(request.agent).complete_when:
        return
    messages = await parts.store.run_messages(TurnId(request.turn), request.run)
    called = [call.name for message in messages for call in message.tool_calls]

    async def check() -> str:
        workspace = scope.context.workspace
        return await asyncio.to_thread(correction, request.prompt, called, workspace) or ""

    text = await scope.steps.once("compliance", check, TEXT)
    if text:
        tracing.note("subagent_compliance_message_injected", agent=request.agent)
        at = scope.at(0, CORRECTION_SLOT)
        await scope.emit(CorrectionInjected(**at, agent=request.agent, text=text))
