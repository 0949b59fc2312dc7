"""How far readers of something outside have come, by name."""

from collections.abc import Mapping

from sqlalchemy import Connection, select

from agent_core.sessions.database import Database
from agent_core.sessions.schema import marks


class Marks:
    """Marks move on and never back.

    Values are compared as text, so those of one name must be written in one width.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, prefix: str) -> dict[str, str]:
        """The marks whose names begin with `prefix`."""
        query = select(marks).where(marks.c.name.startswith(prefix, autoescape=True))
        rows = await self._database.run(lambda connection: connection.execute(query).all())
        return {row.name: row.value for row in rows}

    async def save(self, values: Mapping[str, str]) -> None:
        """Move marks on, all in one transaction; one that is further already stays."""

        def write(connection: Connection) -> None:
            for name, value in sorted(values.items()):
                self._move(connection, name, value)

        if values:
            await self._database.run(write)

    def _move(self, connection: Connection, name: str, value: str) -> None:
        row = {"name": name, "value": value}
        if not self._database.insert_if_new(connection, marks, row):
            behind = marks.update().where(marks.c.name == name, marks.c.value < value)
            connection.execute(behind.values(value=value))
