"""The budget: what model calls may cost, what they have cost, and what people are told of it.

`agent_core/models/metered.py` asks before and after each call. A turn, a person, a channel and a
team each have a sum for a month, with what calls under way may cost at most: so no number of calls
at once, in however many processes, passes a cap together. What a process had reserved when it died
is released by the housekeeping; the call is settled all the same if the process lives on.
"""

import asyncio
import math
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Connection, Row, delete, select, update

from agent_core.background import Background
from agent_core.clock import UtcClock
from agent_core.ids import UserId
from agent_core.messages import Payer
from agent_core.models.metered import MIN_TOKENS, CallQuote, Cap, CapKind, CapReached, Grant
from agent_core.schedules.description import day_words
from agent_core.sessions.database import Database, Store
from agent_core.sessions.leases import Leases, new_process_id
from agent_core.sessions.schema import processes, reservations, spending
from agent_core.words import CORE

LOOK_EVERY_S = 0.2
"""A call waits for others that may cost less than they have reserved."""
NEAR = 0.8
"""The share of a cap from which on admins are told, and a call that does not fit has reached it."""
MAX_NAMED = 3
"""Admins that a sentence names."""
_NOTHING_USD = 1e-9
"""Less is what sums of floats leave behind."""


class BudgetHost(Protocol):
    """The surface, as far as money needs it."""

    async def channel_cap(self, place: str) -> float | None:
        """The channel's own cap in place of the general one; None where it has none."""
        ...

    async def name(self, person: UserId) -> str:
        """What people call a person; empty where nobody knows."""
        ...

    async def admins(self) -> Sequence[str]:
        """Names of the people who may raise a cap."""
        ...

    async def warn(self, cap: Cap) -> None:
        """Tell the admins that most of a cap is spent. Raises where nobody could be told."""
        ...


