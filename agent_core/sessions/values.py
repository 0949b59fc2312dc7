"""Values by their keys: preferences with feedback on answers, and the last program of a run."""

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import delete, select

from agent_core.ids import RunId, ToolCallId, TurnId
from agent_core.messages import JsonObject
from agent_core.sessions.database import Store, columns_of
from agent_core.sessions.schema import preferences, programs


class Preferences(Store):
    """Short values by scope and name; a scope is a person, `team:user`, or a `team:channel`.

    Names: `language` (en, de, es, fr) and `digest_time` (HH:MM) of a person, `follow_ups` (meant,
    two_party, mention) of a channel; `up` or `down` by each person of the scope `feedback:TURN`;
    where each person's tools of apps come from in the scope `composio`. Nothing of this is checked
    here.
    """

    async def get(self, scope: str, name: str) -> str:
        """Empty where nothing is set."""
        values = await self.of(scope)
        return values.get(name, "")

    async def put(
        self,
        scope: str,
        name: str,
        value: str,
    ) -> None:
        """Set a value in place of the one before; an empty one deletes it."""
        if value:
            row = {"scope": scope, "name": name, "value": value}
            statement = self._database.upsert(preferences, row)
        else:
            statement = delete(preferences).filter_by(scope=scope, name=name)
        await self._database.execute(statement)

    async def of(self, scope: str) -> dict[str, str]:
        """All values of a scope, by name."""
        query = select(preferences).filter_by(scope=scope)
        rows = await self._database.rows(query)
        return {row.name: row.value for row in rows}


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


class ProgramStore(Store):
    """One program a run: the next one takes the place of the last one, whose variables it has.

    With the end of their turn the log deletes them.
    """

    async def last(self, turn: TurnId, run: RunId) -> StoredProgram | None:
        """None for a run without programs."""
        query = select(programs).filter_by(turn=turn, run=run)
        return await self._database.first(query, StoredProgram)

    async def keep(self, program: StoredProgram) -> None:
        """Safe to do again."""
        await self._database.execute(self._database.upsert(programs, columns_of(program)))
