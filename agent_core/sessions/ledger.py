"""The ledger of gestures: what was received, under each identity it may be delivered with."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func, select, update

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
        known = select(func.count()).select_from(ledger).where(ledger.c.key.in_(wanted))

        def write(connection: Connection) -> bool:
            is_new = connection.execute(known).scalar() == 0
            for place, key in enumerate(wanted):
                payload = body if place == 0 else {}
                row = {"key": key, "body": payload, "at": at, "settled": place > 0 or not is_new}
                added = self._database.insert_if_new(connection, ledger, row)
                is_new = is_new and added
            return is_new

        return await self._database.run(write)

    async def settle(self, key: str) -> None:
        """The gesture was handed over; its payload is not needed again."""
        statement = update(ledger).where(ledger.c.key == key).values(settled=True)
        await self._database.run(lambda connection: connection.execute(statement))

    async def unsettled(self) -> list[JsonObject]:
        """Payloads that were recorded and not handed over, oldest first, each once."""
        query = select(ledger.c.body).where(ledger.c.settled.is_(False)).order_by(ledger.c.at)
        rows = await self._database.run(lambda connection: connection.execute(query).all())
        return [row.body for row in rows]
