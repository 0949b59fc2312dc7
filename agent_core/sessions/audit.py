"""The audit of calls with an effect: a row before each, a row behind it, and nothing is altered."""

from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import Connection, Select, select

from agent_core.ids import AskId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.sessions.database import PATIENCE_S, Database, columns_of
from agent_core.sessions.schema import audit

AuditOutcome = Literal["done", "failed", "unknown"]
"""`unknown`: the result was lost on the way."""

_BEGUN = "begun"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedAction:
    """One thing that a call did, without the texts it was done with."""

    slug: str
    account: str
    """Whose account it was done with; empty where none was used."""
    arguments_digest: str
    """SHA-256 in hex of the arguments' canonical JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """A call with an effect, as it was about to be made."""

    at: datetime
    session: SessionId
    turn: TurnId
    run: RunId
    call: ToolCallId
    asker: UserId
    tool: str
    """Full name of the tool that was called."""
    actions: tuple[AuditedAction, ...]
    digest: str = ""
    """What an approval was bound to; empty where none was needed."""
    ask: AskId | None = None
    approved_by: UserId | None = None
    """None where nobody had to approve it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedCall:
    """A call with how it ended."""

    entry: AuditEntry
    outcome: AuditOutcome | None
    """None while it is under way; for good when the program ended there: it may have happened."""
    ended_at: datetime | None


ENTRY = TypeAdapter(AuditEntry)


class AuditLog:
    """Rows are only ever added; noting the same again adds nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, entry: AuditEntry) -> None:
        """Note a call. Returns when the row is stored: make the call after that."""
        await self._add(entry, _BEGUN)

    async def end(self, entry: AuditEntry, outcome: AuditOutcome) -> None:
        """Note how the call ended, at `entry.at`; the row of its beginning keeps what it was."""
        await self._add(entry, outcome)

    async def entries(
        self,
        *,
        since: datetime | None = None,
        user: str | None = None,
        tool: str | None = None,
        patience_s: float = PATIENCE_S,
    ) -> list[AuditedCall]:
        """Calls that began (or, if only that is known, ended) since then, newest first.

        Args:
            since: None for all.
            user: Asked or approved by this person: the whole id, or its part behind the `:`.
            tool: A pattern such as `GMAIL_*`, for a full name or an action's slug, in any case.
            patience_s: How long to wait for a database in trouble.

        Raises:
            DatabaseTrouble: the database cannot be read.
        """
        query = select(audit).order_by(audit.c.id)
        if since is not None:
            query = query.where(audit.c.at >= since)
        calls = await self._database.run(
            lambda connection: _calls(connection, query),
            patience_s=patience_s,
        )
        calls = [call for call in calls if _is_of_user(call.entry, user)]
        calls = [call for call in calls if _is_of_tool(call.entry, tool)]
        return sorted(calls, key=lambda call: call.entry.at, reverse=True)

    async def _add(self, entry: AuditEntry, outcome: str) -> None:
        row = columns_of(entry) | {"outcome": outcome}
        await self._database.add(audit, row)


def _calls(connection: Connection, query: Select[Any]) -> list[AuditedCall]:
    """Join the rows of each call: the first one tells what it was, the last how it ended."""
    calls: dict[tuple[str, str, str], AuditedCall] = {}
    for row in connection.execute(query).mappings():
        key = (row["turn"], row["run"], row["call"])
        if key not in calls:
            entry = ENTRY.validate_python(dict(row))
            calls[key] = AuditedCall(
                entry=entry,
                outcome=None,
                ended_at=None,
            )
        if row["outcome"] != _BEGUN:
            calls[key] = replace(calls[key], outcome=row["outcome"], ended_at=row["at"])
    return list(calls.values())


def _is_of_user(entry: AuditEntry, user: str | None) -> bool:
    if user is None:
        return True
    people = (entry.asker, entry.approved_by or "")
    return any(user in (person, person.rpartition(":")[2]) for person in people)


def _is_of_tool(entry: AuditEntry, pattern: str | None) -> bool:
    if pattern is None:
        return True
    names = [entry.tool]
    names.extend(action.slug for action in entry.actions)
    return any(fnmatchcase(name.upper(), pattern.upper()) for name in names)
