"""The body of a turn: route, fast answer or loop, and an end that leaves everything on disk."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.classifier import Router
from agent_core.consent.taint import Taints
from agent_core.context.history import settled
from agent_core.durable import Steps, cannot_replay, first_cause
from agent_core.events import RunFinished, TurnFinished, TurnStarted
from agent_core.fault_points import fault_point
from agent_core.ids import ROOT_RUN, TurnId, UserId
from agent_core.loop.agent import Clock, Gate, RunScope
from agent_core.loop.calls import Asked
from agent_core.loop.run import RunResult, run_agent
from agent_core.messages import MESSAGES, Message, user_message
from agent_core.observers import Observers
from agent_core.prompts.language import Language
from agent_core.runtime.agents import Agents
from agent_core.runtime.children import Children
from agent_core.runtime.closing import Closing
from agent_core.runtime.documents import keep_document
from agent_core.runtime.notices import settle_notices, with_notices
from agent_core.runtime.opening import opening_text
from agent_core.runtime.ready_answers import thread_language
from agent_core.runtime.routes import Routes, turn_at
from agent_core.runtime.run_logs import RunLogs
from agent_core.runtime.scopes import Scopes
from agent_core.runtime.standing import apology, standing, stop_words
from agent_core.runtime.steering import POSTS_AND_FILES, Steering
from agent_core.runtime.stopping import Stopped, StopSignals
from agent_core.runtime.waits import Waits, unfinished
from agent_core.sessions import (
    EventLog,
    Inbox,
    Leases,
    SessionStore,
    Stop,
    StoredSession,
    StoredTurn,
)
from agent_core.sessions.consents import ConsentStore
from agent_core.tools.composio_accounts import Accounts
from agent_core.words import CORE
from agent_core.workspaces import known_sources

logger = logging.getLogger(__name__)

ASKER: TypeAdapter[UserId] = TypeAdapter(UserId)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnParts:
    """What turns are made of."""

    store: SessionStore
    inbox: Inbox
    leases: Leases
    log: EventLog
    router: Router
    agents: Agents
    observers: Observers
    run_logs: RunLogs
    closing: Closing
    consents: ConsentStore
    accounts: Accounts | None
    taints: Taints
    gate: Gate
    clock: Clock


class Turns:
    """Runs turns. The body replays: it branches only on records and stored facts.

    Args:
        parts: What turns are made of.
        signals: How a wish to stop reaches the runs.
        on_ended: Told of each turn that has ended or waits, so that the session can go on.
    """

    def __init__(
        self, parts: TurnParts, signals: StopSignals, *, on_ended: Callable[[StoredTurn], None]
    ) -> None:
        self._parts = parts
        self._signals = signals
        self._on_ended = on_ended
        self._steering = Steering(parts.inbox, parts.store, parts.log, parts.clock)
        self._scopes = Scopes(
            store=parts.store,
            log=parts.log,
            leases=parts.leases,
            observers=parts.observers,
            steering=self._steering,
            gate=parts.gate,
            clock=parts.clock,
        )
        self._waits = Waits(parts.store, parts.consents, parts.accounts, parts.log, parts.clock)
        self._routes = Routes(parts.router, parts.store, parts.log, parts.clock)
        self.children = Children(parts.agents, self._scopes, parts.run_logs, signals)

    async def run_turn(self, steps: Steps, turn_id: str, generation: int) -> None:
        """A turn's body. It ends with TurnFinished or a wait, whatever happens.

        Raises:
            CannotReplay: its record does not fit the code.
            LeaseLost: another process works on the session.
        """
        turn = await self._parts.store.turn(TurnId(turn_id))
        await self._parts.leases.check(turn.session)
        session = await self._parts.store.session_of(turn)
        self._parts.run_logs.follow(session.id, turn.id, session.workspace)
        scope = self._scopes.scope(
            turn, session, ROOT_RUN, steps, generation=generation, asker=turn.inbound.asker
        )
        with tracing.turn_trace(turn=turn.id, session=turn.session) as trace_id:
            tracing.note("query_started", length=len(turn.inbound.text))
            try:
                result = await self._result(turn, scope, trace_id)
            except Asked as asked:
                await self._waits.begin(turn, scope, asked.wait)
            else:
                await self._steering.end_taken(turn)
                await self._parts.leases.check(turn.session)
                await self._finish(turn, session, scope, result, trace_id)
                self._signals.forget(turn.id)
        self._parts.run_logs.leave(session.id, turn.id)
        self._on_ended(turn)

    async def _result(self, turn: StoredTurn, scope: RunScope, trace_id: str) -> RunResult:
        """What the work comes to; a failure is one of the results.

        Raises:
            Asked: the turn waits for a person.
        """
        if turn.stop is not None:
            self._signals.give(turn.id)
        try:
            await self._announce(turn, scope)
            return await self._signals.unless_given(turn.id, self._answer(turn, scope))
        except Stopped:
            return await self._stopped(turn, scope)
        except Asked:
            raise
        except Exception as error:
            if cannot_replay(error):
                raise
            logger.exception("turn %s failed (reference %s)", turn.id, trace_id[:8])
            words = apology(first_cause(error), trace_id[:8], await self._language(turn))
            return RunResult(outcome="failed", text=words)

    async def _stopped(self, turn: StoredTurn, scope: RunScope) -> RunResult:
        stop = (await self._parts.store.turn(turn.id)).stop or Stop(by="", why="asked")
        await self._waits.overtake(turn, scope)
        effects = await self._parts.store.effects_of(turn.id)
        then = standing(await self._parts.log.of_turn(turn.id), effects)
        await scope.emit(RunFinished(**scope.at(0, 1), outcome="stopped", text=""))
        words = CORE.of(await self._language(turn))
        left_out = [each.inbound.text for each in await self._parts.inbox.left_out(turn)]
        said = stop_words(then, stop, words, left_out=left_out)
        return RunResult(outcome="stopped", text=said)

    async def _announce(self, turn: StoredTurn, scope: RunScope) -> None:
        await scope.emit(
            TurnStarted(
                **turn_at(scope, "turn_started"),
                asker=turn.inbound.asker,
                author_name=turn.inbound.author_name,
                author_locale=turn.inbound.author_locale,
                language=await self._language(turn),
                text=turn.inbound.text,
            )
        )

    async def _answer(self, turn: StoredTurn, scope: RunScope) -> RunResult:
        if turn.inbound.background or turn.inbound.attachments:
            await self._parts.taints.taint(turn.session, POSTS_AND_FILES)
        earlier = settled(await self._parts.store.history_before(turn))
        done, asker = await self._done_before(turn, scope)
        scope = scope.acting_as(asker)
        await keep_document(turn, scope.context.workspace)
        routed = await self._routes.choose(turn, scope, earlier, resumed=bool(done))
        if routed.answer is not None:
            await scope.save(0, [user_message(opening_text(turn)), routed.answer])
            return RunResult(outcome="answered", text=routed.answer.text)
        agent = self._parts.agents.main(
            today=turn.inbound.received_at,
            workspace=scope.context.workspace,
            author=turn.inbound.author_name,
            is_digest=turn.inbound.scheduled,
        )
        if wait := unfinished(turn, done):
            added, scope = await self._waits.end(wait, agent, done, scope)
            if not added:
                return RunResult(outcome="limited", text=await self._unanswered_words(turn))
            done = (*done, *added)
        opening = done or (user_message(opening_text(turn)),)
        return await run_agent(agent, earlier, opening, scope, parent=None, task=turn.inbound.text)

    async def _done_before(
        self, turn: StoredTurn, scope: RunScope
    ) -> tuple[tuple[Message, ...], UserId]:
        """What an earlier generation of this turn has stored, and whom it acted for at the end."""
        if scope.generation == 1:
            return (), turn.inbound.asker

        async def read() -> tuple[Message, ...]:
            await self._steering.find_unheard(turn)
            return await self._parts.store.run_messages(turn.id, ROOT_RUN)

        async def look() -> UserId:
            return await self._steering.acting_for(turn)

        done = await scope.steps.once("history", read, MESSAGES)
        return done, await scope.steps.once("asker", look, ASKER)

    async def _unanswered_words(self, turn: StoredTurn) -> str:
        return CORE.say(await self._language(turn), "answer-unanswered")

    async def _language(self, turn: StoredTurn) -> Language:
        return thread_language(turn, (await self._parts.store.turns_until(turn))[:-1])

    async def _finish(
        self,
        turn: StoredTurn,
        session: StoredSession,
        scope: RunScope,
        result: RunResult,
        trace_id: str,
    ) -> None:
        fault_point("finish.before")
        finished = TurnFinished(
            **turn_at(scope, "turn_finished"),
            outcome=result.outcome,
            answer=result.text,
            reference=trace_id[:8],
            is_tainted=True,
        )
        try:
            finished = await self._ending(turn, session.workspace, result, finished)
            await self._parts.closing.leave_records(turn, session.workspace, finished, trace_id)
        except Exception:
            # A turn that could not end for its trimmings would be worked on again and again.
            logger.exception("turn %s ends without its notices or records", turn.id)
        await scope.emit(finished)
        await self._parts.log.flush()
        await settle_notices(session.workspace)
        fault_point("finish.after")

    async def _ending(
        self, turn: StoredTurn, workspace: Path, result: RunResult, plain: TurnFinished
    ) -> TurnFinished:
        """The turn's end with all that the person has to be told and the answer may link to."""
        answer = await with_notices(
            result,
            turn,
            workspace,
            await self._parts.log.of_turn(turn.id),
            await self._language(turn),
        )
        is_tainted = await self._parts.taints.is_tainted(turn.session)
        sources = await asyncio.to_thread(known_sources, workspace) if is_tainted else ()
        return replace(plain, answer=answer, is_tainted=is_tainted, sources=sources)
