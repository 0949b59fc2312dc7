"""A turn's progress posts: opened when there is work, edited, closed with one line each.

There is one; each question to a person closes it, and the work after the answer gets the next.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial

from agent_core.ids import TurnId
from bot.presenter.board import Board
from bot.presenter.journal import Journal
from bot.slack_api import SlackApi, SlackError, SlackRefused
from bot.threads import ThreadRef

HEARTBEAT_S = 30.0
"""Without any event the elapsed time is still shown to move."""
BRISK_EDITS = 10
SLOW_FACTOR = 3.0
"""After some edits they come more slowly: Slack advises one in three seconds and post."""

_log = logging.getLogger(__name__)


class Progress:
    """Progress is a courtesy: where Slack refuses it, the turn goes on without."""

    def __init__(
        self, api: SlackApi, thread: ThreadRef, journal: Journal, board: Board, *, interval_s: float
    ) -> None:
        self._api = api
        self._thread = thread
        self._journal = journal
        self._board = board
        self._interval_s = interval_s
        self._edits: PostEdits | None = None
        self._is_refused = False
        self._touched_s = api.clock.seconds()

    async def open(self, turn: TurnId) -> None:
        """Post the board's part, unless it is there, and keep it up to date."""
        if self._edits is not None or self._is_refused:
            return
        part = self._board.part
        op = _op(turn, part)
        try:
            await self._journal.once(op, partial(self._post, op))
        except SlackError as error:
            self._is_refused = isinstance(error, SlackRefused)
            _log.warning("no progress is shown: %s", error)
        else:
            self._keep_up(await self._ts(turn, part))

    def touch(self) -> None:
        """The board has changed."""
        self._touched_s = self._api.clock.seconds()
        if self._edits is not None:
            self._edits.touch()

    async def stop(self) -> None:
        """No edit is made or on its way any more when this returns. Safe to call twice."""
        if self._edits is not None:
            await self._edits.stop()
            self._edits = None

    async def wait(self, turn: TurnId) -> None:
        """The part's post, if there is one, says that the turn waits. Call `stop` first."""
        if ts := await self._ts(turn, self._board.part):
            await self._replace(ts, self._board.waiting(), insist=True)

    async def settle(self, turn: TurnId) -> None:
        """The posts before the newest one say, once each, that a question was asked."""
        for part in range(await self._newest(turn)):
            await self._settle(turn, part)

    async def close(self, turn: TurnId, *, insist: bool) -> bool:
        """Turn the newest post into the closing line; pauses are waited out on `insist`."""
        ts = await self._ts(turn, await self._newest(turn))
        return not ts or await self._replace(ts, self._board.closed(), insist=insist)

    def _keep_up(self, ts: str) -> None:
        self._edits = PostEdits(
            self._api, self._thread.channel, ts, self._text, interval_s=self._interval_s
        )

    async def _post(self, op: str, may_exist: bool) -> None:
        ts = await self._api.post(self._thread, self._text(), op_id=op, may_exist=may_exist)
        (await self._journal.open()).progress[op] = ts

    async def _settle(self, turn: TurnId, part: int) -> None:
        ts = await self._ts(turn, part)
        if not ts:
            return

        async def settle(_may_exist: bool) -> None:
            await self._api.update(self._thread.channel, ts, self._board.asked[part])

        try:
            await self._journal.once(f"{_op(turn, part)}:asked", settle)
        except SlackError as error:
            _log.warning("a progress post was not settled: %s", error)

    async def _replace(self, ts: str, text: str, *, insist: bool) -> bool:
        try:
            if not insist:
                return await self._api.try_update(self._thread.channel, ts, text)
            await self._api.update(self._thread.channel, ts, text)
        except SlackError as error:
            _log.warning("the progress post was not closed: %s", error)
        return insist

    def _text(self) -> str:
        return self._board.progress(since_last_s=self._api.clock.seconds() - self._touched_s)

    async def _newest(self, turn: TurnId) -> int:
        """The last part for which a post was begun; -1 if there was none."""
        begun = (await self._journal.open()).begun
        parts = range(self._board.part, -1, -1)
        return next((part for part in parts if _op(turn, part) in begun), -1)

    async def _ts(self, turn: TurnId, part: int) -> str:
        """A post whose `ts` got lost in a crash is looked for, so that it does not stay open."""
        bookmark, op = await self._journal.open(), _op(turn, part)
        if op in bookmark.progress or op not in bookmark.begun:
            return bookmark.progress.get(op, "")
        try:
            bookmark.progress[op] = await self._api.find_post(self._thread, op) or ""
        except SlackError as error:
            _log.warning("the progress post was not found again: %s", error)
        return bookmark.progress.get(op, "")


def _op(turn: TurnId, part: int) -> str:
    return f"{turn}:progress:{part}" if part else f"{turn}:progress"


class PostEdits:
    """Keeps one post up to date in the background until it is stopped."""

    def __init__(
        self, api: SlackApi, channel: str, ts: str, text: Callable[[], str], *, interval_s: float
    ) -> None:
        self._api = api
        self._channel = channel
        self._ts = ts
        self._text = text
        self._interval_s = interval_s
        self._changed = asyncio.Event()
        self._editing = asyncio.Lock()
        self._edits = 0
        self._shown = ""
        self._task = asyncio.create_task(self._keep_up(), name=f"progress {channel} {ts}")

    def touch(self) -> None:
        """There is something new to show."""
        self._changed.set()

    async def stop(self) -> None:
        """End the edits. Nothing is on its way to Slack any more when this returns."""
        async with self._editing:
            self._task.cancel()
        await asyncio.wait([self._task])

    async def _keep_up(self) -> None:
        while True:
            await self._api.clock.sleep(self._pause_s())
            await self._something_new()
            try:
                async with self._editing:
                    await self._edit()
            except SlackRefused as refused:
                _log.warning("progress is no longer shown: %s", refused)
                return
            except SlackError as error:
                _log.info("an edit was left out: %s", error)
                self.touch()

    async def _something_new(self) -> None:
        try:
            async with asyncio.timeout(HEARTBEAT_S):
                await self._changed.wait()
        except TimeoutError:
            pass
        self._changed.clear()

    async def _edit(self) -> None:
        text = self._text()
        if text == self._shown:
            return
        if await self._api.try_update(self._channel, self._ts, text):
            self._shown = text
            self._edits += 1
        else:
            self.touch()

    def _pause_s(self) -> float:
        return self._interval_s * (1.0 if self._edits < BRISK_EDITS else SLOW_FACTOR)
