"""`bot audit`: lists the calls with an effect that agents made; verifies and exports the chain."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import typer

from agent_core.clock import WallClock
from agent_core.operator import AuditLog, stored
from agent_core.runtime import AuditEntry
from agent_core.settings import ClockSettings, CoreSettings
from bot.operator import refuse, with_settings

_SPAN = re.compile(r"(\d{1,5})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_HEADINGS = ("WHEN", "OUTCOME", "ASKER", "DID", "AS", "APPROVED BY", "SESSION")
_MAY_HAVE_HAPPENED = "may have happened"
_MAX_CELL_CHARS = 60
_GAP = "  "


def show_audit(since: str, what: str = "", head: str = "", *, as_json: bool = False) -> int:
    """Print the calls. Returns the exit code: 1 when the database cannot be read, 2 for settings.

    `what` is `verify` to check the chain of all records instead (1 for a fault), or `export`.
    Nothing is changed: a database that is not there yet is not made.
    """
    try:
        begins = read_since(since, WallClock(ClockSettings().shift_file).now())
    except ValueError as error:
        return refuse(2, str(error))

    async def work(core: CoreSettings) -> int:
        async with stored(core) as database:
            log = AuditLog(database)
            if what:
                return await _prove(log, what, head, begins)
            calls = await log.entries(since=begins)
        lines = map(_as_json, calls) if as_json else _table(calls)
        for line in lines:
            typer.echo(line)
        return 0

    return with_settings(work)


async def _prove(log: AuditLog, what: str, head: str, begins: datetime | None) -> int:
    report = await log.verify(head)
    if what == "export":
        for record in await log.records(begins):
            del record["body"]  # it may be erased here, and could not be there
            typer.echo(json.dumps(record))
    typer.echo(json.dumps(report._asdict()))
    return 1 if report.faults else 0


def read_since(words: str, now: datetime) -> datetime | None:
    """The moment that `90m`, `12h`, `7d`, `4w`, a date or `all` (None) means; a date is in UTC.

    Raises ValueError where it means none.
    """
    if words == "all":
        return None
    try:
        if span := _SPAN.fullmatch(words):
            number, unit = span.groups()
            return now - timedelta(**{_UNITS[unit]: int(number)})
        moment = datetime.fromisoformat(words)
    except (ValueError, OverflowError):
        raise ValueError(
            f"--since: {words!r} is no time; write 90m, 12h, 7d, 4w, 2026-11-01 or all."
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _table(calls: Sequence[AuditEntry]) -> list[str]:
    if not calls:
        return ["No actions are recorded here yet."]
    rows = [_HEADINGS, *map(_row, calls)]
    columns = zip(*rows, strict=True)
    widths = [max(map(len, column)) for column in columns]
    lines: list[str] = []
    for row in rows:
        cells = map(str.ljust, row, widths)
        line = _GAP.join(cells)
        lines.append(line.rstrip())
    return lines


def _row(call: AuditEntry) -> tuple[str, ...]:
    slugs = _distinct([action.slug for action in call.actions])
    accounts = _distinct([action.account for action in call.actions])
    cells = (
        call.at.strftime("%Y-%m-%d %H:%M:%SZ"),
        _MAY_HAVE_HAPPENED if _is_open(call) else str(call.outcome),
        call.asker,
        slugs or call.tool,
        accounts or "-",
        call.approved_by or "-",
        call.session,
    )
    return tuple(map(_cell, cells))


def _distinct(names: Sequence[str]) -> str:
    once = dict.fromkeys(names)
    return ", ".join(filter(None, once))


def _is_open(call: AuditEntry) -> bool:
    return call.outcome in (None, "unknown")


def _cell(text: str) -> str:
    """Nothing that a service named may move the cursor or colour the terminal."""
    plain = "".join(sign if sign.isprintable() else "?" for sign in text)
    return plain if len(plain) <= _MAX_CELL_CHARS else f"{plain[: _MAX_CELL_CHARS - 1]}…"


def _as_json(call: AuditEntry) -> str:
    record = {
        **asdict(call),
        "outcome": call.outcome or "begun",
        "may_have_happened": _is_open(call),
    }
    return json.dumps(record, ensure_ascii=True, default=datetime.isoformat)
