"""What somebody has going on here: their sessions, what waits for them, and what it took.

`whose` is a person, `team:user`, or a whole team; of a scheduled turn that is its owner.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, literal, select

from agent_core.ids import SessionId
from agent_core.sessions.database import Database
from agent_core.sessions.schema import events, turns
from agent_core.sessions.turns import TURN, StoredTurn

_COUNTED = ("step_finished", "route_chosen", "plan_made")
"""Events of model calls."""
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
MAX_READ = 300
"""Of the newest turns: who has more is told of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """A session as somebody sees it who asked in it."""

    id: SessionId
    newest: StoredTurn
    """Of those that are theirs."""
    asked: str
    """Their first words in it."""
    began: bool
    """Whether it was they who began it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What model calls were made for."""

    turns: int
    tokens: int


class Overview:
    """Reads only, and never more than the newest of what there is."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def sessions(self, whose: str) -> list[SessionState]:
        """Where somebody asked for something, the newest first; schedules' own left out."""
        by_session: dict[SessionId, list[StoredTurn]] = {}
        for turn in await self._newest(_of(whose), turns.c.kind == "work"):
            if not turn.inbound.scheduled:
                by_session.setdefault(turn.session, []).append(turn)
        states: list[SessionState] = []
        for session, newest_first in by_session.items():
            oldest = newest_first[-1]
            state = SessionState(
                id=session,
                newest=newest_first[0],
                asked=oldest.inbound.text,
                began=oldest.seq == 1,
            )
            states.append(state)
        return states

    async def unfinished(self, whose: str) -> list[StoredTurn]:
        """Work that goes on or waits, the newest first."""
        return await self._newest(
            _of(whose),
            turns.c.kind == "work",
            turns.c.status != "finished",
        )

    async def askers(self, session: SessionId) -> list[str]:
        """Who asked for something in a session; who began it comes first."""
        query = select(turns.c.asker).where(turns.c.session == session).order_by(turns.c.seq)
        rows = await self._database.rows(query)
        return [row.asker for row in rows]

    async def spent(self, whose: str, since: datetime) -> Spent:
        """What was asked for since then, and the tokens that it took."""
        asked = select(turns.c.id).where(
            _of(whose),
            _received_at >= f"{since:%Y-%m-%d}",
        )
        tokens: ColumnElement[int] = literal(0)
        for name in _TOKENS:
            count = events.c.body[("usage", name)].as_integer()
            tokens += func.coalesce(count, 0)
        total = select(func.coalesce(func.sum(tokens), 0)).where(
            events.c.turn.in_(asked),
            events.c.kind.in_(_COUNTED),
        )
        works = asked.where(turns.c.kind == "work").subquery()
        [work] = await self._database.rows(select(func.count()).select_from(works))
        [call] = await self._database.rows(total)
        return Spent(turns=work[0], tokens=int(call[0]))

    async def _newest(self, *conditions: ColumnElement[bool]) -> list[StoredTurn]:
        query = select(turns).where(*conditions)
        newest = query.order_by(_received_at.desc(), turns.c.seq.desc())
        return await self._database.read(newest.limit(MAX_READ), TURN)


_received_at = turns.c.inbound["received_at"].as_string()


def _of(whose: str) -> ColumnElement[bool]:
    """Turns of a person, or of a whole team."""
    if ":" in whose:
        return turns.c.asker == whose
    return turns.c.asker.startswith(f"{whose}:")
