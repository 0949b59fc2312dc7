"""The way in: what Bolt brings is judged, recorded, acknowledged and handed over, in this order."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from agent_core.messages import JsonObject
from bot.ingress.gate import Admitted, Gate, Refused
from bot.ingress.handover import Handover


class Ingress:
    """Joins the two halves of a delivery: before the acknowledgement, and after it."""

    def __init__(self, gate: Gate, handover: Handover) -> None:
        self._gate = gate
        self._handover = handover
        self._under_way = 0
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

    async def replay(self, body: JsonObject) -> None:
        """Handle a payload that an earlier process recorded and did not settle; judged anew."""
        async with self._counted():
            if decided := await self._gate.judge(body):
                await self._act(decided)

    async def drain(self) -> None:
        """Wait until nothing is under way. Close the socket first, and bound the wait."""
        await self._idle.wait()

    async def _act(self, decided: Admitted | Refused) -> None:
        if isinstance(decided, Admitted):
            await self._handover.deliver(decided)
        else:
            await self._handover.tell(decided)

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
