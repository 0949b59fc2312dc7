"""Which turn of a session goes on now: one at a time, in the process that holds the session."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol
from weakref import WeakValueDictionary

from agent_core.background import Background
from agent_core.durable import cannot_replay
from agent_core.durable.dbos_turns import DurableConfig, DurableTurns
from agent_core.events import Outcome
from agent_core.fault_points import fault_point
from agent_core.ids import ROOT_RUN, SessionId, TurnId
from agent_core.messages import user_message
from agent_core.runtime.opening import opening_text
from agent_core.runtime.silent_ends import end_silently, give_up
from agent_core.runtime.stopping import StopSignals
from agent_core.runtime.turns import TurnParts, Turns
from agent_core.sessions import ApprovalWait, Stop, StoredTurn

logger = logging.getLogger(__name__)

MAX_GENERATIONS = 50
"""A turn that broke off so often breaks off for good."""


class Reader(Protocol):
    """Shows turns to people. Called again for a turn that it shows already, it may look anew."""

    def __call__(self, turn: StoredTurn, /, *, is_resumed: bool) -> None: ...


class Dispatch:
    """Begins, takes over, steers and stops the turns of the sessions that this process holds."""

    def __init__(self, parts: TurnParts, durable: DurableConfig, background: Background) -> None:
        self._parts = parts
        self._store = parts.store
        self._inbox = parts.inbox
        self._leases = parts.leases
        self._background = background
        self._signals = StopSignals()
        turns = Turns(parts, self._signals, on_ended=self._go_on_with)
        self.durable = DurableTurns(
            durable,
            process=parts.leases.process,
            turn=turns.run_turn,
            child=turns.children.run,
            on_broken=self._turn_broke_off,
        )
        self._reader: tuple[str, Reader] | None = None
        self._locks: WeakValueDictionary[SessionId, asyncio.Lock] = WeakValueDictionary()

    async def show_with(self, name: str, reader: Reader) -> None:
        """From now on `reader` shows the turns of this process's sessions.

        It gets those that `name` has not shown to their end, too, an earlier process's included.
        """
        self._reader = (name, reader)
        for session in self._leases.held():
            await self._show_unread(session)

    async def advance(self, session: SessionId) -> None:
        """See to the session's turns, if this process works on the session or can from now on.

        Orders and small talk go first; work begins when no other is at work, or answers the
        question that it waits for.
        """
        async with self.lock(session):
            if not await self._hold(session):
                return  # its holder will see
            unfinished = await self._store.unfinished_of(session)
            queued = [turn for turn in unfinished if turn.status == "queued"]
            for turn in queued:
                self._show(turn)
            orders = [turn for turn in queued if turn.kind != "work" or turn.stop is not None]
            for turn in orders:
                await self._see_to_order(turn)
            if orders:
                unfinished = await self._store.unfinished_of(session)
            await self._begin_work([turn for turn in unfinished if turn.kind == "work"])

    async def see_to(self, turn: StoredTurn) -> None:
        """Something is to be done about a turn of this process: queued, to stop, or overdue."""
        if turn.stop is not None:
            await self._carry_out([turn])
        await self.advance(turn.session)

    async def revive(self, turn: StoredTurn) -> None:
        """A turn that is said to run runs nowhere: it goes on."""
        logger.warning("turn %s runs nowhere and is taken up", turn.id)
        await self._go_on(turn)

    async def withdraw(self, turn: StoredTurn, stop: Stop) -> bool:
        """End one turn, whose gesture was taken back; False when it has ended."""
        stopped = await self._inbox.stop_turn(turn.id, stop)
        await self._carry_out(stopped)
        await self.advance(turn.session)
        return bool(stopped)

    async def stop(self, session: SessionId, stop: Stop, *, before: int | None = None) -> bool:
        """End all work of a session now, or what was asked for before a turn; False without any."""
        stopped = await self._inbox.stop(session, stop, before=before)
        await self._carry_out(stopped)
        return bool(stopped)

    def lock(self, session: SessionId) -> asyncio.Lock:
        """The session's lock; it is gone when nobody holds or awaits it."""
        return self._locks.setdefault(session, asyncio.Lock())

    async def _hold(self, session: SessionId) -> bool:
        """Whether this process works on the session; what another one left goes on here first."""
        if self._leases.holds(session):
            return True
        claim = await self._leases.claim(session)
        if claim == "taken":
            try:
                await self._take_up(session)
            except BaseException:
                self._leases.let_go(session)  # so that it is taken up once more
                raise
        return claim is not None

    async def _take_up(self, session: SessionId) -> None:
        for turn in await self._store.unfinished_of(session):
            if turn.status == "running":
                await self._go_on(turn)
        await self._show_unread(session)

    async def _begin_work(self, work: Sequence[StoredTurn]) -> None:
        busy = next((turn for turn in work if turn.status != "queued"), None)
        queued = next((turn for turn in work if turn.status == "queued"), None)
        if busy is None:
            if queued is not None:
                await self._begin(queued)
        elif busy.status == "waiting" and (
            self._is_over(busy) or any(_ends_wait(busy, turn) for turn in work)
        ):
            await self._end_wait(busy)

    async def _see_to_order(self, turn: StoredTurn) -> None:
        """Small talk begins; a stop ends the session's work and needs no answer of its own."""
        stop = Stop(by=turn.inbound.author_name, why="asked")
        if turn.stop is not None:
            await self._end_unbegun(turn)
        elif turn.kind == "stop" and await self.stop(turn.session, stop, before=turn.seq):
            await self._end_silently(turn, "steered")
        else:
            await self._begin(turn)

    async def _carry_out(self, stopped: Sequence[StoredTurn]) -> None:
        """End turns that are marked to stop. Another process sees to those that it holds."""
        for turn in stopped:
            if not self._leases.holds(turn.session) or await self._end_unbegun(turn):
                continue
            self._signals.give(turn.id)
            if turn.status == "waiting":
                await self._end_wait(turn)

    async def _end_unbegun(self, turn: StoredTurn) -> bool:
        """End a turn without a word; False when it has begun.

        What was not taken back stays said: whoever goes on later knows of it.
        """
        if not await self._store.mark_running(turn.id):
            return False
        stop = (await self._store.turn(turn.id)).stop
        if turn.kind == "work" and stop is not None and stop.why == "asked":
            said = user_message(opening_text(turn))
            await self._store.append_messages(turn.id, ROOT_RUN, 0, [said])
        await self._end_silently(turn, "stopped")
        return True

    async def _end_silently(self, turn: StoredTurn, outcome: Outcome) -> None:
        await end_silently([turn], outcome, log=self._parts.log, clock=self._parts.clock)

    async def _begin(self, turn: StoredTurn) -> None:
        fault_point("turn.before")
        if not await self._store.mark_running(turn.id):
            return
        try:
            await self.durable.start(turn.id, turn.generation)
        except Exception:
            await self._store.mark_queued(turn.id)
            raise
        fault_point("turn.after")

    async def _end_wait(self, turn: StoredTurn) -> None:
        """The wait is over, by an answer, a stop or its deadline: the turn goes on."""
        if await self._store.end_waiting(turn):
            await self.durable.start(turn.id, turn.generation + 1)

    async def _go_on(self, turn: StoredTurn) -> None:
        """From where its workflow was left, or else from its history."""
        if not await self.durable.take_over(turn.id, turn.generation):
            await self._go_on_from_history(turn.id, turn.generation + 1)

    async def _go_on_from_history(self, turn: TurnId, generation: int) -> None:
        if generation > MAX_GENERATIONS:
            logger.error("turn %s broke off too often and is given up", turn)
            parts = self._parts
            await give_up(await self._store.turn(turn), log=parts.log, clock=parts.clock)
        elif await self._store.begin_generation(turn, generation):
            logger.warning("turn %s goes on from its history", turn)
            await self.durable.start(turn, generation)

    async def _show_unread(self, session: SessionId) -> None:
        if self._reader is None:
            return
        name, reader = self._reader
        for turn in await self._store.unread(session, name):
            reader(turn, is_resumed=True)

    def _show(self, turn: StoredTurn) -> None:
        if self._reader is not None:
            self._reader[1](turn, is_resumed=False)

    def _turn_broke_off(self, turn: str, generation: int, error: Exception) -> None:
        """Its record does not fit: it goes on at once. Anything else is found out in a while."""
        if cannot_replay(error):
            self._background.run(lambda: self._go_on_from_history(TurnId(turn), generation + 1))

    def _go_on_with(self, turn: StoredTurn) -> None:
        self._background.run(lambda: self.advance(turn.session))

    def _is_over(self, turn: StoredTurn) -> bool:
        return turn.wait is None or turn.wait.is_over(self._parts.clock())


def _ends_wait(busy: StoredTurn, turn: StoredTurn) -> bool:
    """Whether a message is for the work that waits. Others' remarks do not undo an approval.

    They are taken in when it is decided, or when its time is over.
    """
    if turn.status != "queued":
        return False
    return not isinstance(busy.wait, ApprovalWait) or turn.inbound.asker == busy.wait.asker
