"""Indicators that the bot is at work: the status of a thread, or a reaction on a post."""

import asyncio
import logging
from copy import copy
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from cachetools import TTLCache

from bot.slack_api import SlackApi, SlackError, WriteGuard
from bot.threads import ThreadRef

REACTION = "eyes"
RENEWAL_S = 1_800.0
"""Slack clears a status after an hour."""
FORGOTTEN_S = 3_600.0
"""An indicator that was not renewed for this time belongs to another process."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _ThreadIndicators:
    posts: dict[str, bool] = field(default_factory=dict[str, bool])
    """Posts at work by `ts`, and whether each may have a reaction."""
    status_s: float | None = None
    """When the status of the thread was set last; None while it has none."""


class Indicators:
    """One indicator for each post at work, from the first `show` until `take_back`.

    The first post of a thread has the thread's status as its indicator; a post that waits behind
    it, or is in a thread where Slack shows no status, gets a reaction.
    """

    def __init__(self, api: SlackApi) -> None:
        self._api = api
        self._threads: TTLCache[ThreadRef, _ThreadIndicators] = TTLCache(
            10_000, FORGOTTEN_S, timer=api.clock.seconds
        )
        self._locks: WeakValueDictionary[ThreadRef, asyncio.Lock] = WeakValueDictionary()

    def guarded(self, guard: WriteGuard) -> "Indicators":
        """A view of these indicators that awaits `guard` before each write."""
        view = copy(self)
        view._api = self._api.guarded(guard)
        return view

    async def show(self, thread: ThreadRef, post_ts: str, *, may_be_left: bool = False) -> None:
        """Show that a post is at work; idempotent.

        With `may_be_left` another process may have shown the indicator of a post that is new here.
        """
        async with self._locks.setdefault(thread, asyncio.Lock()):
            shown = self._threads.get(thread) or _ThreadIndicators()
            self._threads[thread] = shown
            if post_ts in shown.posts:
                await self._renew(thread, shown)
                return
            shown.posts[post_ts] = may_be_left
            if shown.status_s is not None:
                has_own = not may_be_left
            else:
                has_own = not await self._api.set_status(thread, "processing")
                if not has_own:
                    shown.status_s = self._api.clock.seconds()
            if has_own:
                shown.posts[post_ts] = True
                await self._react(thread, post_ts, add=True)

    async def _renew(self, thread: ThreadRef, shown: _ThreadIndicators) -> None:
        now_s = self._api.clock.seconds()
        if shown.status_s is not None and now_s - shown.status_s >= RENEWAL_S:
            shown.status_s = now_s
            await self._api.set_status(thread, "processing")

    async def take_back(
        self, thread: ThreadRef, post_ts: str, *, is_taken_in: bool = False
    ) -> None:
        """Remove the indicator of a post that is done; the status stays for other posts at work.

        The reaction of a post that was absorbed into another turn stays: it says that it was seen.
        """
        async with self._locks.setdefault(thread, asyncio.Lock()):
            shown = self._threads.get(thread) or _ThreadIndicators()
            is_known = post_ts in shown.posts
            has_reaction = shown.posts.get(post_ts, False)
            self.forget(thread, post_ts)
            if has_reaction and not is_taken_in:
                await self._react(thread, post_ts, add=False)
            if thread not in self._threads and (is_known or not is_taken_in):
                await self._api.set_status(thread, "active", insist=True)

    def forget(self, thread: ThreadRef, post_ts: str) -> None:
        """Leave a post and its indicator to another process."""
        if shown := self._threads.get(thread):
            shown.posts.pop(post_ts, None)
            if not shown.posts:
                del self._threads[thread]

    async def _react(self, thread: ThreadRef, post_ts: str, *, add: bool) -> None:
        if not post_ts:
            return
        try:
            await self._api.react(
                thread.channel,
                post_ts,
                REACTION,
                add=add,
            )
        except SlackError as error:
            _log.info("no reaction: %s", error)
