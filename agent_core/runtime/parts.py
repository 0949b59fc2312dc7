"""What turns are made of: the agents, the classifier, the policy, and what is stored."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from agent_core.classifier import NamedModels, Router
from agent_core.clock import UtcClock, local_time
from agent_core.composio import Accounts, ComposioSessions
from agent_core.consent import ConsentGate, LinkPlaces, Policy, fresh_links
from agent_core.context.wishes import with_wishes
from agent_core.errors import ToolServerError
from agent_core.ids import RunId, UserId, depth_of
from agent_core.loop.agent import Agent, Away, BodyTool, RunLimits, RunScope
from agent_core.loop.calls import ask_user_tool
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import Model, RetryingModel
from agent_core.observers import Observers
from agent_core.observers.blacklist import Blacklist
from agent_core.programs import RunPython
from agent_core.prompts import fill, prompt
from agent_core.runtime.opening import one_line
from agent_core.runtime.scopes import ScopeSettings
from agent_core.schedules.schedule import PUBLISH_DIGEST, PUBLISH_DIGEST_SPEC, faults_of
from agent_core.scoped_settings import NOTHING_SET, EffectiveSettings
from agent_core.sessions import (
    AskStore,
    AuditLog,
    Budget,
    Database,
    DisclosureStore,
    EventLog,
    Inbox,
    KnownSessions,
    Overview,
    SessionStore,
    TurnQueue,
    WriteBehind,
)
from agent_core.subagents.children import MAX_DEPTH, RunsAtWork
from agent_core.subagents.task import SubagentSpec, child_tools
from agent_core.tools import (
    MAIN_AGENT,
    AgentTools,
    Registry,
    SurfaceTools,
    ToolContext,
    ToolOutput,
    slug_of,
)
from agent_core.workspaces import RunLogs, known_sources

logger = logging.getLogger(__name__)

PRINT_REPORT = "mcp__local_toolkit__print_report"
CHECK_ANSWER = "mcp__local_toolkit__check_answer"
MAIN_TOOLS = (
    "*",
    "!mcp__local_toolkit__save_corpus",
    "!mcp__local_toolkit__write_report",
    f"!{PRINT_REPORT}",
    f"!{CHECK_ANSWER}",
)
"""Everything but what belongs to the report expert alone, and to no agent."""
REMOTE_TOOLS = ("workbench_download", "workbench_upload", "upload_to_composio")
"""Tools of ours that work at Composio for the person who asked."""
STRING: TypeAdapter[str] = TypeAdapter(str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """Makes agents from definitions; each gets its share of the tools."""

    model: RetryingModel
    registry: Registry
    specs: Sequence[SubagentSpec]
    limits: RunLimits
    away: Away = lambda _: {}
    python: RunPython | None = None
    """None where no agent writes programs."""
    named: NamedModels = lambda _: None
    """Models that settings may choose in the place of `model`."""
    main_name: str = MAIN_AGENT
    """In events and records."""

    def main(
        self,
        *,
        today: datetime,
        workspace: Path,
        author: str,
        is_digest: bool = False,
        settings: EffectiveSettings = NOTHING_SET,
    ) -> Agent:
        """The agent that answers the person; for a digest nobody is there to be asked back."""
        system = prompt(
            "system",
            today=_day(today),
            workspace=str(workspace),
            author=one_line(author),
        )
        if is_digest:
            system = "\n\n".join((system, prompt("digest")))
        return Agent(
            name=self.main_name,
            system=with_wishes(system, settings),
            model=self.named(settings.values.model) or self.model,
            tools=AgentTools(self.registry, MAIN_TOOLS),
            body_tools=(
                *(child_tools(self.specs) if self.specs else ()),
                *self._programs(),
                publish_digest_tool() if is_digest else ask_user_tool(),
            ),
            owes=PUBLISH_DIGEST if is_digest else "",
            limits=self.limits,
            away=self._away,
        )

    def subagent(
        self,
        name: str,
        *,
        today: datetime,
        workspace: Path,
        limits: RunLimits,
        run: RunId,
        settings: EffectiveSettings = NOTHING_SET,
    ) -> Agent:
        """A sub-agent by name, for a run; KeyError when there is none."""
        spec = self.spec(name)
        deeper = child_tools(self.specs) if depth_of(run) < MAX_DEPTH else ()
        known = (*deeper, *self._programs())
        system = fill(spec.instructions, today=_day(today), workspace=str(workspace))
        return Agent(
            name=spec.name,
            system=with_wishes(system, settings),
            model=self.named(settings.values.model) or self.model,
            tools=AgentTools(self.registry, spec.tools),
            body_tools=tuple(tool for tool in known if tool.spec.name in spec.tools),
            limits=limits,
            away=self._away,
        )

    def _away(self, context: ToolContext) -> Mapping[str, str]:
        return {**self.away(context), **(self.python.away if self.python else {})}

    def _programs(self) -> tuple[BodyTool, ...]:
        return self.python.tools() if self.python else ()

    def spec(self, name: str) -> SubagentSpec:
        return {spec.name: spec for spec in self.specs}[name]


def publish_digest_tool() -> BodyTool:
    """The tool by which a digest's run gives its result; the surface reads it from the events."""

    async def publish(call: ToolCall, scope: RunScope) -> ToolOutput:
        async def look() -> str:
            known = await asyncio.to_thread(known_sources, scope.context.workspace)
            return faults_of(call.arguments, known)

        fault = await scope.steps.once(PUBLISH_DIGEST, look, STRING)
        text = fault or "Published."
        return ToolOutput(text=text, is_error=bool(fault))

    return BodyTool(spec=PUBLISH_DIGEST_SPEC, run=publish)


