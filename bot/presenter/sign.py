"""The visible signs that the bot is at work: a thread's status, or a reaction on a post."""

import asyncio
import logging
from dataclasses import dataclass
from weakref import WeakValueDictionary

from bot.slack_api import SlackApi, SlackError
from bot.threads import ThreadRef

REACTION = "eyes"
RENEWAL_S = 1_800.0
"""Slack takes a status back after an hour."""

_log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Shown:
    """What stands for one post."""

    has_status: bool = False
    has_reaction: bool = False
    at_s: float


class Signs:
    """One sign for each post that is worked on, whoever asks for it first, until it is taken back.

    The thread's status is the sign of the post that came first; a post that waits behind it, or
    comes where Slack cannot show a status, gets a reaction.
    """

    def __init__(self, api: SlackApi) -> None:
        self._api = api
        self._shown: dict[ThreadRef, dict[str, _Shown]] = {}
        self._locks: WeakValueDictionary[ThreadRef, asyncio.Lock] = WeakValueDictionary()

    async def show(self, thread: ThreadRef, post_ts: str, *, may_be_left: bool = False) -> None:
        """Show that a post is worked on; makes a call only if that is not to be seen yet.

        `may_be_left` says that an earlier process may have left a reaction on the post.
        """
        async with self._lock(thread):
            shown = self._shown.get(thread, {}).get(post_ts)
            if shown is None:
                await self._begin(thread, post_ts, may_be_left=may_be_left)
            elif shown.has_status:
                await self._renew(thread, shown)

    async def take_back(self, thread: ThreadRef, post_ts: str) -> None:
        """The post is dealt with. The status stays while another post of the thread waits."""
        async with self._lock(thread):
            posts = self._shown.get(thread, {})
            shown = posts.pop(post_ts, None)
            if shown is not None and shown.has_reaction:
                await self._react(thread, post_ts, add=False)
            if posts:
                _hand_on(shown, next(iter(posts.values())))
                return
            self._shown.pop(thread, None)
            await self._api.set_status(thread, "active", insist=True)

    async def _begin(self, thread: ThreadRef, post_ts: str, *, may_be_left: bool) -> None:
        posts = self._shown.setdefault(thread, {})
        shown = _Shown(has_reaction=may_be_left, at_s=self._api.clock.seconds())
        shown.has_status = not posts and await self._api.set_status(thread, "processing")
        posts[post_ts] = shown
        if not shown.has_status:
            shown.has_reaction = True
            await self._react(thread, post_ts, add=True)

    async def _renew(self, thread: ThreadRef, shown: _Shown) -> None:
        now = self._api.clock.seconds()
        if now - shown.at_s >= RENEWAL_S:
            shown.at_s = now
            await self._api.set_status(thread, "processing")

    async def _react(self, thread: ThreadRef, post_ts: str, *, add: bool) -> None:
        if not post_ts:
            return
        react = self._api.add_reaction if add else self._api.remove_reaction
        try:
            await react(thread.channel, post_ts, REACTION)
        except SlackError as error:
            _log.info("no reaction: %s", error)

    def _lock(self, thread: ThreadRef) -> asyncio.Lock:
        return self._locks.setdefault(thread, asyncio.Lock())


def _hand_on(shown: _Shown | None, waiting: _Shown) -> None:
    """The thread's status now stands for the post that waited; it is renewed in its name."""
    if shown is not None and shown.has_status:
        waiting.has_status, waiting.at_s = True, shown.at_s
