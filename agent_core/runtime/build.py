"""Makes a runtime from settings: every object of the core is made here."""

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

from agent_core.classifier import Router
from agent_core.durable.dbos_turns import DurableConfig
from agent_core.loop.limits import Limits
from agent_core.models.anthropic import AnthropicModel
from agent_core.models.retry import RetryingModel
from agent_core.observers import Observers, standard_observers
from agent_core.runtime.agents import Agents
from agent_core.runtime.closing import Closing
from agent_core.runtime.run_logs import RunLogs
from agent_core.runtime.runtime import Runtime, RuntimeParts
from agent_core.runtime.turns import TurnParts
from agent_core.sessions import (
    Database,
    EventLog,
    Inbox,
    Leases,
    SessionStore,
    WriteBehind,
)
from agent_core.sessions.leases import new_process_id
from agent_core.settings import CoreSettings
from agent_core.subagents.spec import shipped_specs
from agent_core.tools import Toolset
from agent_core.tools.composio import ComposioTools
from agent_core.tools.composio_api import DEFAULT_BASE_URL, ComposioSessions
from agent_core.tools.hub import McpHub
from agent_core.tools.registry import Registry
from agent_core.tools.servers import StdioServer

LOCAL_TOOLKIT = "local_toolkit"


def build_runtime(settings: CoreSettings) -> Runtime:
    """A runtime, not yet started: use it as `async with`."""
    model = _model(settings)
    hub = McpHub([local_toolkit(settings, settings.workspaces_root)])
    sessions = composio_sessions(settings) if composio_url(settings) else None
    composio = sessions and ComposioTools(
        sessions, api_key=settings.composio_api_key.get_secret_value()
    )
    database = Database(settings.state_url)
    behind = WriteBehind(database)
    store = SessionStore(database, behind)
    run_logs = RunLogs()
    log = EventLog(database, behind, on_stored=run_logs.write)
    observers = Observers(standard_observers())
    specs = shipped_specs()
    turns = TurnParts(
        store=store,
        inbox=Inbox(database),
        leases=Leases(database, new_process_id()),
        log=log,
        router=Router(
            classifier=model.beside(settings.classifier_model), answerer=RetryingModel(model)
        ),
        agents=Agents(
            model=RetryingModel(model),
            registry=Registry(_toolsets(hub, composio)),
            specs=specs,
            limits=Limits(
                max_steps=settings.max_steps,
                max_duration_s=settings.max_minutes * 60,
                max_tokens=settings.max_tokens,
            ),
            other_models={
                spec.model: RetryingModel(model.beside(spec.model))
                for spec in specs
                if spec.model != "inherit"
            },
        ),
        observers=observers,
        run_logs=run_logs,
        closing=Closing(
            log=log,
            observers=observers,
            composio_url=composio_url(settings),
            logfire_project=settings.logfire_project,
            logfire_enabled=bool(settings.logfire_token.get_secret_value()),
        ),
        clock=lambda: datetime.now(UTC),
    )
    return Runtime(
        RuntimeParts(
            database=database,
            behind=behind,
            turns=turns,
            durable=DurableConfig(url=settings.durable_url),
            workspaces_root=settings.workspaces_root.resolve(),
            prepare=model.warm_up,
            warm_up=lambda: _warm_up(hub, sessions),
            close=lambda: _close(model, hub, composio, observers),
        )
    )


def _model(settings: CoreSettings) -> AnthropicModel:
    return AnthropicModel(
        settings.agent_model,
        api_key=settings.anthropic_api_key.get_secret_value(),
        auth_token=settings.bearer,
        base_url=settings.model_base_url,
        version=settings.anthropic_version or None,
    )


def local_toolkit(settings: CoreSettings, workspaces_root: Path) -> StdioServer:
    """Our own tools, a process that works below `workspaces_root`."""
    return StdioServer(
        name=LOCAL_TOOLKIT,
        command=sys.executable,
        args=("-m", "mcp_local"),
        env={
            "WORKSPACES_ROOT": str(workspaces_root.resolve()),
            "CRAWL_ALLOW": settings.crawl_allow,
            "CRAWL_CONNECT": settings.crawl_connect,
        },
        trusted=True,
        call_timeout_s=300.0,
    )


def composio_url(settings: CoreSettings) -> str:
    """Where Composio is asked; empty without a key, as it is not asked then."""
    if not settings.composio_api_key.get_secret_value():
        return ""
    return settings.composio_base_url or DEFAULT_BASE_URL


def composio_sessions(settings: CoreSettings) -> ComposioSessions:
    """Sessions at Composio; there must be a key."""
    return ComposioSessions(
        api_key=settings.composio_api_key.get_secret_value(), base_url=composio_url(settings)
    )


def _toolsets(hub: McpHub, composio: ComposioTools | None) -> list[Toolset]:
    return [hub] if composio is None else [hub, composio]


async def _warm_up(hub: McpHub, sessions: ComposioSessions | None) -> None:
    """Start the tool servers and load Composio's library, so that the first turn does not wait."""
    async with asyncio.TaskGroup() as group:
        group.create_task(hub.warm_up())
        if sessions is not None:
            group.create_task(sessions.warm_up())


async def _close(
    model: AnthropicModel, hub: McpHub, composio: ComposioTools | None, observers: Observers
) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(observers.close())
        group.create_task(hub.close())
        if composio is not None:
            group.create_task(composio.close())
    await model.close()
