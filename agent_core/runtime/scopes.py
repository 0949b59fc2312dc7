"""The surroundings of each run: whose it is, where its work is recorded, who hears of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_core.durable import Steps
from agent_core.durable.guarded import GuardedSteps
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, UserId
from agent_core.loop.agent import Clock, Gate, RunScope, Taken
from agent_core.messages import Message, ToolCall
from agent_core.observers import Observers, ToolObserved
from agent_core.runtime.steering import Steering
from agent_core.sessions import EventLog, Leases, SessionStore, StoredSession, StoredTurn
from agent_core.tools import MAIN_AGENT, ToolContext, ToolOutput


@dataclass(frozen=True, slots=True, kw_only=True)
class Scopes:
    """Makes the scope of a run. Its steps are done only while this process holds the session."""

    store: SessionStore
    log: EventLog
    leases: Leases
    observers: Observers
    steering: Steering
    gate: Gate
    clock: Clock

    def scope(
        self,
        turn: StoredTurn,
        session: StoredSession,
        run: RunId,
        steps: Steps,
        *,
        generation: int,
        asker: UserId,
        agent: str = MAIN_AGENT,
    ) -> RunScope:
        """A run's scope; only the root run takes in messages."""

        async def save(start: int, new: Sequence[Message]) -> None:
            await self.store.append_messages(turn.id, run, start, new)

        async def take(place: str) -> tuple[Taken, ...]:
            return await self.steering.take(turn, place) if run == ROOT_RUN else ()

        async def has_messages() -> bool:
            return run == ROOT_RUN and await self.steering.has_messages(turn)

        async def begin_effect(call: ToolCallId) -> bool:
            await self.log.flush()  # a turn that goes on from its history must know of the call
            return await self.store.begin_effect(turn.id, run, call)

        async def guard() -> None:
            await self.leases.check(turn.session)

        return RunScope(
            context=ToolContext(
                session=turn.session,
                turn=turn.id,
                run=run,
                asker=asker,
                workspace=session.workspace,
                agent=agent,
                places=turn.inbound.places,
                may_wait=run == ROOT_RUN and not turn.inbound.scheduled,
            ),
            steps=GuardedSteps(steps, guard),
            emit=self.log.append,
            clock=self.clock,
            save=save,
            after_tool_call=self._observe,
            take_messages=take,
            has_messages=has_messages,
            begin_effect=begin_effect,
            gate=self.gate,
            generation=generation,
        )

    def _observe(self, call: ToolCall, output: ToolOutput, context: ToolContext) -> None:
        self.observers.notify(ToolObserved(call=call, output=output, context=context))
