"""What people have set, and what they said of answers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import TypeAdapter
from sqlalchemy import delete, select, update

from agent_core.ids import TurnId, UserId
from agent_core.sessions.database import Database, columns_of
from agent_core.sessions.schema import feedback, preferences


class Preferences:
    """Short values by scope and name; a scope is a person, `team:user`, or a `team:channel`.

    Names: `language` (en, de, es, fr) and `digest_time` (HH:MM) of a person, `follow_ups` (meant,
    two_party, mention) of a channel. Nothing of this is checked here.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, scope: str, name: str) -> str:
        """Empty where nothing is set."""
        return (await self.of(scope)).get(name, "")

    async def put(self, scope: str, name: str, value: str) -> None:
        """Set it, in place of what was; an empty value sets nothing any more."""
        key = {"scope": scope, "name": name}
        if value:
            statement = self._database.upsert(preferences, {**key, "value": value})
        else:
            statement = delete(preferences).filter_by(**key)
        await self._database.execute(statement)

    async def of(self, scope: str) -> dict[str, str]:
        """All that is set, by name."""
        query = select(preferences).where(preferences.c.scope == scope)
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


_FEEDBACK: TypeAdapter[Feedback] = TypeAdapter(Feedback)


class FeedbackStore:
    """Of a person and a turn the last word counts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def give(self, given: Feedback) -> None:
        """Keep it in place of what the person said before."""
        await self._database.execute(self._database.upsert(feedback, columns_of(given)))

    async def comment(self, turn: TurnId, person: UserId, text: str) -> bool:
        """Add words to what was given; False where nothing was."""
        theirs = update(feedback).where(
            feedback.c.turn == turn,
            feedback.c.person == person,
        )
        return await self._database.execute(theirs.values(comment=text))

    async def of(self, turn: TurnId) -> list[Feedback]:
        """What people said of a turn, oldest first."""
        query = select(feedback).where(feedback.c.turn == turn).order_by(feedback.c.at)
        return await self._database.read(query, _FEEDBACK)
