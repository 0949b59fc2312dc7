"""The front door: takes messages in, one turn at a time a session, and gives their events out.

The process's housekeeping goes on behind it: the heartbeat, the takeover from dead processes, and
what other processes have queued here.
"""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from agent_core.background import Background
from agent_core.classifier import ReplyReader, SettingDraft, read_setting
from agent_core.errors import SessionError
from agent_core.events import ArtifactSaved
from agent_core.ids import SessionId, TurnId, turn_of
from agent_core.messages import InboundMessage, Payer
from agent_core.runtime.asks import Asks
from agent_core.runtime.closing import print_report
from agent_core.runtime.dispatch import Dispatch
from agent_core.runtime.erasure import Erasure
from agent_core.runtime.interventions import Interventions
from agent_core.runtime.opening import kind_of
from agent_core.runtime.parts import TurnParts
from agent_core.runtime.schedules import DUE_EVERY_S, Host, Timekeeper
from agent_core.runtime.scopes import ScopeSettings
from agent_core.runtime.turn import OrderTaker
from agent_core.schedules.order_reader import OrderReader
from agent_core.scoped_settings import Held
from agent_core.sessions import (
    DEAD_AFTER_S,
    BudgetHost,
    ErasureStore,
    KnownSessions,
    Ledger,
    Marks,
    Overview,
    Preferences,
    ScheduleStore,
    Stop,
    StoredSession,
    StoredTurn,
    purge_ledger,
)
from agent_core.tools import Surface
from agent_core.tree import AgentTree
from agent_core.workspaces import create_workspace, renewal

logger = logging.getLogger(__name__)

SHUTDOWN_PATIENCE_S = 2.0
LOOK_EVERY_S = 0.5
CONNECTED_EVERY_S = 2.0
BEAT_EVERY_S = 3.0
REVIVE_EVERY_S = 10.0
PURGE_EVERY_S = 3_600.0
LATE_S = 10.0
"""A beat that comes so late says that this process, or the database, was away."""


async def _nothing() -> None:
    return None


