"""The fleet as an operator sees it: which servers there are, a try of one, and what is accepted."""

import difflib
import json
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent_core.clock import machine_time
from agent_core.errors import SettingsError
from agent_core.messages import JsonObject
from agent_core.sessions import Database
from agent_core.sessions.migrations import examine_schema, file_of
from agent_core.sessions.pins import Pin, ToolPins
from agent_core.settings import CoreSettings, named_variables
from agent_core.tools.fleet import FleetServer, Surroundings, read_fleet
from agent_core.tools.pins import ListedTool, Pins, digest_of, stored_form, suspicion_of
from agent_core.tools.server import McpServer
from agent_core.tools.servers import HubLimits

DATABASE_PATIENCE_S = 10.0
TRY_LIMITS = HubLimits(connect_timeout_s=300.0, list_timeout_s=30.0)
"""A first start may install the server's package."""

ToolState = Literal["accepted", "new", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """All servers, and the tools that are off until they are accepted."""

    servers: Sequence[FleetServer]
    waiting: Sequence[Pin]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedTool:
    """A tool as its server lists it now."""

    name: str
    digest: str
    state: ToolState
    """`new`: nothing is pinned yet, the first use does it."""
    reason: str
    """Why it is or will be off; empty where it is on."""

    @property
    def is_on(self) -> bool:
        """Whether agents get it, at the latest with the first use of the server."""
        return not self.reason


def configured_fleet(settings: CoreSettings) -> tuple[FleetServer, ...]:
    """Every server of the catalogue and the operator's file.

    Raises:
        SettingsError: the file is broken; the message says where.
    """
    return read_fleet(settings.mcp_servers_file, Surroundings(environment=named_variables()))


async def look_at_fleet(settings: CoreSettings) -> Fleet:
    """What is configured and what waits; nothing is started or written.

    Raises:
        AgentError: the file is broken, or the database cannot be read.
    """
    servers = configured_fleet(settings)
    async with _pins(settings) as pins:
        waiting = [] if pins is None else await pins.waiting()
    return Fleet(servers=servers, waiting=waiting)


async def try_server(settings: CoreSettings, name: str) -> list[TriedTool]:
    """Start a server, list its tools, end it.

    What differs from what was accepted waits to be accepted afterwards, as after a use. Of a
    server that was never used nothing is pinned.

    Raises:
        SettingsError: there is no such server, or it lacks something.
        ToolServerError: it does not start or list.
    """
    server = _ready(configured_fleet(settings), name)
    with tempfile.TemporaryDirectory() as directory:
        workspace = Path(directory)
        running = McpServer(server.config_in(workspace), TRY_LIMITS)
        try:
            tools = await running.tools()
        finally:
            await running.close()
        own = workspace if server.scope == "session" else None
        async with _pins(settings) as pins:
            if pins is not None and await pins.load(name):
                tools = await Pins(pins).judge(name, tools, own)
                return [_pinned(tool, own) for tool in tools.values()]
        return [_new(tool, own) for tool in tools.values()]


async def proposals(settings: CoreSettings, server: str, tool: str | None = None) -> list[Pin]:
    """The definitions of a server, or of one of its tools, that wait to be accepted.

    Raises:
        AgentError: the database cannot be read.
    """
    async with _pins(settings) as pins:
        waiting = [] if pins is None else await pins.waiting()
    return [pin for pin in waiting if pin.server == server and tool in (None, pin.tool)]


async def accept(settings: CoreSettings, seen: Sequence[Pin]) -> list[str]:
    """Accept what was seen; returns the tools' names. What changed since then is left out.

    A running bot notices it within half a minute.

    Raises:
        AgentError: the database cannot be written.
    """
    async with _pins(settings) as pins:
        return [] if pins is None else await pins.accept(seen, machine_time())


def difference(pin: Pin) -> list[str]:
    """What accepting a proposal would change, as the lines of a diff."""
    new = {} if pin.proposal is None else pin.proposal.definition
    return list(
        difflib.unified_diff(
            _lines(pin.definition), _lines(new), "accepted", "now", lineterm="", n=2
        )
    )


def _lines(definition: JsonObject) -> list[str]:
    """A line for each value; a description keeps its own lines."""
    if not definition:
        return []
    text = json.dumps(definition, ensure_ascii=False, indent=2, sort_keys=True)
    return text.replace("\\n", "\\n\n").splitlines()


def _ready(servers: Sequence[FleetServer], name: str) -> FleetServer:
    server = next((each for each in servers if each.name == name), None)
    if server is None:
        names = ", ".join(each.name for each in servers)
        raise SettingsError(f"There is no MCP server {name}. There are: {names}.")
    if server.config is None or not server.is_ready:
        raise SettingsError(f"The MCP server {name} is off: {server.off}")
    return server


def _pinned(tool: ListedTool, workspace: Path | None) -> TriedTool:
    digest = digest_of(stored_form(tool, workspace))
    state: ToolState = "off" if tool.held else "accepted"
    return TriedTool(name=tool.name, digest=digest, state=state, reason=tool.held)


def _new(tool: ListedTool, workspace: Path | None) -> TriedTool:
    definition = stored_form(tool, workspace)
    reason = suspicion_of(definition)
    return TriedTool(name=tool.name, digest=digest_of(definition), state="new", reason=reason)


@asynccontextmanager
async def _pins(settings: CoreSettings) -> AsyncGenerator[ToolPins | None]:
    """What is pinned; None where no bot of this version has stored anything yet."""
    database = Database(settings.state_url)
    file = file_of(database.url)
    try:
        if file is not None and not file.exists():
            yield None
            return
        state = await database.run(examine_schema, patience_s=DATABASE_PATIENCE_S)
        yield ToolPins(database) if state.kind == "current" else None
    finally:
        await database.close()
