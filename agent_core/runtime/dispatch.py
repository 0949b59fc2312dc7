"""The scheduler of turns: one at a time in a session, in the process that holds its lease.

`Dispatch` begins, resumes and stops turns; the housekeeping in `runtime.py` calls it in a loop.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import Protocol

from cachetools import LRUCache

from agent_core.background import Background, Locks
from agent_core.classifier import Verdict
from agent_core.durable import Steps, cannot_replay
from agent_core.durable.dbos_turns import DurableTurns
from agent_core.errors import TurnSetAside
from agent_core.fault_points import fault_point
from agent_core.ids import SessionId, TurnId
from agent_core.runtime.closing import end_silently, give_up, keep_message
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.run import run_child
from agent_core.runtime.turn import OrderTaker, no_orders, run_turn, verdict_of
from agent_core.sessions import MAX_TRIES, Question, Stop, StoredTurn, Wait
from agent_core.words import short_form

logger = logging.getLogger(__name__)

MAX_GENERATIONS = 50
"""A turn that broke off so often breaks off for good."""

MAX_WEIGHED = 1_000
ALONE_S = 20.0
"""Other turns wait no longer for a suspect one; it stays suspect."""


class Reader(Protocol):
    """Shows turns to people. Called again for a turn that it shows already, it may look anew.

    It gives what ends with the showing, if that goes on. Of a finished turn that has `MAX_TRIES`
    the end alone is shown, as plainly as can be; one with more is not shown any more.
    """

    def __call__(
        self, turn: StoredTurn, /, *, is_resumed: bool
    ) -> "asyncio.Future[None] | None": ...


class Dispatch:
    """Begins, takes over, steers and stops the turns of the sessions that this process holds."""

    def __init__(
        self,
        parts: TurnParts,
        durable_url: str,
        background: Background,
    ) -> None:
        self._parts = parts
        self._store = parts.store
        self._leases = parts.leases
        self._background = background
        self.orders: OrderTaker = no_orders
        self.durable = DurableTurns(
            durable_url,
            process=parts.leases.process,
            turn=self._run_turn,
            child=partial(run_child, parts),
            on_broken=self._turn_broke_off,
        )
        self._suspects: set[TurnId] = set()
        """Turns that wait to go on alone."""
        self._one_by_one = asyncio.Lock()
        self._held_back: set[SessionId] | None = None
        """Sessions to advance after the suspect that has the process for itself; None without one.
        """
        self._reader_name = ""
        self._show: Reader | None = None
        self._locks = Locks[SessionId]()
        self._weighed: LRUCache[TurnId, bool] = LRUCache(MAX_WEIGHED)
        """What the person who is asked wrote beside an Ask: whether that is understood."""

    async def show_with(self, name: str, reader: Reader) -> None:
        """From now on `reader` shows the turns of this process's sessions.

        It gets those that `name` has not shown to their end, too, an earlier process's included.
        """
        self._reader_name, self._show = name, reader
        for session in self._leases.held():
            await self._show_unread(session)

    async def advance(self, session: SessionId) -> None:
        """Begin, end or go on with turns of the session, if this process has its lease or gets it.

        Small talk and stops go first. Work begins when no other work goes on; a message may end the
        wait of work that waits.
        """
        async with self.lock(session):
            if not await self._hold(session):
                return  # its holder will see
            if self._held_back is not None:
                self._held_back.add(session)
                return
            unfinished = await self._store.unfinished_of(session)
            queued = [turn for turn in unfinished if turn.status == "queued"]
            if self._show is not None:
                for turn in queued:
                    self._show(turn, is_resumed=False)
            orders = [turn for turn in queued if turn.kind != "work" or turn.stop is not None]
            for turn in orders:
                await self._see_to_order(turn)
            if orders:
                unfinished = await self._store.unfinished_of(session)
            await self._begin_work([turn for turn in unfinished if turn.kind == "work"])

    async def heed(self, turn: StoredTurn) -> None:
        """Stop the work that goes on if a message asks for that, in whatever words.

        The message steers the work meanwhile, and only steers if this process dies first.
        """
        earlier = [
            each
            for each in await self._store.unfinished_of(turn.session)
            if each.seq < turn.seq and each.status != "queued"
        ]
        if not earlier:
            return
        turn = await self._store.turn(turn.id)  # it may read otherwise by now
        if turn.kind != "work" or any(each.wait is not None for each in earlier):
            return  # its session's process weighs it
        if await verdict_of(self._parts, turn) == "STOP":
            await self._take_as_stop(turn)

    async def _take_as_stop(self, turn: StoredTurn) -> None:
        if await self._store.revise(turn, turn.inbound, "stop"):
            await self.advance(turn.session)
        else:
            stop = Stop(by=turn.inbound.author_name, why="asked")
            await self.stop(turn.session, stop, before=turn.seq)

    async def see_to(self, turn: StoredTurn) -> None:
        """Carry out what is due for a turn of this process: it is queued, to stop, or overdue."""
        if turn.stop is not None:
            await self._carry_out([turn])
        await self.advance(turn.session)

    async def revive(self, turn: StoredTurn) -> None:
        """Go on with a turn that is stored as running and runs nowhere."""
        if turn.id in self._suspects:
            return
        logger.warning("turn %s runs nowhere and is taken up", turn.id)
        await self._go_on(turn)

    async def withdraw(self, turn: StoredTurn, stop: Stop) -> bool:
        """End one turn, whose gesture was taken back; False when it has ended."""
        stopped = await self._parts.queue.stop_turn(turn.id, stop)
        await self._carry_out(stopped)
        await self.advance(turn.session)
        return bool(stopped)

    async def stop(
        self,
        session: SessionId,
        stop: Stop,
        *,
        before: int | None = None,
    ) -> bool:
        """End all work of a session now, or what was asked for before a turn; False without any."""
        stopped = await self._parts.queue.stop(session, stop, before=before)
        await self._carry_out(stopped)
        return bool(stopped)

    def lock(self, session: SessionId) -> asyncio.Lock:
        """The session's lock; it is gone when nobody holds or awaits it."""
        return self._locks.of(session)

    async def _hold(self, session: SessionId) -> bool:
        """Whether this process has the session's lease; what a dead process left goes on first."""
        if self._leases.holds(session):
            return True
        fence = await self._leases.claim(session)
        if fence > 1:
            try:
                await self._take_up(session)
            except BaseException:
                self._leases.let_go(session)  # so that it is taken up once more
                raise
        return fence > 0

    async def _take_up(self, session: SessionId) -> None:
        """Go on with the session's interrupted turns.

        Each turn of a process that died may be what killed it: such turns go on one by one, so that
        a second death tells which it was. New turns wait only for one that another death would
        quarantine.
        """
        for turn in await self._store.unfinished_of(session):
            if turn.status == "running" and not await self._is_set_aside(turn):
                if turn.tries:
                    self._go_on_alone(turn)
                else:
                    await self._try(turn, tries=1)
        await self._show_unread(session)

    async def _is_set_aside(self, turn: StoredTurn) -> bool:
        if await self._tries_of(turn) < MAX_TRIES:
            return False
        logger.error("turn %s is set aside: %d processes died of it", turn.id, turn.tries)
        await give_up(self._parts, turn, TurnSetAside())
        await self._store.note_try(turn.id, MAX_TRIES, await self._how_far(turn.id))
        return True

    async def _tries_of(self, turn: StoredTurn) -> int:
        """How many processes in a row died of a turn; of those that got it further, one."""
        got_on = await self._how_far(turn.id) > turn.tried_from
        return min(turn.tries, 1) if got_on else turn.tries

    async def _how_far(self, turn: TurnId) -> int:
        """Grows with each event of the turn, and with what its readers note of it."""
        return await self._parts.log.newest(turn) + await self._store.bookmarks_size(turn)

    async def _try(self, turn: StoredTurn, tries: int) -> None:
        await self._store.note_try(turn.id, tries, await self._how_far(turn.id))
        if turn.status == "running":
            await self._go_on(turn)

    def _go_on_alone(self, turn: StoredTurn) -> None:
        self._suspects.add(turn.id)
        self._background.run(lambda: self._alone(turn.id), name=f"{turn.id} by itself")

    async def _alone(self, turn_id: TurnId) -> None:
        """Go on with a suspect turn, and wait until it gets on or is shown, or its time is over."""
        async with self._one_by_one:
            self._suspects.discard(turn_id)
            turn = await self._store.turn(turn_id)
            if not self._leases.holds(turn.session):
                return
            tries = await self._tries_of(turn)
            if tries < MAX_TRIES - 1:
                await self._try_alone(turn, tries)
                return
            held_back = self._held_back = set[SessionId]()
            try:
                await self._try_alone(turn, tries)
            finally:
                self._held_back = None
                for session in held_back:
                    self._background.run(partial(self.advance, session))

    async def _try_alone(self, turn: StoredTurn, tries: int) -> None:
        newest = await self._parts.log.newest(turn.id)
        await self._try(turn, tries + 1)
        with suppress(TimeoutError):
            async with asyncio.timeout(ALONE_S):
                if turn.status == "running":
                    await self._until_it_got_on(turn.id, newest)
                elif self._show is not None:
                    showing = self._show(replace(turn, tries=tries), is_resumed=True)
                    if showing:
                        await asyncio.wait({showing})

    async def _until_it_got_on(self, turn: TurnId, newest: int) -> None:
        """Wait for an event behind `newest`."""
        async with aclosing(self._parts.log.read(turn, after=newest)) as events:
            async for cursor, _ in events:
                if cursor > newest:
                    return

    async def _begin_work(self, work: Sequence[StoredTurn]) -> None:
        busy = next((turn for turn in work if turn.status != "queued"), None)
        if busy is None:
            if work:
                await self._begin(work[0])
            return
        wait = busy.wait
        if busy.status != "waiting" or wait is None:
            return
        if self._has_reply(wait, work) or await self._parts.asks.ends_wait(wait.ask):
            await self._end_wait(busy)

    def _has_reply(self, wait: Wait, work: Sequence[StoredTurn]) -> bool:
        """Whether a queued message ends the wait.

        Only one by the person who is asked: others' words are taken in once the wait is over.
        """
        has_reply = False
        for turn in work:
            if turn.status != "queued":
                continue
            if self._is_weighed(turn, wait) and turn.inbound.asker == wait.asker:
                has_reply = True
        return has_reply

    def count_as_answer(self, turn: TurnId) -> None:
        """The turn is what somebody entered for an answer: nobody has to say that it is one."""
        self._weighed[turn] = True

    def _is_weighed(self, turn: StoredTurn, wait: Wait) -> bool:
        """Whether the model has said that a message answers or changes; it is asked if not."""
        if turn.id not in self._weighed:
            self._weighed[turn.id] = False
            self._background.run(lambda: self._weigh(turn.id, wait), name=f"weigh {turn.id}")
        return self._weighed[turn.id]

    async def _weigh(self, turn_id: TurnId, wait: Wait) -> None:
        """Have the model say whether a message beside an open Ask answers it or changes the work.

        One that only agrees, or asks something, is answered beside the Ask and the wait goes on. A
        model that fails or is late counts as saying that the message changes the work.
        """
        turn = await self._store.turn(turn_id)
        try:
            message = turn.inbound
            agrees = wait.kind == "approval" and message.asker == wait.asker
            asides = ["ASIDE"] if wait.kind == "question" else ["ASIDE", "SIMPLE"]
            ask = await self._parts.asks.get(wait.ask)
            if isinstance(ask.body, Question) and ask.body.option(message.text):
                verdict: Verdict = "COMPLEX"
            elif agrees and short_form(message.text, "yes") and not message.attachments:
                verdict = "AGREE"
            else:
                verdict = await verdict_of(self._parts, turn, beside=wait)
            if verdict == "STOP":
                await self._take_as_stop(turn)
            elif verdict == "AGREE" and agrees:
                await self._store.revise(turn, message, "at_once")
            elif verdict in asides and not message.attachments:
                await self._store.revise(turn, message, "aside")
        finally:
            self._weighed[turn_id] = True
        await self.advance(turn.session)

    async def _see_to_order(self, turn: StoredTurn) -> None:
        """Small talk begins; a stop ends the session's work and needs no answer of its own."""
        stop = Stop(by=turn.inbound.author_name, why="asked")
        if turn.stop is not None:
            await self._end_unbegun(turn)
        elif turn.kind == "stop" and await self.stop(turn.session, stop, before=turn.seq):
            await end_silently(self._parts, [turn], "steered")
        else:
            await self._begin(turn)

    async def _carry_out(self, stopped: Sequence[StoredTurn]) -> None:
        """End turns that are marked to stop. Another process sees to those that it holds."""
        for turn in stopped:
            if not self._leases.holds(turn.session) or await self._end_unbegun(turn):
                continue
            self._parts.at_work.stop(turn.id)
            if turn.status == "waiting":
                await self._end_wait(turn)

    async def _end_unbegun(self, turn: StoredTurn) -> bool:
        """End a turn without a word; False when it has begun.

        A message that was not taken back is kept in the history, for whoever goes on later.
        """
        if not await self._store.mark_running(turn.id):
            return False
        stop = (await self._store.turn(turn.id)).stop
        if turn.kind == "work" and stop is not None and stop.why == "asked":
            await keep_message(self._parts, turn)
        await end_silently(self._parts, [turn], "stopped")
        return True

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
            await give_up(self._parts, await self._store.turn(turn))
        elif await self._store.begin_generation(turn, generation):
            logger.warning("turn %s goes on from its history", turn)
            await self.durable.start(turn, generation)

    async def _show_unread(self, session: SessionId) -> None:
        if self._show is not None:
            for turn in await self._store.unread(session, self._reader_name):
                if turn.status == "finished" and turn.tries:
                    self._go_on_alone(turn)
                else:
                    self._show(turn, is_resumed=True)

    def _turn_broke_off(
        self,
        turn: str,
        generation: int,
        error: Exception,
    ) -> None:
        """Go on at once where the record does not fit; after other errors the turn is revived."""
        if cannot_replay(error):
            self._background.run(lambda: self._go_on_from_history(TurnId(turn), generation + 1))

    async def _run_turn(
        self,
        steps: Steps,
        turn_id: str,
        generation: int,
    ) -> None:
        """The body of a turn; when it has ended, or waits, the session goes on."""
        session = await run_turn(
            self._parts,
            self.orders,
            steps,
            TurnId(turn_id),
            generation,
        )
        self._background.run(lambda: self.advance(session))
