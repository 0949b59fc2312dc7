"""Housekeeping: what a process does again and again.

The heartbeat, the takeover from dead processes, and what other processes have queued here.
"""

import asyncio
import logging
from collections.abc import Awaitable
from functools import partial

from agent_core.background import Background
from agent_core.ids import SessionId, TurnId
from agent_core.runtime.asks import Asks
from agent_core.runtime.dispatch import Dispatch
from agent_core.runtime.interventions import Interventions
from agent_core.runtime.parts import TurnParts
from agent_core.sessions import DEAD_AFTER_S, purge_ledger

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 0.5
CONNECTED_EVERY_S = 2.0
BEAT_EVERY_S = 3.0
REVIVE_EVERY_S = 10.0
PURGE_EVERY_S = 3_600.0
LATE_S = 10.0
"""A beat that comes so late says that this process, or the database, was away."""


class Housekeeping:
    """The loops of one process. What fails is logged, and done with a later look."""

    def __init__(
        self, parts: TurnParts, dispatch: Dispatch, asks: Asks, interventions: Interventions
    ) -> None:
        self._parts = parts
        self._leases = parts.leases
        self._dispatch = dispatch
        self._asks = asks
        self._interventions = interventions
        self._last_beat_s: float | None = None
        self._patient_until_s = 0.0
        self._idle: set[tuple[TurnId, int]] = set()

    async def begin(self, background: Background) -> None:
        """Begin the loops. When this returns, what a dead process left has been taken over."""
        loops = {
            self._look: LOOK_EVERY_S,
            self._look_at_accounts: CONNECTED_EVERY_S,
            self._revive: REVIVE_EVERY_S,
            self._purge: PURGE_EVERY_S,
        }
        has_beaten = asyncio.Event()

        async def pause() -> None:
            has_beaten.set()
            await asyncio.sleep(BEAT_EVERY_S)

        background.repeat(self._beat, pause=pause, name="the heartbeat")
        await has_beaten.wait()
        for work, every_s in loops.items():
            background.repeat(work, pause=partial(asyncio.sleep, every_s), name=work.__name__)

    async def _look(self) -> None:
        """Carry out what other processes queued here, and what came too late for its turn."""
        process = self._leases.process
        for turn in await self._parts.queue.news(process, self._parts.clock()):
            await _isolated(turn.session, self._dispatch.see_to(turn))
        for event in await self._parts.inbox.to_carry_out(process):
            await _isolated(event.session, self._interventions.carry_out(event))

    async def _look_at_accounts(self) -> None:
        waiting = await self._parts.queue.of_process(self._leases.process, "waiting")
        if waiting or self._asks.polls:
            await self._asks.look(waiting, asyncio.get_running_loop().time())

    async def _purge(self) -> None:
        await purge_ledger(self._parts.database, self._parts.clock())

    async def _beat(self) -> None:
        await self._leases.beat()
        for process in await self._leases.forget_dead():
            await self._dispatch.durable.forget(process)
        if self._may_judge():
            for session in await self._leases.orphans():
                await _isolated(session, self._dispatch.advance(session))

    async def _revive(self) -> None:
        """Revive turns leased to this process but not running, as seen in two sweeps in a row."""
        running = await self._parts.queue.of_process(self._leases.process, "running")
        is_at_work = self._dispatch.durable.is_at_work
        idle = {
            (turn.id, turn.generation): turn
            for turn in running
            if not is_at_work(turn.id, turn.generation)
        }
        for key in self._idle & idle.keys():
            turn = idle.pop(key)
            await _isolated(turn.session, self._dispatch.revive(turn))
        self._idle = set(idle)

    def _may_judge(self) -> bool:
        """Whether the silence of others says something of them.

        When the database was away they could not be heard either, and whoever was suspended itself
        does not know yet who has spoken meanwhile.
        """
        now_s = asyncio.get_running_loop().time()
        if self._last_beat_s is not None and now_s - self._last_beat_s > LATE_S:
            self._patient_until_s = now_s + DEAD_AFTER_S
        self._last_beat_s = now_s
        return now_s >= self._patient_until_s


async def _isolated(session: SessionId, work: Awaitable[None]) -> None:
    """What goes wrong with one session does not keep the others from being seen to."""
    try:
        await work
    except Exception:
        logger.exception("session %s could not be seen to", session)
