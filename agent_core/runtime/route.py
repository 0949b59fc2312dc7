"""The route of a turn, chosen once: small talk, a rule, or the classifier with its fast answer."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from agent_core import tracing
from agent_core.classifier import ROUTED, Routed, Routing, Verdict, rule_for
from agent_core.clock import local_time
from agent_core.context.history import settled
from agent_core.context.pictures import load_pictures
from agent_core.events import (
    FastPathFallback,
    RouteChosen,
    StepRetried,
    TextDelta,
)
from agent_core.loop.agent import RunScope
from agent_core.loop.calls import BOOL
from agent_core.messages import AttachedFile, InboundMessage, Message, Text, user_message
from agent_core.models import Delta
from agent_core.models.retry import Retried
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.ready_answers import (
    answer_small_talk,
    last_work,
    needs_no_model,
    opening_text,
    work_to_tell,
)
from agent_core.runtime.scope import Work
from agent_core.runtime.turn_ends import turn_at
from agent_core.sessions import StoredTurn

OrderTaker = Callable[[InboundMessage], Awaitable[bool]]
"""Answers a message that orders a schedule; False where it is about something else. Asked again
for a message, it does nothing twice."""


async def no_orders(_message: InboundMessage) -> bool:
    """Where nobody takes orders, every message is about something else."""
    return False


def routing_of(turn: StoredTurn, earlier: tuple[Message, ...]) -> Routing:
    """What the classifier has to know of a message."""
    return Routing(
        text=turn.inbound.text,
        opening=opening_text(turn),
        history=earlier,
        today=local_time(turn.inbound.received_at, turn.inbound.author_zone).date(),
    )


async def verdict_of(parts: TurnParts, turn: StoredTurn) -> Verdict:
    """What a message wants that was written while another one is worked on."""
    history = settled(await parts.store.history_before(turn))
    return (await parts.router.classify(routing_of(turn, history))).verdict


class RouteChoice:
    """Chooses and announces the route of one turn."""

    def __init__(self, work: Work, scope: RunScope, orders: OrderTaker) -> None:
        self._work = work
        self._parts = work.parts
        self._turn = work.turn
        self._scope = scope
        self._orders = orders

    async def choose(
        self, earlier: tuple[Message, ...], files: tuple[AttachedFile, ...], *, is_resumed: bool
    ) -> Routed:
        """The route, chosen once and announced; the fast answer with it where there is one.

        Args:
            earlier: What was said in the session before.
            files: What came with the message.
            is_resumed: The turn goes on from its history: it was COMPLEX already.
        """
        turn, scope = self._turn, self._scope
        if needs_no_model(turn, self._work.earlier):
            routed = await scope.steps.once("route", self._small_talk, ROUTED)
        elif rule := "resumed" if is_resumed else self._rule(files):
            routed = Routed(route="COMPLEX", reason=rule)
        else:
            routed = await self._ask_router(earlier, files)
            if routed.verdict == "ORDER":
                if await scope.steps.once("order", partial(self._orders, turn.inbound), BOOL):
                    return routed
                routed = replace(routed, verdict="COMPLEX")
        await self._announce_route(routed)
        return routed

    def _rule(self, files: tuple[AttachedFile, ...]) -> str | None:
        before = last_work(self._work.earlier)
        is_open = before is not None and before.outcome in {"limited", "stopped", "failed"}
        is_whole = all(file.is_whole for file in files)
        return rule_for(
            self._turn.inbound,
            has_unfinished_work=is_open,
            is_whole=is_whole,
        )

    async def _small_talk(self) -> Routed:
        """What it says of the thread stays true to when it was said."""
        before = work_to_tell(self._work.earlier)
        events = await self._parts.log.of_turn(before.id) if before else []
        return answer_small_talk(
            self._turn,
            self._work.earlier,
            events,
            self._parts.clock(),
        )

    async def _ask_router(
        self, earlier: tuple[Message, ...], files: tuple[AttachedFile, ...]
    ) -> Routed:
        scope = self._scope
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
            opening = user_message(opening_text(self._turn), files)
            pictures = await load_pictures([opening], self._work.workspace)
            routing = routing_of(self._turn, earlier)
            routing = replace(routing, files=files, pictures=pictures)
            routed = await self._parts.router.route(routing, tell)
            if routed.verdict != "STOP":
                return routed
            said = Text(text=self._work.words("answer-nothing-running"))
            return replace(routed, answer=Message(role="assistant", parts=(said,)))

        return await scope.steps.once("route", work, ROUTED)

    async def _announce_route(self, routed: Routed) -> None:
        if routed.fallback:
            tracing.note("fast_path_fallback", reason=routed.fallback.partition(":")[0])
            at = turn_at(self._parts, self._turn, "fallback")
            await self._scope.emit(FastPathFallback(**at, reason=routed.fallback))
        said = tracing.content(raw_response=routed.raw)
        tracing.note(
            "query_classification",
            decision=routed.route,
            reason=routed.reason,
            **said,
        )
        if routed.answer is not None:
            tracing.note("direct_answer", length=len(routed.answer.text))
        await self._scope.emit(
            RouteChosen(
                **turn_at(self._parts, self._turn, "route"),
                route=routed.route,
                reason=routed.reason,
                raw=routed.raw,
                usage=routed.usage,
                model_calls=routed.model_calls,
            )
        )
