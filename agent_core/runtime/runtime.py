"""The front door: takes messages in, one turn at a time a session, and gives their events out."""

import asyncio
import contextvars
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from agent_core.durable.dbos_turns import DurableConfig, DurableTurns
from agent_core.errors import SessionError
from agent_core.events import AnyEvent
from agent_core.ids import SessionId, TurnId
from agent_core.messages import InboundMessage, JsonObject
from agent_core.runtime.ready_answers import is_answered_at_once
from agent_core.runtime.turns import TurnParts, Turns
from agent_core.runtime.withdrawn import end_unbegun
from agent_core.sessions import Database, Ledger, StoredSession, StoredTurn, WriteBehind
from agent_core.workspaces import create_workspace, mark_renewed

logger = logging.getLogger(__name__)

SHUTDOWN_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeParts:
    """What a runtime is made of; `build_runtime` makes it from settings."""

    database: Database
    behind: WriteBehind
    turns: TurnParts
    durable: DurableConfig
    workspaces_root: Path
    prepare: Callable[[], Awaitable[None]]
    """What must be ready before the first turn."""
    warm_up: Callable[[], Awaitable[None]]
    """What a turn would otherwise wait for; done in the background."""
    close: Callable[[], Awaitable[None]]


class Runtime:
    """Hand over a message with `handle`, read what becomes of it with `events`.

    Use it as `async with`; inside, turns that a killed process left behind are already going on.
    """

    def __init__(self, parts: RuntimeParts) -> None:
        self._parts = parts
        self._store = parts.turns.store
        self._log = parts.turns.log
        self._ledger = Ledger(parts.database)
        turns = Turns(parts.turns, on_finished=self._begin_next)
        self._durable = DurableTurns(
            parts.durable,
            turn=turns.run_turn,
            child=turns.run_child,
            on_cannot_replay=self._turn_cannot_replay,
        )
        self._locks: WeakValueDictionary[SessionId, asyncio.Lock] = WeakValueDictionary()
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> "Runtime":
        await self._parts.database.open()
        await self._parts.prepare()
        self._parts.behind.start()
        self._durable.launch()
        await self._take_up_unfinished()
        self._spawn(self._parts.warm_up)
        return self

    async def __aexit__(self, *_exc: object) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=SHUTDOWN_PATIENCE_S)
        await self._durable.close()
        await self._parts.behind.close()
        await self._parts.close()
        await self._parts.database.close()

    async def handle(self, message: InboundMessage) -> TurnId | None:
        """Begin a turn for a message, or queue it behind the session's running one.

        Small talk waits for nobody; an empty message is told how the running one stands.
        Returns None when the gesture has a turn already. The message is stored when this returns.
        """
        await self.workspace(message.session, message.received_at)
        turn = await self._store.add_turn(message)
        if turn is None:
            return None
        if is_answered_at_once(message):
            await self._begin(turn)
        else:
            await self._advance(message.session)
        return turn.id

    async def withdraw(self, key: str) -> bool:
        """A gesture was taken back: its turn ends without an answer, unless it has begun."""
        try:
            turn = await self._store.turn(TurnId(f"turn:{key}"))
        except SessionError:
            return False
        if not await self._store.mark_running(turn.id):
            return False
        parts = self._parts.turns
        await end_unbegun(turn, store=parts.store, log=parts.log, clock=parts.clock)
        await self._advance(turn.session)
        return True

    async def workspace(self, session: SessionId, now: datetime) -> Path:
        """The session's directory; both are made when they are not there.

        Where a directory is gone, the next answer in the session says so.
        """
        async with self._lock(session):
            stored = await self._store.session(session)
            if stored is not None and stored.workspace.is_dir():
                return stored.workspace
            path = create_workspace(self._parts.workspaces_root, now=now, session=session)
            if stored is not None:
                logger.warning("the workspace of %s was gone; %s takes its place", session, path)
                mark_renewed(path)
            await self._store.save_session(
                StoredSession(id=session, workspace=path, created_at=now)
            )
            return path

    async def knows(self, session: SessionId) -> bool:
        """Whether the thread has a session."""
        return await self._store.session(session) is not None

    async def record(self, key: str, second_key: str, body: JsonObject) -> bool:
        """Write a gesture into the ledger; False when either key is there already."""
        return await self._ledger.record((key, second_key), body, self._parts.turns.clock())

    async def settle(self, key: str) -> None:
        """The gesture was handed over."""
        await self._ledger.settle(key)

    async def unsettled(self) -> list[JsonObject]:
        """Payloads that were recorded and not handed over, oldest first."""
        return await self._ledger.unsettled()

    def events(self, turn: TurnId, *, after: int = 0) -> AsyncGenerator[tuple[int, AnyEvent], None]:
        """A turn's events with their places in the log, from behind `after` to TurnFinished."""
        return self._log.read(turn, after=after)

    async def turn(self, turn: TurnId) -> StoredTurn:
        return await self._store.turn(turn)

    async def unread(self, reader: str) -> list[StoredTurn]:
        """Turns that `reader` has not shown to their end, for its return after a restart."""
        return await self._store.unread(reader)

    async def load_cursor(self, reader: str, turn: TurnId) -> JsonObject | None:
        return await self._store.load_cursor(reader, turn)

    async def save_cursor(
        self, reader: str, turn: TurnId, state: JsonObject, *, done: bool = False
    ) -> None:
        await self._store.save_cursor(reader, turn, state, done=done)

    async def _advance(self, session: SessionId) -> None:
        """Start the session's oldest queued turn, unless one is running."""
        async with self._lock(session):
            turn = await self._store.next_queued(session)
            if turn is not None:
                await self._begin(turn)

    async def _begin(self, turn: StoredTurn) -> None:
        if not await self._store.mark_running(turn.id):
            return
        try:
            await self._durable.start(turn.id, turn.generation)
        except Exception:
            await self._store.mark_queued(turn.id)
            raise

    async def _take_up_unfinished(self) -> None:
        for turn in await self._store.unfinished():
            if turn.status == "queued":
                await self._advance(turn.session)
            elif not await self._durable.is_known(turn.id, turn.generation):
                await self._go_on_from_history(turn.id, turn.generation + 1)

    def _turn_cannot_replay(self, turn: str, generation: int) -> None:
        self._spawn(lambda: self._go_on_from_history(TurnId(turn), generation + 1))

    async def _go_on_from_history(self, turn: TurnId, generation: int) -> None:
        if await self._store.begin_generation(turn, generation):
            logger.warning("turn %s goes on from its history", turn)
            await self._durable.start(turn, generation)

    def _lock(self, session: SessionId) -> asyncio.Lock:
        """The session's lock; it is gone when nobody holds or awaits it."""
        lock = self._locks.get(session)
        if lock is None:
            self._locks[session] = lock = asyncio.Lock()
        return lock

    def _begin_next(self, turn: StoredTurn) -> None:
        self._spawn(lambda: self._advance(turn.session))

    def _spawn(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` outside any turn's context, owned by the runtime."""
        task = asyncio.create_task(_logged(work), context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _logged(work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except Exception:
        logger.exception("background work failed")
        raise
