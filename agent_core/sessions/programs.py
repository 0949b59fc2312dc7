"""What a run's Python has kept: its variables, and a program that waits."""

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from agent_core.ids import RunId, ToolCallId, TurnId
from agent_core.messages import JsonObject
from agent_core.sessions.database import Database, columns_of
from agent_core.sessions.schema import programs


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredProgram:
    """The last program of a run."""

    turn: TurnId
    run: RunId
    call: ToolCallId
    """The tool call that brought it."""
    body: JsonObject = field(default_factory=dict[str, Any])
    """What is known of it here: counts, what it printed, how it ended."""
    variables: bytes = b""
    """All that was defined when the last program ended; empty where there is nothing."""
    paused: bytes = b""
    """The program where it waits; empty for one that waits for nothing."""


class ProgramStore:
    """One program a run: the next one takes the place of the last one, whose variables it has.

    With the end of their turn the log deletes them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def last(self, turn: TurnId, run: RunId) -> StoredProgram | None:
        """None for a run without programs."""
        query = select(programs).filter_by(turn=turn, run=run)
        return await self._database.first(query, StoredProgram)

    async def keep(self, program: StoredProgram) -> None:
        """Safe to do again."""
        await self._database.execute(self._database.upsert(programs, columns_of(program)))
