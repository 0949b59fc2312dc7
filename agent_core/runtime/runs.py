"""Runs: the agents, the scope that each run works in, and the body of a sub-agent's run.

A turn is a tree of runs, the root run of the main agent and one for each call of the Task tool.
What a run may touch is in its scope, so that the loop knows neither sessions nor storage.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from agent_core import tracing
from agent_core.classifier import Router
from agent_core.consent.gate import ConsentGate
from agent_core.consent.links import LinkPlaces, fresh_links
from agent_core.consent.policy import Policy
from agent_core.durable import GuardedSteps, Steps, cannot_replay, first_cause
from agent_core.events import AnyEvent, CorrectionInjected, RunFinished
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId, UserId
from agent_core.loop.agent import Agent, BodyTool, Clock, Limits, RunScope, Taken
from agent_core.loop.ask_user import ask_user_tool
from agent_core.loop.run import RunResult, run_agent
from agent_core.messages import JsonObject, Message, ToolCall, user_message
from agent_core.models.retry import RetryingModel
from agent_core.observers import Observers, ToolObserved
from agent_core.observers.compliance import correction
from agent_core.prompts import fill, prompt
from agent_core.runtime.standing import child_failure
from agent_core.runtime.steering import Steering, Stopped, StopSignals, one_line
from agent_core.schedules.schedule import PUBLISH_DIGEST, PUBLISH_DIGEST_SPEC, faults_of
from agent_core.sessions import (
    Database,
    EventLog,
    Inbox,
    Leases,
    SessionStore,
    StoredSession,
    StoredTurn,
    WriteBehind,
)
from agent_core.sessions.audit import AuditLog
from agent_core.sessions.consents import ConsentStore
from agent_core.sessions.leases import new_process_id
from agent_core.subagents.spec import SubagentSpec
from agent_core.subagents.task import (
    CHILD_REQUEST,
    CHILD_RESULT,
    ChildRequest,
    ChildResult,
    task_tool,
)
from agent_core.tools import MAIN_AGENT, ToolContext, ToolOutput
from agent_core.tools.composio_api import Accounts
from agent_core.tools.registry import Registry
from agent_core.tools.search import AgentTools
from agent_core.workspaces import (
    RunLogs,
    SessionInfo,
    append_summary,
    build_trace,
    known_sources,
    write_trace,
)

FAULT: TypeAdapter[str] = TypeAdapter(str)
MAIN_TOOLS = (
    "*",
    "!mcp__local_toolkit__save_corpus",
    "!mcp__local_toolkit__write_report",
)
"""Everything but what belongs to the report expert alone."""

logger = logging.getLogger(__name__)

CORRECTION: TypeAdapter[str] = TypeAdapter(str)
CORRECTION_SLOT = 2
STOPPED = "The work was stopped."


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """Makes agents from definitions.

    Attributes:
        model: The main model.
        other_models: Models that a definition may name.
        registry: All tools; each agent gets its share.
        specs: The sub-agents.
        limits: Bounds on each run.
        main_name: What the main agent is called in events and records.
    """

    model: RetryingModel
    registry: Registry
    specs: Sequence[SubagentSpec]
    limits: Limits
    other_models: dict[str, RetryingModel] = field(default_factory=dict[str, RetryingModel])
    main_name: str = MAIN_AGENT

    def main(
        self, *, today: datetime, workspace: Path, author: str, is_digest: bool = False
    ) -> Agent:
        """The agent that answers the person; for a digest nobody is there to be asked back."""
        system = prompt(
            "system", today=_day(today), workspace=str(workspace), author=one_line(author)
        )
        return Agent(
            name=self.main_name,
            system="\n\n".join((system, prompt("digest"))) if is_digest else system,
            model=self.model,
            tools=AgentTools(self.registry, MAIN_TOOLS),
            body_tools=self._body_tools(is_digest=is_digest),
            owes=PUBLISH_DIGEST if is_digest else "",
            limits=self.limits,
        )

    def subagent(self, name: str, *, today: datetime, workspace: Path) -> Agent:
        """A sub-agent by name; KeyError when there is none."""
        spec = self.spec(name)
        return Agent(
            name=spec.name,
            system=fill(spec.instructions, today=_day(today), workspace=str(workspace)),
            model=self.other_models.get(spec.model, self.model),
            tools=AgentTools(self.registry, spec.tools),
            limits=self.limits,
        )

    def spec(self, name: str) -> SubagentSpec:
        return {spec.name: spec for spec in self.specs}[name]

    def _body_tools(self, *, is_digest: bool) -> tuple[BodyTool, ...]:
        tasks = (task_tool(self.specs),) if self.specs else ()
        return (*tasks, publish_digest_tool() if is_digest else ask_user_tool())


def publish_digest_tool() -> BodyTool:
    """The tool by which a digest's run gives its result; the surface reads it from the events."""

    async def publish(call: ToolCall, scope: RunScope) -> ToolOutput:
        async def look() -> str:
            known = await asyncio.to_thread(known_sources, scope.context.workspace)
            return faults_of(call.arguments, known)

        fault = await scope.steps.once(PUBLISH_DIGEST, look, FAULT)
        text = fault or "Published."
        return ToolOutput(text=text, is_error=bool(fault), size_bytes=len(text.encode()))

    return BodyTool(spec=PUBLISH_DIGEST_SPEC, run=publish)


