"""The way in: what Bolt brings is judged, recorded, acknowledged and handed over, in this order."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from bot.ingress.gate import Admitted, Gate, Refused
from bot.ingress.handover import Handover
from bot.slack_api import SlackError

_log = logging.getLogger(__name__)


class Ingress:
    """Joins the two halves of a delivery: before the acknowledgement, and after it."""

    def __init__(self, gate: Gate, handover: Handover) -> None:
        self._gate = gate
        self._handover = handover
        self._under_way = 0
        self._lanes: WeakValueDictionary[SessionId, asyncio.Lock] = WeakValueDictionary()
        self._idle = asyncio.Event()
        self._idle.set()

    async def receive(self, body: JsonObject) -> Admitted | Refused | None:
        """The half before the acknowledgement. What it admits is durable when it returns."""
        async with self._counted():
            return await self._gate.pass_in(body)

    async def hand_over(self, decided: Admitted | Refused) -> None:
        """The half after the acknowledgement."""
        async with self._counted():
            await self._act(decided)

    async def replay(self, body: JsonObject) -> bool:
        """Handle a payload that an earlier process recorded and did not settle; judged anew.

        False if Slack could not be asked about its author: it stays unsettled for the next time.
        """
        async with self._counted():
            try:
                decided = await self._gate.judge(body)
            except SlackError as error:
                _log.warning("a recorded payload waits: %s", error)
                return False
            await self._act(decided)
            if not isinstance(decided, Admitted):
                await self._handover.dismiss(body)
            return True

    async def drain(self) -> None:
        """Wait until nothing is under way. Close the socket first, and bound the wait."""
        await self._idle.wait()

    async def _act(self, decided: Admitted | Refused | None) -> None:
        match decided:
            case Admitted():
                async with self._lane(decided.post.thread.session):
                    await self._handover.deliver(decided)
            case Refused():
                await self._handover.tell(decided)
            case None:
                pass

    def _lane(self, session: SessionId) -> asyncio.Lock:
        """Posts of one thread are handed over in order, however long one's files take."""
        return self._lanes.setdefault(session, asyncio.Lock())

    @asynccontextmanager
    async def _counted(self) -> AsyncGenerator[None]:
        self._under_way += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._under_way -= 1
            if self._under_way == 0:
                self._idle.set()
