"""Housekeeping: what a process does again and again, look by look.

The heartbeat, the takeover from dead processes, and what other processes have queued here.
"""

import asyncio
import logging
from collections.abc import Awaitable

from agent_core.ids import SessionId, TurnId
from agent_core.runtime.asks import Asks
from agent_core.runtime.dispatch import Dispatch
from agent_core.runtime.parts import TurnParts
from agent_core.sessions import DEAD_AFTER_S, purge_ledger

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 0.5
BEAT_EVERY_LOOKS = 6
REVIVE_EVERY_LOOKS = 20
CONNECTED_EVERY_LOOKS = 4
PURGE_EVERY_LOOKS = 7_200
LATE_S = 10.0
"""A beat that comes so late says that this process, or the database, was away."""


class Housekeeping:
    """The loop of one process, look by look."""

    def __init__(self, parts: TurnParts, dispatch: Dispatch, asks: Asks) -> None:
        self.begun = asyncio.Event()
        """Set after the first look: what a dead process left has been taken over."""
        self._parts = parts
        self._leases = parts.leases
        self._queue = parts.queue
        self._dispatch = dispatch
        self._asks = asks
        self._looks = 0
        self._last_beat_s: float | None = None
        self._patient_until_s = 0.0
        self._idle: set[tuple[TurnId, int]] = set()

    async def look(self) -> None:
        """Do what has to be done from time to time; what fails is done with a later look."""
        looks, self._looks = self._looks, self._looks + 1
        try:
            if looks % BEAT_EVERY_LOOKS == 0:
                await self._beat()
            if looks % REVIVE_EVERY_LOOKS == REVIVE_EVERY_LOOKS - 1:
                await self._revive()
            if looks % CONNECTED_EVERY_LOOKS == CONNECTED_EVERY_LOOKS - 1:
                waiting = await self._queue.of_process(self._leases.process, "waiting")
                await self._asks.look(waiting, asyncio.get_running_loop().time())
            if looks % PURGE_EVERY_LOOKS == PURGE_EVERY_LOOKS - 1:
                await purge_ledger(self._parts.database, self._parts.clock())
            for turn in await self._queue.news(self._leases.process, self._parts.clock()):
                await isolated(turn.session, self._dispatch.see_to(turn))
        finally:
            self.begun.set()

    async def _beat(self) -> None:
        await self._leases.beat()
        for process in await self._leases.forget_dead():
            await self._dispatch.durable.forget(process)
        if self._may_judge():
            for session in await self._leases.orphans():
                await isolated(session, self._dispatch.advance(session))

    async def _revive(self) -> None:
        """Turns that are said to run here and do not, in two looks after each other."""
        running = await self._queue.of_process(self._leases.process, "running")
        is_at_work = self._dispatch.durable.is_at_work
        idle = {
            (turn.id, turn.generation): turn
            for turn in running
            if not is_at_work(turn.id, turn.generation)
        }
        for key in self._idle & idle.keys():
            turn = idle.pop(key)
            await isolated(turn.session, self._dispatch.revive(turn))
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


async def isolated(session: SessionId, work: Awaitable[None]) -> None:
    """What goes wrong with one session does not keep the others from being seen to."""
    try:
        await work
    except Exception:
        logger.exception("session %s could not be seen to", session)
