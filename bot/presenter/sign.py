"""The visible signs that the bot is at work: a thread's status, or a reaction on a post."""

import asyncio
import logging
from copy import copy
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from bot.slack_api import Guard, SlackApi, SlackError
from bot.threads import ThreadRef

REACTION = "eyes"
RENEWAL_S = 1_800.0
"""Slack takes a status back after an hour."""
UNHELD_S = 900.0
"""A sign that nobody here works under by then is another process's to take back."""

_log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Post:
    at_s: float
    has_reaction: bool = False
    is_held: bool = False
    """A presenter of this process takes its sign back."""


@dataclass(slots=True)
class _Thread:
    posts: dict[str, _Post] = field(default_factory=dict[str, _Post])
    status_s: float | None = None
    """Since when the thread shows that the bot is at work; None while it does not."""


class Signs:
    """One sign for each post that is worked on, whoever asks for it first, until it is taken back.

    The thread's status is the sign of the post that came first; a post that waits behind it, or
    comes where Slack cannot show a status, gets a reaction.
    """

    def __init__(self, api: SlackApi) -> None:
        self._api = api
        self._threads: dict[ThreadRef, _Thread] = {}
        self._locks: WeakValueDictionary[ThreadRef, asyncio.Lock] = WeakValueDictionary()

    def guarded(self, guard: Guard) -> "Signs":
        """The same signs, with `guard` awaited right before each call that shows something."""
        view = copy(self)
        view._api = self._api.guarded(guard)
        return view

    async def show(
        self, thread: ThreadRef, post_ts: str, *, may_be_left: bool = False, is_held: bool = False
    ) -> None:
        """Show that a post is worked on; makes a call only if that is not to be seen yet.

        `may_be_left` says that another process may have left a reaction on a post that is new here,
        `is_held` that besides the caller takes the sign back.
        """
        async with self._lock(thread):
            if post_ts not in self._thread(thread).posts:
                self._forget_unheld()
            shown, now = self._threads.setdefault(thread, _Thread()), self._api.clock.seconds()
            if (post := shown.posts.get(post_ts)) is None:
                post = _Post(at_s=now, has_reaction=may_be_left or is_held)
                if shown.status_s is None and await self._api.set_status(thread, "processing"):
                    shown.status_s = now
                elif shown.status_s is None or not is_held:
                    post.has_reaction = True
                    await self._react(thread, post_ts, add=True)
            elif shown.status_s is not None and now - shown.status_s >= RENEWAL_S:
                shown.status_s = now
                await self._api.set_status(thread, "processing")
            post.is_held |= is_held
            shown.posts[post_ts] = post
            self._threads[thread] = shown  # `forget` may have dropped it meanwhile

    async def take_back(
        self, thread: ThreadRef, post_ts: str, *, is_taken_in: bool = False
    ) -> None:
        """The post is dealt with. The status stays while another post of the thread waits.

        One that was taken in became part of another's turn: its reaction stays, for it was seen.
        """
        async with self._lock(thread):
            post = self._thread(thread).posts.get(post_ts)
            self.forget(thread, post_ts)
            if post is not None and post.has_reaction and not is_taken_in:
                await self._react(thread, post_ts, add=False)
            if thread not in self._threads and not (is_taken_in and post is None):
                await self._api.set_status(thread, "active", insist=True)

    def forget(self, thread: ThreadRef, post_ts: str) -> None:
        """The post is another process's now, and so is its sign."""
        shown = self._thread(thread)
        shown.posts.pop(post_ts, None)
        if not shown.posts:
            self._threads.pop(thread, None)

    def _thread(self, thread: ThreadRef) -> _Thread:
        return self._threads.get(thread, _Thread())

    async def _react(self, thread: ThreadRef, post_ts: str, *, add: bool) -> None:
        if not post_ts:
            return
        try:
            await self._api.react(thread.channel, post_ts, REACTION, add=add)
        except SlackError as error:
            _log.info("no reaction: %s", error)

    def _forget_unheld(self) -> None:
        """A post that came in here may be worked on elsewhere, and its sign be taken back there."""
        latest = self._api.clock.seconds() - UNHELD_S
        for thread, shown in list(self._threads.items()):
            for ts, post in list(shown.posts.items()):
                if not post.is_held and post.at_s < latest:
                    self.forget(thread, ts)

    def _lock(self, thread: ThreadRef) -> asyncio.Lock:
        return self._locks.setdefault(thread, asyncio.Lock())
