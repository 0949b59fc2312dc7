"""What calls did and told the outside: the audit of effects, and the egress budget's disclosures.

The audit has a row from before each call with an effect, and on it how the call ended. What a row
says of the beginning is never altered, and an outcome is noted once. A disclosure is what a call
told its owner after the session was tainted: `consent/egress.py` puts a price in bits on it, and
each call that was let through without a person is charged here, once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Literal

from sqlalchemy import Connection, select, update

from agent_core.ids import AskId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.messages import JsonObject
from agent_core.sessions.database import PATIENCE_S, Store, columns_of, objects_of
from agent_core.sessions.schema import audit, disclosures

AuditOutcome = Literal["done", "failed", "unknown"]
"""`unknown`: the result was lost on the way."""


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
    """A call with an effect, as it was about to be made, and how it ended."""

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
    outcome: AuditOutcome | None = None
    """None while it is under way; for good when the program ended there: it may have happened."""
    ended_at: datetime | None = None


class AuditLog(Store):
    """Rows are only ever added; noting the same again adds nothing and alters nothing."""

    async def begin(self, entry: AuditEntry) -> None:
        """Note a call. Returns when the row is stored: make the call after that."""
        await self._database.add(audit, columns_of(entry))

    async def end(
        self,
        turn: TurnId,
        run: RunId,
        call: ToolCallId,
        outcome: AuditOutcome,
        at: datetime,
    ) -> None:
        """Note how a call that began has ended."""
        begun = update(audit).filter_by(turn=turn, run=run, call=call, outcome=None)
        await self._database.execute(begun.values(outcome=outcome, ended_at=at))

    async def entries(
        self,
        *,
        since: datetime | None = None,
        user: str | None = None,
        tool: str | None = None,
        patience_s: float = PATIENCE_S,
    ) -> list[AuditEntry]:
        """Calls that began since then, newest first.

        Args:
            since: None for all.
            user: Asked or approved by this person: the whole id, or its part behind the `:`.
            tool: A pattern such as `GMAIL_*`, for a full name or an action's slug, in any case.
            patience_s: How long to wait for a database in trouble.

        Raises:
            DatabaseTrouble: the database cannot be read.
        """
        query = select(audit).order_by(audit.c.at.desc(), audit.c.id)
        if since is not None:
            query = query.where(audit.c.at >= since)
        entries = await self._database.run(
            lambda connection: objects_of(connection, query, AuditEntry),
            patience_s=patience_s,
        )
        if user is not None:
            entries = [entry for entry in entries if _is_of_user(entry, user)]
        if tool is not None:
            entries = [entry for entry in entries if _is_of_tool(entry, tool)]
        return entries


def _is_of_user(entry: AuditEntry, user: str) -> bool:
    people = (entry.asker, entry.approved_by or "")
    return any(user in (person, person.rpartition(":")[2]) for person in people)


def _is_of_tool(entry: AuditEntry, pattern: str) -> bool:
    names = [entry.tool]
    names.extend(action.slug for action in entry.actions)
    return any(fnmatchcase(name.upper(), pattern.upper()) for name in names)


TurnPrice = tuple[TurnId, JsonObject]
"""What a call cost, with the turn in which it was made."""
Charge = Callable[[Sequence[TurnPrice]], JsonObject | None]
"""Makes the price of a call from the turns and prices of earlier ones; None: over the budget."""


class DisclosureStore(Store):
    """The egress budget of each session."""

    async def admit(
        self,
        id: str,
        session: SessionId,
        turn: TurnId,
        charge: Charge,
    ) -> bool:
        """Whether a call is within the budget; its price is stored then.

        `charge` is asked once for the same id, and never for two calls of a session at a time.
        """
        earlier = select(disclosures).filter_by(session=session)

        def admit(connection: Connection) -> bool:
            rows = connection.execute(earlier).all()
            if any(row.id == id for row in rows):
                return True
            price = charge([(row.turn, row.price) for row in rows])
            if price is None:
                return False
            row = {
                "id": id,
                "session": session,
                "turn": turn,
                "price": price,
            }
            return self._database.insert_if_new(connection, disclosures, row)

        return await self._database.change(admit)
