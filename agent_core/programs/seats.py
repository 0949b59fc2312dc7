"""A fair queue for the places of programs (round robin): by person, and by each person's session.

Arrival decides within one session alone, and the last free place goes to a person who holds none:
whoever starts many long programs keeps nobody else waiting.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from agent_core.ids import SessionId, UserId

Turn = asyncio.Future[None]
"""Done once its program may compute."""


class FairSeats:
    """Places for programs that compute at the same time; others wait for their turn."""

    def __init__(self, places: int = 4, max_waiting: int = 16) -> None:
        self._free = places
        self._max_waiting = max_waiting
        """Programs of one person that may wait to be begun."""
        self._held = Counter[UserId]()
        self._queues: dict[UserId, dict[SessionId, deque[Turn]]] = {}
        """Nothing in it is empty; who was served last stands last."""

    @asynccontextmanager
    async def of(
        self,
        person: UserId,
        session: SessionId,
        *,
        is_begun: bool,
    ) -> AsyncGenerator[None]:
        """Hold a place. Raises RuntimeError if too many programs of the person wait to be begun."""
        waiting = sum(len(queue) for queue in self._queues.get(person, {}).values())
        if not is_begun and waiting >= self._max_waiting:
            raise RuntimeError(
                f"limit reached: {waiting} programs of this person wait already; "
                "run fewer at a time, or one program that does more"
            )
        await self._take(person, session)
        try:
            yield
        finally:
            self._give_back(person)

    async def _take(self, person: UserId, session: SessionId) -> None:
        turn: Turn = asyncio.get_running_loop().create_future()
        sessions = self._queues.setdefault(person, {})
        sessions.setdefault(session, deque()).append(turn)
        self._serve()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._remove(person, session, turn)
            else:
                self._give_back(person)
            raise

    def _give_back(self, person: UserId) -> None:
        self._free += 1
        self._held[person] -= 1
        if not self._held[person]:
            del self._held[person]
        self._serve()

    def _serve(self) -> None:
        """Give the free places out, in rotation."""
        while person := self._next_person():
            sessions = self._queues[person]
            session, queue = next(iter(sessions.items()))
            turn = queue[0]
            self._remove(person, session, turn)
            # Both go to the end of their rotation.
            if session in sessions:
                sessions[session] = sessions.pop(session)
            if person in self._queues:
                self._queues[person] = self._queues.pop(person)
            if not turn.done():
                self._free -= 1
                self._held[person] += 1
                turn.set_result(None)

    def _next_person(self) -> UserId | None:
        """The next in rotation who may have a place; the last one is for who holds none."""
        if not self._free:
            return None
        for person in self._queues:
            if self._free > 1 or person not in self._held:
                return person
        return None

    def _remove(self, person: UserId, session: SessionId, turn: Turn) -> None:
        """Remove a turn that is over or served, and what is empty without it."""
        queue = self._queues.get(person, {}).get(session)
        if queue is None or turn not in queue:
            return
        queue.remove(turn)
        if not queue:
            del self._queues[person][session]
        if not self._queues[person]:
            del self._queues[person]
