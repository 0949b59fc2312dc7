"""The body of a turn: route, fast answer or loop, and an end that leaves everything on disk."""

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.classifier import ROUTED, Routed, Routing, Verdict, rule_for
from agent_core.context.history import settled
from agent_core.durable import Steps, cannot_replay, first_cause
from agent_core.events import (
    AnyEvent,
    FastPathFallback,
    RouteChosen,
    RunFinished,
    StepRetried,
    TextDelta,
    ToolCallFinished,
    TurnFinished,
    TurnStarted,
)
from agent_core.fault_points import fault_point
from agent_core.ids import ROOT_RUN, TurnId, UserId
from agent_core.loop.agent import ROUTE_SLOTS, RunScope
from agent_core.loop.calls import Asked
from agent_core.loop.run import RunResult, run_agent
from agent_core.messages import MESSAGES, InboundMessage, JsonObject, Message, Text, user_message
from agent_core.models import Delta
from agent_core.models.retry import Retried
from agent_core.prompts.language import Language
from agent_core.runtime.ready_answers import (
    answer_small_talk,
    document_note,
    keep_document,
    last_work,
    needs_no_model,
    opening_text,
    thread_language,
    work_to_tell,
)
from agent_core.runtime.runs import Children, Scopes, TurnParts
from agent_core.runtime.standing import apology, standing, stop_words, unsure_words
from agent_core.runtime.steering import POSTS_AND_FILES, Steering, Stopped, StopSignals
from agent_core.runtime.waits import Waits, unfinished
from agent_core.sessions import (
    Stop,
    StoredSession,
    StoredTurn,
)
from agent_core.words import CORE, Words
from agent_core.workspaces import (
    is_renewed,
    known_sources,
    settle_renewal,
)

logger = logging.getLogger(__name__)

_READER = re.compile(r"(?:^|__)crawl_parallel$")
_SUCCESSES = re.compile(r'"successful": ?(\d+)')
OBSERVERS_PATIENCE_S = 5.0
ASKER: TypeAdapter[UserId] = TypeAdapter(UserId)
IS_TAKEN: TypeAdapter[bool] = TypeAdapter(bool)


class Orders(Protocol):
    """Who takes orders of schedules; asked again for a message, it does nothing twice."""

    async def take_order(self, message: InboundMessage) -> bool:
        """Answer a message that orders something; False where it is about something else."""
        ...


class Routes:
    """Chooses routes. What was chosen is recorded: a replay meets the same one."""

    def __init__(self, parts: TurnParts) -> None:
        self._parts = parts
        self.orders: Orders | None = None

    async def choose(
        self, turn: StoredTurn, scope: RunScope, earlier: tuple[Message, ...], *, resumed: bool
    ) -> Routed:
        """The route, chosen once and announced; the fast answer with it where there is one.

        Args:
            turn: The turn to route.
            scope: Of its root run.
            earlier: What was said in the session before.
            resumed: The turn goes on from its history: it was COMPLEX already.
        """
        turns = (await self._parts.store.turns_until(turn))[:-1]
        if needs_no_model(turn, turns):
            routed = await self._small_talk(turn, turns, scope)
        elif rule := "resumed" if resumed else _rule(turn, turns):
            routed = Routed(route="COMPLEX", reason=rule)
        else:
            routed = await self._ask_router(turn, scope, earlier)
            if routed.is_order and await self._is_taken(turn, scope):
                return routed
            routed = replace(routed, is_order=False)
        await self._announce_route(routed, scope)
        return routed

    async def verdict(self, turn: StoredTurn) -> Verdict:
        """What a message wants that was written while another one is worked on."""
        history = settled(await self._parts.store.history_before(turn))
        return (await self._parts.router.classify(_routing(turn, history))).word

    async def _is_taken(self, turn: StoredTurn, scope: RunScope) -> bool:
        """Whether the message was an order, and has its answer."""

        async def take() -> bool:
            return self.orders is not None and await self.orders.take_order(turn.inbound)

        return await scope.steps.once("order", take, IS_TAKEN)

    async def _small_talk(
        self, turn: StoredTurn, earlier: Sequence[StoredTurn], scope: RunScope
    ) -> Routed:
        """What it says of the thread stays true to when it was said."""

        async def answer() -> Routed:
            before = work_to_tell(earlier)
            events = await self._parts.log.of_turn(before.id) if before else []
            return answer_small_talk(turn, earlier, events, self._parts.clock())

        return await scope.steps.once("route", answer, ROUTED)

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
            routed = await self._parts.router.route(_routing(turn, earlier), tell)
            if routed.is_stop:
                said = CORE.say(thread_language(turn, ()), "answer-nothing-running")
                answer = Message(role="assistant", parts=(Text(text=said),))
                return replace(routed, answer=answer)
            return routed

        return await scope.steps.once("route", work, ROUTED)

    async def _announce_route(self, routed: Routed, scope: RunScope) -> None:
        if routed.fallback:
            tracing.note("fast_path_fallback", reason=routed.fallback.partition(":")[0])
            at = turn_at(scope, "fallback")
            await scope.emit(FastPathFallback(**at, reason=routed.fallback))
        tracing.note("query_classification", decision=routed.route, reason=routed.reason)
        if routed.answer is not None:
            tracing.note("direct_answer", length=len(routed.answer.text))
        await scope.emit(
            RouteChosen(
                **turn_at(scope, "route"),
                route=routed.route,
                reason=routed.reason,
                raw=routed.raw,
                usage=routed.usage,
                model_calls=routed.model_calls,
            )
        )


