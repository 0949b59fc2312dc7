"""Backfill: finds posts that nobody delivered, and makes the payloads that Slack would have sent.

A gap is the time in which posts may be missing; `backfill_run` knows when there is one, and hands
over what is found here.
"""

import logging
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TypeVar

from agent_core.messages import JsonObject
from agent_core.runtime import KnownSessions, StoredTurn
from bot.inbound import (
    DELETED,
    EDITED,
    InboundPost,
    mentioned_users,
    post_key,
    posted_ts,
    read_post,
    text_in,
)
from bot.ingress.filter import address
from bot.slack_api import (
    Conversation,
    Identity,
    SlackAuthRefused,
    SlackError,
    SlackRefused,
)
from bot.slack_api.channels import Channels
from bot.threads import ThreadRef, parse_session

OVERLAP_S = 600.0
"""How far before the watermark one looks again: Slack's last retry comes after six minutes, and a
process that dies loses the last half minute. What was answered is known by its key."""

ANSWERED_S = 24 * 3_600.0
"""Posts that are older than this are listed in a notice instead of being answered."""
ROOTS_S = 14 * 86_400.0
"""How long before a gap a thread may have begun to be found by its channel."""

MAX_POSTS = 5_000
MAX_OLDER_POSTS = 1_000
MAX_THREADS = 300
MAX_KNOWN_THREADS = 20
"""Bounds for one conversation: posts in the gap and before it, threads with replies in the gap,
and threads of the bot's own that are older than all that was read."""

FIRST_CHANNELS = 20
FIRST_THREADS = 20
THREADS = 10
"""So many conversations, and of their threads, are read before the first post is answered; so many
threads before each later one."""

MAX_REQUESTS = 50
"""Posts of unfinished turns that are looked at in one go, one call each."""