def _day(moment: datetime) -> str:
    return moment.strftime("%A, %d %B %Y")


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """Writes a turn's records. A workspace that cannot be written does not cost the answer."""

    composio_url: str = ""
    logfire_project: str = ""
    logfire_enabled: bool = False
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Small talk may end at the same time as the work beside it, in the same files."""

    async def leave_records(
        self, turn: StoredTurn, workspace: Path, events: Sequence[AnyEvent], trace_id: str
    ) -> None:
        """Of a turn whose last event is the last of these."""
        trace = build_trace(
            events,
            info=SessionInfo(
                url=self.composio_url,
                user_id=turn.inbound.asker,
                timestamp=turn.inbound.received_at,
            ),
            trace_id=trace_id,
            logfire_enabled=self.logfire_enabled,
            finished_at=events[-1].at,
        )
        url = tracing.trace_url(self.logfire_project, trace_id)
        try:
            async with self.writing:
                await asyncio.to_thread(write_trace, workspace, trace)
                await asyncio.to_thread(append_summary, workspace, trace, trace_url=url)
        except OSError:
            logger.exception("turn %s: its records could not be written", turn.id)


class TurnParts:
    """What turns are made of: agents, the classifier, the policy, and what is stored."""

    def __init__(
        self,
        database: Database,
        *,
        agents: Agents,
        router: Router,
        observers: Observers,
        policy: Policy,
        places: LinkPlaces,
        accounts: Accounts | None,
        clock: Clock,
        closing: Closing,
    ) -> None:
        self.database = database
        self.agents = agents
        self.router = router
        self.observers = observers
        self.accounts = accounts
        """None without Composio."""
        self.clock = clock
        self.closing = closing
        self.behind = WriteBehind(database)
        self.store = SessionStore(database, self.behind)
        self.inbox = Inbox(database)
        self.leases = Leases(database, new_process_id())
        self.run_logs = RunLogs()
        self.log = EventLog(database, self.behind, on_stored=self.run_logs.write)
        self.consents = ConsentStore(database)
        self.audit = AuditLog(database)
        self.links = fresh_links(time.monotonic)
        self.gate = ConsentGate(
            policy=policy,
            store=self.store,
            consents=self.consents,
            audit=self.audit,
            accounts=accounts,
            places=places,
            links=self.links,
            clock=clock,
        )


class Scopes:
    """Makes the scope of a run. Its steps are done only while this process holds the session."""

    def __init__(self, parts: TurnParts, steering: Steering) -> None:
        self._parts = parts
        self._steering = steering

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
            await self._parts.store.append_messages(turn.id, run, start, new)

        async def take(place: str) -> tuple[Taken, ...]:
            # A turn that goes on from its history does not pay again for what it had.
            await self._parts.log.flush()
            return await self._steering.take(turn, place) if run == ROOT_RUN else ()

        async def has_messages() -> bool:
            return run == ROOT_RUN and await self._steering.has_messages(turn)

        async def begin_effect(call: ToolCallId) -> bool:
            await (
                self._parts.log.flush()
            )  # a turn that goes on from its history must know of the call
            return await self._parts.store.begin_effect(turn.id, run, call)

        async def guard() -> None:
            await self._parts.leases.check(turn.session)

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
            emit=self._parts.log.append,
            clock=self._parts.clock,
            save=save,
            after_tool_call=self._observe,
            take_messages=take,
            has_messages=has_messages,
            begin_effect=begin_effect,
            gate=self._parts.gate,
            generation=generation,
        )

    def _observe(self, call: ToolCall, output: ToolOutput, context: ToolContext) -> None:
        self._parts.observers.notify(ToolObserved(call=call, output=output, context=context))


class Children:
    """Runs sub-agents. The body replays: it branches only on records and stored facts."""

    def __init__(self, parts: TurnParts, scopes: Scopes, signals: StopSignals) -> None:
        self._agents = parts.agents
        self._store = parts.store
        self._scopes = scopes
        self._run_logs = parts.run_logs
        self._signals = signals

    async def run(self, steps: Steps, payload: JsonObject) -> JsonObject:
        """Do what a ChildRequest asks for; a ChildResult, whatever happens."""
        request = CHILD_REQUEST.validate_python(payload)
        turn = await self._store.turn(TurnId(request.turn))
        session = await self._store.session_of(turn)
        self._run_logs.follow(session.id, session.workspace)
        scope = self._scopes.scope(
            turn,
            session,
            request.run,
            steps,
            generation=1,
            asker=UserId(request.asker) if request.asker else turn.inbound.asker,
            agent=request.agent,
        )
        result = await self._result(request, turn, session, scope)
        complaint = "" if result.outcome == "stopped" else await self._complaint(request, scope)
        child = ChildResult(
            text=result.text,
            is_error=result.outcome in ("failed", "stopped"),
            correction=complaint,
        )
        return CHILD_RESULT.dump_python(child, mode="json")

    async def _result(
        self, request: ChildRequest, turn: StoredTurn, session: StoredSession, scope: RunScope
    ) -> RunResult:
        agent = self._agents.subagent(
            request.agent, today=turn.inbound.received_at, workspace=session.workspace
        )
        if turn.stop is not None:
            self._signals.give(turn.id)
        opening = (user_message(request.prompt),)
        work = run_agent(agent, (), opening, scope, parent=request.parent, task=request.prompt)
        try:
            return await self._signals.unless_given(turn.id, work)
        except Stopped:
            await scope.emit(RunFinished(**scope.at(0, 1), outcome="stopped", text=""))
            return RunResult(outcome="stopped", text=STOPPED)
        except Exception as error:
            if cannot_replay(error):
                raise
            logger.exception("run %s of turn %s failed", request.run, turn.id)
            return RunResult(outcome="failed", text=child_failure(first_cause(error)))

    async def _complaint(self, request: ChildRequest, scope: RunScope) -> str:
        if not self._agents.spec(request.agent).complete_when:
            return ""
        messages = await self._store.run_messages(TurnId(request.turn), request.run)
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
