"""The body of a turn: route, fast answer or loop, and an end that leaves everything on disk.

`run.py` makes what its run works with, `waits.py` begins and ends waits, `closing.py` ends turns.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial

from agent_core import tracing
from agent_core.classifier import ROUTED, WRAP_UP, Routed, Routing, Verdict, rule_for
from agent_core.clock import local_time
from agent_core.consent import ask_of
from agent_core.context.history import load_pictures, settled
from agent_core.durable import Steps, cannot_replay
from agent_core.events import (
    PlanMade,
    RouteChosen,
    RunFinished,
    RunStarted,
    TextDelta,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, SessionId, ToolCallId, TurnId
from agent_core.loop.agent import Agent, RunScope
from agent_core.loop.calls import BOOL, PATIENCE, Asked
from agent_core.loop.run import RunResult, run_agent
from agent_core.messages import AttachedFile, InboundMessage, Message, Text, user_message
from agent_core.models import Delta, Retried
from agent_core.planner import (
    CONTINUING,
    PLANNED,
    Plan,
    PlanAhead,
    SubQuestion,
    make_plan,
)
from agent_core.prompts import prompt
from agent_core.runtime.closing import apology, end_absorbed, finish, turn_at
from agent_core.runtime.opening import (
    FILES,
    answer_small_talk,
    keep_document,
    last_work,
    needs_no_model,
    opening_text,
    payer_of,
    read_attached,
    thread_language,
    work_to_tell,
)
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.run import begin_run, taint
from agent_core.runtime.turn_status import TurnStatus
from agent_core.runtime.waits import (
    begin_wait,
    drop_released,
    end_wait,
    open_wait,
    overtake_wait,
    request_words,
)
from agent_core.scoped_settings import NOTHING_SET, EffectiveSettings
from agent_core.sessions import Ask, Question, Stop, StoredTurn, Wait
from agent_core.subagents.children import Stopped
from agent_core.words import CORE, FALLBACK
from agent_core.workspaces import known_pages

logger = logging.getLogger(__name__)

CLARIFYING_PATIENCE = timedelta(minutes=5)
"""How long a question waits whose answer is taken for granted otherwise."""

OrderTaker = Callable[[InboundMessage], Awaitable[bool]]
"""Answers a message that orders a schedule; False where it is about something else. Asked again
for a message, it does nothing twice."""


async def no_orders(_message: InboundMessage) -> bool:
    """Where nobody takes orders, every message is about something else."""
    return False


async def run_turn(
    parts: TurnParts, orders: OrderTaker, steps: Steps, turn_id: TurnId, generation: int
) -> SessionId:
    """A turn's body; its session. It ends with TurnFinished or a wait, whatever happens.

    It replays: it branches only on records and stored facts.

    Raises:
        CannotReplay: its record does not fit the code.
        LeaseLost: another process works on the session.
    """
    turn, earlier, scope = await begin_run(
        parts,
        steps,
        turn_id,
        ROOT_RUN,
        agent=parts.agents.main_name,
        limits=parts.agents.limits,
        generation=generation,
    )
    with tracing.turn_trace(turn=turn.id, session=turn.session) as trace_id:
        asked = turn.inbound.text
        tracing.note("query_started", length=len(asked), **tracing.content(query=asked))
        body = _Generation(
            parts,
            turn,
            earlier,
            scope,
            orders,
            reference=trace_id[:8],
        )
        try:
            async with scope.children.at_work():
                result = await body.result()
                parts.at_work.stop(turn.id)  # children of a run that broke off
                await scope.children.settle()
        except Asked as asked:
            await begin_wait(
                parts,
                turn,
                scope,
                asked.ask,
            )
        else:
            if turn.wait is not None:
                await drop_released(parts, turn, scope, "overtaken")
            await end_absorbed(parts, turn)
            await parts.leases.check(turn.session)
            await finish(
                parts,
                turn,
                earlier,
                scope,
                result,
                trace_id,
            )
            parts.at_work.forget(turn.id)
    return turn.session


async def verdict_of(parts: TurnParts, turn: StoredTurn, *, beside: Wait | None = None) -> Verdict:
    """What a message wants that was written while another one is worked on, or waits."""
    history = settled(await parts.store.history_before(turn))
    routing = _routing(turn, history)
    if beside is not None:
        routing = replace(routing, request=request_words(await parts.asks.get(beside.ask)))
    return (await parts.router.classify(routing)).verdict


def _routing(
    turn: StoredTurn, history: tuple[Message, ...], settings: EffectiveSettings = NOTHING_SET
) -> Routing:
    """What the classifier has to know of a message."""
    return Routing(
        text=turn.inbound.text,
        opening=opening_text(turn),
        history=history,
        today=local_time(turn.inbound.received_at, turn.inbound.author_zone).date(),
        settings=settings,
        payer=payer_of(turn),
    )


@dataclass(frozen=True, slots=True)
class _Generation:
    """One generation of one turn."""

    parts: TurnParts
    turn: StoredTurn
    earlier: Sequence[StoredTurn]
    scope: RunScope
    orders: OrderTaker
    reference: str
    ahead: PlanAhead = field(default_factory=PlanAhead)
    """Begun beside the classifier, so that nobody waits for one model call after the other."""

    async def result(self) -> RunResult:
        """What the work comes to; a failure is one of the results.

        Raises:
            Asked: the turn waits for a person.
        """
        turn, scope, asked = self.turn, self.scope, self.turn.inbound
        try:
            await scope.emit(
                TurnStarted(
                    **turn_at(self.parts, turn, "turn_started"),
                    asker=asked.asker,
                    author_name=asked.author_name,
                    author_locale=asked.author_locale,
                    language=thread_language(turn),
                    text=asked.text,
                )
            )
            return await self.parts.at_work.unless_stopped(turn, ROOT_RUN, self._answer())
        except Stopped:
            return await self._stopped()
        except Asked:
            raise
        except Exception as error:
            if cannot_replay(error):
                raise
            logger.exception("turn %s failed (reference %s)", turn.id, self.reference)
            begun = await self.parts.log.of_turn(turn.id, "run_started")
            if any(each.run == ROOT_RUN for each in begun):
                await scope.emit(RunFinished(**scope.at(0, 1), outcome="failed", text=""))
            return RunResult(outcome="failed", text=apology(error, self.reference, scope.words))
        finally:
            await self.ahead.drop()

    async def _stopped(self) -> RunResult:
        parts, scope, turn = self.parts, self.scope, self.turn
        words = scope.words
        await overtake_wait(parts, turn, scope)
        status = TurnStatus(await parts.log.of_turn(turn.id), await parts.store.effects_of(turn.id))
        known = await asyncio.to_thread(known_pages, scope.context.workspace)
        findings = status.findings(words, known)
        done = await parts.inbox.ending(turn.id, ROOT_RUN)
        if done is not None and done.what == "done":
            text = done.text or status.last_words or findings
            text = f"{words('done-by', name=done.by_name)}\n\n{text}".strip()
            await scope.emit(RunFinished(**scope.at(0, 1), outcome="answered", text=text))
            return RunResult(outcome="answered", text=text)
        await scope.emit(RunFinished(**scope.at(0, 1), outcome="stopped", text=""))
        stop = (await parts.store.turn(turn.id)).stop or Stop(by="", why="asked")
        left_out = [each.inbound.text for each in await parts.queue.left_out(turn)]
        text = status.stopped(stop, words, findings, left_out=left_out)
        has_findings = bool(findings) and stop.why == "asked"
        return RunResult(outcome="stopped", text=text, has_findings=has_findings)

    async def _answer(self) -> RunResult:
        parts, turn, scope = self.parts, self.turn, self.scope
        message, workspace = turn.inbound, scope.context.workspace
        await taint(parts.store, turn)
        earlier = settled(await parts.store.history_before(turn))
        done = scope.history
        await keep_document(turn, workspace)
        files: tuple[AttachedFile, ...] = ()
        if message.attachments and not done:
            read = partial(
                read_attached,
                parts.agents.registry,
                message.attachments,
                scope.context,
            )
            files = await scope.steps.once("files", read, FILES)
        routed = await self._route(earlier, files)
        if routed.verdict == "ORDER":
            return RunResult(outcome="steered", text="")
        opening = done or await self._opening(files)
        if routed.answer is not None:
            await scope.save(0, [*opening, routed.answer])
            return RunResult(outcome="answered", text=routed.answer.text)
        agent = parts.agents.main(
            today=local_time(message.received_at, message.author_zone),
            workspace=workspace,
            author=message.author_name,
            is_digest=message.scheduled,
            settings=scope.context.settings,
        )
        agent = self._without_steps_to_wrap_up(agent)
        wait = open_wait(turn, done) if turn.wait else None
        if wait:
            added, scope = await end_wait(
                parts,
                turn,
                wait,
                agent,
                done,
                scope,
            )
            if not added:
                return RunResult(outcome="limited", text=scope.words("answer-unanswered"))
            opening = (*done, *added)
        was_asked = wait is not None and not wait.call_id
        if parts.planner and (was_asked or routed.reason not in CONTINUING):
            plan = await self._plan(earlier, scope)
            if plan.question:
                await scope.save(0, opening)
                raise Asked(_question(plan, scope))
            opening = (
                *opening,
                *await self._explore(
                    plan,
                    opening,
                    agent,
                    scope,
                ),
            )
        return await run_agent(
            agent,
            earlier,
            opening,
            scope,
            parent=None,
            task=message.text,
        )

    async def _opening(self, files: tuple[AttachedFile, ...]) -> tuple[Message, ...]:
        """What the root run begins with; of a wrap-up with what there is to answer from."""
        opening = user_message(opening_text(self.turn), files)
        if self._rule(()) != WRAP_UP:
            return (opening,)
        return opening, user_message(await self._what_there_is())

    def _without_steps_to_wrap_up(self, agent: Agent) -> Agent:
        """The agent, whose first step is its last where only an answer is wanted."""
        if self._rule(()) != WRAP_UP:
            return agent
        return replace(agent, limits=replace(agent.limits, max_steps=0))

    async def _what_there_is(self) -> str:
        """What the work found that was stopped, its sub-agents' and its pages' words included."""
        workspace = self.scope.context.workspace
        known = await asyncio.to_thread(known_pages, workspace)
        work = last_work(self.earlier)
        events = await self.parts.log.of_turn(work.id) if work else []
        findings = TurnStatus(events).findings(CORE.of(FALLBACK), known)
        return prompt("what_there_is", findings=findings)

    async def _route(self, history: tuple[Message, ...], files: tuple[AttachedFile, ...]) -> Routed:
        """The route, chosen once and announced; the fast answer with it where there is one.

        Small talk, a rule, or the classifier decides; a turn that goes on from its history was
        COMPLEX already.
        """
        turn, scope = self.turn, self.scope
        if needs_no_model(turn, self.earlier):
            routed = await scope.steps.once("route", self._small_talk, ROUTED)
        elif turn.kind == "refused":
            routed = await scope.steps.once("route", self._refuse, ROUTED)
        elif turn.kind == "aside":
            answer = partial(self._answer_aside, history)
            routed = await scope.steps.once("route", answer, ROUTED)
        elif rule := "resumed" if scope.history else self._rule(files):
            routed = Routed(route="COMPLEX", reason=rule)
        else:
            routed = await self._ask_router(history, files)
            if routed.verdict == "ORDER":
                if await scope.steps.once("order", partial(self.orders, turn.inbound), BOOL):
                    return routed
                routed = replace(routed, verdict="COMPLEX")
        await self._announce_route(routed)
        return routed

    def _rule(self, files: tuple[AttachedFile, ...]) -> str | None:
        before = last_work(self.earlier)
        return rule_for(
            self.turn.inbound,
            has_unfinished_work=before is not None
            and before.outcome in {"limited", "stopped", "failed"},
            is_whole=all(file.is_whole for file in files),
        )

    async def _small_talk(self) -> Routed:
        """Recorded, so that what the answer says of the thread stays as it was at that moment."""
        before = work_to_tell(self.earlier)
        log = self.parts.log
        events = await log.of_turn(before.id) if before else []
        if before and before.id in log.heard:
            events.append(log.heard[before.id])
        return answer_small_talk(
            self.turn,
            self.earlier,
            events,
            self.parts.clock(),
        )

    async def _refuse(self) -> Routed:
        """What is said to a message that had met a cap when it came."""
        turn, budget = self.turn, self.parts.budget
        cap = await budget.reached(payer_of(turn))
        text = await budget.sentence(cap, "cap-refused", thread_language(turn)) if cap else ""
        answer = Message(role="assistant", parts=(Text(text=text),))
        return Routed(route="SIMPLE", reason="cap", answer=answer)

    async def _answer_aside(self, history: tuple[Message, ...]) -> Routed:
        """The answer beside the Ask that the work waits for; the Ask stays as it is."""
        routing = _routing(self.turn, history, self.scope.context.settings)
        work = work_to_tell(self.earlier)
        if work is not None and work.wait is not None:
            ask = await self.parts.asks.get(work.wait.ask)
            routing = replace(routing, request=request_words(ask))
        answer = await self.parts.router.answer_beside(routing)
        if answer is None:
            text = Text(text=self.scope.words("answer-aside-later"))
            answer = Message(role="assistant", parts=(text,))
        return Routed(route="SIMPLE", reason="aside", answer=answer, model_calls=1)

    async def _ask_router(
        self, history: tuple[Message, ...], files: tuple[AttachedFile, ...]
    ) -> Routed:
        scope = self.scope
        attempt = 1

        async def announce(item: Delta | Retried) -> None:
            nonlocal attempt
            await self.ahead.drop()  # a fast answer has begun
            if isinstance(item, Delta):
                await scope.emit(TextDelta(**scope.at(0, 2, attempt), text=item.text))
                return
            attempt = item.attempt
            await scope.emit(scope.retried(item, 0, 2))

        async def work() -> Routed:
            opening = user_message(opening_text(self.turn), files)
            pictures = await load_pictures([opening], scope.context.workspace)
            routing = _routing(self.turn, history, scope.context.settings)
            routing = replace(routing, files=files, pictures=pictures)
            if self.parts.planner is not None:
                self.ahead.begin(partial(self._make_plan, history))
            routed = await self.parts.router.route(routing, announce)
            if routed.verdict != "STOP":
                return routed
            text = Text(text=scope.words("answer-nothing-running"))
            return replace(routed, answer=Message(role="assistant", parts=(text,)))

        return await scope.steps.once("route", work, ROUTED)

    async def _announce_route(self, routed: Routed) -> None:
        if routed.fallback:
            reason = routed.fallback.partition(":")[0]
            tracing.note("fast_path_fallback", reason=reason, **tracing.WARNING)
        tracing.note(
            "query_classification",
            decision=routed.route,
            reason=routed.reason,
            **tracing.content(raw_response=routed.raw),
        )
        if routed.answer is not None:
            tracing.note("direct_answer", length=len(routed.answer.text))
        await self.scope.emit(
            RouteChosen(
                **turn_at(self.parts, self.turn, "route"),
                route=routed.route,
                reason=routed.reason,
                raw=routed.raw,
                usage=routed.usage,
                model_calls=routed.model_calls,
                fallback=routed.fallback,
            )
        )

    async def _make_plan(self, history: Sequence[Message]) -> Plan:
        turn, planner = self.turn, self.parts.planner
        if planner is None:
            return Plan()
        day = local_time(turn.inbound.received_at, turn.inbound.author_zone).date()
        return await make_plan(
            planner,
            opening_text(turn),
            history,
            today=day,
            payer=payer_of(turn),
            settings=self.scope.context.settings,
        )

    async def _plan(self, history: Sequence[Message], scope: RunScope) -> Plan:
        """The plan of a new task, which is made once and announced; a question is asked once."""
        turn = self.turn

        async def work() -> Plan:
            for event in await self.parts.log.of_turn(turn.id, "plan_made"):
                if isinstance(event, PlanMade):
                    titled = zip(event.titles, event.sub_questions, strict=True)
                    parts = tuple(SubQuestion(title=title, question=q) for title, q in titled)
                    return Plan(sub_questions=parts)
            return await self.ahead.plan(partial(self._make_plan, history))

        plan = await scope.steps.once("plan", work, PLANNED)
        await scope.emit(
            PlanMade(
                **turn_at(self.parts, turn, "plan"),
                question=plan.question,
                default=plan.default,
                sub_questions=tuple(part.question for part in plan.sub_questions),
                titles=tuple(part.title for part in plan.sub_questions),
                usage=plan.usage,
            )
        )
        return plan

    async def _explore(
        self, plan: Plan, opening: Sequence[Message], agent: Agent, scope: RunScope
    ) -> tuple[Message, ...]:
        """A run for each sub-question, and what the main run is told of them."""
        task = self.turn.inbound.text
        started = RunStarted(
            **scope.at(0, 0),
            parent=None,
            agent=agent.name,
            task=task,
        )
        await scope.emit(started)
        more = "".join(f"\n\n{message.text}" for message in opening[1:])
        context = "\n\n" + prompt("sub_question", task=task, more=more)
        runs: list[str] = []
        for number, part in enumerate(plan.sub_questions, start=1):
            run = await scope.fork(
                f"part{number}",
                part.question,
                title=part.title,
                context=context,
            )
            runs.append(f"- {run}: {part.question}")
        return (user_message(prompt("planned", runs="\n".join(runs))),) if runs else ()


def _question(plan: Plan, scope: RunScope) -> Ask:
    """One that blocks the work waits for days; any other tells what is taken otherwise."""
    patience, text = PATIENCE, plan.question
    if plan.default:
        patience = CLARIFYING_PATIENCE
        notice = scope.words(
            "question-default",
            n=CLARIFYING_PATIENCE.seconds // 60,
            default=plan.default,
        )
        text = f"{text}\n\n{notice}"
    question = Question(text=text, options=plan.options, default=plan.default)
    return ask_of(ToolCallId(""), scope.context, question, scope.clock() + patience)