async def known_of(
    overview: Overview, accounts: Accounts | None, clock: UtcClock, asker: UserId
) -> str:
    """A person's accounts and use, for a model."""
    spent = await overview.spent(asker, clock().replace(day=1))
    usage = (
        f"This month: {spent.turns} requests, {spent.reports} reports, {spent.pages} pages read, "
        f"{spent.minutes} minutes of work."
    )
    try:
        connected = await accounts.of(asker) if accounts is not None else []
    except ToolServerError as error:
        return f"{usage}\nConnected accounts cannot be looked up: {error}"
    lines = [f"- {each.toolkit}: {each.identity}" for each in connected] or ["none"]
    return "\n".join([usage, "Connected accounts:", *lines])


async def call_meta(
    sessions: ComposioSessions | None,
    blacklist: Blacklist,
    clock: UtcClock,
    call: ToolCall,
    context: ToolContext,
) -> JsonObject:
    """The moment on the asker's clock, what is not to be opened, and whose remote workbench.

    No model names another's.
    """
    meta: JsonObject = {"now": local_time(clock(), context.zone).isoformat()}
    if blocked := await blacklist.blocked(call):
        meta["blocked"] = blocked
    if sessions is not None and slug_of(call.name) in REMOTE_TOOLS:
        try:
            meta["composio_session"] = (await sessions.of(context.asker)).id
        except ToolServerError as error:
            logger.warning("no remote workbench for %s: %s", call.name, error)
    return meta


def _day(moment: datetime) -> str:
    return moment.strftime("%A, %d %B %Y")


@dataclass(kw_only=True)
class TurnParts:
    """One of each in a process."""

    database: Database
    agents: Agents
    router: Router
    observers: Observers
    policy: Policy
    places: LinkPlaces
    accounts: Accounts | None
    """None without Composio."""
    clock: UtcClock
    scopes: ScopeSettings
    """What teams, channels and threads have set."""
    budget: Budget
    surface: SurfaceTools
    """The agent's tools over the place where people talk to it."""
    planner: Model | None = None
    """Plans new tasks; None where none is planned."""
    app_address: Callable[[UserId], str] = lambda _: ""
    """Where the app tools of a person come from; it and the next two are named in traces."""
    logfire_project: str = ""
    logfire_enabled: bool = False

    def __post_init__(self) -> None:
        self.behind = WriteBehind(self.database)
        self.store = SessionStore(self.database, self.behind)
        self.inbox = Inbox(self.database)
        self.queue = TurnQueue(self.database)
        self.leases = self.budget.leases
        self.run_logs = RunLogs()
        self.log = EventLog(self.database, self.behind)
        self.log.watch(self.run_logs.write)
        self.asks = AskStore(self.database, self.clock)
        self.audit = AuditLog(self.database)
        self.known_sessions = KnownSessions(self.database)
        self.budget.own = self.scopes.budgets
        self.links = fresh_links(time.monotonic)
        self.gate = ConsentGate(
            policy=self.policy,
            store=self.store,
            asks=self.asks,
            disclosures=DisclosureStore(self.database),
            audit=self.audit,
            accounts=self.accounts,
            places=self.places,
            links=self.links,
            clock=self.clock,
            surface=self.surface,
        )
        self.at_work = RunsAtWork()
        self.writing_records = asyncio.Lock()
        """Small talk may end at the same time as the work beside it, in the same files."""
