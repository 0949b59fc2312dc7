"""The scope of a run: what the run works with, made from what is stored of its turn.

A turn is a tree of runs: the root run of the main agent, and below it those that runs start. What a
run may touch is in its scope, so that the loop knows neither sessions nor storage.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter

from agent_core.durable import GuardedSteps, Steps
from agent_core.events import (
    Intervened,
    MessageTaken,
    RunFinished,
    RunStarted,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId, UserId
from agent_core.loop.agent import Before, RunScope
from agent_core.observers import ToolObserved
from agent_core.prompts.language import Language
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.ready_answers import (
    thread_language,
)
from agent_core.runtime.run_inbox import StoredInbox
from agent_core.sessions import StoredTurn
from agent_core.subagents.children import (
    ChildRuns,
    RunRequest,
)
from agent_core.tools import ToolContext
from agent_core.words import CORE, Words

BEFORE: TypeAdapter[Before] = TypeAdapter(Before)


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
            inbox=StoredInbox(
                parts,
                turn,
                context,
                zone_of=self.zone_of,
            ),
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
        events = await parts.log.of_turn(
            turn,
            "message_taken",
            "run_started",
            "run_finished",
        )
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
