"""The budget: what model calls may cost, what they have cost, and what people are told of it.

`agent_core/models/metered.py` asks before and after each call. A turn, a person, a thread, a
channel and a team each have a sum for a month, and calls under way reserve what they may cost at
most: so no number of calls at once, in however many processes, passes a cap together. What a
process had reserved when it died is released by the housekeeping.
"""

import asyncio
import math
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Protocol

from sqlalchemy import Connection, delete, func, select, text

from agent_core.background import Background
from agent_core.clock import UtcClock
from agent_core.ids import SessionId
from agent_core.messages import Payer
from agent_core.models.metered import CallQuote, Cap, CapReached, Grant
from agent_core.schedules.description import day_words
from agent_core.sessions.database import Database, Store
from agent_core.sessions.leases import Leases, new_process_id
from agent_core.sessions.schema import reservations, spending
from agent_core.words import CORE

LOOK_EVERY_S = 0.2
"""A call waits for others that may cost less than they have reserved."""
NEAR = 0.8
"""The share of a month's cap from which on admins are told."""
FULL = 0.95
"""The share from which on nothing new is begun: the rest is for the work under way."""
MAX_NAMED = 3
"""Admins that a sentence names."""

_LOCK = text(
    "INSERT INTO spending (scope, settled_usd, is_told) VALUES (:scope, 0, false) "
    "ON CONFLICT (scope) DO UPDATE SET settled_usd = spending.settled_usd RETURNING settled_usd"
)
_ADD = text(
    "INSERT INTO spending (scope, settled_usd, is_told) VALUES (:scope, :usd, false) "
    "ON CONFLICT (scope) DO UPDATE SET settled_usd = spending.settled_usd + :usd"
)
_TELL = text(
    "UPDATE spending SET is_told = true "
    "WHERE scope = :scope AND NOT is_told AND settled_usd >= :near_usd"
)

OwnBudgets = Callable[[SessionId], Awaitable[Mapping[tuple[str, str], float | None]]]
"""By kind and id of a scope, the team's first, what its own settings let it spend in a month."""


async def _nothing_own(_session: SessionId) -> Mapping[tuple[str, str], float | None]:
    return {}


class BudgetHost(Protocol):
    """The surface, as far as money needs it."""

    async def names(self, cap: Cap) -> tuple[str, Sequence[str]]:
        """Whose cap it is, if a person's, and who may raise it; empty where nobody knows."""
        ...

    async def warn(self, cap: Cap) -> None:
        """Tell the admins that most of a cap is spent; asked once a month for each."""
        ...


