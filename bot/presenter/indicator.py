"""The visible indicators that the bot is at work: a thread's status, or a reaction on a post."""

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
"""Slack takes a status back after an hour."""
FORGOTTEN_S = 3_600.0
"""A sign that nobody here has shown for so long is another process's to take back."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _ThreadIndicators:
    posts: dict[str, bool] = field(default_factory=dict[str, bool])
    """What is worked on, by `ts`, and whether it may have a reaction."""
    status_s: float | None = None
    """Since when the thread shows that the bot is at work; None while it does not."""


class Indicators:
    """One sign for each post that is worked on, whoever asks for it first, until it is taken back.

    The thread's status is the sign of the post that came first; a post that waits behind it, or
    comes where Slack cannot show a status, gets a reaction.
    """

    def __init__(self, api: SlackApi) -> None:
        self._api = api
        self._threads: TTLCache[ThreadRef, _ThreadIndicators] = TTLCache(
            10_000, FORGOTTEN_S, timer=api.clock.seconds
        )
        self._locks: WeakValueDictionary[ThreadRef, asyncio.Lock] = WeakValueDictionary()

    def guarded(self, guard: WriteGuard) -> "Indicators":
        """The same indicators, with `guard` awaited right before each call that shows something."""
        view = copy(self)
        view._api = self._api.guarded(guard)
        return view

    async def show(self, thread: ThreadRef, post_ts: str, *, may_be_left: bool = False) -> None:
        """Show that a post is worked on; makes a call only if that is not to be seen yet.

        `may_be_left` says that another process may have shown it on a post that is new here.
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
        """The post is dealt with. The status stays while another post of the thread waits.

        One that was taken in became part of another's turn: its reaction stays, for it was seen.
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
        """The post is another process's now, and so is its sign."""
        if shown := self._threads.get(thread):
            shown.posts.pop(post_ts, None)
            if not shown.posts:
                del self._threads[thread]

    async def _react(self, thread: ThreadRef, post_ts: str, *, add: bool) -> None:
        if not post_ts:
            return
        try:
            await self._api.react(thread.channel, post_ts, REACTION, add=add)
        except SlackError as error:
            _log.info("no reaction: %s", error)
