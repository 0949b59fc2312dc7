"""A whole runtime around scripted models and function tools: real turns, storage and DBOS."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from tempfile import NamedTemporaryFile

from agent_core.classifier import Router
from agent_core.composio import Accounts
from agent_core.consent import LinkPlaces, Policy, PolicyRule
from agent_core.ids import SessionId, UserId
from agent_core.loop.agent import Away, RunLimits
from agent_core.messages import InboundMessage
from agent_core.models import Model, RetryingModel
from agent_core.models.metered import MeteredModel
from agent_core.observers import Observers, ToolObserver, standard_observers
from agent_core.prices import Price, Prices
from agent_core.programs import Interpreter, RunPython
from agent_core.runtime.parts import Agents, TurnParts, known_of
from agent_core.runtime.runtime import Runtime
from agent_core.runtime.scopes import scope_settings
from agent_core.sessions import Budget, Database, KnownSessions, Overview, ProgramStore
from agent_core.settings import CoreSettings
from agent_core.subagents.task import SubagentSpec, shipped_specs
from agent_core.testing.models import ScriptedModel
from agent_core.testing.tools import FakeToolset
from agent_core.tools import MAIN_AGENT, SURFACE_TOOLS, Registry, SurfaceTools, Toolset

SCRIPTED_PRICES = Prices({"scripted": Price(input=1, cache_write=1, cache_read=1, output=10)})
ANYTHING_GOES = Policy(
    rules=(PolicyRule(rule="anything goes", verdict="allow", even_when_tainted=True),)
)


async def _no_wait(_seconds: float) -> None:
    return None


@cache
def durable_tables() -> bytes:
    """A new file of DBOS's; to make its tables takes half of a runtime's start."""
    from dbos import DBOS

    with NamedTemporaryFile() as file:
        DBOS.migrate(f"sqlite:///{file.name}")
        return file.read()


def scripted_runtime(
    root: Path,
    *,
    model: Model,
    classifier: Model | None = None,
    fast: Model | None = None,
    tools: Toolset | None = None,
    specs: Sequence[SubagentSpec] | None = None,
    limits: RunLimits | None = None,
    observers: Sequence[ToolObserver] | None = None,
    main_name: str = MAIN_AGENT,
    database_url: str = "",
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    policy: Policy | None = None,
    accounts: Accounts | None = None,
    planner: Model | None = None,
    away: Away = lambda _: {},
    interpreter: Interpreter | None = None,
    caps: Mapping[str, float] | None = None,
) -> Runtime:
    """A runtime over `root`, not yet started. Two of them after each other are a restart.

    Where nothing else is given the classifier says COMPLEX to everything, there is no tool to call,
    sub-agents and observers are the shipped ones, everything may be done, and nobody has accounts.
    Another `main_name` makes older turns impossible to replay; several processes may share the
    Postgres database of a `database_url`. An `interpreter` runs programs,
    and is closed by the test. With `caps` a scripted model costs what a reply's usage says.
    """
    if not database_url and not (turns := root / "turns.sqlite").exists():
        root.mkdir(parents=True, exist_ok=True)
        turns.write_bytes(durable_tables())
    database = Database(database_url or f"sqlite:///{root}/state.sqlite")
    budget = Budget(database, {**(caps or {})}, clock)

    def metered(each: Model) -> Model:
        return (
            MeteredModel(each, budget.reserve, budget.settle, SCRIPTED_PRICES)
            if caps is not None
            else each
        )

    toolset = tools or FakeToolset({})
    of_person = partial(known_of, Overview(database), accounts, clock)
    surface = SurfaceTools(toolset, KnownSessions(database), of_person)
    parts = TurnParts(
        database=database,
        scopes=scope_settings(database, CoreSettings.model_construct()),
        budget=budget,
        surface=surface,
        router=Router(
            classifier=metered(classifier or ScriptedModel(["COMPLEX"] * 100)),
            answerer=RetryingModel(
                metered(fast or ScriptedModel(["(unheard)"] * 100)), sleep=_no_wait
            ),
        ),
        agents=Agents(
            model=RetryingModel(metered(model), sleep=_no_wait),
            registry=Registry(toolset, toolsets=dict.fromkeys(SURFACE_TOOLS, surface)),
            specs=shipped_specs() if specs is None else specs,
            limits=limits or RunLimits(),
            away=away,
            python=RunPython(interpreter, ProgramStore(database)) if interpreter else None,
            main_name=main_name,
        ),
        observers=Observers(standard_observers() if observers is None else observers),
        policy=policy or ANYTHING_GOES,
        places=LinkPlaces(("connect.composio.dev",)),
        accounts=accounts,
        clock=clock,
        planner=metered(planner) if planner else None,
    )
    return Runtime(
        parts,
        durable_url=database_url or f"sqlite:///{root}/turns.sqlite",
        workspaces_root=root,
        approvers=("U9",),
    )


def inbound(text: str, *, number: int = 1, thread: int = 1) -> InboundMessage:
    """A message of one person; `number` tells gestures apart, `thread` sessions."""
    session = SessionId(f"T1:C1:{thread}.000001")
    return InboundMessage(
        session=session,
        key=f"{session}:{number}",
        asker=UserId("T1:U1"),
        author_name="Ann",
        text=text,
        received_at=datetime(2026, 11, 21, 9, number, tzinfo=UTC),
    )
