"""What a run works with: its scope, made from what is stored of its turn, and its inbox.

A turn is a tree of runs: the root run of the main agent, and below it those that runs start. What a
run may touch is in its scope, so that the loop knows neither sessions nor storage.
`agent_core/sessions/inbox.py` says which rows a run takes in, and why none is lost or doubled.
"""

from dataclasses import replace
from functools import partial

from pydantic import TypeAdapter

from agent_core.durable import GuardedSteps, Steps
from agent_core.events import Intervened, MessageTaken, RunStarted
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId, UserId
from agent_core.loop.agent import Arrival, RunLimits, RunScope, SteeringMessage
from agent_core.messages import Message
from agent_core.observers import ToolObserved
from agent_core.prompts import prompt
from agent_core.runtime.closing import end_silently
from agent_core.runtime.opening import (
    moment_words,
    one_line,
    read_attached,
    sent_text,
    thread_language,
)
from agent_core.runtime.parts import TurnParts
from agent_core.sessions import (
    EventLog,
    InboxKind,
    InboxRow,
    SessionStore,
    StoredTurn,
    again_run,
)
from agent_core.subagents.children import CHILD_RESULT, BegunChildren, ChildRuns
from agent_core.tools import ToolContext
from agent_core.words import CORE

POSTS_AND_FILES = "the thread's posts and files"
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
    is_joint = False
    if generation > 1:
        stored = partial(parts.store.run_messages, turn.id, run)
        history = await guarded.once("history", stored, _HISTORY)
        children = partial(_begun_children, parts, turn.id, run, len(history))
        begun = await guarded.once("children", children, _BEGUN)
        for event in await parts.log.of_turn(turn.id, "message_taken"):
            is_own = event.run == run and event.generation < generation
            if is_own and isinstance(event, MessageTaken) and event.author:
                asker = event.author
                is_joint |= asker != turn.inbound.asker
    context = ToolContext(
        session=turn.session,
        turn=turn.id,
        run=run,
        asker=asker,
        is_joint=is_joint,
        zone=await zone_of(parts, turn, asker),
        workspace=workspace,
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
        words=CORE.of(thread_language(turn, earlier)),
    )
    return turn, earlier, scope


async def _begun_children(
    parts: TurnParts, turn: TurnId, run: RunId, history_length: int
) -> BegunChildren:
    """The children of a run so far; results behind its stored history come in once more."""
    started = await first_starts(parts.log, turn)
    rows = await parts.inbox.rows(turn, "result")
    taken = {
        row.item
        for row in rows
        if row.run == run and row.seq is not None and row.seq < history_length
    }
    return tuple((each, each.run in taken) for each in started.values() if each.parent == run)


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
            said=sent,
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
            said=event.text,
            text=text,
            author_zone=await zone_of(self._parts, self._turn, event.by),
            intervention=event.n,
            again=again,
        )


async def taint(store: SessionStore, turn: StoredTurn) -> None:
    """Note that a message came with posts or files, which bring text from outside."""
    if turn.inbound.background or turn.inbound.attachments:
        await store.taint(turn.session, POSTS_AND_FILES)
