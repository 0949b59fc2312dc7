"""Preferences of people and channels, and people's feedback on answers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import delete, select, update

from agent_core.ids import TurnId, UserId
from agent_core.sessions.database import Store, columns_of
from agent_core.sessions.schema import feedback, preferences


class Preferences(Store):
    """Short values by scope and name; a scope is a person, `team:user`, or a `team:channel`.

    Names: `language` (en, de, es, fr) and `digest_time` (HH:MM) of a person, `follow_ups` (meant,
    two_party, mention) of a channel. Nothing of this is checked here.
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
class Feedback:
    """What a person said of a turn's answer."""

    turn: TurnId
    person: UserId
    verdict: Literal["up", "down"]
    at: datetime
    comment: str = ""


class FeedbackStore(Store):
    """Of a person and a turn the last word counts."""

    async def give(self, given: Feedback) -> None:
        """Store a verdict in place of the person's earlier one."""
        await self._database.execute(self._database.upsert(feedback, columns_of(given)))

    async def comment(
        self,
        turn: TurnId,
        person: UserId,
        text: str,
    ) -> bool:
        """Add a comment to a verdict; False where there is none."""
        statement = update(feedback).filter_by(turn=turn, person=person).values(comment=text)
        return await self._database.execute(statement)

    async def of(self, turn: TurnId) -> list[Feedback]:
        """What people said of a turn, oldest first."""
        query = select(feedback).filter_by(turn=turn).order_by(feedback.c.at)
        return await self._database.read(query, Feedback)
