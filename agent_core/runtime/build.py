"""Makes a runtime from settings: every object of the core is made here."""

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from pydantic_settings import BaseSettings

from agent_core.classifier import NamedModels, Router
from agent_core.clock import machine_time
from agent_core.composio import (
    DEFAULT_BASE_URL,
    PRELOADED,
    SERVER_NAME,
    Accounts,
    AppFiles,
    ComposioSessions,
    ComposioWorker,
    composio_server,
    worker_process,
)
from agent_core.consent import LinkPlaces, read_policy
from agent_core.loop.agent import RunLimits
from agent_core.mcp import FleetServer, McpHub, Pins, StdioServer, read_fleet
from agent_core.models import RetryingModel
from agent_core.models.anthropic import AnthropicConnection, AnthropicModel
from agent_core.models.metered import MeteredModel
from agent_core.observers import Observers, keep_read_page, standard_observers
from agent_core.observers.blacklist import Blacklist
from agent_core.prices import read_prices
from agent_core.programs import Interpreter, RunPython
from agent_core.runtime.parts import Agents, TurnParts, call_meta, known_of
from agent_core.runtime.runtime import Runtime
from agent_core.runtime.scopes import scope_settings
from agent_core.sessions import (
    Budget,
    Database,
    KnownSessions,
    Overview,
    Preferences,
    ProgramStore,
    ToolPins,
)
from agent_core.settings import CoreSettings, named_variables
from agent_core.subagents.task import shipped_specs
from agent_core.tools import (
    COMPOSIO,
    SURFACE_TOOLS,
    Registry,
    SurfaceTools,
    full_name,
    server_prefix,
)

logger = logging.getLogger(__name__)

LOCAL_TOOLKIT = "local_toolkit"
WEB_READER = "web_reader"


def build_runtime(
    settings: CoreSettings,
    *,
    clock: Callable[[], datetime] = machine_time,
    approvers: Collection[str] = (),
    surface: BaseSettings | None = None,
) -> Runtime:
    """A runtime, not yet started: use it as `async with`.

    Args:
        settings: Of the core.
        clock: Tells the moment, in UTC.
        approvers: People who may decide for others, as the surface calls them.
        surface: Its settings; what is set there of `ScopedSettings` holds in every scope.

    Raises:
        SettingsError: the policy file or the file of channels' settings cannot be read.
    """
    connection = model_connection(settings)
    prices = read_prices(settings.prices_file)
    database = Database(settings.state_url)
    budget = Budget(database, caps_of(settings), clock)

    def metered(name: str) -> MeteredModel:
        model = AnthropicModel(name, connection, prices)
        return MeteredModel(model, budget.reserve, budget.settle, prices)

    model = RetryingModel(metered(settings.agent_model))
    classifier = metered(settings.classifier_model)
    awaited = [(SERVER_NAME, slug) for slug in PRELOADED]
    pins = Pins(ToolPins(database), awaited=awaited)
    is_heard = asyncio.Event()
    worker = composio_worker(settings, is_heard) if composio_url(settings) else None
    people = ComposioSessions(worker, Preferences(database), clock) if worker else None
    blacklist = Blacklist(settings.workspaces_root.resolve(), clock)
    hub = McpHub(
        [local_toolkit(settings, settings.workspaces_root)],
        fleet=configured_fleet(settings),
        more=[composio_server(people, pins=pins)] if people else [],
        pins=pins,
        call_meta=partial(call_meta, people, blacklist, clock),
    )
    accounts = Accounts(people, time.monotonic) if people else None
    of_person = partial(known_of, Overview(database), accounts, clock)
    tools = SurfaceTools(hub, KnownSessions(database), of_person)
    registry = Registry(
        hub,
        before=blacklist.refuse,
        toolsets=dict.fromkeys(SURFACE_TOOLS, tools),
        after={
            COMPOSIO: AppFiles(hub, save=full_name(LOCAL_TOOLKIT, "save_app_file")),
            server_prefix(WEB_READER): keep_read_page,
        },
        now=clock,
    )
    places = [each.strip() for each in settings.connect_links.split(",") if each.strip()]
    if other := urlsplit(settings.composio_base_url).netloc:  # the pages of another Composio
        places += [f"{other}/link/", f"{other}/connect/"]
    observers = Observers((*standard_observers(), blacklist))
    python = RunPython(Interpreter(), ProgramStore(database))
    named = _named_models(settings, metered)
    turns = TurnParts(
        database=database,
        router=Router(classifier=classifier, answerer=model, named=named),
        planner=classifier,
        agents=Agents(
            model=model,
            named=named,
            registry=registry,
            specs=shipped_specs(),
            limits=RunLimits(
                max_steps=settings.max_steps,
                max_duration_s=settings.max_minutes * 60,
                max_tokens=settings.max_tokens,
            ),
            away=hub.away,
            python=python,
        ),
        budget=budget,
        observers=observers,
        policy=read_policy(settings.policy_file),
        places=LinkPlaces(places),
        accounts=accounts,
        clock=clock,
        scopes=scope_settings(database, settings, surface),
        surface=tools,
        app_address=people.address_of if people else lambda _: "",
        logfire_project=settings.logfire_project,
        logfire_enabled=bool(settings.logfire_token.get_secret_value()),
    )
    return Runtime(
        turns,
        durable_url=settings.durable_url,
        workspaces_root=settings.workspaces_root.resolve(),
        approvers=approvers,
        scheduled_at_once=settings.scheduled_at_once,
        prepare=connection.client,
        warm_up=hub.warm_up,
        when_heard=is_heard.set,
        away=lambda: {**hub.failures, **python.away},
        close=lambda: _close(connection, hub, worker, observers),
    )


