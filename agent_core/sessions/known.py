"""Which sessions there are, by the order of their ids."""

from sqlalchemy import select

from agent_core.ids import SessionId
from agent_core.sessions.database import Database
from agent_core.sessions.schema import sessions


class KnownSessions:
    """Looks sessions up without reading what was said in them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest_before(self, prefix: str, bound: str, *, limit: int) -> list[SessionId]:
        """Sessions whose ids begin with `prefix` and come before `prefix + bound`, last ones first.

        With ids that end in a time of one width these are the newest that are older than it.
        """
        query = (
            select(sessions.c.id)
            .where(sessions.c.id.startswith(prefix, autoescape=True))
            .where(sessions.c.id < prefix + bound)
            .order_by(sessions.c.id.desc())
            .limit(limit)
        )
        rows = await self._database.run(lambda connection: connection.execute(query).all())
        return [SessionId(row.id) for row in rows]
