"""What model calls cost in a month, by scope: reserved before each call, settled after it.

A scope is a turn, a person, a channel or a team. All rows of a call are locked in one order, so
that calls of several processes at once cannot together pass a cap. What a process had reserved when
it died is released by the housekeeping; the call is settled all the same if the process lives on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, select, update

from agent_core.ids import ProcessId
from agent_core.models.metered import CallQuote, Cap, Grant
from agent_core.sessions.database import Store
from agent_core.sessions.leases import Leases
from agent_core.sessions.schema import processes, reservations, spending

_NOTHING_USD = 1e-9
"""Less is what sums of floats leave behind."""
TOLD = "told"
NEAR = 0.8
"""The share of a cap from which on admins are told, and a call that does not fit has reached it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargedScopes:
    """Which sums a call counts against, and their caps."""

    period: str
    """The month, such as `2026-11`."""
    scopes: tuple[str, ...]
    caps: tuple[Cap, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSum:
    """What a scope has spent in a month."""

    scope: str
    settled_usd: float
    told_by: str
    """Who tells, or has told, that the cap is near; empty where nobody does."""


class Spending(Store):
    """The sums, for all processes."""

    async def reserve(
        self, call: str, process: ProcessId, charged: ChargedScopes, quote: CallQuote
    ) -> Grant | Cap | None:
        """Reserve what a call may cost at most; idempotent for a call's id.

        The cap where it does not fit; None where it may fit once other calls are settled.
        """
        return await self._database.run(
            partial(self._reserve, call=call, process=process, charged=charged, quote=quote)
        )

    async def settle(self, call: str, usd: float) -> list[ScopeSum]:
        """Put what a call has cost in the place of what it reserved; the sums as they are now."""
        ended = (
            delete(reservations)
            .filter_by(id=call)
            .returning(reservations.c.period, reservations.c.scopes, reservations.c.usd)
        )

        def settle(connection: Connection) -> list[ScopeSum]:
            row = connection.execute(ended).first()
            if row is None:
                return []
            change = (
                update(spending)
                .where(_of(row.period, row.scopes))
                .values(
                    settled_usd=spending.c.settled_usd + usd,
                    reserved_usd=spending.c.reserved_usd - row.usd,
                )
                .returning(spending.c.scope, spending.c.settled_usd, spending.c.told_by)
            )
            rows = connection.execute(change).mappings()
            return [ScopeSum(**each) for each in rows]

        return await self._database.run(settle)

    async def reached(self, charged: ChargedScopes) -> Cap | None:
        """The cap at which nothing more is begun; None where there is none."""
        caps = {cap.scope: cap for cap in charged.caps}
        query = select(spending).where(_of(charged.period, caps))
        for row in await self._database.rows(query) if caps else ():
            cap = caps[row.scope]
            if max(row.settled_usd, row.reached_usd) >= cap.usd:
                return cap
        return None

    async def begin_telling(self, period: str, scope: str, leases: Leases) -> bool:
        """Whether this process is to tell that a cap is near; one does, or takes over from it."""
        teller = spending.c.told_by
        is_free = (teller == "") | ((teller != TOLD) & leases.is_dead(teller))
        claim = update(spending).where(_of(period, [scope]), is_free)
        return await self._database.execute(claim.values(told_by=leases.process))

    async def end_telling(self, period: str, scope: str, mark: str) -> None:
        """It was told, or, with an empty mark, has to be told by somebody else."""
        note = update(spending).where(_of(period, [scope])).values(told_by=mark)
        await self._database.execute(note)

    async def release(self, leases: Leases) -> None:
        """Release what dead processes have reserved."""
        is_dead = leases.is_dead(reservations.c.process)
        dead = select(reservations).where(is_dead, reservations.c.usd > 0)

        def release(connection: Connection) -> None:
            for row in connection.execute(dead.with_for_update()).all():
                free = spending.c.reserved_usd - row.usd
                released = update(spending).where(_of(row.period, row.scopes))
                connection.execute(released.values(reserved_usd=free))
                connection.execute(update(reservations).filter_by(id=row.id).values(usd=0.0))

        await self._database.run(release)

    async def purge(self, oldest: str) -> None:
        """Delete sums of months before the oldest, and calls whose processes are gone for good."""
        await self._database.execute(delete(spending).where(spending.c.period < oldest))
        gone = reservations.c.process.not_in(select(processes.c.id))
        await self._database.execute(delete(reservations).where(gone, reservations.c.usd <= 0))

    def _reserve(
        self,
        connection: Connection,
        *,
        call: str,
        process: ProcessId,
        charged: ChargedScopes,
        quote: CallQuote,
    ) -> Grant | Cap | None:
        known = connection.execute(select(reservations).filter_by(id=call)).first()
        if known is not None:  # an earlier attempt was stored after all
            return Grant(id=call, max_tokens=known.max_tokens)
        rows = self._locked(connection, charged)
        tightest: Cap | None = None
        tokens = quote.max_tokens
        has_to_wait = False
        for cap in () if quote.may_overdraw else charged.caps:
            row = rows[cap.scope]
            fitting = _fitting_tokens(cap, row, quote)
            if fitting is None:
                if row.settled_usd >= NEAR * cap.usd:
                    reached = update(spending).where(_of(charged.period, [cap.scope]))
                    connection.execute(reached.values(reached_usd=cap.usd))
                return cap
            has_to_wait |= fitting == 0
            if fitting < tokens:
                tightest, tokens = cap, fitting
        if has_to_wait:
            return None
        usd = quote.usd(tokens)
        reserved = spending.c.reserved_usd + usd
        lock = update(spending).where(_of(charged.period, charged.scopes))
        connection.execute(lock.values(reserved_usd=reserved))
        row = {
            "id": call,
            "process": process,
            "period": charged.period,
            "scopes": list(charged.scopes),
            "usd": usd,
            "max_tokens": tokens,
        }
        connection.execute(self._database.insert(reservations), row)
        return Grant(id=call, max_tokens=tokens, tightest=tightest)

    def _locked(self, connection: Connection, charged: ChargedScopes) -> dict[str, Row[Any]]:
        """The rows by scope, locked in one order until the transaction ends."""
        empty = {"settled_usd": 0.0, "reserved_usd": 0.0, "reached_usd": 0.0, "told_by": ""}
        new = [
            {"period": charged.period, "scope": scope, **empty} for scope in sorted(charged.scopes)
        ]
        connection.execute(self._database.insert_new(spending), new)
        query = select(spending).where(_of(charged.period, charged.scopes))
        rows = connection.execute(query.order_by(spending.c.scope).with_for_update())
        return {row.scope: row for row in rows}


def _of(period: str, scopes: Iterable[str]) -> ColumnElement[bool]:
    return (spending.c.period == period) & spending.c.scope.in_(list(scopes))


def _fitting_tokens(cap: Cap, row: Row[Any], quote: CallQuote) -> int | None:
    """How long a reply fits below a cap: 0 where that has to be seen, None where none does.

    A reply is cut short only where even the calls under way leave no room for a whole one.
    """
    left_usd = cap.usd - row.settled_usd
    if left_usd < quote.least_usd:
        return None
    free_usd = left_usd - row.reserved_usd
    if free_usd >= quote.most_usd:
        return quote.max_tokens
    is_held = row.reserved_usd > _NOTHING_USD
    if is_held and (left_usd >= quote.most_usd or free_usd < quote.least_usd):
        return 0
    return int((free_usd - quote.input_usd) / quote.token_usd)


def caps_near(sums: Sequence[ScopeSum], caps: Sequence[Cap]) -> list[Cap]:
    """The caps that are near, and of which nobody was told this month."""
    by_scope = {each.scope: each for each in sums if each.told_by != TOLD}
    near: list[Cap] = []
    for cap in caps:
        state = by_scope.get(cap.scope)
        if state is not None and state.settled_usd >= NEAR * cap.usd:
            near.append(cap)
    return near
