"""The event log: stores each event once, in order, and tells live readers.

Writing is behind the turn, in batches: an event that a crash keeps from the disk is announced again
when the turn is replayed, under the same identity.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from typing import Any

from sqlalchemy import Connection, select

from agent_core.events import EVENT, LIVE_ONLY, AnyEvent, TurnFinished
from agent_core.fault_points import EVENT_POINT, fault_point
from agent_core.ids import TurnId
from agent_core.sessions.behind import WriteBehind
from agent_core.sessions.database import Database
from agent_core.sessions.schema import events

logger = logging.getLogger(__name__)

Positioned = tuple[int, AnyEvent]
"""An event with its place in the log; live-only events carry the place of the last stored one."""


class EventLog:
    """Append events, read a turn's events from any place on, live ones included."""

    def __init__(
        self,
        database: Database,
        behind: WriteBehind,
        *,
        on_stored: Callable[[AnyEvent], None] | None = None,
    ) -> None:
        self._database = database
        self._behind = behind
        self._on_stored = on_stored
        self._readers: defaultdict[TurnId, set[asyncio.Queue[Positioned]]] = defaultdict(set)
        self._position = 0

    async def append(self, event: AnyEvent) -> None:
        """Queue an event. It reaches readers after it is stored, in the order of appending.

        TurnFinished ends the turn in the store, too, in one with being stored.
        """
        if isinstance(event, LIVE_ONLY):
            self._behind.put_event(None, lambda _: self._tell(event))
        else:
            self._behind.put_event(_row(event), lambda place: self._take(place, event))

    async def flush(self) -> None:
        """Return when all that was appended so far is stored and handed to readers."""
        await self._behind.flush()

    def _take(self, place: int | None, event: AnyEvent) -> None:
        if place is None:  # a replay announced it again
            return
        self._position = place
        self._publish((place, event))
        fault_point(f"{EVENT_POINT}{event.kind}")
        if self._on_stored is None:
            return
        try:
            self._on_stored(event)
        except Exception:
            logger.exception("%s was stored but not recorded", event.kind)

    def _tell(self, event: AnyEvent) -> None:
        self._publish((self._position, event))
        fault_point(f"{EVENT_POINT}{event.kind}")

    def _publish(self, positioned: Positioned) -> None:
        for queue in self._readers.get(positioned[1].turn, ()):
            queue.put_nowait(positioned)

    async def stored(self, turn: TurnId, *, after: int = 0) -> list[Positioned]:
        """The turn's stored events behind `after`, in order."""
        query = (
            select(events.c.id, events.c.body)
            .where(events.c.turn == turn, events.c.id > after)
            .order_by(events.c.id)
        )

        def read(connection: Connection) -> list[Positioned]:
            rows = connection.execute(query).all()
            return [(row.id, EVENT.validate_python(row.body)) for row in rows]

        return await self._database.run(read)

    async def of_turn(self, turn: TurnId) -> list[AnyEvent]:
        """All that was announced of the turn so far, in order."""
        await self.flush()
        return [event for _, event in await self.stored(turn)]

    async def read(self, turn: TurnId, *, after: int = 0) -> AsyncGenerator[Positioned, None]:
        """Stored events behind `after`, then live ones as they come; ends after TurnFinished."""
        queue: asyncio.Queue[Positioned] = asyncio.Queue()
        self._readers[turn].add(queue)
        try:
            last = after
            for place, event in await self.stored(turn, after=after):
                last = place
                yield place, event
                if isinstance(event, TurnFinished):
                    return
            while True:
                place, event = await queue.get()
                live_only = isinstance(event, LIVE_ONLY)
                if place < last or (place == last and not live_only):
                    continue
                last = max(last, place)
                yield place, event
                if isinstance(event, TurnFinished):
                    return
        finally:
            self._readers[turn].discard(queue)
            if not self._readers[turn]:
                del self._readers[turn]


def _row(event: AnyEvent) -> dict[str, Any]:
    return {
        "session": event.session,
        "turn": event.turn,
        "run": event.run,
        "step": event.step,
        "attempt": event.attempt,
        "n": event.n,
        "kind": event.kind,
        "body": EVENT.dump_python(event, mode="json"),
    }
