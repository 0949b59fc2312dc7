"""What an operator asks of the settings and the database: `bot audit` and `bot mcp`.

`bot audit` lists the calls with an effect that agents made, newest first. `bot mcp` says which MCP
servers there are, tries one, and accepts changed definitions.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import typer
from sqlalchemy.exc import SQLAlchemyError

from agent_core.clock import WallClock
from agent_core.errors import AgentError
from agent_core.runtime import AuditedCall
from agent_core.runtime.operate import (
    FleetServer,
    Pin,
    TriedTool,
    accept,
    audited_calls,
    configured_fleet,
    difference,
    proposals,
    refused_tools,
    try_server,
)
from agent_core.settings import ClockSettings, CoreSettings, read_settings

_INDENT = "    "
_DIGEST_CHARS = 12
_SPAN = re.compile(r"(\d{1,5})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_HEADINGS = ("WHEN", "OUTCOME", "ASKER", "DID", "AS", "APPROVED BY", "SESSION")
_MAY_HAVE_HAPPENED = "may have happened"
_MAX_CELL_CHARS = 60
_GAP = "  "


def show_audit(since: str, user: str | None, tool: str | None, *, as_json: bool = False) -> int:
    """Print the calls. Returns the exit code: 1 when the database cannot be read, 2 for settings.

    Nothing is changed: a database that is not there yet is not made.
    """
    try:
        begins = read_since(since, WallClock(ClockSettings().shift_file).now())
    except ValueError as error:
        return _refuse(2, str(error))

    async def work(core: CoreSettings) -> int:
        calls = await audited_calls(core, since=begins, user=user, tool=tool)
        for line in map(_as_json, calls) if as_json else _table(calls):
            typer.echo(line)
        return 0

    return _with_settings(work)


def read_since(words: str, now: datetime) -> datetime | None:
    """The moment that `90m`, `12h`, `7d`, `4w`, a date or `all` (None) means; a date is in UTC.

    Raises ValueError where it means none.
    """
    if words == "all":
        return None
    try:
        if span := _SPAN.fullmatch(words):
            return now - timedelta(**{_UNITS[span[2]]: int(span[1])})
        moment = datetime.fromisoformat(words)
    except (ValueError, OverflowError):
        raise ValueError(
            f"--since: {words!r} is no time; write 90m, 12h, 7d, 4w, 2026-11-01 or all."
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _table(calls: Sequence[AuditedCall]) -> list[str]:
    if not calls:
        return ["No call with an effect is recorded for this."]
    rows = [_HEADINGS, *map(_row, calls)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(_HEADINGS))]
    return [
        _GAP.join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _row(call: AuditedCall) -> tuple[str, ...]:
    entry = call.entry
    slugs = dict.fromkeys(action.slug for action in entry.actions if action.slug)
    accounts = dict.fromkeys(action.account for action in entry.actions if action.account)
    cells = (
        entry.at.strftime("%Y-%m-%d %H:%M:%SZ"),
        _MAY_HAVE_HAPPENED if _is_open(call) else str(call.outcome),
        entry.asker,
        ", ".join(slugs) or entry.tool,
        ", ".join(accounts) or "-",
        entry.approved_by or "-",
        entry.session,
    )
    return tuple(map(_cell, cells))


def _is_open(call: AuditedCall) -> bool:
    return call.outcome in (None, "unknown")


def _cell(text: str) -> str:
    """Nothing that a service named may move the cursor or colour the terminal."""
    plain = "".join(sign if sign.isprintable() else "?" for sign in text)
    return plain if len(plain) <= _MAX_CELL_CHARS else f"{plain[: _MAX_CELL_CHARS - 1]}…"


def _as_json(call: AuditedCall) -> str:
    shown = {
        **asdict(call.entry),
        "outcome": call.outcome or "begun",
        "ended_at": call.ended_at,
        "may_have_happened": _is_open(call),
    }
    return json.dumps(shown, ensure_ascii=True, default=datetime.isoformat)


def list_servers(*, as_json: bool = False) -> int:
    """Print every server with its state. Returns the exit code: not 0 when the file is broken."""

    async def work(core: CoreSettings) -> int:
        servers, waiting = configured_fleet(core), await proposals(core)
        show = _fleet_as_json if as_json else _fleet_in_lines
        for line in show(servers, waiting, await refused_tools(core)):
            typer.echo(line)
        return 0

    return _with_settings(work)


def try_out(name: str) -> int:
    """Start one server and print its tools. Returns the exit code: 1 when it does not work."""

    async def work(core: CoreSettings) -> int:
        tools = await try_server(core, name)
        for tool in tools:
            line = f"{tool.digest[:_DIGEST_CHARS]}  {tool.state:<8}  {tool.name}"
            typer.echo(f"{line}: {tool.reason}" if tool.reason else line)
        typer.echo(f"It works, and {_count(tools)}.")
        return 0

    return _with_settings(work)


def accept_definitions(server: str, tool: str | None, *, only_show: bool = False) -> int:
    """Print what changed and accept it. Returns the exit code: 1 when nothing was accepted."""

    async def work(core: CoreSettings) -> int:
        held = await proposals(core)
        waiting = [pin for pin in held if pin.server == server and tool in (None, pin.tool)]
        if not waiting:
            what = server if tool is None else f"{server} {tool}"
            typer.echo(f"Nothing of {what} waits to be accepted.", err=True)
        for pin in waiting:
            typer.echo(f"{pin.server} {pin.tool}: {_reason(pin)}")
            for line in difference(pin):
                typer.echo(f"{_INDENT}{line}")
        if only_show:
            return 0
        done = await accept(core, waiting) if waiting else []
        if waiting:
            named = ", ".join(done) or "nothing, as it changed in this moment"
            typer.echo(f"Accepted: {named}.")
        return 0 if done else 1

    return _with_settings(work)


def _fleet_in_lines(
    servers: Sequence[FleetServer], waiting: Sequence[Pin], refused: Sequence[tuple[str, str, str]]
) -> Iterator[str]:
    width = max(len(server.name) for server in servers)
    for server in servers:
        state = typer.style("on ", fg="green") if server.is_on else typer.style("off", fg="yellow")
        limits = server.access.in_words
        scope = "a process for each session" if server.scope == "session" else ""
        notes = [note for note in (server.off, scope, limits) if note]
        line = f"{server.name:<{width}}  {server.transport:<7}  {state}  {' · '.join(notes)}"
        yield line.rstrip()
    if waiting:
        yield "\nThese tools are off until they are accepted (bot mcp accept SERVER [TOOL]):"
    for pin in waiting:
        yield f"{_INDENT}{pin.server} {pin.tool}: {_reason(pin)}"
    if refused:
        yield "\nThese tools are refused, and nobody is offered them:"
    for server, tool, reason in refused:
        yield f"{_INDENT}{server} {tool}: {reason}"


def _fleet_as_json(
    servers: Sequence[FleetServer], waiting: Sequence[Pin], refused: Sequence[tuple[str, str, str]]
) -> Iterator[str]:
    shown = {
        "servers": [
            {
                "name": server.name,
                "transport": server.transport,
                "on": server.is_on,
                "reason": server.off,
                "scope": server.scope,
                "shipped": server.is_shipped,
                **{
                    kind: None if names is None else sorted(names)
                    for kind, names in asdict(server.access).items()
                },
                "timeout_s": server.config.call_timeout_s if server.config else None,
            }
            for server in servers
        ],
        "held": [
            {"server": pin.server, "tool": pin.tool, "reason": _reason(pin)} for pin in waiting
        ],
        "refused": [
            {"server": server, "tool": tool, "reason": reason} for server, tool, reason in refused
        ],
    }
    yield json.dumps(shown, ensure_ascii=False, indent=2)


def _reason(pin: Pin) -> str:
    return pin.proposal.reason if pin.proposal else ""


def _count(tools: Sequence[TriedTool]) -> str:
    """How many tools there are, and how many of them are on where not all are."""
    named = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    on = sum(not tool.reason for tool in tools)
    if on == len(tools):
        return f"has {named}"
    return f"{on} of its {named} {'is' if on == 1 else 'are'} on"


def _with_settings(work: Callable[[CoreSettings], Coroutine[Any, Any, int]]) -> int:
    logging.getLogger().addHandler(logging.NullHandler())  # what fails is said in one sentence
    try:
        reading = read_settings(CoreSettings)
        if reading.faults:
            return _refuse(2, *reading.faults.values())
        return asyncio.run(work(reading.settings))
    except AgentError as error:
        return _refuse(1, str(error), *getattr(error, "__notes__", ()))
    except SQLAlchemyError as error:
        return _refuse(1, f"The database cannot be used: {type(error).__name__}.")


def _refuse(code: int, *lines: str) -> int:
    for line in lines:
        typer.echo(line, err=True)
    return code
