"""The visible signs that the bot is at work: a thread's status, or a reaction on a post."""

import asyncio
import logging
from collections.abc import Collection, Iterable
from copy import copy
from dataclasses import dataclass
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
class _Shown:
    """What stands for one post."""

    has_status: bool = False
    has_reaction: bool = False
    is_held: bool = False
    """A presenter of this process takes it back."""
    is_resting: bool = False
    """Its turn waits for a person; it has neither status nor reaction meanwhile."""
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

    def guarded(self, guard: Guard) -> "Signs":
        """The same signs, with `guard` awaited right before each call that shows something."""
        view = copy(self)
        view._api = self._api.guarded(guard)
        return view

    async def show(
        self,
        thread: ThreadRef,
        post_ts: str,
        *,
        may_be_left: bool = False,
        is_held: bool = False,
    ) -> None:
        """Show that a post is worked on; makes a call only if that is not to be seen yet.

        `may_be_left` says that another process may have left a reaction on a post that is new here,
        `is_held` that the caller takes the sign back.
        """
        async with self._lock(thread):
            shown = self._shown.get(thread, {}).get(post_ts)
            if shown is None:
                shown = await self._begin(thread, post_ts, may_be_left=may_be_left)
            elif shown.is_resting:
                await self._wake(thread, post_ts, shown)
            elif shown.has_status:
                await self._renew(thread, shown)
            shown.is_held |= is_held

    def knows(self, thread: ThreadRef, post_ts: str) -> bool:
        """Whether this process has shown a sign for the post."""
        return post_ts in self._shown.get(thread, {})

    async def take_back(self, thread: ThreadRef, post_ts: str) -> None:
        """The post is dealt with. The status stays while another post of the thread waits."""
        async with self._lock(thread):
            await self._end(thread, post_ts, self._pop(thread, post_ts))

    async def rest(self, thread: ThreadRef, post_ts: str) -> None:
        """The post's turn waits for a person: its sign is taken back until it is shown again."""
        async with self._lock(thread):
            if shown := self._pop(thread, post_ts):
                await self._end(thread, post_ts, shown)
            resting = _Shown(is_held=True, is_resting=True, at_s=self._api.clock.seconds())
            self._shown.setdefault(thread, {})[post_ts] = resting

    async def leave(self, thread: ThreadRef, post_ts: str) -> None:
        """The post became part of another's turn: its reaction stays, its status is now theirs."""
        async with self._lock(thread):
            shown = self._pop(thread, post_ts)
            if shown is not None and shown.has_status:
                await self._end_status(thread, shown, self._shown.get(thread, {}).values())

    def forget(self, thread: ThreadRef, post_ts: str) -> None:
        """The post is another process's now, and so is its sign."""
        shown = self._pop(thread, post_ts)
        _hand_on(shown, self._shown.get(thread, {}).values())

    async def _begin(self, thread: ThreadRef, post_ts: str, *, may_be_left: bool) -> _Shown:
        self._forget_unheld()
        posts = self._shown.setdefault(thread, {})
        is_first = all(other.is_resting for other in posts.values())
        shown = _Shown(has_reaction=may_be_left, at_s=self._api.clock.seconds())
        await self._light(thread, post_ts, shown, with_status=is_first)
        posts[post_ts] = shown
        return shown

    async def _wake(self, thread: ThreadRef, post_ts: str, shown: _Shown) -> None:
        """Beside the answer, which has the status, the question needs no sign of its own."""
        shown.is_resting = False
        shown.at_s = self._api.clock.seconds()
        if not any(other.has_status for other in self._shown[thread].values()):
            await self._light(thread, post_ts, shown, with_status=True)

    async def _light(
        self, thread: ThreadRef, post_ts: str, shown: _Shown, *, with_status: bool
    ) -> None:
        shown.has_status = with_status and await self._api.set_status(thread, "processing")
        if not shown.has_status:
            shown.has_reaction = True
            await self._react(thread, post_ts, add=True)

    async def _renew(self, thread: ThreadRef, shown: _Shown) -> None:
        now = self._api.clock.seconds()
        if now - shown.at_s >= RENEWAL_S:
            shown.at_s = now
            await self._api.set_status(thread, "processing")

    async def _end(self, thread: ThreadRef, post_ts: str, shown: _Shown | None) -> None:
        if shown is not None and shown.has_reaction:
            await self._react(thread, post_ts, add=False)
        others = self._shown.get(thread, {}).values()
        await self._end_status(thread, shown, [each for each in others if not each.is_resting])

    async def _end_status(
        self, thread: ThreadRef, shown: _Shown | None, heirs: Collection[_Shown]
    ) -> None:
        """Take the status back unless another post takes it over."""
        if heirs:
            _hand_on(shown, heirs)
        else:
            await self._api.set_status(thread, "active", insist=True)

    def _pop(self, thread: ThreadRef, post_ts: str) -> _Shown | None:
        posts = self._shown.get(thread, {})
        shown = posts.pop(post_ts, None)
        if not posts:
            self._shown.pop(thread, None)
        return shown

    async def _react(self, thread: ThreadRef, post_ts: str, *, add: bool) -> None:
        if not post_ts:
            return
        react = self._api.add_reaction if add else self._api.remove_reaction
        try:
            await react(thread.channel, post_ts, REACTION)
        except SlackError as error:
            _log.info("no reaction: %s", error)

    def _forget_unheld(self) -> None:
        """A post that came in here may be worked on elsewhere, and its sign be taken back there."""
        latest = self._api.clock.seconds() - UNHELD_S
        for thread, posts in list(self._shown.items()):
            for ts, shown in list(posts.items()):
                if not shown.is_held and shown.at_s < latest:
                    self.forget(thread, ts)

    def _lock(self, thread: ThreadRef) -> asyncio.Lock:
        return self._locks.setdefault(thread, asyncio.Lock())


def _hand_on(shown: _Shown | None, others: Iterable[_Shown]) -> None:
    """The thread's status now stands for the post that came next; it is renewed in its name."""
    heir = next(iter(others), None)
    if heir is not None and shown is not None and shown.has_status:
        heir.has_status, heir.is_resting, heir.at_s = True, False, shown.at_s
