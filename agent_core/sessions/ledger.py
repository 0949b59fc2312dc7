"""The ledger of gestures: what was received, under each identity it may be delivered with."""

import secrets
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from agent_core.clock import machine_time
from agent_core.fault_points import fault_point
from agent_core.messages import JsonObject
from agent_core.sessions.database import Database, DatabaseTrouble
from agent_core.sessions.leases import Leases
from agent_core.sessions.schema import ledger, marks

ACK_PATIENCE_S = 2.5
"""Slack waits three seconds; what is not acknowledged then it delivers again."""

_MANY_DOUBTS = 1_000


class Ledger:
    """Written before anything is acknowledged, so that no gesture is lost and none counts twice."""

    def __init__(
        self, database: Database, leases: Leases, clock: Callable[[], datetime] = machine_time
    ) -> None:
        self._database = database
        self._leases = leases
        self._clock = clock
        self._doubts: deque[str] = deque(maxlen=_MANY_DOUBTS)
        """Deliveries that may be stored although `record` had to say that they are not."""

    async def record(
        self, key: str, second_key: str, body: JsonObject, at: datetime | None = None
    ) -> bool:
        """Write a gesture's identities and payload; False when one of them was known already.

        An empty second key counts for nothing. The payload is kept with the first.

        Raises:
            DatabaseTrouble: the gesture is not to be acknowledged. Where it was stored all the
                same, `unsettled` gives it out.
        """
        delivery = secrets.token_hex(8)
        wanted = list(dict.fromkeys(filter(None, (key, second_key))))
        at = at or self._clock()
        known: JsonObject = {"body": {}, "settled": True, "process": ""}
        new: JsonObject = {"body": body, "settled": False, "process": self._leases.process}
        # In one order everywhere, so that two deliveries at once cannot wait for each other.
        rows: list[JsonObject] = [
            {"key": each, "at": at, "delivery": delivery, **(new if each == wanted[0] else known)}
            for each in sorted(wanted)
        ]
        insert = self._database.insert_new(ledger).returning(ledger.c.key)
        first = update(ledger).where(ledger.c.key == wanted[0])

        def write(connection: Connection) -> bool:
            added = connection.execute(insert, rows).scalars().all()
            if len(added) == len(rows):
                return True
            if wanted[0] in added:
                connection.execute(first.values(known))
            # An earlier attempt of this very delivery may have been committed.
            whose = select(ledger.c.delivery).where(ledger.c.key.in_(wanted)).distinct()
            return not added and connection.execute(whose).scalars().all() == [delivery]

        fault_point("ledger.before")
        try:
            is_new = await self._database.run(write, patience_s=ACK_PATIENCE_S)
        except DatabaseTrouble as trouble:
            if trouble.may_be_stored:
                self._doubts.append(delivery)
            raise
        fault_point("ledger.after")
        return is_new

    async def settle(self, key: str) -> None:
        """The gesture was handed over; its payload is not needed again."""
        statement = (
            update(ledger)
            .where(ledger.c.key == key)
            .values(
                settled=True,
                body={},
            )
        )
        await self._database.execute(statement)

    async def forget(self, key: str, second_key: str) -> None:
        """What was delivered was no gesture: under any of its identities it may become one."""
        statement = delete(ledger).where(ledger.c.key.in_(list(filter(None, (key, second_key)))))
        await self._database.execute(statement)

    async def release(self, key: str) -> None:
        """Handling the gesture failed: it is to be taken up again, by whichever process."""
        statement = update(ledger).where(ledger.c.key == key).values(process="")
        await self._database.execute(statement)

    async def unsettled(self) -> list[JsonObject]:
        """Payloads that were not handed over and that nobody alive works on, oldest first.

        They are this process's from now on: asked again, it is not given them again.
        """
        delivery = secrets.token_hex(8)
        free = self._leases.without_owner() | ledger.c.delivery.in_((*self._doubts, delivery))
        statement = (
            update(ledger)
            .where(
                ledger.c.settled.is_(False),
                free,
            )
            .values(
                process=self._leases.process,
                delivery=delivery,
            )
            .returning(ledger.c.body, ledger.c.at)
        )
        rows = await self._database.rows(statement)
        return [row.body for row in sorted(rows, key=lambda row: row.at)]


class Marks:
    """Marks move on and never back.

    Values are compared as text, so those of one name must be written in one width.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, prefix: str) -> dict[str, str]:
        """The marks whose names begin with `prefix`."""
        query = select(marks).where(marks.c.name.startswith(prefix, autoescape=True))
        rows = await self._database.rows(query)
        return {row.name: row.value for row in rows}

    async def save(self, values: Mapping[str, str]) -> None:
        """Move marks on, all in one transaction; one that is further already stays."""
        insert = self._database.insert(marks)
        further = insert.excluded.value
        move = insert.on_conflict_do_update(
            index_elements=["name"],
            set_={"value": further},
            where=marks.c.value < further,
        )
        rows = [{"name": name, "value": value} for name, value in sorted(values.items())]
        if rows:
            await self._database.run(lambda connection: connection.execute(move, rows))
