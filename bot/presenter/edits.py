"""The edits of one post: one at a time, spaced, the newest state winning."""

import asyncio
import logging
from collections.abc import Callable

from bot.slack_api import SlackApi, SlackError, SlackRefused

HEARTBEAT_S = 30.0
"""Without any event the elapsed time is still shown to move."""
BRISK_EDITS = 10
SLOW_FACTOR = 3.0
"""After some edits they come more slowly: Slack advises one in three seconds and post."""

_log = logging.getLogger(__name__)


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
