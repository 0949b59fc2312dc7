"""The audit of calls with an effect: a row before each, a row behind it, and nothing is altered."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import Connection, RowMapping, Select, select

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


ENTRY: TypeAdapter[AuditEntry] = TypeAdapter(AuditEntry)


class AuditLog:
    """Rows are only ever added; noting the same again adds nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, entry: AuditEntry) -> None:
        """Note a call. It returns when the row is stored: make the call after that."""
        await self._add(entry, _BEGUN)

    async def end(self, entry: AuditEntry, outcome: AuditOutcome) -> None:
        """Note how it ended, at `entry.at`. What it was is taken from the row of its beginning."""
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
            user: Asked or approved by this person: the whole id, or what stands behind its `:`.
            tool: A pattern such as `GMAIL_*`, for a full name or an action's slug, in any case.
            patience_s: How long a database in trouble is waited for.

        Raises:
            DatabaseTrouble: it cannot be read.
        """
        query = select(audit).order_by(audit.c.id)
        if since is not None:
            query = query.where(audit.c.at >= since)
        calls = await self._database.run(
            lambda connection: list(_calls(connection, query)), patience_s=patience_s
        )
        found: list[AuditedCall] = []
        for call in calls:
            entry = call.entry
            people = (entry.asker, entry.approved_by or "")
            is_by = any(user in (None, who, who.rpartition(":")[2]) for who in people)
            names = (entry.tool, *(action.slug for action in entry.actions))
            fits = any(tool is None or fnmatchcase(each.upper(), tool.upper()) for each in names)
            if is_by and fits:
                found.append(call)
        return sorted(found, key=lambda call: call.entry.at, reverse=True)

    async def _add(self, entry: AuditEntry, outcome: str) -> None:
        row = columns_of(entry) | {"outcome": outcome}
        insert = self._database.insert_new(audit).values(row)
        await self._database.execute(insert)


def _calls(connection: Connection, query: Select[Any]) -> Iterator[AuditedCall]:
    """The rows of each call together: what it was by the first, how it ended by the last."""
    together: dict[tuple[str, str, str], list[RowMapping]] = {}
    for row in connection.execute(query).mappings():
        together.setdefault((row["turn"], row["run"], row["call"]), []).append(row)
    for rows in together.values():
        begun = next((row for row in rows if row["outcome"] == _BEGUN), rows[0])
        ended = next((row for row in reversed(rows) if row["outcome"] != _BEGUN), None)
        yield AuditedCall(
            entry=ENTRY.validate_python(dict(begun)),
            outcome=ended["outcome"] if ended is not None else None,
            ended_at=ended["at"] if ended is not None else None,
        )
