"""Interventions of people in single runs, stored before anything comes of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import TypeAdapter
from sqlalchemy import Connection, func, select, update

from agent_core.events import InterventionKind
from agent_core.ids import ProcessId, RunId, SessionId, TurnId, UserId, is_in_branch
from agent_core.sessions.database import Database, columns_of, objects_of
from agent_core.sessions.schema import interventions as table
from agent_core.sessions.schema import leases

_TOLD: Sequence[InterventionKind] = ("comment", "content")
"""Kinds that the run itself takes in; the others end it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervention:
    id: str
    session: SessionId
    turn: TurnId
    run: RunId
    kind: InterventionKind
    text: str
    """The person's own words; may be empty."""
    by: UserId
    by_name: str
    at: datetime
    number: int = 0
    """1 for the turn's first; given when it is stored."""
    taken_at: str | None = None
    """Where it was taken in: a place of the run, or what was done about it; None before."""


INTERVENTION: TypeAdapter[Intervention] = TypeAdapter(Intervention)


class InterventionStore:
    """Every write is idempotent."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, new: Intervention) -> Intervention:
        """Store it; the stored one, with its number."""
        newest = select(func.max(table.c.number)).where(table.c.turn == new.turn)

        def add(connection: Connection) -> bool:
            number = (connection.execute(newest).scalar() or 0) + 1
            row = columns_of(replace(new, number=number))
            return self._database.insert_if_new(connection, table, row)

        stored = select(table).where(table.c.id == new.id)
        while True:
            await self._database.change(add)
            if found := await self._database.read(stored, INTERVENTION):
                return found[0]
            # Another one took the number in the meantime.

    async def take(self, turn: TurnId, run: RunId, place: str) -> list[Intervention]:
        """Comments and new tasks for a run, in order, each at one place of it.

        Asked again for the same place, the same ones come, and what is new.
        """
        mine = (table.c.turn == turn) & (table.c.run == run) & table.c.kind.in_(_TOLD)
        new = mine & table.c.taken_at.is_(None)
        taken = select(table).where(mine, table.c.taken_at == place).order_by(table.c.number)

        def take(connection: Connection) -> list[Intervention]:
            if connection.execute(select(table.c.id).where(new).limit(1)).first():
                connection.execute(update(table).where(new).values(taken_at=place))
            return objects_of(connection, taken, INTERVENTION)

        return await self._database.run(take)

    async def has_new(self, turn: TurnId, run: RunId) -> bool:
        """Whether `take` would give a run something new."""
        found = await self._of(turn)
        return any(e.run == run and e.kind in _TOLD and e.taken_at is None for e in found)

    async def forget_places(self, turn: TurnId, run: RunId, *, but: Collection[int]) -> None:
        """What a run took, except these numbers, was not heard of since: it is taken once more."""
        mine = (table.c.turn == turn) & (table.c.run == run) & table.c.kind.in_(_TOLD)
        lost = mine & table.c.number.not_in(but)
        await self._database.execute(update(table).where(lost).values(taken_at=None))

    async def ending(self, turn: TurnId, run: RunId) -> Intervention | None:
        """The first one by which a run is to end: its own, or one of a branch that it is in."""
        found = await self._of(turn)
        ends = (e for e in found if e.kind not in _TOLD and is_in_branch(run, e.run))
        return next(ends, None)

    async def note(self, done: Intervention, what: str) -> None:
        """So much was done about it; it is no news any more."""
        statement = update(table).where(table.c.id == done.id).values(taken_at=what)
        await self._database.execute(statement)

    async def news(self, process: ProcessId) -> list[Intervention]:
        """Those that end a branch in a session of the process, and were not carried out yet."""
        query = (
            select(table)
            .join(leases, leases.c.session == table.c.session)
            .where(leases.c.process == process)
            .where(table.c.taken_at.is_(None), table.c.kind.not_in(_TOLD))
            .order_by(table.c.turn, table.c.number)
        )
        return await self._database.read(query, INTERVENTION)

    async def _of(self, turn: TurnId) -> list[Intervention]:
        query = select(table).where(table.c.turn == turn).order_by(table.c.number)
        return await self._database.read(query, INTERVENTION)
