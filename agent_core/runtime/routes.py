"""The route of a turn: small talk, a rule, or the classifier beside the fast answer."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.classifier import ROUTED, Routed, Router, Routing, Verdict, rule_for
from agent_core.context.history import settled
from agent_core.events import FastPathFallback, RouteChosen, StepRetried, TextDelta
from agent_core.loop.agent import ROUTE_SLOTS, Clock, RunScope
from agent_core.messages import InboundMessage, JsonObject, Message, Text
from agent_core.models import Delta
from agent_core.models.retry import Retried
from agent_core.runtime.opening import opening_text
from agent_core.runtime.ready_answers import (
    answer_small_talk,
    last_work,
    needs_no_model,
    thread_language,
    work_to_tell,
)
from agent_core.sessions import EventLog, SessionStore, StoredTurn
from agent_core.words import CORE


class Orders(Protocol):
    """Who takes orders of schedules; asked again for a message, it does nothing twice."""

    async def take_order(self, message: InboundMessage) -> bool:
        """Answer a message that orders something; False where it is about something else."""
        ...


IS_TAKEN: TypeAdapter[bool] = TypeAdapter(bool)


class Routes:
    """Chooses routes. What was chosen is recorded: a replay meets the same one."""

    def __init__(self, router: Router, store: SessionStore, log: EventLog, clock: Clock) -> None:
        self._router = router
        self._store = store
        self._log = log
        self._clock = clock
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
        turns = (await self._store.turns_until(turn))[:-1]
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
        history = settled(await self._store.history_before(turn))
        return (await self._router.classify(_routing(turn, history))).word

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
            events = await self._log.of_turn(before.id) if before else []
            return answer_small_talk(turn, earlier, events, self._clock())

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
            routed = await self._router.route(_routing(turn, earlier), tell)
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
