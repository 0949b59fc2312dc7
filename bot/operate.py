"""What an operator asks of the settings and the database: `bot audit` and `bot mcp`.

`bot audit` lists the calls with an effect that agents made, newest first. `bot mcp` says which MCP
servers there are, tries one, and accepts changed definitions.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import typer
from sqlalchemy.exc import SQLAlchemyError

from agent_core.clock import WallClock
from agent_core.errors import AgentError
from agent_core.runtime import AuditedCall
from agent_core.runtime.operate import (
    Fleet,
    TriedTool,
    accept,
    audited_calls,
    difference,
    look_at_fleet,
    proposals,
    try_server,
)
from agent_core.settings import ClockSettings, CoreSettings, read_settings

T = TypeVar("T")

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

    def show(calls: Sequence[AuditedCall]) -> int:
        for line in map(_as_json, calls) if as_json else _table(calls):
            typer.echo(line)
        return 0

    return _with_settings(
        lambda core: audited_calls(core, since=begins, user=user, tool=tool), show
    )


def read_since(words: str, now: datetime) -> datetime | None:
    """The moment that `90m`, `12h`, `7d`, `4w`, a date or `all` (None) means; a date is in UTC.

    Raises:
        ValueError: it means none.
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
        _outcome(call),
        entry.asker,
        ", ".join(slugs) or entry.tool,
        ", ".join(accounts) or "-",
        entry.approved_by or "-",
        entry.session,
    )
    return tuple(map(_cell, cells))


def _outcome(call: AuditedCall) -> str:
    return _MAY_HAVE_HAPPENED if call.outcome in (None, "unknown") else str(call.outcome)


def _cell(text: str) -> str:
    """Nothing that a service named may move the cursor or colour the terminal."""
    plain = "".join(sign if sign.isprintable() else "?" for sign in text)
    return plain if len(plain) <= _MAX_CELL_CHARS else f"{plain[: _MAX_CELL_CHARS - 1]}…"


def _as_json(call: AuditedCall) -> str:
    entry = call.entry
    shown = {
        "at": entry.at.isoformat(),
        "outcome": call.outcome or "begun",
        "ended_at": call.ended_at.isoformat() if call.ended_at else None,
        "may_have_happened": call.outcome in (None, "unknown"),
        "asker": entry.asker,
        "approved_by": entry.approved_by,
        "consent": entry.consent,
        "tool": entry.tool,
        "actions": [
            {"slug": each.slug, "account": each.account, "arguments_digest": each.arguments_digest}
            for each in entry.actions
        ],
        "digest": entry.digest,
        "session": entry.session,
        "turn": entry.turn,
        "run": entry.run,
        "call": entry.call,
    }
    return json.dumps(shown, ensure_ascii=True)


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
