"""Finds what nobody delivered, and makes the payloads in which Slack would have delivered it."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Iterable, Iterator, Mapping, Sequence
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
from bot.ingress.watermark import Gap
from bot.slack_api import (
    Conversation,
    Identity,
    SlackApi,
    SlackAuthRefused,
    SlackError,
    SlackRefused,
)
from bot.threads import ThreadRef, parse_session

ROOTS_S = 14 * 86_400.0
"""How long before a gap a thread may have begun to be found by its channel."""

MAX_POSTS = 5_000
MAX_OLDER_POSTS = 1_000
MAX_THREADS = 300
MAX_KNOWN_THREADS = 20
"""Bounds for one conversation: posts in the gap and before it, threads with replies in the gap,
and threads of the bot's own that are older than all that was read."""

FIRST_PLACES = 20
FIRST_THREADS = 20
THREADS = 10
"""So many conversations, and of their threads, are read before the first post is answered; so many
threads before each later one."""

MAX_REQUESTS = 50
"""Posts of unfinished turns that are looked at in one go, one call each."""

T = TypeVar("T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedPost:
    """A post that may be for the bot, and that it may not have heard."""

    body: JsonObject
    post: InboundPost


@dataclass(slots=True)
class BackfillCoverage:
    """What became of the conversations; complete once the search is over."""

    newest: dict[str, str] = field(default_factory=dict[str, str])
    """The newest post of each conversation, whoever it was for."""
    unread: set[str] = field(default_factory=set[str])
    """Conversations that could not be read as a whole and may be later."""

    def note(self, place: Conversation, posts: Iterable[str]) -> None:
        """Posts of a conversation were read."""
        self.newest[place.id] = max([*posts, self.newest.get(place.id, "")])


@dataclass(slots=True, kw_only=True)
class _Read:
    """What was read of one conversation."""

    place: Conversation
    covered_ts: str = ""
    posts: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    roots: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    threads: dict[str, str] = field(default_factory=dict[str, str])
    """Threads that may have something new, and their newest reply as far as it is known."""


@dataclass(frozen=True, slots=True)
class _ThreadToRead:
    """A thread to be read."""

    read: _Read
    root_ts: str
    newest_ts: str
    is_new: bool
    """A reply is later than what was heard; otherwise of the overlap, or not known."""


class Search:
    """Reads conversations and threads from where they were last heard.

    It raises SlackError where one that was asked for, or all of them, cannot be read or listed.
    """

    def __init__(self, api: SlackApi, identity: Identity, sessions: KnownSessions) -> None:
        self._channels = api.channels
        self._identity = identity
        self._sessions = sessions

    async def everywhere(
        self, gap: Gap, seen: BackfillCoverage
    ) -> AsyncGenerator[list[MissedPost]]:
        """What was missed in all conversations of the bot, a share at a time, each oldest first.

        What was said outside of threads comes first, with the threads that have new replies; those
        whose replies were most likely heard come last. No thread is divided, or before its root.
        """
        later: list[_ThreadToRead] = []
        for places in _shares(await self._places(gap), FIRST_PLACES):
            reads = await self._read(places, gap, seen)
            threads = _newest_first(each for read in reads for each in self._threads(read, gap))
            first = [each for each in threads[:FIRST_THREADS] if each.is_new]
            later += threads[len(first) :]
            posts = [each for read in reads for each in await self._candidates(read, read.posts)]
            yield _oldest_first(posts + await self._in_threads(first, gap, seen))
        for threads in _shares(_newest_first(later), THREADS):
            yield _oldest_first(await self._in_threads(threads, gap, seen))

    async def in_thread(self, live: InboundPost, gap: Gap) -> list[MissedPost]:
        """What was missed in the thread of a live post before it and is to be answered."""
        place = Conversation(id=live.thread.channel, kind=live.channel_type or "channel")
        read = _Read(place=place)
        posts = await self._read_thread(read, live.thread, gap, at_once=True)
        return [
            missed
            for missed in await self._candidates(read, posts)
            if float(missed.post.ts) < float(live.ts) and not gap.is_late(missed.post.ts)
        ]

    async def unfinished(self) -> list[StoredTurn]:
        """Turns whose posts may have been edited or deleted while nobody listened."""
        turns = await self._sessions.unfinished(f"{self._identity.team}:", limit=MAX_REQUESTS + 1)
        if len(turns) > MAX_REQUESTS:
            _log.warning("only %d of the unanswered requests are looked at", MAX_REQUESTS)
        return turns[:MAX_REQUESTS]

    async def change_of(self, turn: StoredTurn, gap: Gap) -> JsonObject | None:
        """The payload that tells what became of a turn's post in the gap, if anything did."""
        thread, ts = parse_session(turn.session), posted_ts(turn.inbound.key)
        if turn.inbound.key != post_key(thread.team, thread.channel, ts):
            return None  # no post began it
        raw = await self._channels.post_now(thread, ts)
        if raw is None:
            return _changed(
                DELETED,
                thread.channel,
                ts,
                self._identity,
                deleted_ts=ts,
            )
        body = {"team_id": thread.team, "event": {**raw, "channel": thread.channel}}
        post = read_post(body, bot_user=self._identity.bot_user)
        if post is None or post.said_ts == ts or float(post.said_ts) <= gap.opened_s:
            return None  # an edit from before the gap was heard when it was made
        return _changed(
            EDITED,
            thread.channel,
            post.said_ts,
            self._identity,
            message=raw,
        )

    async def _places(self, gap: Gap) -> list[Conversation]:
        """Those first in which something was heard last; those alone where Slack lists none."""
        try:
            places = await self._channels.mine()
        except SlackAuthRefused as refused:
            if _is_no_token(refused):
                raise
            _log.error("Slack does not list the bot's conversations: %s", refused)
            places = [
                Conversation(id=id_, kind="im" if id_.startswith("D") else "channel")
                for id_ in gap.channels
            ]
        return sorted(places, key=lambda place: gap.marks.get(place.id, ""), reverse=True)

    async def _read(
        self, places: Sequence[Conversation], gap: Gap, seen: BackfillCoverage
    ) -> list[_Read]:
        """Conversations without what was said in their threads."""
        reads: list[_Read] = []
        for place in places:
            if read := await _tried(self._read_history(place, gap), place, seen):
                await self._add_known_threads(read)
                seen.note(place, read.posts)
                reads.append(read)
        return reads

    async def _read_history(self, place: Conversation, gap: Gap) -> _Read:
        read = _Read(place=place, covered_ts=_ts(gap.began_s))
        since_s = gap.oldest_s(place.id)
        older, pages = 0, self._channels.history(place.id, oldest=_ts(max(0.0, since_s - ROOTS_S)))
        async with aclosing(pages):
            async for page in pages:
                for raw in page:
                    _take(read, raw, since_s)
                    older += float(text_in(raw, "ts")) <= since_s
                if older >= MAX_OLDER_POSTS:
                    return read
                if len(read.posts) >= MAX_POSTS:
                    _log.warning("%s: posts before %s are left out", place.id, read.covered_ts)
                    return read
        read.covered_ts = _ts(max(0.0, since_s - ROOTS_S))
        return read

    async def _add_known_threads(self, read: _Read) -> None:
        prefix = f"{self._identity.team}:{read.place.id}:"
        known = await self._sessions.newest_before(prefix, read.covered_ts, limit=MAX_KNOWN_THREADS)
        for session in known:
            read.threads.setdefault(parse_session(session).root_ts, "")

    def _threads(self, read: _Read, gap: Gap) -> list[_ThreadToRead]:
        threads = _newest_first(
            _ThreadToRead(
                read,
                root_ts,
                newest_ts,
                gap.is_new(read.place.id, newest_ts),
            )
            for root_ts, newest_ts in read.threads.items()
        )
        if len(threads) > MAX_THREADS:
            _log.warning("%s: %d threads are left out", read.place.id, len(threads) - MAX_THREADS)
        return threads[:MAX_THREADS]

    async def _in_threads(
        self, threads: Sequence[_ThreadToRead], gap: Gap, seen: BackfillCoverage
    ) -> list[MissedPost]:
        found: list[MissedPost] = []
        for each in threads:
            read, place = each.read, each.read.place
            thread = ThreadRef(team=self._identity.team, channel=place.id, root_ts=each.root_ts)
            posts = await _tried(self._read_thread(read, thread, gap), place, seen)
            if posts is not None:
                seen.note(place, posts)
                found += await self._candidates(read, posts)
        return found

    async def _read_thread(
        self,
        read: _Read,
        thread: ThreadRef,
        gap: Gap,
        *,
        at_once: bool = False,
    ) -> dict[str, JsonObject]:
        """The posts of a thread that were not read yet; those before a page that is refused."""
        since_s, posts = gap.oldest_s(thread.channel), dict[str, JsonObject]()
        pages = self._channels.replies(thread, oldest=_ts(since_s), at_once=at_once)
        try:
            async for raw in (raw async for page in pages for raw in page):
                ts = text_in(raw, "ts")
                if ts == thread.root_ts:
                    read.roots[ts] = raw
                if float(ts) > since_s and ts not in read.posts:
                    posts[ts] = raw
        except SlackRefused as refused:
            if _is_no_token(refused):
                raise
            _log.warning("a thread of %s is not read to its end: %s", thread.channel, refused)
        return posts

    async def _candidates(self, read: _Read, posts: Mapping[str, JsonObject]) -> list[MissedPost]:
        bot, found = self._identity.bot_user, list[MissedPost]()
        with_bot: dict[str, str] = {}
        for raw in (*read.roots.values(), *posts.values()):
            if text_in(raw, "user") == bot or bot in mentioned_users(text_in(raw, "text")):
                with_bot.setdefault(text_in(raw, "thread_ts"), text_in(raw, "ts"))
        for ts in sorted(posts):
            body = _posted(posts[ts], read.place, self._identity)
            post = read_post(body, bot_user=bot)
            if post is not None and await self._may_be_ours(post, read, with_bot):
                found.append(MissedPost(body=body, post=post))
        return found

    async def _may_be_ours(
        self, post: InboundPost, read: _Read, with_bot: Mapping[str, str]
    ) -> bool:
        """Spares the look at every thread among people; the gate decides on the rest.

        `with_bot` tells from where on the bot has a part in a thread, as far as was read.
        """
        spoken_to, root_ts = address(post, bot_user=self._identity.bot_user), post.thread.root_ts
        if spoken_to != "reply" or root_ts not in read.roots:
            return spoken_to != "not_ours"
        if "" < with_bot.get(root_ts, "") < post.ts:
            return True
        return bool(await self._sessions.turns_of(post.thread.session))


def _take(read: _Read, raw: JsonObject, since_s: float) -> None:
    """Keep a listed post if it is new, and its thread if that has something new."""
    ts, root_ts = text_in(raw, "ts"), text_in(raw, "thread_ts")
    read.covered_ts = ts
    if root_ts not in {"", ts}:
        if float(ts) > since_s:
            read.threads[root_ts] = max(ts, read.threads.get(root_ts, ""))
        return
    if float(ts) > since_s:
        read.posts[ts] = raw
    latest_ts = text_in(raw, "latest_reply")
    if float(latest_ts or 0) > since_s:
        read.roots[ts] = raw
        read.threads[ts] = max(latest_ts, read.threads.get(ts, ""))


def _shares(of: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (of[start : start + size] for start in range(0, len(of), size))


def _newest_first(threads: Iterable[_ThreadToRead]) -> list[_ThreadToRead]:
    """Those with new replies before all others."""
    return sorted(threads, key=lambda each: (each.is_new, each.newest_ts), reverse=True)


def _oldest_first(posts: Iterable[MissedPost]) -> list[MissedPost]:
    return sorted(posts, key=lambda missed: float(missed.post.ts))


def _is_no_token(refused: SlackRefused) -> bool:
    """Nothing at all can be read; a scope that is missing costs single conversations."""
    return isinstance(refused, SlackAuthRefused) and refused.code != "missing_scope"


async def _tried(reading: Awaitable[T], place: Conversation, seen: BackfillCoverage) -> T | None:
    """What was read of a conversation; None where it could not be, which costs nothing else.

    Raises SlackAuthRefused where nothing at all can be read.
    """
    try:
        return await reading
    except SlackRefused as refused:
        if _is_no_token(refused):
            raise
        _log.warning("a part of %s is not caught up: %s", place.id, refused)
    except SlackError as error:
        _log.warning("a part of %s is caught up later: %s", place.id, error)
        seen.unread.add(place.id)
    return None


def _ts(moment_s: float) -> str:
    return f"{moment_s:.6f}"


def _posted(raw: JsonObject, place: Conversation, identity: Identity) -> JsonObject:
    """The payload of a post, as the post is now."""
    ts = str(raw["ts"])
    event = {
        **raw,
        "channel": place.id,
        "channel_type": place.kind,
        "event_ts": ts,
    }
    return _envelope(event, ts, identity)


def _changed(
    subtype: str, channel: str, at_ts: str, identity: Identity, **told: object
) -> JsonObject:
    """The payload of a change; what the post was before is not known any more."""
    event = {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": channel,
    }
    return _envelope({**event, "ts": at_ts, "event_ts": at_ts, **told}, at_ts, identity)


def _envelope(event: JsonObject, at_ts: str, identity: Identity) -> JsonObject:
    return {
        "type": "event_callback",
        "team_id": identity.team,
        "api_app_id": identity.app_id,
        "event_time": int(float(at_ts)),
        "event": event,
    }
