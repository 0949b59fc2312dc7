"""The ledger of gestures: what was received, under each identity it may be delivered with."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, select, update

from agent_core.messages import JsonObject
from agent_core.sessions.database import Database
from agent_core.sessions.schema import ledger


class Ledger:
    """Written before anything is acknowledged, so that no gesture is lost and none counts twice."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, keys: Sequence[str], body: JsonObject, at: datetime) -> bool:
        """Write a gesture's identities and payload; False when one of them was known already.

        Empty keys count for nothing. The payload is kept with the first.
        """
        wanted = list(dict.fromkeys(filter(None, keys)))
        first = update(ledger).where(ledger.c.key == wanted[0]).values(body=body, settled=False)

        def write(connection: Connection) -> bool:
            # In one order everywhere, so that two deliveries at once cannot wait for each other.
            added = [
                self._database.insert_if_new(
                    connection, ledger, {"key": key, "body": {}, "at": at, "settled": True}
                )
                for key in sorted(wanted)
            ]
            if all(added):
                connection.execute(first)
            return all(added)

        return await self._database.run(write)

    async def settle(self, key: str) -> None:
        """The gesture was handed over; its payload is not needed again."""
        statement = update(ledger).where(ledger.c.key == key).values(settled=True, body={})
        await self._database.run(lambda connection: connection.execute(statement))

    async def unsettled(self) -> list[JsonObject]:
        """Payloads that were recorded and not handed over, oldest first, each once."""
        query = select(ledger.c.body).where(ledger.c.settled.is_(False)).order_by(ledger.c.at)
        rows = await self._database.run(lambda connection: connection.execute(query).all())
        return [row.body for row in rows]
