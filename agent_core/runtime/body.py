"""The body of a turn: route, fast answer or loop, and an end that leaves everything on disk.

`route.py` chooses the route, `waits.py` begins and ends waits, `closing.py` ends the turn.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from itertools import zip_longest

from agent_core import tracing
from agent_core.clock import local_time
from agent_core.context.history import settled
from agent_core.durable import Steps, cannot_replay
from agent_core.events import (
    PlanMade,
    RunFinished,
    RunStarted,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, ToolCallId
from agent_core.loop.agent import Agent, RunScope
from agent_core.loop.ask_user import PATIENCE, question_ask
from agent_core.loop.calls import Asked
from agent_core.loop.run import RunResult, run_agent
from agent_core.messages import AttachedFile, Message, user_message
from agent_core.models import Model
from agent_core.planner import CONTINUING, PLANNED, Plan, SubQuestion, make_plan
from agent_core.prompts import prompt
from agent_core.runtime.attached import FILES, read_attached
from agent_core.runtime.closing import Closing
from agent_core.runtime.failures import apology
from agent_core.runtime.ready_answers import (
    keep_document,
    opening_text,
)
from agent_core.runtime.route import OrderTaker, RouteChoice
from agent_core.runtime.run_inbox import taint
from agent_core.runtime.scope import Work
from agent_core.runtime.stop import Stopped, StopSignals
from agent_core.runtime.turn_ends import end_absorbed, turn_at
from agent_core.runtime.turn_status import TurnStatus
from agent_core.runtime.waits import Waits, unfinished
from agent_core.sessions import Ask, Question, Stop
from agent_core.subagents.children import RunRequest

logger = logging.getLogger(__name__)

CLARIFYING_PATIENCE = timedelta(minutes=5)
"""How long a question waits whose answer is taken for granted otherwise."""


async def run_turn(
    work: Work, steps: Steps, generation: int, signals: StopSignals, orders: OrderTaker
) -> None:
    """A turn's body. It ends with TurnFinished or a wait, whatever happens.

    It replays: it branches only on records and stored facts.

    Raises:
        CannotReplay: its record does not fit the code.
        LeaseLost: another process works on the session.
    """
    turn = work.turn
    root = RunStarted(
        **turn_at(work.parts, turn, "root"),
        parent=None,
        agent=work.parts.agents.main_name,
        task=turn.inbound.text,
        asker=turn.inbound.asker,
    )
    limits = work.parts.agents.limits
    request = RunRequest(
        started=root,
        depth=0,
        limits=limits,
        generation=generation,
    )
    scope = await work.begin(request, steps)
    with tracing.turn_trace(turn=turn.id, session=turn.session) as trace_id:
        tracing.note("query_started", length=len(turn.inbound.text))
        body = _Body(work, scope, trace_id, orders)
        try:
            async with scope.children.at_work():
                result = await body.result(signals)
                signals.give(turn.id)  # for children that are still out, of a run that broke off
                await scope.children.settle()
        except Asked as asked:
            await Waits(work).begin(scope, asked.ask)
        else:
            await end_absorbed(work.parts, turn)
            await work.parts.leases.check(turn.session)
            await Closing(work, scope, trace_id).finish(result)
            signals.forget(turn.id)


class _Body:
    """One generation of one turn."""

    def __init__(self, work: Work, scope: RunScope, trace_id: str, orders: OrderTaker) -> None:
        self._work = work
        self._parts = work.parts
        self._turn = work.turn
        self._scope = scope
        self._trace_id = trace_id
        self._orders = orders
        self._waits = Waits(work)

    async def result(self, signals: StopSignals) -> RunResult:
        """What the work comes to; a failure is one of the results.

        Raises:
            Asked: the turn waits for a person.
        """
        try:
            await self._announce()
            return await signals.unless_given(self._turn, ROOT_RUN, self._answer())
        except Stopped:
            return await self._stopped()
        except Asked:
            raise
        except Exception as error:
            if cannot_replay(error):
                raise
            reference = self._trace_id[:8]
            logger.exception("turn %s failed (reference %s)", self._turn.id, reference)
            ended = self._scope.at(0, 1)
            await self._scope.emit(RunFinished(**ended, outcome="failed", text=""))
            words = apology(error, reference, self._work.language)
            return RunResult(outcome="failed", text=words)

    async def _announce(self) -> None:
        asked = self._turn.inbound
        await self._scope.emit(
            TurnStarted(
                **turn_at(self._parts, self._turn, "turn_started"),
                asker=asked.asker,
                author_name=asked.author_name,
                author_locale=asked.author_locale,
                language=self._work.language,
                text=asked.text,
            )
        )

    async def _stopped(self) -> RunResult:
        parts, scope, turn = self._parts, self._scope, self._turn
        stop = (await parts.store.turn(turn.id)).stop or Stop(by="", why="asked")
        await self._waits.overtake(scope)
        then = TurnStatus(await parts.log.of_turn(turn.id), await parts.store.effects_of(turn.id))
        done = await self._work.ending(ROOT_RUN)
        if done is not None and done.what == "done":
            said = self._work.words("done-by", name=done.by_name)
            found = done.text or then.last_words or then.findings(self._work.words)
            text = f"{said}\n\n{found}".strip()
            await scope.emit(RunFinished(**scope.at(0, 1), outcome="answered", text=text))
            return RunResult(outcome="answered", text=text)
        await scope.emit(RunFinished(**scope.at(0, 1), outcome="stopped", text=""))
        left_out = [each.inbound.text for each in await parts.queue.left_out(turn)]
        said = then.stopped(stop, self._work.words, left_out=left_out)
        return RunResult(outcome="stopped", text=said)

    async def _answer(self) -> RunResult:
        work, parts, turn, scope = self._work, self._parts, self._turn, self._scope
        await taint(parts.store, turn)
        earlier = settled(await parts.store.history_before(turn))
        done = scope.before.history
        await keep_document(turn, work.workspace)
        files: tuple[AttachedFile, ...] = ()
        if turn.inbound.attachments and not done:
            attached = turn.inbound.attachments
            read = partial(
                read_attached,
                parts.agents.registry,
                attached,
                scope.context,
            )
            files = await scope.steps.once("files", read, FILES)
        routed = await RouteChoice(work, scope, self._orders).choose(
            earlier, files, is_resumed=bool(done)
        )
        if routed.verdict == "ORDER":
            return RunResult(outcome="steered", text="")
        if routed.answer is not None:
            await scope.save(0, [user_message(opening_text(turn), files), routed.answer])
            return RunResult(outcome="answered", text=routed.answer.text)
        agent = parts.agents.main(
            today=local_time(turn.inbound.received_at, turn.inbound.author_zone),
            workspace=work.workspace,
            author=turn.inbound.author_name,
            is_digest=turn.inbound.scheduled,
        )
        if wait := unfinished(turn, done):
            added, scope = await self._waits.end(wait, agent, done, scope)
            if not added:
                return RunResult(outcome="limited", text=work.words("answer-unanswered"))
            done = (*done, *added)
        opening = done or (user_message(opening_text(turn), files),)
        was_asked = wait is not None and not wait.call_id
        if parts.planner and (was_asked or routed.reason not in CONTINUING):
            plan = await self._plan(parts.planner, earlier, scope)
            if plan.question:
                await scope.save(0, opening)
                raise Asked(self._question(plan, scope))
            opening = (*opening, *await self._explore(plan, opening, agent, scope))
        return await run_agent(
            agent,
            earlier,
            opening,
            scope,
            parent=None,
            task=turn.inbound.text,
        )

    async def _plan(self, planner: Model, earlier: Sequence[Message], scope: RunScope) -> Plan:
        """The plan of a new task, which is made once and announced; a question is asked once."""
        turn = self._turn

        async def work() -> Plan:
            events = await self._parts.log.of_turn(turn.id)
            for made in (event for event in events if isinstance(event, PlanMade)):
                titled = zip_longest(made.sub_questions, made.titles, fillvalue="")
                parts = tuple(SubQuestion(title=title, question=q) for q, title in titled)
                return Plan(sub_questions=parts)
            day = local_time(turn.inbound.received_at, turn.inbound.author_zone).date()
            return await make_plan(
                planner,
                opening_text(turn),
                earlier,
                today=day,
            )

        plan = await scope.steps.once("plan", work, PLANNED)
        at = turn_at(self._parts, turn, "plan")
        made = PlanMade(
            **at,
            question=plan.question,
            default=plan.default,
            sub_questions=tuple(part.question for part in plan.sub_questions),
            titles=tuple(part.title for part in plan.sub_questions),
            usage=plan.usage,
        )
        await scope.emit(made)
        return plan

    def _question(self, plan: Plan, scope: RunScope) -> Ask:
        """One that blocks the work waits for days; any other tells what is taken otherwise."""
        patience, text = PATIENCE, plan.question
        if plan.default:
            patience, minutes = CLARIFYING_PATIENCE, CLARIFYING_PATIENCE.seconds // 60
            notice = self._work.words(
                "question-default",
                n=minutes,
                default=plan.default,
            )
            text = f"{text}\n\n{notice}"
        question = Question(text=text, options=plan.options, default=plan.default)
        return question_ask(
            question,
            ToolCallId(""),
            scope,
            patience,
        )

    async def _explore(
        self, plan: Plan, opening: Sequence[Message], agent: Agent, scope: RunScope
    ) -> tuple[Message, ...]:
        """A run for each sub-question, and what the main run is told of them."""
        task = self._turn.inbound.text
        await scope.emit(
            RunStarted(
                **scope.at(0, 0),
                parent=None,
                agent=agent.name,
                task=task,
            )
        )
        more = "".join(f"\n\n{message.text}" for message in opening[1:])
        runs: list[str] = []
        for place, part in enumerate(plan.sub_questions, start=1):
            order = prompt(
                "sub_question",
                question=part.question,
                task=task,
                more=more,
            )
            run = await scope.fork(f"part{place}", order, title=part.title)
            runs.append(f"- {run}: {part.question}")
        return (user_message(prompt("planned", runs="\n".join(runs))),) if runs else ()