class Budget(Store):
    """The purse of all model calls of a process, which its leases name."""

    def __init__(
        self,
        database: Database,
        general: Mapping[str, float | None],
        clock: UtcClock,
    ) -> None:
        super().__init__(database)
        self.leases = Leases(database, new_process_id())
        self.host: BudgetHost | None = None
        self.own: OwnBudgets = _nothing_own
        self.background = Background()
        self._general = general
        """The caps of those that have none of their own."""
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
                await asyncio.wait({reserving})
                await self._database.execute(delete(reservations).filter_by(call=call))
                raise
            if isinstance(granted, Cap):
                raise CapReached(granted)
            if granted is not None:
                return granted
            await asyncio.sleep(LOOK_EVERY_S)

    async def settle(self, grant: Grant, usd: float) -> None:
        settling = self.background.start(self._settle(grant, usd))
        await asyncio.shield(settling)  # also of a call that is cancelled

    async def reached(self, payer: Payer) -> Cap | None:
        """The cap at which nothing more is begun for somebody; None where there is none."""
        for cap in await self._caps_of(payer):
            settled = select(spending.c.settled_usd).filter_by(scope=cap.scope)
            if cap.usd == math.inf:
                continue
            if (await self._database.scalar(settled) or 0.0) >= FULL * cap.usd:
                return cap
        return None

    async def sentence(self, cap: Cap, key: str, language: str) -> str:
        """What people are told at a cap: whose it is, until when, and who can raise it."""
        words = CORE.of(language)
        name, admins = await self.host.names(cap) if self.host else ("", ())
        next_month = self._clock().replace(day=1) + timedelta(days=32)
        what = words(
            "cap-what",
            kind=cap.kind,
            usd=f"${cap.usd:,g}",
            name=name or words("cap-person"),
            day=day_words(next_month.replace(day=1), language),
        )
        who = ", ".join(admins[:MAX_NAMED]) or words("cap-admin")
        return words(key, what=what, who=who)

    async def release_dead(self) -> None:
        """Release what processes had reserved that have died since."""
        is_dead = self.leases.is_dead(reservations.c.process)
        await self._database.execute(delete(reservations).where(is_dead))

    async def _caps_of(self, payer: Payer) -> tuple[Cap, ...]:
        """Of the team first: its row is locked before all others."""
        budgets = dict(await self.own(payer.session))
        budgets["person", payer.person] = None
        if payer.turn:
            budgets["turn", payer.turn] = None
        caps: list[Cap] = []
        for (kind, name), own_usd in budgets.items():
            usd = self._general.get(kind) if own_usd is None else own_usd
            scope = f"{self._clock():%Y-%m}/{kind}:{name}"
            caps.append(
                Cap(kind=kind, name=name, scope=scope, usd=math.inf if usd is None else usd)
            )
        return tuple(caps)

    def _reserve(
        self, connection: Connection, *, call: str, caps: tuple[Cap, ...], quote: CallQuote
    ) -> Grant | Cap | None:
        """The cap where a call does not fit; None where it may fit once others are settled."""
        tightest: Cap | None = None
        tokens = quote.max_tokens
        # The team's sum is locked for all of its calls, with a cap or without.
        capped = [cap for cap in caps if cap.usd < math.inf or cap is caps[0]]
        for cap in capped:
            settled_usd: float = connection.execute(_LOCK, {"scope": cap.scope}).scalar_one()
            held = select(func.sum(reservations.c.usd)).filter_by(scope=cap.scope)
            others = held.where(reservations.c.call != call)
            held_usd: float = connection.execute(others).scalar() or 0.0
            fitting = quote.fitting_tokens(cap.usd - settled_usd, held_usd)
            if fitting < 0:
                return cap
            if fitting < tokens:
                tightest = cap
                tokens = fitting
        if not tokens:
            return None
        row = {"call": call, "process": self.leases.process, "usd": quote.usd(tokens)}
        rows = [{**row, "scope": cap.scope} for cap in capped]
        connection.execute(self._database.insert_new(reservations), rows)
        return Grant(call=call, max_tokens=tokens, caps=caps, tightest=tightest)

    async def _settle(self, grant: Grant, usd: float) -> None:
        ended = delete(reservations).filter_by(call=grant.call)
        rows = [{"scope": cap.scope, "usd": usd} for cap in grant.caps]

        def settle(connection: Connection) -> list[Cap]:
            if not connection.execute(ended).rowcount:
                return []  # an earlier attempt was stored after all
            connection.execute(_ADD, rows)
            return [cap for cap in grant.caps if self._is_newly_near(connection, cap)]

        for cap in await self._database.run(settle):
            self.background.run(partial(self._warn, cap), name=f"the warning of {cap.scope}")

    async def _warn(self, cap: Cap) -> None:
        if self.host is not None:
            await self.host.warn(cap)

    def _is_newly_near(self, connection: Connection, cap: Cap) -> bool:
        """Whether admins are to be told of a cap now: once a month, by one process."""
        if self.host is None or cap.kind == "turn" or cap.usd == math.inf:
            return False
        near = {"scope": cap.scope, "near_usd": NEAR * cap.usd}
        return bool(connection.execute(_TELL, near).rowcount)
