"""Which sessions there are, by their ids, and what is still to be done in them."""

from sqlalchemy import select

from agent_core.ids import SessionId
from agent_core.sessions.database import Database
from agent_core.sessions.schema import sessions, turns
from agent_core.sessions.turns import StoredTurn, read_turn


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

    async def unfinished(self, prefix: str, *, limit: int | None = None) -> list[StoredTurn]:
        """Turns that have not ended, in sessions whose ids begin with `prefix`.

        Those of the newest sessions come first; in one session they come in their order.
        """
        query = (
            select(turns)
            .join(sessions, sessions.c.id == turns.c.session)
            .where(turns.c.session.startswith(prefix, autoescape=True))
            .where(turns.c.status != "finished")
            .order_by(sessions.c.created_at.desc(), turns.c.session, turns.c.seq)
            .limit(limit)
        )
        rows = await self._database.run(lambda connection: connection.execute(query).all())
        return list(map(read_turn, rows))