class Runtime:
    """Hand over a message with `handle`, read what becomes of it with `events`.

    Use it as `async with`; inside, turns that a killed process left behind are already going on.
    Several processes may share a database: each session is worked on by one of them at a time,
    and a message may come in through any.

    Args:
        parts: What turns are made of.
        durable_url: Where the steps of turns are recorded.
        workspaces_root: Below it each session gets its directory.
        approvers: People who may decide for others, as the surface calls them.
        scheduled_at_once: So many scheduled turns go on at the same time, of all processes.
        prepare: What must be ready before the first turn.
        warm_up: What a turn would otherwise wait for.
        when_heard: Lets start what is dear to start, once people are heard.
        away: Tool servers that could not be had when last asked, by name, and why.
        close: What ends with the runtime.
    """

    def __init__(
        self,
        parts: TurnParts,
        *,
        durable_url: str,
        workspaces_root: Path,
        approvers: Collection[str] = (),
        scheduled_at_once: int = 8,
        prepare: Callable[[], Awaitable[object]] = _nothing,
        warm_up: Callable[[], Awaitable[None]] = _nothing,
        when_heard: Callable[[], None] = lambda: None,
        away: Callable[[], Mapping[str, str]] = dict,
        close: Callable[[], Awaitable[None]] = _nothing,
    ) -> None:
        self._parts = parts
        self._root = workspaces_root
        self._prepare = prepare
        self._warm_up = warm_up
        self._when_heard = when_heard
        self.away = away
        self._close = close
        self.ledger = Ledger(parts.database, parts.leases, parts.clock)
        """What was received, written down before it is acknowledged."""
        self.marks = Marks(parts.database)
        """How far readers of something outside have come."""
        self.preferences = Preferences(parts.database)
        """What people have set, and what they said of answers."""
        self.overview, self.accounts = Overview(parts.database), parts.accounts
        """What somebody has going on, and what they have connected; None without Composio."""
        self.sessions = KnownSessions(parts.database)
        self.audit = parts.audit
        """Calls with an effect."""
        self.turn = parts.store.turn
        self.events, self.watch = parts.log.read, parts.log.watch
        """Events of a turn or a session with their places in the log; close what it gives."""
        self._background = Background()
        self._dispatch = Dispatch(parts, durable_url, self._background)
        self.asks = Asks(
            parts,
            approvers,
            advance=self._dispatch.advance,
            take_answer=partial(self.handle, is_answer=True),
        )
        """Questions, approvals and connections that turns wait for."""
        interventions = Interventions(parts, self._dispatch, self.handle)
        self.intervene = interventions.intervene
        """A person steps in at one run."""
        self._housekeeping = _Housekeeping(
            parts,
            self._dispatch,
            self.asks,
            interventions,
            Erasure(parts.database, ErasureStore(parts.database), durable_url, parts.clock),
        )
        self.show_with = self._dispatch.show_with
        self.load_cursor = parts.store.load_cursor
        self.save_cursor = parts.store.save_cursor
        """Readers show turns to people; a cursor is how far a reader has come with a turn."""
        self.schedules = ScheduleStore(parts.database)
        self.timekeeper = Timekeeper(
            self.schedules,
            self.handle,
            parts.clock,
            at_once=scheduled_at_once,
        )
        """The clock of schedules, once `keep_schedules` was called."""
        self.order_reader = OrderReader(parts.router.classifier)
        """Reads what people write about schedules."""
        self.reply_reader = ReplyReader(parts.router.classifier)
        """Says which replies of people are meant for the bot."""

    async def __aenter__(self) -> "Runtime":
        await self._parts.database.open()
        await self._prepare()
        self._parts.behind.start()
        self._parts.log.share(self._background)
        await self._parts.leases.enter()
        await self._dispatch.durable.launch()
        await self._housekeeping.begin(self._background)
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._background.close(patience_s=SHUTDOWN_PATIENCE_S)
        await self._dispatch.durable.close()
        await self._parts.budget.background.close(patience_s=SHUTDOWN_PATIENCE_S)
        await self._parts.behind.close()
        await self._parts.leases.leave()
        await self._close()
        await self._parts.database.close()

    @property
    def erasure(self) -> Erasure:
        """Deletes what is kept of a person."""
        return self._housekeeping.erasure

    @property
    def trouble(self) -> str | None:
        """Why the database makes work wait just now; None when it does not."""
        return self._parts.database.trouble

    @property
    def scopes(self) -> ScopeSettings:
        """What teams, channels and threads have set, and what holds there."""
        return self._parts.scopes

    @property
    def read_setting(self) -> Callable[[str, Held, Payer], Awaitable[SettingDraft]]:
        """Reads what a message wants set."""
        return partial(read_setting, self._parts.router.classifier)

    def warm_up(self) -> None:
        """Begin with what a turn would otherwise wait for; call it once people are heard."""
        self._background.run(self._warm_up)

    def keep_schedules(self, host: Host) -> None:
        """From now on what is due begins, and is told on `host`; call it once people are heard."""
        self._when_heard()
        self.timekeeper.attach(host)
        self._background.repeat(
            self.timekeeper.look,
            pause=partial(asyncio.sleep, DUE_EVERY_S),
            name="a look at the schedules",
        )

    def talk_on(self, surface: Surface) -> None:
        """From now on the agent looks at what was said and done there before, and puts it right."""
        self._parts.surface.surface = surface
        self.tell_money_to(surface)

    def tell_money_to(self, host: BudgetHost) -> None:
        """From now on people are told of caps, by names."""
        self._parts.budget.host = host

    def take_orders_with(self, orders: OrderTaker) -> None:
        """From now on messages that the classifier takes for an order of a schedule go there."""
        self._dispatch.orders = orders

    async def handle(self, message: InboundMessage, *, is_answer: bool = False) -> TurnId | None:
        """Begin a turn for a message; the message is stored when this returns.

        While the session is at work, the message becomes part of that work, or the answer to its
        question, or ends it ("stop"). Small talk waits for nobody; with `is_answer` it
        is none, whatever the words. Work of somebody who has reached a cap is refused in a turn of
        its own. Returns None when the gesture has a turn already.
        """
        await self.workspace(message.session, message.received_at)
        kind = kind_of(message)
        if is_answer:
            kind = "work"
        elif kind == "work" and await self._parts.budget.reached(message.payer):
            kind = "refused"
        turn = await self._parts.store.add_turn(message, kind)
        if self.accounts is not None:
            self._background.run(partial(self.accounts.prepare, message.asker))
        if turn is not None:
            if is_answer:
                self._dispatch.count_as_answer(turn.id)
            await self._dispatch.advance(message.session)
        if turn is not None and turn.seq > 1 and not is_answer:
            self._background.run(lambda: self._dispatch.heed(turn))
        return turn.id if turn is not None else None

    async def revise(self, key: str, text: str) -> bool:
        """The words of a gesture were changed; False when its turn has begun, or there is none."""
        turn = await self._turn_of(key)
        if turn is None:
            return False
        message = replace(turn.inbound, text=text)
        return await self._parts.store.revise(turn, message, kind_of(message))

    async def withdraw(self, key: str, *, by: str = "") -> bool:
        """A gesture was taken back: its turn ends, without a word if it has not begun.

        `by` names the person who called it off, empty where it was deleted. False when there is no
        turn, or it has ended.
        """
        turn = await self._turn_of(key)
        stop = Stop(by=by, why="asked" if by else "deleted")
        return turn is not None and await self._dispatch.withdraw(turn, stop)

    async def stop(self, session: SessionId, by: str) -> bool:
        """End all work of a session now, as the person of that name wants; False without any."""
        return await self._dispatch.stop(session, Stop(by=by, why="asked"))

    async def tree(self, session: SessionId) -> AgentTree:
        """The session's runs as they are stored; go on with `events`, from its `cursor` on."""
        tree = AgentTree()
        for cursor, event in await self._parts.log.stored(session):
            tree.take(cursor, event)
        return tree

    async def check(self, session: SessionId) -> None:
        """Return if this process may write for the session; LeaseLost where another one works."""
        await self._parts.leases.check(session)

    async def workspace(self, session: SessionId, now: datetime) -> Path:
        """The session's directory; both are made when they are not there.

        Where a directory is gone, the next answer in the session says so.
        """
        async with self._dispatch.lock(session):
            stored = await self._parts.store.session(session)
            if stored is not None and stored.workspace.is_dir():
                return stored.workspace
            path = create_workspace(self._root, now=now, session=session)
            if stored is None:
                fresh = StoredSession(id=session, workspace=path, created_at=now)
                return (await self._parts.store.save_session(fresh, is_new=True)).workspace
            logger.warning("the workspace of %s was gone; %s takes its place", session, path)
            renewal(path).touch()
            await self._parts.store.save_session(replace(stored, workspace=path))
            return path

    async def delete_workspace(self, session: SessionId) -> bool:
        """Delete a session's files for good; False under legal hold and while something goes on.

        The next answer in the session says that they are gone.
        """
        async with self._dispatch.lock(session):
            stored = await self._parts.store.session(session)
            if stored is None or await self._parts.store.unfinished_of(session):
                return False
            if await self.erasure.is_held(session):
                return False
            await asyncio.to_thread(shutil.rmtree, stored.workspace, ignore_errors=True)
            return not stored.workspace.exists()

    async def print_report(self, report: ArtifactSaved) -> list[ArtifactSaved]:
        """As in `closing`."""
        return await print_report(self._parts, report)

    async def knows(self, session: SessionId) -> bool:
        """Whether the thread has a session."""
        return await self._parts.store.session(session) is not None

    async def _turn_of(self, key: str) -> StoredTurn | None:
        try:
            return await self._parts.store.turn(turn_of(key))
        except SessionError:
            return None