def caps_of(settings: CoreSettings) -> dict[str, float | None]:
    """The caps that hold where a team or channel has none of its own."""
    return {
        "turn": settings.cap_turn_usd,
        "person": settings.cap_person_usd,
        "channel": settings.cap_channel_usd,
        "team": settings.cap_team_usd,
    }


def unpriced_models(settings: CoreSettings) -> list[str]:
    """Models that no cap counts, since their price is not known; empty where there is no cap."""
    if not any(caps_of(settings).values()):
        return []
    prices = read_prices(settings.prices_file)
    models = dict.fromkeys((settings.agent_model, settings.classifier_model))
    return [model for model in models if prices.of(model) is None]


def _named_models(settings: CoreSettings, metered: Callable[[str], MeteredModel]) -> NamedModels:
    """The models that settings of a channel may name, over one connection."""

    def named(name: str) -> RetryingModel | None:
        if name in ("main", settings.agent_model):
            return None
        model = settings.classifier_model if name == "small" else name
        return RetryingModel(metered(model))

    return named


def model_connection(settings: CoreSettings) -> AnthropicConnection:
    """The way to the models, to be closed by whoever asked for it."""
    return AnthropicConnection(
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
            "CRAWL_BROWSER": settings.crawl_browser,
            "SEARCH_BACKEND": settings.search_backend,
            "COMPOSIO_API_KEY": settings.composio_api_key.get_secret_value(),
            "COMPOSIO_BASE_URL": composio_url(settings),
            "PYDANTIC_DISABLE_PLUGINS": "1",  # it traces nothing, and loading takes half a second
            # What a report took is given back once it is written.
            "MALLOC_MMAP_THRESHOLD_": "131072",
        },
        trusted=True,
        call_timeout_s=300.0,
    )


def configured_fleet(settings: CoreSettings) -> tuple[FleetServer, ...]:
    """Every server of the catalogue and the operator's file.

    Raises:
        SettingsError: the file is broken; the message says where.
    """
    return read_fleet(settings.mcp_servers_file, named_variables())


def composio_url(settings: CoreSettings) -> str:
    """Where Composio is asked; empty without a key, as it is not asked then."""
    if not settings.composio_api_key.get_secret_value():
        return ""
    return settings.composio_base_url or DEFAULT_BASE_URL


def composio_worker(
    settings: CoreSettings,
    may_start: asyncio.Event | None = None,
) -> ComposioWorker:
    """The way to Composio, whose process starts at need; there must be a key."""
    api_key = settings.composio_api_key.get_secret_value()
    base_url = composio_url(settings)
    process = worker_process(
        api_key=api_key,
        base_url=base_url,
        environment=named_variables(),
    )
    return ComposioWorker(
        process,
        api_key=api_key,
        base_url=base_url,
        may_start=may_start,
    )


async def _close(
    models: AnthropicConnection,
    hub: McpHub,
    worker: ComposioWorker | None,
    observers: Observers,
) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(observers.close())
        group.create_task(hub.close())
        if worker is not None:
            group.create_task(worker.close())
    await models.close()