class Budget(Store):
    """The purse of all model calls of a process, which its leases name."""

    def __init__(
        self, database: Database, caps: Mapping[CapKind, float | None], clock: UtcClock
    ) -> None:
        super().__init__(database)
        self.leases = Leases(database, new_process_id())
        self.host: BudgetHost | None = None
        self.background = Background()
        self._caps = caps
        self._clock = clock

    async def reserve(self, payer: Payer, quote: CallQuote) -> Grant:
        call = secrets.token_hex(8)
        caps = await self._caps_of(payer)
        work = partial(self._reserve, call=call, caps=caps, quote=quote)
        while True:
            reserving = self.background.start(self._database.run(work))
            try:
                granted = await asyncio.shield(reserving)
            except asyncio.CancelledError:
                self.background.run(partial(self._take_back, call, reserving))
                raise
            if isinstance(granted, Cap):
                raise CapReached(granted)
            if granted is not None:
                return granted
            await asyncio.sleep(LOOK_EVERY_S)

    async def settle(self, grant: Grant, usd: float) -> None:
        settling = self.background.start(self._settle(grant.call, grant.caps, usd))
        await asyncio.shield(settling)  # also of a call that is cancelled

    async def reached(self, payer: Payer) -> Cap | None:
        """The cap at which nothing more is begun for somebody; None where there is none."""
        caps = await self._caps_of(payer)
        rows = await self._database.rows(select(spending).where(_is_of(caps)))
        sums = {row.scope: max(row.settled_usd, row.reached_usd) for row in rows}
        return next((cap for cap in caps if sums.get(cap.scope, 0.0) >= cap.usd), None)

    async def refusal(self, payer: Payer, language: str) -> str:
        """Why nothing more is begun for somebody, in a sentence; empty where it may be."""
        cap = await self.reached(payer)
        return await self.sentence(cap, "cap-refused", language) if cap else ""

    async def sentence(self, cap: Cap, key: str, language: str) -> str:
        """What people are told at a cap: whose it is, until when, and who can raise it."""
        words = CORE.of(language)
        name = ""
        admins: Sequence[str] = ()
        if self.host is not None:
            name = await self.host.name(UserId(cap.name)) if cap.kind == "person" else ""
            admins = await self.host.admins()
        next_month = self._clock().replace(day=1) + timedelta(days=32)
        what = words(
            "cap-what",
            kind=cap.kind,
            usd=dollars(cap.usd),
            name=name or words("cap-person"),
            day=day_words(next_month.replace(day=1), language),
        )
        who = ", ".join(admins[:MAX_NAMED]) or words("cap-admin")
        return words(key, what=what, who=who)

    async def release_dead(self) -> None:
        """Release what processes had reserved that have died since."""
        is_dead = self.leases.is_dead(reservations.c.process)
        dead = select(reservations).where(is_dead, reservations.c.usd > 0).with_for_update()

        def release(connection: Connection) -> None:
            for row in connection.execute(dead).all():
                _add(connection, row.scopes, reserved_usd=-row.usd)
                connection.execute(update(reservations).filter_by(id=row.id).values(usd=0.0))

        await self._database.run(release)

    async def purge(self) -> None:
        """Forget sums of the months before the last one, and calls whose processes are gone."""
        last_month = self._clock().replace(day=1) - timedelta(days=1)
        await self._database.execute(delete(spending).where(spending.c.scope < _month(last_month)))
        gone = reservations.c.process.not_in(select(processes.c.id))
        await self._database.execute(delete(reservations).where(gone, reservations.c.usd <= 0))

    async def _caps_of(self, payer: Payer) -> tuple[Cap, ...]:
        """Of the team first: its row is locked before all others."""
        own = None
        if self.host is not None and payer.place:
            own = await self.host.channel_cap(payer.place)
        names: dict[CapKind, str] = {
            "team": payer.team,
            "channel": payer.place,
            "person": payer.person,
            "turn": payer.turn,
        }
        caps: list[Cap] = []
        for kind, name in names.items():
            usd = own if kind == "channel" and own else self._caps.get(kind)
            cap = Cap(kind=kind, name=name, usd=usd or math.inf, period=_month(self._clock()))
            caps.append(cap)
        return tuple(cap for cap in caps if cap.name)

    def _reserve(
        self, connection: Connection, *, call: str, caps: tuple[Cap, ...], quote: CallQuote
    ) -> Grant | Cap | None:
        """The cap where a call does not fit; None where it may fit once others are settled."""
        known = connection.execute(select(reservations).filter_by(id=call)).first()
        if known is not None:  # an earlier attempt was stored after all
            return Grant(call=call, max_tokens=known.max_tokens, caps=caps)
        rows = self._locked(connection, caps)
        tightest: Cap | None = None
        tokens = quote.max_tokens
        for cap in () if quote.may_overdraw else caps:
            row = rows[cap.scope]
            fitting = _fitting_tokens(cap, row, quote)
            if fitting < 0:
                if row.settled_usd >= NEAR * cap.usd:
                    mark = update(spending).where(_is_of([cap])).values(reached_usd=cap.usd)
                    connection.execute(mark)
                return cap
            if fitting < tokens:
                tightest = cap
                tokens = fitting
        if not tokens:
            return None
        row = {
            "id": call,
            "process": self.leases.process,
            "scopes": [cap.scope for cap in caps],
            "usd": quote.usd(tokens),
            "max_tokens": tokens,
        }
        connection.execute(self._database.insert(reservations), row)
        _add(connection, row["scopes"], reserved_usd=row["usd"])
        return Grant(call=call, max_tokens=tokens, caps=caps, tightest=tightest)

    def _locked(self, connection: Connection, caps: Sequence[Cap]) -> dict[str, Row[Any]]:
        """The rows by scope, locked in their order until the transaction ends."""
        nothing = {"settled_usd": 0.0, "reserved_usd": 0.0, "reached_usd": 0.0, "is_told": False}
        insert = self._database.insert(spending)
        lock = insert.values([{"scope": cap.scope, **nothing} for cap in caps])
        lock = lock.on_conflict_do_update(
            index_elements=["scope"], set_={"reserved_usd": spending.c.reserved_usd}
        )
        rows = connection.execute(lock.returning(spending))
        return {row.scope: row for row in rows}

    async def _settle(self, call: str, caps: Sequence[Cap], usd: float) -> None:
        ended = delete(reservations).filter_by(id=call).returning(reservations)

        def settle(connection: Connection) -> list[Cap]:
            row = connection.execute(ended).first()
            if row is None:
                return []
            _add(connection, row.scopes, settled_usd=usd, reserved_usd=-row.usd)
            return [cap for cap in caps if self._is_newly_near(connection, cap)]

        for cap in await self._database.run(settle):
            self.background.run(partial(self._warn, cap), name=f"the warning of {cap.scope}")

    def _is_newly_near(self, connection: Connection, cap: Cap) -> bool:
        """Whether admins are to be told of a cap now: once a month, by one process."""
        if self.host is None or cap.kind == "turn" or cap.usd == math.inf:
            return False
        is_near = spending.c.settled_usd >= NEAR * cap.usd
        note = update(spending).filter_by(scope=cap.scope, is_told=False).where(is_near)
        return bool(connection.execute(note.values(is_told=True)).rowcount)

    async def _warn(self, cap: Cap) -> None:
        """Have the admins told; where that fails, the next call tries again."""
        is_told = False
        try:
            if self.host is not None:
                await self.host.warn(cap)
            is_told = True
        finally:
            if not is_told:
                again = update(spending).where(_is_of([cap])).values(is_told=False)
                await self._database.execute(again)

    async def _take_back(self, call: str, reserving: "asyncio.Task[Grant | Cap | None]") -> None:
        """Nobody makes a call any more that was being reserved."""
        await asyncio.wait({reserving})
        await self._settle(call, (), 0.0)


def dollars(usd: float) -> str:
    """An amount as people write it."""
    return f"${usd:,.2f}" if usd == round(usd, 2) else f"${usd:g}"


def _month(moment: datetime) -> str:
    return f"{moment:%Y-%m}"


def _is_of(caps: Iterable[Cap]) -> ColumnElement[bool]:
    return spending.c.scope.in_([cap.scope for cap in caps])


def _add(connection: Connection, scopes: Sequence[str], **amounts: float) -> None:
    """Add amounts to columns of the scopes' sums."""
    changed = {name: spending.c[name] + usd for name, usd in amounts.items()}
    connection.execute(update(spending).where(spending.c.scope.in_(scopes)).values(changed))


def _fitting_tokens(cap: Cap, row: Row[Any], quote: CallQuote) -> int:
    """How long a reply fits below a cap: 0 where that has to be seen, less where none does.

    A reply is cut short only where even the calls under way leave no room for a whole one.
    """
    most_usd = quote.usd(quote.max_tokens)
    least_usd = quote.usd(min(quote.max_tokens, MIN_TOKENS))
    left_usd = cap.usd - row.settled_usd
    free_usd = left_usd - row.reserved_usd
    if left_usd < least_usd:
        return -1
    if free_usd >= most_usd:
        return quote.max_tokens
    is_held = row.reserved_usd > _NOTHING_USD
    if is_held and (left_usd >= most_usd or free_usd < least_usd):
        return 0
    return int((free_usd - quote.input_usd) / quote.token_usd)
