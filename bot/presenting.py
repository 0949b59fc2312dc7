"""Attaches a presenter to each turn of this process, those that another process left included."""

import asyncio
import logging
from contextlib import aclosing
from functools import partial

from agent_core.background import Backoff
from agent_core.errors import SessionError
from agent_core.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    AuthEnded,
    AuthRequired,
    QuestionAsked,
    TurnFinished,
)
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.runtime import LeaseLost, Runtime, StoredTurn
from bot.inbound import posted_ts
from bot.presenter import READER, MakePresenter, Signs, ThreadPresenter, TurnPresenter
from bot.presenter.consents import Links
from bot.slack_api import SlackApi, SlackAuthRefused, SlackError, SlackRefused
from bot.threads import parse_session

logger = logging.getLogger(__name__)

BACKOFF = Backoff(first_s=5.0, longest_s=60.0, jitter=0.0)
CLOSE_PATIENCE_S = 3.0

Awaited = (
    TurnFinished | QuestionAsked | ApprovalRequested | ApprovalDecided | AuthRequired | AuthEnded
)
"""What somebody waits to see: an answer, what they are asked, and what became of that."""


class StoredBookmark:
    """A presenter's state in the session store."""

    def __init__(self, runtime: Runtime, turn: TurnId) -> None:
        self._runtime = runtime
        self._turn = turn

    async def load(self) -> JsonObject | None:
        return await self._runtime.readers.load_cursor(READER, self._turn)

    async def save(self, state: JsonObject) -> None:
        done = bool(state.get("finished"))
        await self._runtime.readers.save_cursor(READER, self._turn, state, done=done)


class Presenting:
    """Shows every turn in its thread, each in a task of its own."""

    def __init__(
        self,
        runtime: Runtime,
        api: SlackApi,
        signs: Signs | None = None,
        *,
        scheduled: MakePresenter | None = None,
        links: Links | None = None,
    ) -> None:
        self._runtime = runtime
        self._api = api
        self._signs = signs or Signs(api)
        self._scheduled = scheduled
        self._links = links
        self._tasks: dict[TurnId, asyncio.Task[None]] = {}

    def attach(self, turn: StoredTurn, *, is_resumed: bool = False) -> None:
        """Show a turn of this process from its first event on, or what is not shown of it yet.

        A second call for the same turn changes nothing; nor does one for a turn that is shown. With
        `is_resumed` another process may have shown the turn meanwhile: a presenter that is at work
        here then begins again, with what that process has noted.
        """
        earlier = self._tasks.get(turn.id)
        if earlier is not None and not is_resumed:
            return
        task = asyncio.create_task(self._show_after(earlier, turn), name=f"present {turn.id}")
        self._tasks[turn.id] = task
        task.add_done_callback(partial(self._ended, turn.id))

    async def close(self) -> None:
        """Stop showing. What is not shown is shown by the next process."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_PATIENCE_S)

    def _ended(self, turn: TurnId, task: asyncio.Task[None]) -> None:
        if self._tasks.get(turn) is task:
            del self._tasks[turn]

    async def _show_after(self, earlier: asyncio.Task[None] | None, turn: StoredTurn) -> None:
        if earlier is not None:
            earlier.cancel()
            await asyncio.wait([earlier])
        await self._show(turn)

    async def _show(self, turn: StoredTurn) -> None:
        """Until the turn is shown: what fails unexpectedly is begun again from the bookmark."""
        waits_s = BACKOFF.waits_s()
        while True:
            try:
                await self._show_once(turn)
            except SessionError:
                logger.exception("turn %s was not asked in Slack and is not shown", turn.id)
                return
            except LeaseLost:
                logger.info("turn %s is shown by another process now", turn.id)
                return
            except Exception:
                wait_s = next(waits_s)
                logger.exception("turn %s is shown anew in %g s", turn.id, wait_s)
                await self._api.clock.sleep(wait_s)
            else:
                return

    async def _show_once(self, turn: StoredTurn) -> None:
        presenter = await self._presenter(turn)
        if await presenter.is_finished():
            return
        try:
            if turn.status == "queued":
                await presenter.show_queued()
            async with aclosing(self._runtime.events(turn.id)) as events:
                async for _, event in events:
                    await self._present(presenter, event)
        except LeaseLost:
            presenter.forget()
            raise
        finally:
            await presenter.close()

    async def _presenter(self, turn: StoredTurn) -> TurnPresenter:
        workspace = await self._runtime.workspace(turn.session, turn.inbound.received_at)
        state = StoredBookmark(self._runtime, turn.id)
        guard = partial(self._runtime.check, turn.session)
        if self._scheduled is not None and turn.inbound.scheduled:
            return await self._scheduled(turn, state, workspace, guard)
        thread, asked_ts = parse_session(turn.session), posted_ts(turn.inbound.key)
        return ThreadPresenter(
            self._api,
            thread,
            state,
            workspace,
            asked_ts=asked_ts,
            signs=self._signs,
            may_be_left=not self._signs.knows(thread, asked_ts),
            guard=guard,
            links=self._links,
        )

    async def _present(self, presenter: TurnPresenter, event: AnyEvent) -> None:
        """What fails is left out, since later events show the newer state; not what is awaited."""
        if isinstance(event, Awaited):
            await self._insist(presenter, event)
            return
        try:
            await presenter.show(event)
        except Exception:
            logger.exception("turn %s: %s was not shown", event.turn, event.kind)

    async def _insist(self, presenter: TurnPresenter, event: Awaited) -> None:
        """Without end, unless Slack says that it will not have it."""
        for wait_s in BACKOFF.waits_s():
            try:
                await presenter.show(event)
            except SlackAuthRefused:
                logger.exception("turn %s waits for a token that may show it", event.turn)
            except SlackRefused:
                logger.exception("turn %s: Slack does not take the %s", event.turn, event.kind)
                if isinstance(event, TurnFinished):
                    await presenter.give_up()
            except SlackError:
                logger.warning("turn %s: %s is shown in %g s", event.turn, event.kind, wait_s)
                await self._api.clock.sleep(wait_s)
                continue
            return