class _Housekeeping:
    """What a process does again and again. What fails is logged, and done with a later look."""

    def __init__(
        self,
        parts: TurnParts,
        dispatch: Dispatch,
        asks: Asks,
        interventions: Interventions,
        erasure: Erasure,
    ) -> None:
        self._parts = parts
        self._leases = parts.leases
        self._dispatch = dispatch
        self._asks = asks
        self._interventions = interventions
        self.erasure = erasure
        self._last_beat_s: float | None = None
        self._patient_until_s = 0.0
        self._idle: set[tuple[TurnId, int]] = set()

    async def begin(self, background: Background) -> None:
        """Begin the loops. When this returns, what a dead process left has been taken over."""
        await self._beat()
        loops = {
            self._beat: BEAT_EVERY_S,
            self._look: LOOK_EVERY_S,
            self._look_at_accounts: CONNECTED_EVERY_S,
            self._revive: REVIVE_EVERY_S,
            self._purge: PURGE_EVERY_S,
        }
        for work, every_s in loops.items():
            # The pause comes first: what has just been taken over is not at work yet.
            background.repeat(
                partial(_after, every_s, work),
                pause=partial(asyncio.sleep, 0),
                name=work.__name__,
            )

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
        await self.erasure.sweep(self._parts.scopes)
        if self._parts.accounts is not None:
            await self._parts.accounts.delete_unused()

    async def _beat(self) -> None:
        await self._leases.beat()
        for process in await self._leases.forget_dead():
            await self._dispatch.durable.forget(process)
        if self._may_judge():
            await self._parts.budget.release_dead()
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


async def _after(pause_s: float, work: Callable[[], Awaitable[None]]) -> None:
    await asyncio.sleep(pause_s)
    await work()


async def _isolated(session: SessionId, work: Awaitable[None]) -> None:
    """What goes wrong with one session does not keep the others from being seen to."""
    try:
        await work
    except Exception:
        logger.exception("session %s could not be seen to", session)