T = TypeVar("T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A time in which posts may have come that the bot did not hear."""

    began_s: float
    """When it was looked at; what comes later is heard."""
    heard_s: float
    """Up to when all conversations were heard."""
    number: int

    def is_new(self, ts: str) -> bool:
        """Whether a post is later than what was heard; those of the overlap were likely seen to."""
        return float(ts or 0) > self.heard_s

    @property
    def oldest_s(self) -> float:
        """From when on to look, with the overlap."""
        return max(0.0, self.heard_s - OVERLAP_S)

    def is_late(self, ts: str) -> bool:
        """Whether a post is too old to be answered."""
        return float(ts) < self.began_s - ANSWERED_S


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedPost:
    """A post that may be for the bot, and that it may not have heard."""

    body: JsonObject
    post: InboundPost


@dataclass(slots=True, kw_only=True)
class _Read:
    """What was read of one conversation."""

    channel: Conversation
    since_s: float
    covered_ts: str = ""
    """Back to where its history was read."""
    posts: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    roots: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    threads: dict[str, str] = field(default_factory=dict[str, str])
    """Threads that may have something new, and their newest reply as far as it is known."""

    def add(self, raw: JsonObject) -> None:
        """Keep a listed post if it is new, and its thread if that has something new."""
        ts = text_in(raw, "ts")
        root_ts = text_in(raw, "thread_ts")
        is_new = float(ts) > self.since_s
        self.covered_ts = ts
        if root_ts not in {"", ts}:
            if is_new:
                self._add_thread(root_ts, ts)
            return
        if is_new:
            self.posts[ts] = raw
        latest_ts = text_in(raw, "latest_reply")
        if float(latest_ts or 0) > self.since_s:
            self.roots[ts] = raw
            self._add_thread(ts, latest_ts)

    def _add_thread(self, root_ts: str, newest_ts: str) -> None:
        self.threads[root_ts] = max(newest_ts, self.threads.get(root_ts, ""))


@dataclass(frozen=True, slots=True)
class _ThreadToRead:
    """A thread to be read."""

    read: _Read
    root_ts: str
    newest_ts: str
    is_new: bool
    """A reply is later than what was heard; otherwise of the overlap, or not known."""


@dataclass(slots=True)
class Search:
    """Reads conversations and threads from where they were last heard before one gap.

    It raises SlackError where one that was asked for, or all of them, cannot be read or listed.
    """

    _channels: Channels
    _identity: Identity
    _sessions: KnownSessions
    gap: Gap
    unread: set[str] = field(default_factory=set[str])
    """Conversations that could not be read as a whole and may be later."""

    async def everywhere(self) -> AsyncGenerator[list[MissedPost]]:
        """What was missed in all conversations of the bot, a share at a time, each oldest first.

        What was said outside of threads comes first, with the threads that have new replies; those
        whose replies were most likely heard come last. No thread is divided, or before its root.
        """
        later: list[_ThreadToRead] = []
        for channels in _shares(await self._channels.mine(), FIRST_CHANNELS):
            reads = await self._read(channels)
            posts: list[MissedPost] = []
            threads: list[_ThreadToRead] = []
            for read in reads:
                posts += await self._candidates(read, read.posts)
                threads += self._threads(read)
            threads = _newest_first(threads)
            first = [each for each in threads[:FIRST_THREADS] if each.is_new]
            later += threads[len(first) :]
            posts += await self._in_threads(first)
            yield _oldest_first(posts)
        for batch in _shares(_newest_first(later), THREADS):
            yield _oldest_first(await self._in_threads(batch))

    async def in_thread(self, live: InboundPost) -> list[MissedPost]:
        """What was missed in the thread of a live post before it and is to be answered."""
        channel = Conversation(id=live.thread.channel, kind=live.channel_type or "channel")
        read = _Read(channel=channel, since_s=self.gap.oldest_s)
        posts = await self._read_thread(read, live.thread, at_once=True)
        return [
            missed
            for missed in await self._candidates(read, posts)
            if float(missed.post.ts) < float(live.ts) and not self.gap.is_late(missed.post.ts)
        ]

    async def changes(self) -> list[JsonObject]:
        """Payloads on posts of unfinished turns that were edited or deleted in the gap."""
        prefix = f"{self._identity.team}:"
        payloads: list[JsonObject] = []
        for turn in await self._sessions.unfinished(prefix, limit=MAX_REQUESTS):
            thread = parse_session(turn.session)
            payload = await self._tried(self._change_of(turn, thread), thread.channel)
            if payload is not None:
                payloads.append(payload)
        return payloads

    async def _change_of(self, turn: StoredTurn, thread: ThreadRef) -> JsonObject | None:
        """The payload of what became of a turn's post, if anything did."""
        channel = thread.channel
        ts = posted_ts(turn.inbound.key)
        if turn.inbound.key != post_key(thread.team, channel, ts):
            return None  # no post began it
        raw = await self._channels.post_now(thread, ts)
        if raw is None:
            return self._change(DELETED, channel, ts, {"deleted_ts": ts})
        body = {"team_id": thread.team, "event": {**raw, "channel": channel}}
        post = read_post(body, bot_user=self._identity.bot_user)
        if post is None or post.version_ts == ts:
            return None
        if post.version_s <= self.gap.oldest_s:
            return None  # an edit from before the gap was heard when it was made
        return self._change(EDITED, channel, post.version_ts, {"message": raw})

    async def _read(self, channels: Sequence[Conversation]) -> list[_Read]:
        """Conversations without what was said in their threads."""
        reads: list[_Read] = []
        for channel in channels:
            read = await self._tried(self._read_history(channel), channel.id)
            if read is not None:
                prefix = f"{self._identity.team}:{channel.id}:"
                known = await self._sessions.newest_before(
                    prefix,
                    read.covered_ts,
                    limit=MAX_KNOWN_THREADS,
                )
                for session in known:
                    read.threads.setdefault(parse_session(session).root_ts, "")
                reads.append(read)
        return reads

    async def _read_history(self, channel: Conversation) -> _Read:
        since_s = self.gap.oldest_s
        read = _Read(channel=channel, since_s=since_s, covered_ts=as_ts(self.gap.began_s))
        oldest_ts = as_ts(max(0.0, since_s - ROOTS_S))
        older = 0
        async with aclosing(self._channels.history(channel.id, oldest=oldest_ts)) as pages:
            async for page in pages:
                for raw in page:
                    read.add(raw)
                    older += float(read.covered_ts) <= since_s
                if older >= MAX_OLDER_POSTS:
                    return read
                if len(read.posts) >= MAX_POSTS:
                    _log.warning("%s: posts before %s are left out", channel.id, read.covered_ts)
                    return read
        read.covered_ts = oldest_ts
        return read

    def _threads(self, read: _Read) -> list[_ThreadToRead]:
        channel = read.channel.id
        threads = [
            _ThreadToRead(
                read,
                root_ts,
                newest_ts,
                self.gap.is_new(newest_ts),
            )
            for root_ts, newest_ts in read.threads.items()
        ]
        left_out = len(threads) - MAX_THREADS
        if left_out > 0:
            _log.warning("%s: %d threads are left out", channel, left_out)
        return _newest_first(threads)[:MAX_THREADS]

    async def _in_threads(self, threads: Sequence[_ThreadToRead]) -> list[MissedPost]:
        missed: list[MissedPost] = []
        for each in threads:
            channel = each.read.channel.id
            thread = ThreadRef(team=self._identity.team, channel=channel, root_ts=each.root_ts)
            posts = await self._tried(self._read_thread(each.read, thread), channel)
            if posts is not None:
                missed += await self._candidates(each.read, posts)
        return missed

    async def _read_thread(
        self,
        read: _Read,
        thread: ThreadRef,
        *,
        at_once: bool = False,
    ) -> dict[str, JsonObject]:
        """The posts of a thread that were not read yet."""
        posts: dict[str, JsonObject] = {}
        pages = self._channels.replies(thread, oldest=as_ts(read.since_s), at_once=at_once)
        async for page in pages:
            for raw in page:
                ts = text_in(raw, "ts")
                if ts == thread.root_ts:
                    read.roots[ts] = raw
                if float(ts) > read.since_s and ts not in read.posts:
                    posts[ts] = raw
        return posts

    async def _candidates(self, read: _Read, posts: Mapping[str, JsonObject]) -> list[MissedPost]:
        with_bot = self._threads_with_bot([*read.roots.values(), *posts.values()])
        missed: list[MissedPost] = []
        for ts in sorted(posts):
            event = {
                **posts[ts],
                "channel": read.channel.id,
                "channel_type": read.channel.kind,
                "event_ts": ts,
            }
            body = self._envelope(event, ts)
            post = read_post(body, bot_user=self._identity.bot_user)
            if post is not None and await self._may_be_ours(post, read, with_bot):
                missed.append(MissedPost(body=body, post=post))
        return missed

    def _threads_with_bot(self, posts: Iterable[JsonObject]) -> dict[str, str]:
        """By root, from where on the bot has a part in a thread, as far as was read."""
        bot_user = self._identity.bot_user
        with_bot: dict[str, str] = {}
        for raw in posts:
            if bot_user in {text_in(raw, "user"), *mentioned_users(text_in(raw, "text"))}:
                with_bot.setdefault(text_in(raw, "thread_ts"), text_in(raw, "ts"))
        return with_bot

    async def _may_be_ours(
        self,
        post: InboundPost,
        read: _Read,
        with_bot: Mapping[str, str],
    ) -> bool:
        """Spares the look at every thread among people; the filter decides on the rest."""
        spoken_to = address(post)
        root_ts = post.thread.root_ts
        if spoken_to != "reply" or root_ts not in read.roots:
            return spoken_to != "not_ours"
        if "" < with_bot.get(root_ts, "") < post.ts:
            return True
        return bool(await self._sessions.turns_of(post.thread.session))

    async def _tried(self, reading: Awaitable[T], channel: str) -> T | None:
        """What was read of a conversation; None where it could not be, which costs nothing else.

        Raises SlackAuthRefused where nothing at all can be read.
        """
        try:
            return await reading
        except SlackRefused as refused:
            if isinstance(refused, SlackAuthRefused) and refused.code != "missing_scope":
                raise  # a scope that is missing costs single conversations
            _log.warning("a part of %s is not backfilled: %s", channel, refused)
        except SlackError as error:
            _log.warning("a part of %s is backfilled later: %s", channel, error)
            self.unread.add(channel)
        return None

    def _change(
        self,
        subtype: str,
        channel: str,
        at_ts: str,
        more: JsonObject,
    ) -> JsonObject:
        """The payload of a change; what the post was before is not known any more."""
        event = {
            "type": "message",
            "subtype": subtype,
            "hidden": True,
            "channel": channel,
            "ts": at_ts,
            "event_ts": at_ts,
            **more,
        }
        return self._envelope(event, at_ts)

    def _envelope(self, event: JsonObject, at_ts: str) -> JsonObject:
        return {
            "type": "event_callback",
            "team_id": self._identity.team,
            "api_app_id": self._identity.app_id,
            "event_time": int(float(at_ts)),
            "event": event,
        }


def _shares(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _newest_first(threads: Iterable[_ThreadToRead]) -> list[_ThreadToRead]:
    """Those with new replies before all others."""
    return sorted(threads, key=lambda each: (each.is_new, each.newest_ts), reverse=True)


def _oldest_first(posts: Iterable[MissedPost]) -> list[MissedPost]:
    return sorted(posts, key=lambda missed: float(missed.post.ts))


def as_ts(moment_s: float) -> str:
    """A moment as Slack writes the time of a post."""
    return f"{moment_s:.6f}"
