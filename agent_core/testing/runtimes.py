"""A whole runtime around scripted models and function tools: real turns, storage and DBOS."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from agent_core.classifier import Router
from agent_core.consent.links import LinkPlaces
from agent_core.consent.policy import Policy
from agent_core.consent.rules import Rule
from agent_core.ids import SessionId, UserId
from agent_core.loop.agent import Away, Limits, nobody_away
from agent_core.loop.run_python import RunPython
from agent_core.messages import InboundMessage
from agent_core.models import Model
from agent_core.models.retry import RetryingModel
from agent_core.observers import Observers, ToolObserver, standard_observers
from agent_core.runtime.parts import Agents, TurnParts
from agent_core.runtime.runtime import Runtime
from agent_core.sessions import Database
from agent_core.sessions.programs import ProgramStore
from agent_core.subagents.task import SubagentSpec, shipped_specs
from agent_core.testing.models import ScriptedModel
from agent_core.testing.tools import FakeToolset
from agent_core.tools import MAIN_AGENT, Toolset
from agent_core.tools.composio_api import Accounts
from agent_core.tools.interpreter import Interpreter
from agent_core.tools.registry import Registry

ANYTHING_GOES = Policy(rules=(Rule(rule="anything goes", verdict="allow", even_when_tainted=True),))


async def _no_wait(_seconds: float) -> None:
    return None


def scripted_runtime(
    root: Path,
    *,
    model: Model,
    classifier: Model | None = None,
    fast: Model | None = None,
    tools: Toolset | None = None,
    specs: Sequence[SubagentSpec] | None = None,
    limits: Limits | None = None,
    observers: Sequence[ToolObserver] | None = None,
    main_name: str = MAIN_AGENT,
    database_url: str = "",
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    policy: Policy | None = None,
    accounts: Accounts | None = None,
    away: Away = nobody_away,
    interpreter: Interpreter | None = None,
) -> Runtime:
    """A runtime over `root`, not yet started. Two of them after each other are a restart.

    Args:
        root: Workspaces, sessions and durable turns.
        model: The main model.
        classifier: Says COMPLEX to everything when it is not given.
        fast: The model of the fast answer.
        tools: What agents may call; nothing when it is not given.
        specs: Sub-agents; the shipped ones when they are not given.
        limits: Bounds on each run.
        observers: Readers of tool results; the standard ones when they are not given.
        main_name: The main agent's name; another one makes older turns impossible to replay.
        database_url: A Postgres database, which several processes share; SQLite below `root` when
            it is not given.
        clock: What time it is.
        policy: What may be done; everything when it is not given.
        away: Whose tools cannot be had just now.
        accounts: Whose accounts there are at Composio; there is none when it is not given.
        interpreter: Runs programs, closed by the test; without it agents write none.
    """
    database = Database(database_url or f"sqlite:///{root}/state.sqlite")
    parts = TurnParts(
        database=database,
        router=Router(
            classifier=classifier or ScriptedModel(["COMPLEX"] * 100),
            answerer=RetryingModel(fast or ScriptedModel(["(unheard)"] * 100), sleep=_no_wait),
        ),
        agents=Agents(
            model=RetryingModel(model, sleep=_no_wait),
            registry=Registry(tools or FakeToolset({})),
            specs=shipped_specs() if specs is None else specs,
            limits=limits or Limits(),
            away=away,
            python=RunPython(interpreter, ProgramStore(database)) if interpreter else None,
            main_name=main_name,
        ),
        observers=Observers(standard_observers() if observers is None else observers),
        policy=policy or ANYTHING_GOES,
        places=LinkPlaces(("connect.composio.dev",)),
        accounts=accounts,
        clock=clock,
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
