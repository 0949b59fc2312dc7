"""Finds posts that nobody delivered."""

import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from agent_core.messages import JsonObject
from bot.inbound import InboundPost, mentioned_users, read_post
from bot.ingress.addressing import address
from bot.ingress.heard import Gap
from bot.ingress.payloads import posted
from bot.ingress.seams import KnownSessions
from bot.slack_api import (
    Conversation,
    Identity,
    SlackApi,
    SlackAuthRefused,
    SlackError,
    SlackRefused,
)
from bot.slack_api.records import ConversationKind
from bot.threads import ThreadRef, parse_session

ROOTS_S = 14 * 86_400.0
"""How long before a gap a thread may have begun to be found by its channel."""

MAX_POSTS = 5_000
MAX_OLDER_POSTS = 1_000
MAX_THREADS = 300
MAX_KNOWN_THREADS = 20
"""Bounds for one conversation: posts in the gap and before it, threads with replies in the gap,
and threads of the bot's own that are older than all that was read."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A post that may be for the bot, and that it may not have heard."""

    body: JsonObject
    post: InboundPost
    is_new: bool
    """Later than what was heard; otherwise of the overlap, and most likely seen to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found in all conversations."""

    posts: tuple[Missed, ...]
    """Oldest first."""
    newest: dict[str, str]
    """The newest post of each conversation, whoever it was for."""
    unread: tuple[str, ...]
    """Conversations that could not be read and may be later."""


@dataclass(slots=True)
class _Read:
    """What was read of one conversation."""

    posts: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    threads: dict[str, JsonObject | None] = field(default_factory=dict[str, JsonObject | None])
    """Threads with something new, and their roots where they were listed."""
    covered_ts: str = ""


