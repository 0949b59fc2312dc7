"""The way in: what Bolt brings is judged, recorded, acknowledged and handed over, in this order."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Literal, TypeVar

from agent_core.messages import JsonObject
from bot.inbound import InboundPost, read_deletion
from bot.ingress.gate import Admitted, Gate, Refused
from bot.ingress.handover import Handover
from bot.ingress.lanes import Lanes
from bot.ingress.seams import Signs
from bot.slack_api import Clock

RETRY_WAITS_S = (1.0, 5.0, 15.0, 30.0)
"""Waits between the tries of one hand-over; then it is left for the next start."""

T = TypeVar("T")

Outcome = Literal["begun", "known", "parked"]
"""What became of a hand-over: a new turn, one that was there already, or none yet."""

logger = logging.getLogger(__name__)


class Ingress:
    """Joins the two halves of a delivery: before the acknowledgement, and after it.

    Each half has its own lanes: a payload is not acknowledged later because an earlier one of its
    thread is still being handed over, its files perhaps fetched.
    """

    def __init__(self, gate: Gate, handover: Handover, signs: Signs, clock: Clock) -> None:
        self._gate = gate
        self._handover = handover
        self._signs = signs
        self._clock = clock
        self._under_way = 0
        self._before_ack = Lanes()
        self._after_ack = Lanes()
        self._idle = asyncio.Event()
        self._idle.set()

    async def receive(self, body: JsonObject) -> Admitted | Refused | None:
        """The half before the acknowledgement. What it admits is durable when it returns.

        Payloads of one thread are decided on in the order of the calls. A post that was deleted
        is withdrawn, as far as it was not begun with.
        """
        async with self._counted():
            if deleted := read_deletion(body):
                await self._handover.withdraw(deleted)
                return None
            post = self._gate.read(body)
            if post is None:
                return None
            async with self._before_ack.lane(post.thread.session):
                return await self._gate.pass_in(body)

    async def hand_over(self, decided: Admitted | Refused) -> None:
        """The half after the acknowledgement. Fails only where the next start tries again.

        Posts of one thread reach the agent in the order of the calls, however long files take.
        """
        async with self._counted():
            await self._act(decided)

    async def replay(self, body: JsonObject) -> bool:
        """Handle a payload that an earlier process recorded and did not settle; judged anew.

        False if it could not be handled: it stays unsettled for the next start.
        """
        async with self._counted():
            try:
                return await self._replay(body)
            except Exception:
                logger.exception("a recorded payload waits for the next start")
                return False

    async def replay_all(self, bodies: Sequence[JsonObject]) -> None:
        """Replay each; one that fails holds up no other thread's.

        Posts that come later than this call begins stay behind those of their thread.
        """
        async with asyncio.TaskGroup() as group:
            for body in bodies:
                group.create_task(self.replay(body))

    async def drain(self) -> None:
        """Wait until nothing is under way. Close the socket first, and bound the wait."""
        await self._idle.wait()

    async def _act(self, decided: Admitted | Refused) -> None:
        if isinstance(decided, Refused):
            await self._handover.tell(decided)
            return
        async with asyncio.TaskGroup() as group:
            group.create_task(self._show_sign(decided.post))
            async with self._after_ack.lane(decided.post.thread.session):
                outcome = await self._deliver(decided, again=False)
        await self._conclude(decided, outcome)

    async def _replay(self, body: JsonObject) -> bool:
        post = self._gate.read(body)
        if post is None:
            return True
        async with self._after_ack.lane(post.thread.session):
            decided = await self._insist(post.key, lambda _: self._gate.judge(body))
            if isinstance(decided, Admitted):
                await self._show_sign(post, may_be_left=True)
                outcome = await self._deliver(decided, again=True)
                await self._conclude(decided, outcome)
                return outcome != "parked"
        if decided is not None:
            await self._handover.tell(decided)
        await self._handover.dismiss(body)
        return True

    async def _deliver(self, admitted: Admitted, *, again: bool) -> Outcome:
        key = admitted.post.key
        try:
            is_new = await self._insist(
                key, lambda retried: self._handover.deliver(admitted, again=again or retried)
            )
        except Exception:
            logger.exception("%s waits for the next start", key)
            return "parked"
        return "begun" if is_new else "known"

    async def _conclude(self, admitted: Admitted, outcome: Outcome) -> None:
        """A turn that began takes its sign back itself."""
        if outcome == "begun":
            return
        await self._signs.take_back(admitted.post.thread, admitted.post.ts)
        if outcome == "parked":
            await self._handover.tell_parked(admitted)

    async def _insist(self, key: str, attempt: Callable[[bool], Awaitable[T]]) -> T:
        """Try until it works, a bounded number of times; `attempt` is told if it is not the first.

        Raises:
            Exception: Whatever the last try raised.
        """
        for number, wait_s in enumerate(RETRY_WAITS_S):
            try:
                return await attempt(number > 0)
            except Exception:
                logger.exception("%s was not handed over (try %d)", key, number + 1)
                await self._clock.sleep(wait_s)
        return await attempt(True)

    async def _show_sign(self, post: InboundPost, *, may_be_left: bool = False) -> None:
        """A sign that fails costs no answer."""
        try:
            await self._signs.show(post.thread, post.ts, may_be_left=may_be_left)
        except Exception:
            logger.exception("%s got no sign", post.key)

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
