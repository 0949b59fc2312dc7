"""The ledger of gestures: what was received, under each identity it may be delivered with."""

import secrets
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select, update

from agent_core.clock import machine_time
from agent_core.fault_points import fault_point
from agent_core.messages import JsonObject
from agent_core.sessions.database import Database, DatabaseTrouble
from agent_core.sessions.leases import Leases
from agent_core.sessions.schema import ledger

ACK_PATIENCE_S = 2.5
"""Slack waits three seconds; what is not acknowledged then it delivers again."""

_MANY_DOUBTS = 1_000
KEPT = timedelta(hours=24)
"""Slack's last retry comes after minutes; what is missed while the bot is away is younger, too."""


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
        self,
        key: str,
        second_key: str,
        body: JsonObject,
        at: datetime | None = None,
    ) -> bool:
        """Write a gesture's identities and payload; False when one of them was known already.

        An empty second key counts for nothing. The payload is kept with the first key.

        Raises:
            DatabaseTrouble: the gesture is not to be acknowledged. Where it was stored all the
                same, `unsettled` returns it.
        """
        delivery = secrets.token_hex(8)
        # In one order everywhere, so that two deliveries at once cannot wait for each other.
        keys = sorted({key, second_key} - {""})
        known: JsonObject = {"body": {}, "settled": True, "process": ""}
        new: JsonObject = {"body": body, "settled": False, "process": self._leases.process}
        received = {"at": at or self._clock(), "delivery": delivery}
        rows = [{"key": each, **received, **(new if each == key else known)} for each in keys]
        insert = self._database.insert_new(ledger).returning(ledger.c.key)

        def write(connection: Connection) -> bool:
            added = connection.execute(insert, rows).scalars().all()
            if len(added) == len(rows):
                return True
            if key in added:
                connection.execute(update(ledger).filter_by(key=key).values(known))
            # An earlier attempt of this very delivery may have been committed.
            deliveries = select(ledger.c.delivery).where(ledger.c.key.in_(keys)).distinct()
            return not added and connection.execute(deliveries).scalars().all() == [delivery]

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
        await self._change(key, settled=True, body={})

    async def forget(self, key: str, second_key: str) -> None:
        """Delete a delivery that was no gesture: under either key it may become one."""
        keys = list(filter(None, (key, second_key)))
        await self._database.execute(delete(ledger).where(ledger.c.key.in_(keys)))

    async def release(self, key: str) -> None:
        """Handling the gesture failed: any process may take it up again."""
        await self._change(key, process="")

    async def unsettled(self) -> list[JsonObject]:
        """Payloads that were not handed over and that nobody alive works on, oldest first.

        This process works on them from now on: the next call does not return them.
        """
        delivery = secrets.token_hex(8)
        doubtful = ledger.c.delivery.in_([*self._doubts, delivery])
        statement = (
            update(ledger)
            .filter_by(settled=False)
            .where(self._leases.is_dead(ledger.c.process) | doubtful)
            .values(process=self._leases.process, delivery=delivery)
            .returning(ledger.c.body, ledger.c.at)
        )
        rows = await self._database.rows(statement)
        return [row.body for row in sorted(rows, key=lambda row: row.at)]

    async def _change(self, key: str, **values: object) -> None:
        await self._database.execute(update(ledger).filter_by(key=key).values(values))


async def purge_ledger(database: Database, now: datetime) -> None:
    """Delete gestures that were handed over and are older than `KEPT`; history and events stay."""
    await database.execute(delete(ledger).filter_by(settled=True).where(ledger.c.at < now - KEPT))
