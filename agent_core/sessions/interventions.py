"""Interventions of people in single runs, stored before anything comes of them."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import TypeAdapter
from sqlalchemy import Connection, exists, func, select, update

from agent_core.events import InterventionKind
from agent_core.ids import ProcessId, RunId, SessionId, TurnId, UserId, is_in_branch
from agent_core.sessions.database import Database, columns_of, objects_of
from agent_core.sessions.schema import events, leases, turns
from agent_core.sessions.schema import interventions as table

ENDINGS: tuple[InterventionKind, ...] = ("stop", "done", "retry")
"""Kinds that end the run at which they are meant, and all below it."""


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
    taker: RunId
    """Which run takes it in; empty where none does."""
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
        """What a run has to take in, in order, each at one place of it.

        Asked again for the same place, the same ones come, and what is new.
        """
        mine = (table.c.turn == turn) & (table.c.taker == run)
        new = mine & table.c.taken_at.is_(None)
        taken = select(table).where(mine, table.c.taken_at == place).order_by(table.c.number)

        def take(connection: Connection) -> list[Intervention]:
            if connection.execute(select(table.c.id).where(new).limit(1)).first():
                connection.execute(update(table).where(new).values(taken_at=place))
            return objects_of(connection, taken, INTERVENTION)

        return await self._database.run(take)

    async def forget_places(self, turn: TurnId, run: RunId, *, but: Collection[int]) -> None:
        """What a run took, except these numbers, was not heard of since: it is taken once more."""
        mine = (table.c.turn == turn) & (table.c.taker == run)
        lost = mine & table.c.number.not_in(but)
        await self._database.execute(update(table).where(lost).values(taken_at=None))

    async def ending(self, turn: TurnId, run: RunId) -> Intervention | None:
        """The first one by which a run is to end: its own, or one of a branch that it is in."""
        query = select(table).where(table.c.turn == turn, table.c.kind.in_(ENDINGS))
        found = await self._database.read(query.order_by(table.c.number), INTERVENTION)
        return next((each for each in found if is_in_branch(run, each.run)), None)

    async def new_task(self, turn: TurnId, run: RunId) -> Intervention | None:
        """How a run's task was changed last; None where nobody did."""
        mine = (table.c.turn == turn) & (table.c.run == run) & (table.c.kind == "content")
        query = select(table).where(mine).order_by(table.c.number.desc()).limit(1)
        return next(iter(await self._database.read(query, INTERVENTION)), None)

    async def hand_on(self, turn: TurnId, run: RunId, taker: RunId) -> None:
        """Another run takes in what came too late for a run that has ended."""
        left = (table.c.turn == turn) & (table.c.taker == run) & table.c.taken_at.is_(None)
        await self._database.execute(update(table).where(left).values(taker=taker))

    async def note(self, done: Intervention, what: str) -> None:
        """So much was done about it; it is no news any more."""
        statement = update(table).where(table.c.id == done.id).values(taken_at=what)
        await self._database.execute(statement)

    async def news(self, process: ProcessId, *, but: Collection[str]) -> list[Intervention]:
        """Those of the process's sessions that end a branch, or that nobody is left to take in.

        `but`: branches that were ended for these, which wait to be taken in.
        """
        is_over = exists().where(turns.c.id == table.c.turn, turns.c.status == "finished")
        is_left = exists().where(
            events.c.turn == table.c.turn,
            events.c.run == table.c.taker,
            events.c.kind == "run_finished",
        )
        query = (
            select(table)
            .join(leases, leases.c.session == table.c.session)
            .where(leases.c.process == process, table.c.taken_at.is_(None))
            .where((table.c.kind.in_(ENDINGS) & table.c.id.not_in(but)) | is_over | is_left)
            .order_by(table.c.turn, table.c.number)
        )
        return await self._database.read(query, INTERVENTION)
