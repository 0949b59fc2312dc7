"""Two teams of three people behind one bot at the sandbox's Composio; calls as runs make them."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from agent_core.composio import Accounts, composio_server
from agent_core.consent.gate import ConsentGate
from agent_core.consent.results import LinkPlaces, fresh_links
from agent_core.ids import ROOT_RUN, SessionId, ToolCallId, TurnId, UserId
from agent_core.mcp import McpHub
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.runtime.parts import known_of
from agent_core.sessions import (
    Ask,
    AskStore,
    AuditLog,
    Database,
    DisclosureStore,
    KnownSessions,
    Overview,
    SessionStore,
    StoredSession,
    WriteBehind,
)
from agent_core.testing.tools import ignore_progress
from agent_core.tools import SurfaceTools, ToolContext, ToolOutput, opened
from bot.sandbox.composio import ComposioStandIn
from tests.agent_core.composio.workers import sessions_at
from tests.attacks.world import BATCH, POLICY

TEAMS = ("T1", "T2")
OFFERED = ToolSpec(name=BATCH, description="", input_schema={})
PEOPLE = tuple(UserId(f"{team}:U{number}") for team in TEAMS for number in (1, 2, 3))


@dataclass
class Ticks:
    """Seconds that a test moves on."""

    now_s: float = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@dataclass(kw_only=True)
class Tenants:
    """One bot's Composio tools behind its gate, and what calls came to."""

    standin: ComposioStandIn
    tools: McpHub
    accounts: Accounts
    gate: ConsentGate
    asks: AskStore
    root: Path
    ticks: "Ticks"
    asked_to_connect: list[Ask] = field(default_factory=list[Ask])
    refused: list[str] = field(default_factory=list[str])
    answers: list[ToolOutput] = field(default_factory=list[ToolOutput])

    def context(self, asker: UserId, number: int) -> ToolContext:
        """All people of a team write in one thread."""
        team = asker.partition(":")[0]
        return ToolContext(
            session=SessionId(f"{team}:C1:1.000001"),
            turn=TurnId(f"turn:{team}:{number}"),
            run=ROOT_RUN,
            asker=asker,
            workspace=self.root,
            may_wait=True,
        )

    async def call(self, asker: UserId, number: int, entry: JsonObject) -> None:
        """A call as a run makes it. Its asker approves it where that is needed."""
        arguments = {"tools": [entry], "sync_response_to_workbench": False}
        call = ToolCall(id=ToolCallId(f"call_{number}"), name=BATCH, arguments=arguments)
        made = opened(call)
        context = self.context(asker, number)
        held = await self.gate.before(made, OFFERED, context)
        if isinstance(held, Ask) and held.kind == "approval":
            assert held.asker == asker
            await self.asks.decide(held.id, "approved", by=asker)
            held = await self.gate.before(made, OFFERED, context)
        if isinstance(held, Ask):
            self.asked_to_connect.append(held)
        elif isinstance(held, ToolOutput):
            self.refused.append(held.text)
        else:
            assert held is None
            output = await self.tools.run(call, context, ignore_progress)
            after = await self.gate.after(made, output, context)
            assert isinstance(after, ToolOutput)
            self.answers.append(after)


@asynccontextmanager
async def open_tenants(root: Path) -> AsyncGenerator[Tenants]:
    """The people's bot, without anybody's account as yet."""
    async with AsyncExitStack() as stack:
        standin = await stack.enter_async_context(ComposioStandIn())
        database = Database(f"sqlite:///{root}/state.sqlite")
        await database.open()
        stack.push_async_callback(database.close)
        behind = WriteBehind(database)
        behind.start()
        stack.push_async_callback(behind.close)
        ticks = Ticks()
        sessions = await stack.enter_async_context(
            sessions_at(standin.base_url, standin.api_key, database)
        )
        tools = McpHub([], more=[composio_server(sessions, clock=ticks)])
        stack.push_async_callback(tools.close)
        store = SessionStore(database, behind)
        asks = AskStore(database, lambda: datetime.now(UTC))
        accounts = Accounts(sessions, ticks)
        now = datetime.now(UTC)
        for team in TEAMS:
            session = SessionId(f"{team}:C1:1.000001")
            await store.save_session(StoredSession(id=session, workspace=root, created_at=now))
        of_person = partial(known_of, Overview(database), accounts, lambda: datetime.now(UTC))
        gate = ConsentGate(
            policy=POLICY,
            store=store,
            asks=asks,
            disclosures=DisclosureStore(database),
            audit=AuditLog(database),
            accounts=accounts,
            places=LinkPlaces(("connect.composio.dev",)),
            links=fresh_links(ticks),
            clock=lambda: datetime.now(UTC),
            surface=SurfaceTools(tools, KnownSessions(database), of_person),
        )
        yield Tenants(
            standin=standin,
            tools=tools,
            accounts=accounts,
            gate=gate,
            asks=asks,
            root=root,
            ticks=ticks,
        )
