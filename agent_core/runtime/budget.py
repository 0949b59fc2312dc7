"""The budget: which caps hold for a model call, and what people are told of them.

`agent_core/models/metered.py` asks it before and after each call. Caps come from the settings; a
channel may have its own, which the surface knows, as it knows people's names and who the admins
are.
"""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import Protocol

from agent_core.background import Background
from agent_core.clock import UtcClock
from agent_core.ids import UserId
from agent_core.messages import Payer
from agent_core.models.metered import CallQuote, Cap, CapKind, CapReached, Grant
from agent_core.schedules.description import day_words
from agent_core.sessions import (
    TOLD,
    ChargedScopes,
    Database,
    Leases,
    Spending,
    caps_near,
    new_process_id,
)
from agent_core.words import CORE

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 0.2
"""A call waits for others that may cost less than they have reserved."""
MAX_NAMED = 3
"""Admins that a sentence names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """In US dollars; None is no cap. All but a turn's are for a month."""

    turn: float | None = None
    person: float | None = None
    channel: float | None = None
    team: float | None = None

    @property
    def is_any(self) -> bool:
        return any((self.turn, self.person, self.channel, self.team))


class BudgetHost(Protocol):
    """The surface, as far as money needs it."""

    async def channel_cap(self, place: str) -> float | None:
        """The channel's own cap in place of the general one; None where it has none."""
        ...

    async def name(self, person: UserId) -> str:
        """What people call a person; empty where nobody knows."""
        ...

    async def admins(self, team: str) -> Sequence[str]:
        """Names of the people who may raise a cap."""
        ...

    async def warn(self, cap: Cap, team: str, period: str) -> None:
        """Tell the admins once in a month, such as `2026-11`, that most of a cap is spent.

        What another process has told them by then is not told again.

        Raises:
            Exception: nobody was told.
        """
        ...


class Budget:
    """The purse of all model calls of a process, which is named by its leases."""

    def __init__(self, database: Database, caps: Caps, clock: UtcClock) -> None:
        self.leases = Leases(database, new_process_id())
        self.host: BudgetHost | None = None
        self.background = Background()
        self._spending = Spending(database)
        self._caps = caps
        self._clock = clock

    async def reserve(self, payer: Payer, quote: CallQuote) -> Grant:
        call = secrets.token_hex(8)
        charged = await self._charged(payer)
        while True:
            granted = await self._reserve(call, charged, quote)
            if isinstance(granted, Cap):
                raise CapReached(granted)
            if granted is not None:
                return granted
            await asyncio.sleep(LOOK_EVERY_S)

    async def settle(self, payer: Payer, grant: Grant, usd: float) -> None:
        settling = self.background.start(self._settle(payer, grant, usd))
        await asyncio.shield(settling)  # also of a call that is cancelled

    async def _settle(self, payer: Payer, grant: Grant, usd: float) -> None:
        sums = await self._spending.settle(grant.id, usd)
        charged = await self._charged(payer)
        monthly = [cap for cap in charged.caps if cap.kind != "turn"]
        for cap in caps_near(sums, monthly):
            warn = partial(self._warn, cap, payer.team, charged.period)
            self.background.run(warn, name=f"telling that {cap.scope} is near its cap")

    async def reached(self, payer: Payer) -> Cap | None:
        """The cap at which nothing more is begun for somebody; None where there is none."""
        return await self._spending.reached(await self._charged(payer))

    async def sentence(self, cap: Cap, team: str, language: str, *, has_begun: bool) -> str:
        """What people are told at a cap: whose it is, until when, and who can raise it."""
        words = CORE.of(language)
        name = ""
        admins: Sequence[str] = ()
        if self.host is not None:
            name = await self.host.name(UserId(cap.name)) if cap.kind == "person" else ""
            admins = await self.host.admins(team)
        what = words(
            "cap-what",
            kind=cap.kind,
            usd=dollars(cap.usd),
            name=name or words("cap-person"),
            day=day_words(self._next_month(), language),
        )
        who = ", ".join(admins[:MAX_NAMED]) or words("cap-admin")
        return words("cap-ended" if has_begun else "cap-refused", what=what, who=who)

    async def release_dead(self) -> None:
        """Release what processes had reserved that have died since."""
        await self._spending.release(self.leases)

    async def purge(self) -> None:
        """Forget sums of the months before the last one."""
        last_month = self._clock().replace(day=1) - timedelta(days=1)
        await self._spending.purge(_period(last_month))

    async def _reserve(
        self, call: str, charged: ChargedScopes, quote: CallQuote
    ) -> Grant | Cap | None:
        """As `Spending.reserve`; nothing stays reserved for whoever is cancelled meanwhile."""
        work = self._spending.reserve(call, self.leases.process, charged, quote)
        reserving = self.background.start(work)
        try:
            return await asyncio.shield(reserving)
        except asyncio.CancelledError:
            self.background.run(partial(self._take_back, call, reserving))
            raise

    async def _take_back(self, call: str, reserving: "asyncio.Task[Grant | Cap | None]") -> None:
        await asyncio.wait({reserving})
        await self._spending.settle(call, 0.0)

    async def _charged(self, payer: Payer) -> ChargedScopes:
        caps = self._caps
        channel = caps.channel
        if self.host is not None and payer.place:
            own = await self.host.channel_cap(payer.place)
            channel = channel if own is None else own
        accounts: list[tuple[CapKind, str, float | None]] = [
            ("turn", payer.turn, caps.turn),
            ("person", payer.person, caps.person),
            ("channel", payer.place, channel),
            ("team", payer.team, caps.team),
        ]
        caps_of_all = [
            Cap(kind=kind, name=name, usd=usd or 0) for kind, name, usd in accounts if name
        ]
        return ChargedScopes(
            period=_period(self._clock()),
            scopes=tuple(cap.scope for cap in caps_of_all),
            caps=tuple(cap for cap in caps_of_all if cap.usd),
        )

    async def _warn(self, cap: Cap, team: str, period: str) -> None:
        """Have the admins told by one process; where that fails, the next call tries again."""
        host = self.host
        if host is None:
            return
        if not await self._spending.begin_telling(period, cap.scope, self.leases):
            return
        mark = ""
        try:
            await host.warn(cap, team, period)
            mark = TOLD
        finally:
            await self._spending.end_telling(period, cap.scope, mark)

    def _next_month(self) -> date:
        return (self._clock().replace(day=1) + timedelta(days=32)).date().replace(day=1)


def dollars(usd: float) -> str:
    """An amount as people write it."""
    return f"${usd:,.2f}" if usd == round(usd, 2) else f"${usd:g}"


def _period(moment: datetime) -> str:
    return f"{moment:%Y-%m}"
