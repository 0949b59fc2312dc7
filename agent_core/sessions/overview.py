"""Overview: what somebody has going on here: sessions, unfinished turns, tokens spent.

`whose` is a person, `team:user`, or a whole team; of a scheduled turn that is its owner.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, literal, select

from agent_core.ids import SessionId
from agent_core.sessions.database import Database
from agent_core.sessions.schema import events, turns
from agent_core.sessions.turns import StoredTurn

MAX_READ = 300
"""Of the newest turns: who has more is told of these."""

_MODEL_CALLS = ("step_finished", "route_chosen", "plan_made")
"""Events of model calls."""
_USAGE = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_TOKENS = sum(
    (func.coalesce(events.c.body["usage", name].as_integer(), 0) for name in _USAGE),
    literal(0),
)
_RECEIVED_AT = turns.c.inbound["received_at"].as_string()
_IS_WORK = turns.c.kind == "work"


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
        """Sessions in which somebody asked, newest first; those of schedules left out."""
        by_session: dict[SessionId, list[StoredTurn]] = {}
        for turn in await self._newest(_of(whose), _IS_WORK):
            if not turn.inbound.scheduled:
                by_session.setdefault(turn.session, []).append(turn)
        states: list[SessionState] = []
        for session, theirs in by_session.items():
            first = theirs[-1]
            state = SessionState(
                id=session,
                newest=theirs[0],
                asked=first.inbound.text,
                began=first.seq == 1,
            )
            states.append(state)
        return states

    async def unfinished(self, whose: str) -> list[StoredTurn]:
        """Work that goes on or waits, newest first."""
        return await self._newest(_of(whose), _IS_WORK, turns.c.status != "finished")

    async def askers(self, session: SessionId) -> list[str]:
        """Who asked for something in a session; who began it comes first."""
        query = select(turns.c.asker).filter_by(session=session).order_by(turns.c.seq)
        return await self._database.column(query)

    async def spent(self, whose: str, since: datetime) -> Spent:
        """Turns that were asked for since a day, and the tokens of their model calls."""
        is_theirs = _of(whose) & (f"{since:%Y-%m-%d}" <= _RECEIVED_AT)
        count = select(func.count(turns.c.id)).where(is_theirs, _IS_WORK)
        total = (
            select(func.coalesce(func.sum(_TOKENS), 0))
            .where(events.c.turn.in_(select(turns.c.id).where(is_theirs)))
            .where(events.c.kind.in_(_MODEL_CALLS))
        )
        return Spent(
            turns=await self._database.scalar(count),
            tokens=int(await self._database.scalar(total)),
        )

    async def _newest(self, *conditions: ColumnElement[bool]) -> list[StoredTurn]:
        query = (
            select(turns)
            .where(*conditions)
            .order_by(_RECEIVED_AT.desc(), turns.c.seq.desc())
            .limit(MAX_READ)
        )
        return await self._database.read(query, StoredTurn)


def _of(whose: str) -> ColumnElement[bool]:
    if ":" in whose:
        return turns.c.asker == whose
    return turns.c.asker.startswith(f"{whose}:")