def _routing(turn: StoredTurn, earlier: tuple[Message, ...]) -> Routing:
    return Routing(
        text=turn.inbound.text,
        opening=opening_text(turn),
        history=earlier,
        today=turn.inbound.received_at.date(),
    )


def _rule(turn: StoredTurn, earlier: Sequence[StoredTurn]) -> str | None:
    before = last_work(earlier)
    unfinished = before is not None and before.outcome in {"limited", "stopped", "failed"}
    return rule_for(turn.inbound, has_unfinished_work=unfinished)


def turn_at(scope: RunScope, slot: str) -> JsonObject:
    """A turn's own events are announced once, in whatever generation."""
    return {**scope.at(0, ROUTE_SLOTS[slot]), "attempt": 1}


def read_nothing(events: Sequence[AnyEvent]) -> bool:
    """Whether pages were asked for, by whatever agent, and each and every one failed."""
    told = [
        _SUCCESSES.search(event.preview)
        for event in events
        if isinstance(event, ToolCallFinished) and _READER.search(event.tool)
    ]
    return bool(told) and not any(count and int(count[1]) for count in told)


def _noticed(
    result: RunResult,
    turn: StoredTurn,
    workspace: Path,
    events: Sequence[AnyEvent],
    words: Words,
) -> str:
    """The answer below what the person has to know of message, workspace and pages."""
    notices = [
        document_note(turn, workspace, words),
        words("notice-new-workspace") if is_renewed(workspace) else "",
        words("notice-nothing-read") if read_nothing(events) else "",
        "" if result.outcome == "stopped" else unsure_words(events, words),
    ]
    return "\n\n".join(filter(None, [" ".join(filter(None, notices)), result.text]))


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
        self._scopes = Scopes(parts, self._steering)
        self._waits = Waits(parts)
        self.routes = Routes(parts)
        self.children = Children(parts, self._scopes, signals)

    async def run_turn(self, steps: Steps, turn_id: str, generation: int) -> None:
        """A turn's body. It ends with TurnFinished or a wait, whatever happens.

        Raises:
            CannotReplay: its record does not fit the code.
            LeaseLost: another process works on the session.
        """
        turn = await self._parts.store.turn(TurnId(turn_id))
        await self._parts.leases.check(turn.session)
        session = await self._parts.store.session_of(turn)
        self._parts.run_logs.follow(session.id, session.workspace)
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
            await self._parts.store.taint(turn.session, POSTS_AND_FILES)
        earlier = settled(await self._parts.store.history_before(turn))
        done, asker = await self._done_before(turn, scope)
        scope = scope.acting_as(asker)
        await keep_document(turn, scope.context.workspace)
        routed = await self.routes.choose(turn, scope, earlier, resumed=bool(done))
        if routed.is_order:
            return RunResult(outcome="steered", text="")
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
            await self._parts.observers.settle(OBSERVERS_PATIENCE_S, turn.id)
            events = [e for e in await self._parts.log.of_turn(turn.id) if e != finished]
            events.append(finished)
            await self._parts.closing.leave_records(turn, session.workspace, events, trace_id)
            tracing.note("session_complete", outcome=finished.outcome, events=len(events))
        except Exception:
            # A turn that could not end for its trimmings would be worked on again and again.
            logger.exception("turn %s ends without its notices or records", turn.id)
        await scope.emit(finished)
        await self._parts.log.flush()
        try:  # what was said once is not said again
            await asyncio.to_thread(settle_renewal, session.workspace)
        except OSError:
            logger.exception("%s may be called new once more", session.workspace)
        fault_point("finish.after")

    async def _ending(
        self, turn: StoredTurn, workspace: Path, result: RunResult, plain: TurnFinished
    ) -> TurnFinished:
        """The turn's end with all that the person has to be told and the answer may link to."""
        events = await self._parts.log.of_turn(turn.id)
        words = CORE.of(await self._language(turn))
        answer = await asyncio.to_thread(_noticed, result, turn, workspace, events, words)
        is_tainted = await self._parts.store.tainted_by(turn.session) is not None
        sources = await asyncio.to_thread(known_sources, workspace) if is_tainted else ()
        return replace(plain, answer=answer, is_tainted=is_tainted, sources=sources)
