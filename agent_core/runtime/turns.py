"""The body of a turn: route, fast answer or loop, and an end that leaves everything on disk."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.classifier import ROUTED, Routed, Router, Routing, rule_for
from agent_core.context.history import settled
from agent_core.durable import Steps, cannot_replay, first_cause
from agent_core.errors import SessionError
from agent_core.events import (
    CorrectionInjected,
    FastPathFallback,
    RouteChosen,
    StepRetried,
    TextDelta,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, RunId, TurnId
from agent_core.loop.agent import ROUTE_SLOTS, Clock, RunScope
from agent_core.loop.run import RunResult, run_agent
from agent_core.messages import (
    MESSAGES,
    JsonObject,
    Message,
    ToolCall,
    ToolResult,
    user_message,
)
from agent_core.models import Delta
from agent_core.models.retry import Retried
from agent_core.observers import Observers, ToolObserved
from agent_core.observers.compliance import correction
from agent_core.prompts.language import Language
from agent_core.runtime.agents import Agents
from agent_core.runtime.closing import Closing
from agent_core.runtime.documents import keep_document
from agent_core.runtime.notices import settle_notices, with_notices
from agent_core.runtime.opening import opening_text
from agent_core.runtime.ready_answers import answer_small_talk, last_work, thread_language
from agent_core.runtime.run_logs import RunLogs
from agent_core.runtime.words import apology, child_failure
from agent_core.sessions import EventLog, SessionStore, StoredSession, StoredTurn
from agent_core.subagents.task import (
    CHILD_REQUEST,
    CHILD_RESULT,
    ChildRequest,
    ChildResult,
)
from agent_core.tools import ToolContext, ToolOutput
from agent_core.workspaces import known_sources

logger = logging.getLogger(__name__)

CORRECTION: TypeAdapter[str] = TypeAdapter(str)
CORRECTION_SLOT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnParts:
    """What turns are made of."""

    store: SessionStore
    log: EventLog
    router: Router
    agents: Agents
    observers: Observers
    run_logs: RunLogs
    closing: Closing
    clock: Clock


class Turns:
    """Runs turns and child runs. Both bodies replay: they branch only on records and stored facts.

    Args:
        parts: What turns are made of.
        on_finished: Told of each turn that has ended, so that the session's next one can begin.
    """

    def __init__(self, parts: TurnParts, *, on_finished: Callable[[StoredTurn], None]) -> None:
        self._parts = parts
        self._on_finished = on_finished

    async def run_turn(self, steps: Steps, turn_id: str, generation: int) -> None:
        """A turn's body. It ends with TurnFinished, whatever happens, unless it cannot replay."""
        turn = await self._parts.store.turn(TurnId(turn_id))
        session = await self._session(turn)
        scope = self._scope(turn, session, ROOT_RUN, steps, generation)
        with tracing.turn_trace(turn=turn.id, session=turn.session) as trace_id:
            tracing.note("query_started", length=len(turn.inbound.text))
            try:
                await self._announce(turn, scope)
                result = await self._answer(turn, scope, generation)
            except Exception as error:
                if cannot_replay(error):
                    raise
                logger.exception("turn %s failed (reference %s)", turn.id, trace_id[:8])
                words = apology(first_cause(error), trace_id[:8], await self._language(turn))
                result = RunResult(outcome="failed", text=words)
            await self._finish(turn, session, scope, result, trace_id)
        self._parts.run_logs.leave(session.id, turn.id)
        self._on_finished(turn)

    async def run_child(self, steps: Steps, payload: JsonObject) -> JsonObject:
        """A child run's body: a sub-agent's whole work, checked against its rule at the end."""
        request = CHILD_REQUEST.validate_python(payload)
        turn = await self._parts.store.turn(TurnId(request.turn))
        session = await self._session(turn)
        scope = self._scope(turn, session, request.run, steps, generation=1)
        agent = self._parts.agents.subagent(
            request.agent, today=turn.inbound.received_at, workspace=session.workspace
        )
        try:
            result = await run_agent(
                agent,
                (),
                (user_message(request.prompt),),
                scope,
                parent=request.parent,
                task=request.prompt,
            )
        except Exception as error:
            if cannot_replay(error):
                raise
            logger.exception("run %s of turn %s failed", request.run, turn.id)
            result = RunResult(outcome="failed", text=child_failure(first_cause(error)))
        complaint = await self._complaint(request, scope)
        child = ChildResult(
            text=result.text, is_error=result.outcome == "failed", correction=complaint
        )
        return CHILD_RESULT.dump_python(child, mode="json")

    async def _complaint(self, request: ChildRequest, scope: RunScope) -> str:
        if not self._parts.agents.spec(request.agent).complete_when:
            return ""
        messages = await self._parts.store.run_messages(TurnId(request.turn), request.run)
        called = [call.name for message in messages for call in message.tool_calls]

        async def check() -> str:
            workspace = scope.context.workspace
            return await asyncio.to_thread(correction, request.prompt, called, workspace) or ""

        text = await scope.steps.once("compliance", check, CORRECTION)
        if text:
            tracing.note("subagent_compliance_message_injected", agent=request.agent)
            at = scope.at(0, CORRECTION_SLOT)
            await scope.emit(CorrectionInjected(**at, agent=request.agent, text=text))
        return text

    async def _session(self, turn: StoredTurn) -> StoredSession:
        session = await self._parts.store.session(turn.session)
        if session is None:
            raise SessionError(f"Turn {turn.id} has no session.")
        self._parts.run_logs.follow(session.id, turn.id, session.workspace)
        return session

    def _scope(
        self, turn: StoredTurn, session: StoredSession, run: RunId, steps: Steps, generation: int
    ) -> RunScope:
        async def save(start: int, new: Sequence[Message]) -> None:
            await self._parts.store.append_messages(turn.id, run, start, new)

        def observe(call: ToolCall, output: ToolOutput, context: ToolContext) -> None:
            self._parts.observers.notify(ToolObserved(call=call, output=output, context=context))

        return RunScope(
            context=ToolContext(
                session=turn.session,
                turn=turn.id,
                run=run,
                asker=turn.inbound.asker,
                workspace=session.workspace,
            ),
            steps=steps,
            emit=self._parts.log.append,
            clock=self._parts.clock,
            save=save,
            after_tool_call=observe,
            generation=generation,
        )

    async def _announce(self, turn: StoredTurn, scope: RunScope) -> None:
        await scope.emit(
            TurnStarted(
                **_turn_at(scope, "turn_started"),
                asker=turn.inbound.asker,
                author_name=turn.inbound.author_name,
                author_locale=turn.inbound.author_locale,
                text=turn.inbound.text,
            )
        )

    async def _answer(self, turn: StoredTurn, scope: RunScope, generation: int) -> RunResult:
        earlier = settled(await self._parts.store.history_before(turn))
        done = await self._done_before(turn, scope, generation)
        await keep_document(turn, scope.context.workspace)
        routed = await self._route(turn, scope, earlier, resumed=bool(done))
        if routed.answer is not None:
            await scope.save(0, [user_message(opening_text(turn)), routed.answer])
            return RunResult(outcome="answered", text=routed.answer.text)
        agent = self._parts.agents.main(
            today=turn.inbound.received_at,
            workspace=scope.context.workspace,
            author=turn.inbound.author_name,
        )
        opening = done or (user_message(opening_text(turn)),)
        return await run_agent(agent, earlier, opening, scope, parent=None, task=turn.inbound.text)

    async def _done_before(
        self, turn: StoredTurn, scope: RunScope, generation: int
    ) -> tuple[Message, ...]:
        """What an earlier generation of this turn has stored; nothing in the first."""
        if generation == 1:
            return ()

        async def read() -> tuple[Message, ...]:
            return await self._parts.store.run_messages(turn.id, ROOT_RUN)

        return await scope.steps.once("history", read, MESSAGES)

    async def _route(
        self, turn: StoredTurn, scope: RunScope, earlier: tuple[Message, ...], *, resumed: bool
    ) -> Routed:
        turns = (await self._parts.store.turns_until(turn))[:-1]
        if answer := answer_small_talk(turn, turns):
            routed = await scope.steps.once("route", _recorded(answer), ROUTED)
        elif rule := "resumed" if resumed else _rule(turn, turns):
            routed = Routed(route="COMPLEX", reason=rule)
        else:
            routed = await self._ask_router(turn, scope, earlier)
        await self._announce_route(routed, scope)
        return routed

    async def _ask_router(
        self, turn: StoredTurn, scope: RunScope, earlier: tuple[Message, ...]
    ) -> Routed:
        attempt = 1

        async def tell(item: Delta | Retried) -> None:
            nonlocal attempt
            if isinstance(item, Delta):
                await scope.emit(TextDelta(**scope.at(0, 2, attempt), text=item.text))
                return
            attempt = item.attempt
            at = scope.at(0, 2, attempt)
            await scope.emit(StepRetried(**at, reason=item.reason, wait_s=item.wait_s))

        async def work() -> Routed:
            routing = Routing(
                text=turn.inbound.text,
                opening=opening_text(turn),
                history=earlier,
                today=turn.inbound.received_at.date(),
            )
            return await self._parts.router.route(routing, tell)

        return await scope.steps.once("route", work, ROUTED)

    async def _announce_route(self, routed: Routed, scope: RunScope) -> None:
        if routed.fallback:
            tracing.note("fast_path_fallback", reason=routed.fallback.partition(":")[0])
            at = _turn_at(scope, "fallback")
            await scope.emit(FastPathFallback(**at, reason=routed.fallback))
        tracing.note("query_classification", decision=routed.route, reason=routed.reason)
        if routed.answer is not None:
            tracing.note("direct_answer", length=len(routed.answer.text))
        await scope.emit(
            RouteChosen(
                **_turn_at(scope, "route"),
                route=routed.route,
                reason=routed.reason,
                raw=routed.raw,
                usage=routed.usage,
                model_calls=routed.model_calls,
            )
        )

    async def _language(self, turn: StoredTurn) -> Language:
        return thread_language(turn, (await self._parts.store.turns_until(turn))[:-1])

    async def _has_read_from_outside(self, turn: StoredTurn) -> bool:
        """Whether this or an earlier turn saw a tool's result, a file, or posts of a thread."""
        asked = [each.inbound for each in await self._parts.store.turns_until(turn)]
        if any(inbound.background or inbound.attachments for inbound in asked):
            return True
        history = await self._parts.store.history_before(turn)
        own = await self._parts.store.run_messages(turn.id, ROOT_RUN)
        return any(map(_came_from_outside, (*history, *own)))

    async def _finish(
        self,
        turn: StoredTurn,
        session: StoredSession,
        scope: RunScope,
        result: RunResult,
        trace_id: str,
    ) -> None:
        workspace = session.workspace
        await self._parts.log.flush()
        events = [event for _, event in await self._parts.log.stored(turn.id)]
        answer = await with_notices(
            result.text, turn, workspace, events, await self._language(turn)
        )
        is_tainted = await self._has_read_from_outside(turn)
        sources = await asyncio.to_thread(known_sources, workspace) if is_tainted else ()
        finished = TurnFinished(
            **_turn_at(scope, "turn_finished"),
            outcome=result.outcome,
            answer=answer,
            reference=trace_id[:8],
            is_tainted=is_tainted,
            sources=sources,
        )
        await self._parts.closing.leave_records(turn, workspace, finished, trace_id)
        await self._parts.store.mark_finished(turn.id, outcome=result.outcome, answer=answer)
        await scope.emit(finished)
        await self._parts.log.flush()
        await settle_notices(workspace)


def _came_from_outside(message: Message) -> bool:
    return any(isinstance(part, ToolResult) for part in message.parts)


def _rule(turn: StoredTurn, earlier: Sequence[StoredTurn]) -> str | None:
    before = last_work(earlier)
    unfinished = before is not None and before.outcome in {"limited", "stopped", "failed"}
    return rule_for(turn.inbound, has_unfinished_work=unfinished)


def _recorded(routed: Routed) -> Callable[[], Awaitable[Routed]]:
    """Work that is done already: what it says of the thread stays true to when it was said."""

    async def work() -> Routed:
        return routed

    return work


def _turn_at(scope: RunScope, slot: str) -> JsonObject:
    """A turn's own events are announced once, in whatever generation."""
    return {**scope.at(0, ROUTE_SLOTS[slot]), "attempt": 1}