class Search:
    """Reads conversations and threads from where they were last heard."""

    def __init__(self, api: SlackApi, identity: Identity, sessions: KnownSessions) -> None:
        self._channels = api.channels
        self._identity = identity
        self._sessions = sessions

    async def everywhere(self, gap: Gap) -> Findings:
        """What was missed in all conversations of the bot.

        Raises:
            SlackError: The conversations could not be listed.
        """
        posts: list[Missed] = []
        newest: dict[str, str] = {}
        unread: list[str] = []
        for place in await self._conversations(gap):
            try:
                read = await self._read(place, gap)
                posts += self._candidates(read, place, gap)
            except SlackRefused as refused:
                if _is_no_token(refused):
                    raise
                _log.warning("%s is not caught up: %s", place.id, refused)
            except SlackError as error:
                _log.warning("%s is caught up later: %s", place.id, error)
                unread.append(place.id)
            else:
                newest[place.id] = max(read.posts, default="")
        posts.sort(key=lambda missed: float(missed.post.ts))
        return Findings(posts=tuple(posts), newest=newest, unread=tuple(unread))

    async def in_thread(self, live: InboundPost, gap: Gap) -> list[Missed]:
        """What was missed in the thread of a live post before it and is to be answered.

        Raises:
            SlackError: The thread could not be read.
        """
        place = Conversation(id=live.thread.channel, kind=live.channel_type or "channel")
        read = _Read(threads={live.thread.root_ts: None})
        await self._read_thread(read, live.thread, gap, at_once=True)
        return [
            missed
            for missed in self._candidates(read, place, gap)
            if float(missed.post.ts) < float(live.ts) and not gap.is_late(missed.post.ts)
        ]

    def read_reply(self, body: JsonObject) -> InboundPost | None:
        """The reply in a payload if it may be for the bot, going by itself alone."""
        post = read_post(body, bot_user=self._identity.bot_user)
        if post is None or not post.is_reply or not self._may_be_ours(post, None):
            return None
        return post

    async def _conversations(self, gap: Gap) -> Sequence[Conversation]:
        """Those in which something was heard before, where Slack does not list them."""
        try:
            return await self._channels.mine()
        except SlackAuthRefused as refused:
            if _is_no_token(refused):
                raise
            _log.error("Slack does not list the bot's conversations: %s", refused)
        return [Conversation(id=id_, kind=_kind_of(id_)) for id_ in gap.channels]

    async def _read(self, place: Conversation, gap: Gap) -> _Read:
        read = _Read(covered_ts=_ts(gap.began_s))
        await self._read_history(read, place, gap)
        await self._add_known_threads(read, place)
        for root_ts in self._newest_threads(read, place):
            thread = ThreadRef(team=self._identity.team, channel=place.id, root_ts=root_ts)
            await self._read_thread(read, thread, gap)
        return read

    async def _read_history(self, read: _Read, place: Conversation, gap: Gap) -> None:
        since_s = gap.oldest_s(place.id)
        older, pages = 0, self._channels.history(place.id, oldest=_ts(max(0.0, since_s - ROOTS_S)))
        async with aclosing(pages):
            async for page in pages:
                for raw in page:
                    _take(read, raw, since_s)
                    older += float(_text(raw, "ts")) <= since_s
                if older >= MAX_OLDER_POSTS:
                    return
                if len(read.posts) >= MAX_POSTS:
                    _log.warning("%s: posts before %s are left out", place.id, read.covered_ts)
                    return
        read.covered_ts = _ts(max(0.0, since_s - ROOTS_S))

    async def _add_known_threads(self, read: _Read, place: Conversation) -> None:
        prefix = f"{self._identity.team}:{place.id}:"
        known = await self._sessions.newest_before(prefix, read.covered_ts, limit=MAX_KNOWN_THREADS)
        for session in known:
            read.threads.setdefault(parse_session(session).root_ts, None)

    def _newest_threads(self, read: _Read, place: Conversation) -> list[str]:
        newest = sorted(read.threads, reverse=True)
        if len(newest) > MAX_THREADS:
            _log.warning("%s: %d threads are left out", place.id, len(newest) - MAX_THREADS)
        return newest[:MAX_THREADS]

    async def _read_thread(
        self, read: _Read, thread: ThreadRef, gap: Gap, *, at_once: bool = False
    ) -> None:
        since_s = gap.oldest_s(thread.channel)
        try:
            async for page in self._channels.replies(thread, oldest=_ts(since_s), at_once=at_once):
                for raw in page:
                    ts = _text(raw, "ts")
                    if ts == thread.root_ts:
                        read.threads[ts] = raw
                    if float(ts) > since_s:
                        read.posts[ts] = raw
        except SlackRefused as refused:
            if isinstance(refused, SlackAuthRefused):
                raise
            _log.info("a thread of %s is not caught up: %s", thread.channel, refused)

    def _candidates(self, read: _Read, place: Conversation, gap: Gap) -> list[Missed]:
        since_s = gap.since_s(place.id)
        return [
            Missed(body=body, post=post, is_new=float(post.ts) > since_s)
            for ts in sorted(read.posts)
            if (body := posted(read.posts[ts], place, self._identity))
            and (post := read_post(body, bot_user=self._identity.bot_user))
            and self._may_be_ours(post, read.threads.get(post.thread.root_ts))
        ]

    def _may_be_ours(self, post: InboundPost, root: JsonObject | None) -> bool:
        """Spares the look at every thread among people; the gate decides on the rest."""
        bot = self._identity.bot_user
        spoken_to = address(post, bot_user=bot)
        if spoken_to != "ours_in_our_thread" or root is None:
            return spoken_to != "not_ours"
        return _text(root, "user") == bot or bot in mentioned_users(_text(root, "text"))


def _take(read: _Read, raw: JsonObject, since_s: float) -> None:
    """Keep a listed post if it is new, and its thread if that has something new."""
    ts, root_ts = _text(raw, "ts"), _text(raw, "thread_ts")
    read.covered_ts = ts
    if root_ts not in {"", ts}:
        if float(ts) > since_s:
            read.threads.setdefault(root_ts, None)
        return
    if float(ts) > since_s:
        read.posts[ts] = raw
    if float(_text(raw, "latest_reply") or 0) > since_s:
        read.threads[ts] = raw


def _is_no_token(refused: SlackRefused) -> bool:
    """Nothing at all can be read; a scope that is missing costs single conversations."""
    return isinstance(refused, SlackAuthRefused) and refused.code != "missing_scope"


def _kind_of(channel: str) -> ConversationKind:
    return "im" if channel.startswith("D") else "channel"


def _ts(moment_s: float) -> str:
    return f"{moment_s:.6f}"


def _text(raw: JsonObject, key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""
