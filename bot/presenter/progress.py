"""The one progress post of a turn: opened when there is work, edited, closed with one line."""

import logging
from functools import partial

from agent_core.ids import TurnId
from bot.presenter.board import Board
from bot.presenter.edits import PostEdits
from bot.presenter.journal import Journal
from bot.slack_api import SlackApi, SlackError
from bot.threads import ThreadRef

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
        self._touched_s = api.clock.seconds()

    async def open(self, turn: TurnId) -> None:
        """Post it, unless it is there."""
        if self._edits is not None:
            return
        bookmark = await self._journal.open()
        try:
            await self._journal.once(_op(turn), partial(self._post, turn))
        except SlackError as error:
            _log.warning("no progress is shown yet: %s", error)
            return
        self._edits = PostEdits(
            self._api,
            self._thread.channel,
            bookmark.progress_ts,
            self._text,
            interval_s=self._interval_s,
        )

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

    async def close(self, turn: TurnId, *, insist: bool) -> bool:
        """Turn the post into its closing line; pauses are waited out on `insist`."""
        await self._find_again(turn)
        ts = (await self._journal.open()).progress_ts
        if not ts:
            return True
        text = self._board.closed()
        try:
            if not insist:
                return await self._api.try_update(self._thread.channel, ts, text)
            await self._api.update(self._thread.channel, ts, text)
        except SlackError as error:
            _log.warning("the progress post was not closed: %s", error)
        return insist

    async def _post(self, turn: TurnId, may_exist: bool) -> None:
        bookmark = await self._journal.open()
        bookmark.progress_ts = await self._api.post(
            self._thread, self._text(), op_id=_op(turn), may_exist=may_exist
        )

    def _text(self) -> str:
        return self._board.progress(since_last_s=self._api.clock.seconds() - self._touched_s)

    async def _find_again(self, turn: TurnId) -> None:
        """A post whose `ts` got lost in a crash is looked for, so that it does not stay open."""
        bookmark = await self._journal.open()
        if bookmark.progress_ts or _op(turn) not in bookmark.begun:
            return
        try:
            bookmark.progress_ts = await self._api.find_post(self._thread, _op(turn)) or ""
        except SlackError as error:
            _log.warning("the progress post was not found again: %s", error)


def _op(turn: TurnId) -> str:
    return f"{turn}:progress"
