"""`bot mcp`: which MCP servers there are, a try of one, and accepting changed definitions."""

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

import typer
from sqlalchemy.exc import SQLAlchemyError

from agent_core.errors import AgentError
from agent_core.runtime.operate import (
    Fleet,
    TriedTool,
    accept,
    difference,
    look_at_fleet,
    proposals,
    try_server,
)
from agent_core.settings import CoreSettings, read_settings

T = TypeVar("T")

_INDENT = "    "
_DIGEST_CHARS = 12


def list_servers(*, as_json: bool = False) -> int:
    """Print every server with its state. Returns the exit code: not 0 when the file is broken."""
    return _with_settings(look_at_fleet, lambda fleet: _show_fleet(fleet, as_json=as_json))


def try_out(name: str) -> int:
    """Start one server and print its tools. Returns the exit code: 1 when it does not work."""
    return _with_settings(lambda settings: try_server(settings, name), _show_tools)


def accept_definitions(server: str, tool: str | None, *, only_show: bool = False) -> int:
    """Print what changed and accept it. Returns the exit code: 1 when nothing was accepted."""

    async def work(settings: CoreSettings) -> list[str]:
        return await _accept(settings, server, tool, only_show=only_show)

    return _with_settings(work, lambda done: 0 if done or only_show else 1)


def _with_settings(
    work: Callable[[CoreSettings], Coroutine[Any, Any, T]], show: Callable[[T], int]
) -> int:
    logging.getLogger().addHandler(logging.NullHandler())  # what fails is said in one sentence
    try:
        reading = read_settings(CoreSettings)
        if reading.faults:
            return _refuse(2, *reading.faults.values())
        return show(asyncio.run(work(reading.settings)))
    except AgentError as error:
        return _refuse(1, str(error), *getattr(error, "__notes__", ()))
    except SQLAlchemyError as error:
        return _refuse(1, f"The database cannot be used: {type(error).__name__}.")


def _refuse(code: int, *lines: str) -> int:
    for line in lines:
        typer.echo(line, err=True)
    return code


def _show_fleet(fleet: Fleet, *, as_json: bool) -> int:
    if as_json:
        typer.echo(json.dumps(_as_object(fleet), ensure_ascii=False, indent=2))
        return 0
    width = max(len(server.name) for server in fleet.servers)
    for server in fleet.servers:
        state = typer.style("on ", fg="green") if server.is_on else typer.style("off", fg="yellow")
        limits = server.access.in_words
        scope = "a process for each session" if server.scope == "session" else ""
        notes = [note for note in (server.off, scope, limits) if note]
        line = f"{server.name:<{width}}  {server.transport:<7}  {state}  {' · '.join(notes)}"
        typer.echo(line.rstrip())
    if fleet.waiting:
        typer.echo("\nThese tools are off until they are accepted (bot mcp accept SERVER [TOOL]):")
    for pin in fleet.waiting:
        reason = pin.proposal.reason if pin.proposal else ""
        typer.echo(f"{_INDENT}{pin.server} {pin.tool}: {reason}")
    return 0


def _as_object(fleet: Fleet) -> dict[str, object]:
    return {
        "servers": [
            {
                "name": server.name,
                "transport": server.transport,
                "on": server.is_on,
                "reason": server.off,
                "scope": server.scope,
                "shipped": server.is_shipped,
                "agents": _listed(server.access.agents),
                "channels": _listed(server.access.channels),
                "users": _listed(server.access.users),
                "timeout_s": server.config.call_timeout_s if server.config else None,
            }
            for server in fleet.servers
        ],
        "held": [
            {
                "server": pin.server,
                "tool": pin.tool,
                "reason": pin.proposal.reason if pin.proposal else "",
            }
            for pin in fleet.waiting
        ],
    }


def _listed(names: frozenset[str] | None) -> list[str] | None:
    return None if names is None else sorted(names)


def _show_tools(tools: Sequence[TriedTool]) -> int:
    for tool in tools:
        line = f"{tool.digest[:_DIGEST_CHARS]}  {tool.state:<8}  {tool.name}"
        typer.echo(f"{line}: {tool.reason}" if tool.reason else line)
    typer.echo(f"It works, and {_count(tools)}.")
    return 0


def _count(tools: Sequence[TriedTool]) -> str:
    """How many tools there are, and how many of them are on where not all are."""
    named = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    on = sum(tool.is_on for tool in tools)
    if on == len(tools):
        return f"has {named}"
    return f"{on} of its {named} {'is' if on == 1 else 'are'} on"


async def _accept(
    settings: CoreSettings, server: str, tool: str | None, *, only_show: bool
) -> list[str]:
    waiting = await proposals(settings, server, tool)
    if not waiting:
        what = server if tool is None else f"{server} {tool}"
        typer.echo(f"Nothing of {what} waits to be accepted.", err=True)
    for pin in waiting:
        typer.echo(f"{pin.server} {pin.tool}: {pin.proposal.reason if pin.proposal else ''}")
        for line in difference(pin):
            typer.echo(f"{_INDENT}{line}")
    if only_show or not waiting:
        return []
    done = await accept(settings, waiting)
    typer.echo(f"Accepted: {', '.join(done) or 'nothing, as it changed in this moment'}.")
    return done
