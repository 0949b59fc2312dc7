"""`bot audit`: the calls with an effect that agents made, newest first."""

import asyncio
import json
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import typer
from sqlalchemy.exc import SQLAlchemyError

from agent_core.clock import WallClock
from agent_core.errors import AgentError
from agent_core.runtime import AuditedCall
from agent_core.runtime.operate import audited_calls
from agent_core.settings import ClockSettings, CoreSettings, read_settings

_SPAN = re.compile(r"(\d{1,5})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_HEADINGS = ("WHEN", "OUTCOME", "ASKER", "DID", "AS", "APPROVED BY", "SESSION")
_MAY_HAVE_HAPPENED = "may have happened"
_MAX_CELL_CHARS = 60
_GAP = "  "


@dataclass(frozen=True, slots=True)
class AuditQuestion:
    """What is asked for, in the words of the command line."""

    since: str = "7d"
    user: str | None = None
    tool: str | None = None


def show_audit(question: AuditQuestion, *, as_json: bool = False) -> int:
    """Print the calls. Returns the exit code: 1 when the database cannot be read, 2 for settings.

    Nothing is changed: a database that is not there yet is not made.
    """
    logging.getLogger().addHandler(logging.NullHandler())  # what fails is said in one sentence
    try:
        reading = read_settings(CoreSettings)
        if reading.faults:
            return _refuse(2, *reading.faults.values())
        now = WallClock(ClockSettings().shift_file).now()
        since = read_since(question.since, now)
        calls = asyncio.run(
            audited_calls(reading.settings, since=since, user=question.user, tool=question.tool)
        )
    except ValueError as error:
        return _refuse(2, str(error))
    except AgentError as error:
        return _refuse(1, str(error))
    except SQLAlchemyError as error:
        return _refuse(1, f"The database cannot be used: {type(error).__name__}.")
    lines = map(_as_json, calls) if as_json else _table(calls)
    for line in lines:
        typer.echo(line)
    return 0


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


def _refuse(code: int, *lines: str) -> int:
    for line in lines:
        typer.echo(line, err=True)
    return code
