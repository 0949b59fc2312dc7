"""A turn's progress posts: opened when there is work, edited, closed with one line each.

There is one; each question to a person closes it, and the work after the answer gets the next.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from agent_core.ids import TurnId
from bot.presenter.journal import Place
from bot.render import Draft, actions, button, limits, section, split
from bot.slack_api import SlackError, SlackRefused

OPEN_LIVE_VIEW = "live.open"
"""The action id of the button below it."""
HEARTBEAT_S = 30.0
"""Without any event the elapsed time is still shown to move."""
BRISK_EDITS = 10
SLOW_FACTOR = 3.0
"""After some edits they come more slowly: Slack advises one in three seconds and post."""

_log = logging.getLogger(__name__)


class Progress:
    """Progress is a courtesy: where Slack refuses it, the turn goes on without."""

    def __init__(
        self, place: Place, interval_s: float, offers_live_view: Callable[[], bool]
    ) -> None:
        self._offers_live_view = offers_live_view
        self._api, self._thread = place.api, place.thread
        self._journal, self._board = place.journal, place.board
        self._interval_s = interval_s
        self._edits: asyncio.Task[None] | None = None
        self._editing = asyncio.Lock()
        self._changed = asyncio.Event()
        self._changed_s = place.api.clock.seconds()
        self._is_refused = False

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
            ts = await self._ts(turn, part)
            self._edits = asyncio.create_task(self._keep_up(ts), name=f"progress {op}")

    def touch(self) -> None:
        """The board has changed."""
        self._changed_s = self._api.clock.seconds()
        self._changed.set()

    async def stop(self) -> None:
        """No edit is made or on its way any more when this returns. Safe to call twice."""
        if self._edits is not None:
            async with self._editing:
                self._edits.cancel()
            await asyncio.wait([self._edits])
            self._edits = None

    async def settle(self, turn: TurnId) -> None:
        """Each post that a question has ended says so, once. Call `stop` first."""
        for part, line in enumerate(self._board.asked):
            if ts := await self._ts(turn, part):
                update = partial(self._settle, ts, line)
                try:
                    await self._journal.once(f"{_op(turn, part)}:asked", update)
                except SlackError as error:
                    _log.warning("a progress post was not settled: %s", error)

    async def close(self, turn: TurnId, *, insist: bool) -> bool:
        """Turn the newest post into the closing line; pauses are waited out on `insist`."""
        ts = await self._ts(turn, await self._newest(turn))
        if not ts:
            return True
        update = self._api.update if insist else self._api.try_update
        draft, channel = self._with_button(self._board.closed()), self._thread.channel
        try:
            return await update(channel, ts, draft.text, blocks=draft.blocks) is not False
        except SlackError as error:
            _log.warning("the progress post was not closed: %s", error)
            return insist

    async def _post(self, op: str, may_exist: bool) -> None:
        draft = self._with_button(self._text())
        ts = await self._api.post(
            self._thread, draft.text, op_id=op, blocks=draft.blocks, may_exist=may_exist
        )
        (await self._journal.open()).progress[op] = ts

    async def _settle(self, ts: str, line: str, _may_exist: bool) -> None:
        await self._api.update(self._thread.channel, ts, line)

    async def _keep_up(self, ts: str) -> None:
        """Show the newest state, and none twice, until it is stopped or Slack has enough of it."""
        edits, shown = 0, ""
        while True:
            await self._api.clock.sleep(
                self._interval_s * (1.0 if edits < BRISK_EDITS else SLOW_FACTOR)
            )
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_S):
                    await self._changed.wait()
            self._changed.clear()
            if (text := self._text()) == shown:
                continue
            blocks = self._with_button(text).blocks
            try:
                async with self._editing:
                    is_taken = await self._api.try_update(
                        self._thread.channel, ts, text, blocks=blocks
                    )
            except SlackRefused as refused:
                _log.warning("progress is no longer shown: %s", refused)
                return
            except SlackError as error:
                _log.info("an edit was left out: %s", error)
                is_taken = False
            if is_taken:
                edits, shown = edits + 1, text
            else:
                self._changed.set()

    def _with_button(self, text: str) -> Draft:
        """With “Open live view” below, where there is one."""
        if not self._offers_live_view():
            return Draft(text=text)
        opening = button(OPEN_LIVE_VIEW, self._board.words("live-button"), "")
        parts = map(section, split(text, limits.SECTION_CHARS))
        return Draft(text=text, blocks=(*parts, actions(opening)))

    def _text(self) -> str:
        return self._board.progress(since_last_s=self._api.clock.seconds() - self._changed_s)

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
