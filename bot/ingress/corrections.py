"""Edits, deletions and orders to stop: what they change about posts, wherever those are by then.

A post may not have come yet (Slack promises no order), may be on its way to the agent, or may be a
turn that waits or works.
"""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from cachetools import LRUCache

from agent_core.background import GivenUp
from agent_core.runtime import Ledger
from bot.inbound import InboundPost, mentioned_users, plain_text
from bot.ingress.filter import (
    Admitted,
    Deletion,
    Edit,
    Front,
    Halt,
    IngressFilter,
    PostEvent,
    post_language,
)
from bot.slack_api import Identity, People, SlackApi, SlackError
from bot.threads import ThreadRef
from bot.words import BOT

MAX_LOOKS = 24
"""How often one looks for the turn of a post that another process may be handing over."""

MAX_POSTS = 10_000
MAX_NOTICES = 1_000

_log = logging.getLogger(__name__)


class Posts:
    """Posts as they are now, as far as this process has heard of changes to them."""

    def __init__(self, people: People, identity: Identity) -> None:
        self._people = people
        self.identity = identity
        self._edited: LRUCache[str, InboundPost] = LRUCache(MAX_POSTS)
        self.gone: LRUCache[str, str] = LRUCache(MAX_POSTS)
        """Who called off each post that is not handed over any more; empty where it was deleted."""
        self.under_way: dict[str, InboundPost] = {}
        """Those that are being handed over, by key."""

    def note(self, event: PostEvent) -> None:
        """Take a change into account from now on."""
        if isinstance(event, Deletion):
            self.gone[event.post_key] = ""
        if isinstance(event, Edit) and not self.is_outdated(event):
            self._edited[event.post.key] = event.post

    def is_outdated(self, edit: Edit) -> bool:
        """Whether a later edit of the same post is known."""
        newest = self._edited.get(edit.post.key)
        return newest is not None and newest.said_s > edit.post.said_s

    def newest(self, post: InboundPost) -> InboundPost:
        """The post with its newest text."""
        edited = self._edited.get(post.key)
        if edited is None or edited.said_s <= post.said_s:
            return post
        return replace(post, wire_text=edited.wire_text, said_ts=edited.said_ts)

    def call_off(
        self,
        concerns: Callable[[InboundPost], bool],
        *,
        by: str,
        before_ts: str,
    ) -> None:
        """Posts of before then that are still being handed over are left."""
        for post in self.under_way.values():
            is_earlier = float(post.ts) < float(before_ts)
            if is_earlier and concerns(post) and post.key not in self.gone:
                self.gone[post.key] = by

    async def text(self, post: InboundPost) -> str:
        """What the person typed, people by their names; whom Slack does not tell stays an id."""
        bot_user = self.identity.bot_user
        try:
            names = await self._people.names(mentioned_users(post.wire_text) - {bot_user})
        except SlackError:
            names = {}
        return plain_text(post.wire_text, bot_user=bot_user, names=names)


@dataclass(slots=True)
class Corrections:
    """Changes turns that have not begun, and stops the turns of posts that are gone."""

    _front: Front
    _ledger: Ledger
    _filter: IngressFilter
    _api: SlackApi
    _posts: Posts
    _explained: LRUCache[str, bool] = field(
        init=False, default_factory=lambda: LRUCache(MAX_NOTICES)
    )
    """Posts whose authors know that an edit came too late."""
    _looks: Counter[str] = field(init=False, default_factory=Counter[str])

    async def apply(self, change: Edit | Deletion | Halt) -> InboundPost | None:
        """Carry out what a person changed. A post that only its edit tells of is returned.

        That post is in the ledger and is to be handed over. What cannot be done yet is tried again,
        a bounded number of times.

        Raises:
            GivenUp: The post is known and has no turn yet.
            SlackError: Slack could not be asked.
        """
        key = change.key
        post: InboundPost | None = None
        try:
            match change:
                case Edit():
                    post = await self._revise(change)
                case Deletion():
                    await self._withdraw(change.post_key)
                case Halt():
                    await self._halt(change)
        except GivenUp:
            self._looks[key] += 1
            if self._looks[key] < MAX_LOOKS:
                raise
        await self._ledger.settle(key)
        del self._looks[key]
        return post

    async def _halt(self, halt: Halt) -> None:
        """Stop the work of a thread as a typed stop would, for whoever may type one."""
        sender = halt.sender
        person = await self._filter.served(sender)
        if person is None:
            return
        root_ts = await self._api.root_of(sender.channel, halt.ts)
        if not root_ts:
            return
        thread = ThreadRef(team=sender.team, channel=sender.channel, root_ts=root_ts)
        self._posts.call_off(
            lambda post: post.thread == thread, by=person.name, before_ts=halt.event_ts
        )
        await self._front.stop(thread.session, person.name)

    async def _revise(self, edit: Edit) -> InboundPost | None:
        """Put the new text in the place of the old one, as long as the turn has not begun.

        An edit that takes the bot's mention out leaves the request as it is otherwise: to take it
        back one deletes the post.
        """
        post = edit.post
        if self._posts.is_outdated(edit) or post.key in self._posts.gone:
            return None
        author = await self._filter.judge_author(post)
        if not isinstance(author, Admitted):
            return None
        if await self._front.known_turn(post.key) is not None:
            await self._revise_turn(edit, author)
            return None
        if await self._filter.is_for_us(post):
            if await self._ledger.record(post.key, post.second_key, edit.body):
                return post
            raise GivenUp(edit.key)
        if edit.before is not None and await self._filter.is_for_us(edit.before):
            raise GivenUp(edit.key)
        return None

    async def _withdraw(self, key: str) -> None:
        """End the turn of a post that is gone. One that has not come yet never will.

        A message that other work has taken in stays a part of it: the model has read it.
        """
        is_over = await self._front.withdraw(key)
        never_came = not is_over and await self._ledger.record(key, "", {})
        await self._ledger.settle(key)
        if is_over or never_came or key in self._posts.under_way:
            return
        if await self._front.known_turn(key) is None:
            raise GivenUp(key)

    async def _revise_turn(self, edit: Edit, author: Admitted) -> None:
        post = edit.post
        key = post.key
        text = await self._posts.text(post)
        if await self._front.revise(key, text):
            return
        turn = await self._front.known_turn(key)
        if turn is None or not turn.is_at_work:
            return
        edited_at = datetime.fromtimestamp(post.said_s, UTC)
        is_told = key in self._explained
        if is_told or turn.said_at >= edited_at or turn.text == text:
            return
        self._explained[key] = True
        notice = BOT.say(post_language(post, author.person), "ingress-begun")
        await self._api.whisper(
            post.thread.channel,
            post.user,
            notice,
            thread_ts=post.thread.root_ts,
        )
