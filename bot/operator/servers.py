"""`bot mcp`: lists the MCP servers, tries one, and accepts changed definitions of tools."""

from collections.abc import Iterator, Sequence

import typer

from agent_core.operator import (
    FleetServer,
    Pin,
    TriedTool,
    accept,
    configured_fleet,
    difference,
    proposals,
    refused_tools,
    try_server,
)
from agent_core.settings import CoreSettings
from bot.operator import with_settings

_INDENT = "    "
_DIGEST_CHARS = 12


def list_servers() -> int:
    """Print every server with its state. Returns the exit code: not 0 when the file is broken."""

    async def work(core: CoreSettings) -> int:
        servers = configured_fleet(core)
        waiting = await proposals(core)
        refused = await refused_tools(core)
        for line in _fleet_in_lines(servers, waiting, refused):
            typer.echo(line)
        return 0

    return with_settings(work)


def try_out(name: str) -> int:
    """Start one server and print its tools. Returns the exit code: 1 when it does not work."""

    async def work(core: CoreSettings) -> int:
        tools = await try_server(core, name)
        for tool in tools:
            line = f"{tool.digest[:_DIGEST_CHARS]}  {tool.state:<8}  {tool.name}"
            typer.echo(f"{line}: {tool.reason}" if tool.reason else line)
        typer.echo(f"It works, and {_count(tools)}.")
        return 0

    return with_settings(work)


def accept_definitions(server: str, tool: str | None, *, only_show: bool = False) -> int:
    """Print what changed and accept it. Returns the exit code: 1 when nothing was accepted."""

    async def work(core: CoreSettings) -> int:
        pins = _chosen(await proposals(core), server, tool)
        _print_differences(pins)
        if only_show:
            return 0
        return await _accept(core, pins)

    return with_settings(work)


def _chosen(pins: Sequence[Pin], server: str, tool: str | None) -> list[Pin]:
    chosen = [pin for pin in pins if pin.server == server]
    if tool is not None:
        chosen = [pin for pin in chosen if pin.tool == tool]
    if not chosen:
        name = server if tool is None else f"{server} {tool}"
        typer.echo(f"Nothing of {name} waits to be accepted.", err=True)
    return chosen


def _print_differences(pins: Sequence[Pin]) -> None:
    for pin in pins:
        typer.echo(f"{pin.server} {pin.tool}: {_reason(pin)}")
        for line in difference(pin):
            typer.echo(f"{_INDENT}{line}")


async def _accept(core: CoreSettings, pins: Sequence[Pin]) -> int:
    if not pins:
        return 1
    accepted = await accept(core, pins)
    names = ", ".join(accepted) or "nothing, as it changed in this moment"
    typer.echo(f"Accepted: {names}.")
    return 0 if accepted else 1


def _fleet_in_lines(
    servers: Sequence[FleetServer], waiting: Sequence[Pin], refused: Sequence[tuple[str, str, str]]
) -> Iterator[str]:
    width = max(len(server.name) for server in servers)
    for server in servers:
        state = typer.style("off", fg="yellow")
        if server.is_on:
            state = typer.style("on ", fg="green")
        notes = [server.off]
        if server.scope == "session":
            notes.append("a process for each session")
        notes.append(server.access.in_words)
        text = " · ".join(filter(None, notes))
        line = f"{server.name:<{width}}  {server.transport:<7}  {state}  {text}"
        yield line.rstrip()
    if waiting:
        yield "\nThese tools are off until they are accepted (bot mcp accept SERVER [TOOL]):"
    for pin in waiting:
        yield f"{_INDENT}{pin.server} {pin.tool}: {_reason(pin)}"
    if refused:
        yield "\nThese tools are refused, and nobody is offered them:"
    for server, tool, reason in refused:
        yield f"{_INDENT}{server} {tool}: {reason}"


def _reason(pin: Pin) -> str:
    return pin.proposal.reason if pin.proposal else ""


def _count(tools: Sequence[TriedTool]) -> str:
    """How many tools there are, and how many of them are on where not all are."""
    total = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    on = sum(not tool.reason for tool in tools)
    if on == len(tools):
        return f"has {total}"
    verb = "is" if on == 1 else "are"
    return f"{on} of its {total} {verb} on"
