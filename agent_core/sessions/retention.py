"""What is forgotten: gestures of the ledger that nobody can deliver again."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, delete, select

from agent_core.sessions.database import Database
from agent_core.sessions.schema import ledger

KEPT = timedelta(hours=24)
"""Slack's last retry comes after minutes; what is missed while the bot is away is younger, too."""

BATCH_ROWS = 500


async def purge(database: Database, now: datetime) -> int:
    """Delete gestures that were handed over and are older than `KEPT`. Returns how many keys.

    Each batch is a transaction of its own, so that nobody waits long. History and events stay.
    """
    old = (
        select(ledger.c.key)
        .where(ledger.c.settled.is_(True), ledger.c.at < now.astimezone(UTC) - KEPT)
        .limit(BATCH_ROWS)
    )
    batch = delete(ledger).where(ledger.c.key.in_(old))

    def forget(connection: Connection) -> int:
        return connection.execute(batch).rowcount

    total = 0
    while count := await database.run(forget):
        total += count
    return total
