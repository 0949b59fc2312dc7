"""The body of a turn: route, fast answer or loop, and an end that leaves everything on disk."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import zip_longest

from agent_core import tracing
from agent_core.classifier import ROUTED, Routed, Routing, Verdict, rule_for
from agent_core.clock import local_time
from agent_core.context.history import settled
from agent_core.context.pictures import load_pictures
from agent_core.durable import Steps, cannot_replay
from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    FastPathFallback,
    PlanMade,
    RouteChosen,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    TextDelta,
    ToolCallFinished,
    TurnFinished,
    TurnStarted,
)
from agent_core.fault_points import fault_point
from agent_core.ids import ROOT_RUN, ToolCallId, TurnId
from agent_core.loop.agent import Agent, RunScope
from agent_core.loop.ask_user import PATIENCE, question_ask
from agent_core.loop.calls import BOOL, Asked
from agent_core.loop.run import RunResult, run_agent
from agent_core.messages import AttachedFile, InboundMessage, Message, Text, user_message
from agent_core.models import Delta, Model
from agent_core.models.retry import Retried
from agent_core.planner import CONTINUING, PLANNED, Plan, SubQuestion, make_plan
from agent_core.programs import RUN_PYTHON
from agent_core.prompts import prompt
from agent_core.runtime.attached import FILES, fault_notes
from agent_core.runtime.failures import apology
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.ready_answers import (
    answer_small_talk,
    document_note,
    keep_document,
    last_work,
    needs_no_model,
    opening_text,
    work_to_tell,
)
from agent_core.runtime.runs import Stopped, StopSignals, Work, end_absorbed, turn_at
from agent_core.runtime.turn_status import TurnStatus
from agent_core.runtime.waits import Waits, unfinished
from agent_core.sessions import Ask, Question, Stop, StoredTurn
from agent_core.subagents.children import RunRequest
from agent_core.tools import app_name
from agent_core.workspaces import (
    append_summary,
    build_trace,
    cited_in,
    known_sources,
    renewal,
    without_paths,
    write_trace,
)

logger = logging.getLogger(__name__)

_AWAY = {
    "composio": "composio",
    "local_toolkit": "local-toolkit",
    RUN_PYTHON: "run-python",
}
"""What people are told of our own servers and tools, which they do not know by name."""
_CRAWLER = re.compile(r"(?:^|__)crawl_parallel$")
_SUCCESSES = re.compile(r'"successful": ?(\d+)')
OBSERVERS_PATIENCE_S = 5.0
CLARIFYING_PATIENCE = timedelta(minutes=5)
"""How long a question waits whose answer is taken for granted otherwise."""

OrderTaker = Callable[[InboundMessage], Awaitable[bool]]
"""Answers a message that orders a schedule; False where it is about something else. Asked again
for a message, it does nothing twice."""


async def no_orders(_message: InboundMessage) -> bool:
    """Where nobody takes orders, every message is about something else."""
    return False


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
    request = RunRequest(started=root, depth=0, limits=limits, generation=generation)
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
            await body.finish(result)
            signals.forget(turn.id)


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
        await work.taint(turn)
        earlier = settled(await parts.store.history_before(turn))
        done = scope.before.history
        await keep_document(turn, work.workspace)
        files: tuple[AttachedFile, ...] = ()
        if turn.inbound.attachments and not done:
            read = partial(work.read_files, turn, scope.context)
            files = await scope.steps.once("files", read, FILES)
        routed = await self._route(earlier, files, is_resumed=bool(done))
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
        return await run_agent(agent, earlier, opening, scope, parent=None, task=turn.inbound.text)

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
            return await make_plan(planner, opening_text(turn), earlier, today=day)

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
            told = self._work.words("question-default", n=minutes, default=plan.default)
            text = f"{text}\n\n{told}"
        question = Question(text=text, options=plan.options, default=plan.default)
        return question_ask(question, ToolCallId(""), scope, patience)

    async def _explore(
        self, plan: Plan, opening: Sequence[Message], agent: Agent, scope: RunScope
    ) -> tuple[Message, ...]:
        """A run for each sub-question, and what the main run is told of them."""
        task = self._turn.inbound.text
        await scope.emit(RunStarted(**scope.at(0, 0), parent=None, agent=agent.name, task=task))
        more = "".join(f"\n\n{message.text}" for message in opening[1:])
        runs: list[str] = []
        for place, part in enumerate(plan.sub_questions, start=1):
            order = prompt("sub_question", question=part.question, task=task, more=more)
            run = await scope.fork(f"part{place}", order, title=part.title)
            runs.append(f"- {run}: {part.question}")
        return (user_message(prompt("planned", runs="\n".join(runs))),) if runs else ()

    async def _route(
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
        return rule_for(self._turn.inbound, has_unfinished_work=is_open, is_whole=is_whole)

    async def _small_talk(self) -> Routed:
        """What it says of the thread stays true to when it was said."""
        before = work_to_tell(self._work.earlier)
        events = await self._parts.log.of_turn(before.id) if before else []
        return answer_small_talk(self._turn, self._work.earlier, events, self._parts.clock())

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
        tracing.note("query_classification", decision=routed.route, reason=routed.reason, **said)
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

    async def finish(self, result: RunResult) -> None:
        """The turn's end, with its records. What goes wrong with them does not cost the answer."""
        fault_point("finish.before")
        parts, turn, workspace = self._parts, self._turn, self._work.workspace
        finished = TurnFinished(
            **turn_at(parts, turn, "turn_finished"),
            outcome=result.outcome,
            answer=result.text,
            reference=self._trace_id[:8],
            is_tainted=True,
        )
        try:
            events = await parts.log.of_turn(turn.id)
            messages = await parts.store.run_messages(turn.id, ROOT_RUN)
            is_tainted = await parts.store.tainted_by(turn.session) is not None
            saved = await parts.log.stored(turn.session, kinds=("artifact_saved",))
            files = [event for _, event in saved if isinstance(event, ArtifactSaved)]
            titles = {file.path: file.title for file in files}
            result = replace(result, text=without_paths(result.text, workspace, titles))
            report = next((file.citations for file in reversed(files) if file.citations), ())
            finished = replace(
                finished,
                answer=await asyncio.to_thread(
                    self._noticed, result, events, messages, await self._lateness()
                ),
                is_tainted=is_tainted,
                sources=await asyncio.to_thread(known_sources, workspace) if is_tainted else (),
                citations=cited_in(result.text, report),
            )
            await parts.observers.settle(OBSERVERS_PATIENCE_S, turn.id)
            events = [e for e in await parts.log.of_turn(turn.id) if e != finished]
            async with parts.writing_records:
                await asyncio.to_thread(self._leave_records, [*events, finished])
            tracing.note("session_complete", outcome=finished.outcome, events=len(events) + 1)
        except Exception:
            # A turn that could not end for its trimmings would be worked on again and again.
            logger.exception("turn %s ends without its notices or records", turn.id)
        await self._scope.emit(finished)
        await parts.log.flush()
        try:  # what was said once is not said again
            await asyncio.to_thread(renewal(workspace).unlink, missing_ok=True)
        except OSError:
            logger.exception("%s may be called new once more", workspace)
        fault_point("finish.after")

    async def _lateness(self) -> str:
        """The notice on a message that was written before an earlier one's long work had ended."""
        turn, before = self._turn, TurnId(self._turn.inbound.came_during)
        if not before or needs_no_model(turn, self._work.earlier):
            return ""
        if (await self._parts.store.turn(before)).outcome not in {"answered", "limited"}:
            return ""
        events = await self._parts.log.of_turn(before)
        was_long = any(isinstance(e, RouteChosen) and e.route == "COMPLEX" for e in events)
        return self._work.words("notice-too-late") if was_long else ""

    def _noticed(
        self,
        result: RunResult,
        events: Sequence[AnyEvent],
        messages: Sequence[Message],
        lateness: str,
    ) -> str:
        """The answer below what the person has to know of message, workspace and pages."""
        words, workspace = self._work.words, self._work.workspace
        status = TurnStatus(events)
        notices = [
            "" if result.outcome == "stopped" else lateness,
            document_note(self._turn, words),
            *fault_notes(messages, words),
            words("notice-files-gone") if renewal(workspace).exists() else "",
            words("notice-nothing-read") if _read_nothing(events) else "",
            self._away(events),
            "" if result.outcome == "stopped" else status.unsure(words),
        ]
        is_bare = result.outcome == "limited" and "://" not in result.text
        read = status.read(words) if is_bare else ""
        return "\n\n".join(filter(None, [" ".join(filter(None, notices)), result.text, read]))

    def _away(self, events: Sequence[AnyEvent]) -> str:
        """Whose tools the work had to do without; not again what the turn before has told."""
        away = self._parts.agents.away(self._scope.context)
        if not away or not any(isinstance(event, StepFinished) for event in events):
            return ""
        words = self._work.words
        named = [words(f"away-{_AWAY[name]}") if name in _AWAY else app_name(name) for name in away]
        said = words("notice-tools-away", what=", ".join(sorted(named)))
        return "" if any(said in (turn.answer or "") for turn in self._work.earlier[-1:]) else said

    def _leave_records(self, events: Sequence[AnyEvent]) -> None:
        """Trace and summary of a turn whose last event is the last of these."""
        parts, asked = self._parts, self._turn.inbound
        trace = build_trace(
            events,
            url=parts.app_address(asked.asker),
            asker=asked.asker,
            asked_at=asked.received_at,
            trace_id=self._trace_id,
            logfire_enabled=parts.logfire_enabled,
            finished_at=events[-1].at,
        )
        url = tracing.trace_url(parts.logfire_project, self._trace_id)
        write_trace(self._work.workspace, trace)
        append_summary(self._work.workspace, trace, trace_url=url)


def _read_nothing(events: Sequence[AnyEvent]) -> bool:
    """Whether pages were asked for, by whatever agent, and each and every one failed."""
    told = [
        _SUCCESSES.search(event.preview)
        for event in events
        if isinstance(event, ToolCallFinished) and _CRAWLER.search(event.tool)
    ]
    return bool(told) and not any(count and int(count[1]) for count in told)
