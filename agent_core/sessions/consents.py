"""What people decide about calls: approvals, and connections of accounts. Each is decided once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import Connection, select, update

from agent_core.errors import SessionError
from agent_core.ids import ConsentId, SessionId, TurnId, UserId
from agent_core.messages import JsonObject
from agent_core.sessions.database import Database, columns_of
from agent_core.sessions.schema import consents

ConsentKind = Literal["approval", "connection", "reading"]
"""A `reading` was let through without a person, as part of what may be read so."""
ConsentStatus = Literal[
    "open",
    "approved",
    "used",
    "rejected",
    "connected",
    "skipped",
    "expired",
    "overtaken",
    "void",
    "edited",
]
"""`approved` becomes `used` as the call begins. `overtaken`: a message or a stop came first;
`edited`: another one stands in its place, for the call with the `arguments` of its body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """One decision that a turn waits, or waited, for."""

    id: ConsentId
    kind: ConsentKind
    session: SessionId
    turn: TurnId
    asker: UserId
    digest: str
    """Of all that an approval is bound to; empty for a connection."""
    body: JsonObject
    """What else belongs to it: `grant` of an approval, `toolkits` and `link`, a reading's cost."""
    deadline: datetime
    status: ConsentStatus = "open"
    for_thread: bool = False
    decided_by: UserId | None = None
    reason: str = ""

    def is_over(self, now: datetime) -> bool:
        """Whether it can be decided no longer."""
        return self.deadline <= now


CONSENT: TypeAdapter[Consent] = TypeAdapter(Consent)


class ConsentStore:
    """Every write is idempotent; of two who decide at the same time one is told True."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ask(self, consent: Consent) -> Consent:
        """Store what is to be decided; the one that is stored already, where there is one."""
        await self._database.add(consents, columns_of(consent))
        return await self.get(consent.id)

    async def find(self, consent: ConsentId) -> Consent | None:
        """A consent by id; None where there is none."""
        query = select(consents).where(consents.c.id == consent)
        return next(iter(await self._database.read(query, CONSENT)), None)

    async def get(self, consent: ConsentId) -> Consent:
        """A consent by id; SessionError where there is none."""
        found = await self.find(consent)
        if found is None:
            raise SessionError(f"There is no consent {consent}.")
        return found

    async def amend(self, consent: Consent, body: JsonObject) -> None:
        """Keep what became known of a connection while it is open."""
        statement = update(consents).where(consents.c.id == consent.id)
        await self._database.execute(statement.values(body=consent.body | body))

    async def edit(self, consent: Consent, by: UserId, arguments: JsonObject) -> bool:
        """Have the call asked for again with other arguments; False when it was decided before."""
        body = consent.body | {"arguments": arguments}
        return await self._move(consent.id, "open", "edited", decided_by=by, body=body)

    async def decide(
        self,
        consent: ConsentId,
        status: ConsentStatus,
        *,
        by: UserId | None = None,
        reason: str = "",
        for_thread: bool = False,
    ) -> bool:
        """Decide what is open; False when it was decided before."""
        return await self._move(
            consent, "open", status, decided_by=by, reason=reason, for_thread=for_thread
        )

    async def use(self, consent: ConsentId) -> bool:
        """Whether the approved call may begin now; one asker is told so, once."""
        return await self._move(consent, "approved", "used")

    async def void(self, consent: ConsentId) -> None:
        """An approval does not fit what would be done now."""
        await self._move(consent, "approved", "void")

    async def for_thread(self, session: SessionId, asker: UserId) -> Sequence[Consent]:
        """What was approved for the rest of a thread, for one person's calls."""
        query = select(consents).where(
            consents.c.session == session,
            consents.c.asker == asker,
            consents.c.for_thread.is_(True),
            consents.c.status.in_(("approved", "used")),
        )
        return await self._database.read(query, CONSENT)

    async def let_through(
        self,
        consent: Consent,
        charge: Callable[[Sequence[tuple[TurnId, JsonObject]]], JsonObject | None],
    ) -> bool:
        """Whether a reading may be made; it is stored with what it costs.

        `charge` says that from the turns and costs of the session's earlier ones, and None where it
        is too much. It is asked once for the same reading, and never for two at a time.
        """
        which = (consents.c.session == consent.session) & (consents.c.kind == consent.kind)

        def let_through(connection: Connection) -> bool:
            rows = connection.execute(select(consents).where(which)).all()
            if any(row.id == consent.id for row in rows):
                return True
            body = charge([(TurnId(row.turn), row.body) for row in rows])
            row = columns_of(replace(consent, body=body or {}))
            return body is not None and self._database.insert_if_new(connection, consents, row)

        return await self._database.change(let_through)

    async def _move(
        self, consent: ConsentId, before: ConsentStatus, now: ConsentStatus, **rest: Any
    ) -> bool:
        which = (consents.c.id == consent) & (consents.c.status == before)
        statement = update(consents).where(which).values(status=now, **rest)
        return await self._database.execute(statement)
