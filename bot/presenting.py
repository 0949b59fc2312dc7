"""Attaches a presenter to each turn, and goes on with the presenters of an earlier process."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from agent_core.events import AnyEvent
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime
from agent_core.sessions import StoredTurn
from bot.presenter import ThreadPresenter
from bot.presenter.state import READER
from bot.slack_api import SlackApi, SlackError
from bot.threads import parse_session

logger = logging.getLogger(__name__)

RETRY_WAIT_S = 5.0
RETRIES = 60


class StoredBookmark:
    """A presenter's state in the session store."""

    def __init__(self, runtime: Runtime, turn: TurnId) -> None:
        self._runtime = runtime
        self._turn = turn

    async def load(self) -> JsonObject | None:
        return await self._runtime.load_cursor(READER, self._turn)

    async def save(self, state: JsonObject) -> None:
        done = bool(state.get("finished"))
        await self._runtime.save_cursor(READER, self._turn, state, done=done)


class Presenting:
    """Shows every turn in its thread, each in a task of its own."""

    def __init__(self, runtime: Runtime, api: SlackApi) -> None:
        self._runtime = runtime
        self._api = api
        self._tasks: dict[TurnId, asyncio.Task[None]] = {}

    async def resume(self) -> None:
        """Go on with the turns that an earlier process did not show to the end."""
        for turn in await self._runtime.unread(READER):
            self.attach(turn)

    def attach(self, turn: StoredTurn) -> None:
        """Show a turn from its first event on; a second call for the same turn changes nothing."""
        if turn.id in self._tasks:
            return
        task = asyncio.create_task(self._show(turn), name=f"present {turn.id}")
        self._tasks[turn.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(turn.id, None))

    async def close(self) -> None:
        """Stop showing. What is not shown is shown by the next process."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=RETRY_WAIT_S)

    async def _show(self, turn: StoredTurn) -> None:
        workspace = await self._runtime.workspace(turn.session, turn.inbound.received_at)
        bookmark = StoredBookmark(self._runtime, turn.id)
        if await bookmark.load() is None:
            await bookmark.save({})
        presenter = ThreadPresenter(
            self._api,
            parse_session(turn.session),
            bookmark,
            workspace,
            asked_ts=turn.inbound.key.rpartition(":")[2],
        )
        try:
            async with aclosing(self._runtime.events(turn.id)) as events:
                await self._feed(presenter, events)
        finally:
            await presenter.close()

    async def _feed(
        self, presenter: ThreadPresenter, events: AsyncGenerator[tuple[int, AnyEvent], None]
    ) -> None:
        async for _, event in events:
            for attempt in range(RETRIES):
                try:
                    await presenter.show(event)
                    break
                except SlackError:
                    logger.warning("%s was not shown (try %d)", event.kind, attempt + 1)
                    await asyncio.sleep(RETRY_WAIT_S)
