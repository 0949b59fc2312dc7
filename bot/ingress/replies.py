"""Replies without a mention: who has spoken in a thread, and which replies are for the bot.

Rules decide where it is plain, the small model decides the rest, and where that is unclear the bot
is silent. A thread is read once, and kept up to date from every payload that is heard.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol
from weakref import WeakValueDictionary

from cachetools import LRUCache

from agent_core.errors import SessionError
from agent_core.ids import SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.runtime import Line, ReplyReader, Talk, small_talk
from bot.inbound import (
    DELETED,
    EDITED,
    KEPT_SUBTYPES,
    InboundPost,
    mentioned_users,
    object_in,
    objects_in,
    plain_text,
    read_file,
    read_post,
    text_in,
)
from bot.slack_api import Identity, People, SlackApi, SlackError, SlackRefused
from bot.threads import ThreadRef, parse_user, user_id

MAX_THREADS = 2_000
MAX_VERDICTS = 10_000
MAX_POSTS = 24
MAX_POST_CHARS = 1_000
"""Bounds for what is kept of a thread."""

_SPOKEN = KEPT_SUBTYPES | {"bot_message"}
_GONE = frozenset({"message_not_found", "thread_not_found"})

FollowUpsIn = Callable[[ThreadRef], Awaitable[str]]
"""What is set for a thread's channel: replies without a mention are answered where they are `meant`
for the bot, in threads between one person and it (`two_party`), or never (`mention`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the agent does in a thread just now."""

    works_for: tuple[UserId, ...] = ()
    asks: tuple[UserId, ...] = ()
    """Whose answer or decision it waits for."""


class Works(Protocol):
    """Who knows what is at work."""

    async def standing(self, session: SessionId) -> Standing: ...


@dataclass(frozen=True, slots=True)
class _Said:
    user: str
    wire_text: str
    is_own: bool


@dataclass(slots=True)
class _Thread:
    """What is known of a thread."""

    people: set[str] = field(default_factory=set[str])
    with_bot_ts: str = ""
    """Where the bot first spoke or was mentioned; empty where it was not yet."""
    is_whole: bool = False
    """All that was said before is taken into account."""
    posts: dict[str, _Said] = field(default_factory=dict[str, _Said])
    """The newest, by `ts`."""
    left_out_ts: str = ""
    """Of the newest post that is not kept."""

    def take(self, place: ThreadRef, raw: JsonObject, bot: Identity) -> None:
        """Take a post into account as it is now."""
        ts, user, text = (text_in(raw, name) for name in ("ts", "user", "text"))
        is_own = user == bot.bot_user or (bool(bot.bot_id) and text_in(raw, "bot_id") == bot.bot_id)
        body = {"team_id": place.team, "event": {**raw, "channel": place.channel}}
        post = read_post(body, bot_user=bot.bot_user)
        if post is not None:
            self.people.add(user)
        if is_own or (post is not None and post.mentions_bot):
            self.with_bot_ts = min(ts, self.with_bot_ts or ts)
        if text_in(raw, "subtype") not in _SPOKEN:
            return
        files = ", ".join(read_file(each).name for each in objects_in(raw, "files"))
        said = f"{text[:MAX_POST_CHARS]} [files: {files}]" if files else text[:MAX_POST_CHARS]
        self.posts[ts] = _Said(user, said, is_own)
        if len(self.posts) > MAX_POSTS:
            self.left_out_ts = max(self.left_out_ts, min(self.posts))
            del self.posts[min(self.posts)]


class Replies:
    """Decides on replies that mention nobody. To decide raises SlackError where Slack is away."""

    def __init__(
        self,
        works: Works,
        people: People,
        api: SlackApi,
        identity: Identity,
        under_way: Mapping[str, InboundPost],
        reader: ReplyReader,
        follow_ups: FollowUpsIn,
    ) -> None:
        self._works = works
        self._people = people
        self._api = api
        self._identity = identity
        self._under_way = under_way
        self._reader = reader
        self._follow_ups = follow_ups
        self._threads: LRUCache[ThreadRef, _Thread] = LRUCache(MAX_THREADS)
        self._verdicts: LRUCache[str, bool] = LRUCache(MAX_VERDICTS)
        """What the model said of each post; an edit does not ask again."""
        self._reading: WeakValueDictionary[ThreadRef, asyncio.Lock] = WeakValueDictionary()

    def note(self, body: JsonObject) -> None:
        """A payload was heard, whoever wrote the post."""
        event = object_in(body, "event")
        subtype = text_in(event, "subtype")
        raw = object_in(event, {EDITED: "message", DELETED: "previous_message"}.get(subtype, ""))
        raw = raw or event
        root_ts = text_in(raw, "thread_ts") or text_in(raw, "ts")
        try:
            channel = text_in(event, "channel")
            place = ThreadRef(team=text_in(body, "team_id"), channel=channel, root_ts=root_ts)
        except SessionError:
            return
        thread = self._threads.get(place)
        if thread is not None and subtype == DELETED:
            thread.posts.pop(text_in(event, "deleted_ts"), None)
        elif thread is not None:
            thread.take(place, raw, self._identity)

    def forget(self, place: ThreadRef | None = None) -> None:
        """Something may not have been heard, in one thread or in all: they are read again."""
        if place is None:
            self._threads.clear()
        else:
            self._threads.pop(place, None)

    def may_be_for_bot(self, place: ThreadRef) -> bool:
        """Whether replies of a thread may be for the bot, as far as that is known already."""
        thread = self._threads.get(place)
        return thread is None or not thread.is_whole or thread.with_bot_ts != ""

    def is_read(self, place: ThreadRef, since_ts: str, before_ts: str) -> bool:
        """Whether it is known that nobody else has written between two posts of a thread."""
        thread = self._threads.get(place)
        return (
            thread is not None
            and thread.is_whole
            and thread.left_out_ts <= since_ts
            and all(
                said.is_own or not since_ts < ts < before_ts for ts, said in thread.posts.items()
            )
        )

    async def has_bot(self, post: InboundPost) -> bool:
        """Whether the bot had a part in the thread when a reply was written."""
        return "" < (await self._read(post.thread)).with_bot_ts < post.ts

    async def is_for_bot(self, post: InboundPost) -> bool:
        """Whether a reply that mentions nobody is for the bot."""
        if not await self.has_bot(post) or post.key in self._verdicts:
            return self._verdicts.get(post.key, False)
        thread = await self._read(post.thread)
        standing = await self._works.standing(post.thread.session)
        verdict = self._by_rule(post, thread, standing, await self._follow_ups(post.thread))
        if verdict is None:
            talk = await self._talk(thread, post, standing)
            verdict = self._verdicts[post.key] = await self._reader.is_for_bot(talk)
        return verdict

    def _by_rule(
        self, post: InboundPost, thread: _Thread, standing: Standing, follow_ups: str
    ) -> bool | None:
        """The sure cases; None for all others."""
        kind = None if post.files else small_talk(plain_text(post.wire_text))
        if kind == "stop" and (standing.works_for or self._is_on_its_way(post.thread)):
            return True
        if follow_ups == "mention":
            return False
        if thread.people <= {post.user}:
            return True
        is_asked = user_id(post.thread.team, post.user) in standing.asks
        is_noise = kind in ("empty", "emoji", "noise") and not is_asked
        return False if is_noise or follow_ups == "two_party" else None

    def is_under_way(self, key: str) -> bool:
        """Whether a post is on its way to the agent."""
        return key in self._under_way

    def _is_on_its_way(self, place: ThreadRef) -> bool:
        """Whether something is still on its way to the agent there."""
        return any(each.thread == place and each.mentions_bot for each in self._under_way.values())

    async def _read(self, place: ThreadRef) -> _Thread:
        """What is known of a thread. What is heard while it is read is the newer word."""
        async with self._reading.setdefault(place, asyncio.Lock()):
            thread = self._threads.setdefault(place, _Thread())
            if thread.is_whole:
                return thread
            found: list[JsonObject] = []
            try:
                async for page in self._api.channels.replies(place, at_once=True):
                    found += page
            except SlackRefused as refused:
                if refused.code not in _GONE:
                    raise
            heard = dict(thread.posts)
            for raw in found:
                thread.take(place, raw, self._identity)
            thread.posts |= heard
            thread.is_whole = True
            return thread

    async def _talk(self, thread: _Thread, post: InboundPost, standing: Standing) -> Talk:
        """What the model is told: everybody by name."""
        bot = self._identity.bot_user
        earlier = [thread.posts[ts] for ts in sorted(thread.posts) if ts < post.ts]
        asks, works_for = (
            [parse_user(each)[1] for each in who] for who in (standing.asks, standing.works_for)
        )
        users = {post.user, bot, *asks, *works_for, *mentioned_users(post.wire_text)}
        for each in earlier:
            users |= {each.user, *mentioned_users(each.wire_text)}
        try:
            names = await self._people.names(users - {""})
        except SlackError:
            names = {}

        def name(user: str) -> str:
            return names.get(user) or user or "An app"

        def told(each: _Said) -> Line:
            author = "" if each.is_own else name(each.user)
            return Line(author=author, text=plain_text(each.wire_text, names=names))

        files = ", ".join(file.name for file in post.files)
        text = f"{post.wire_text} [files: {files}]" if files else post.wire_text
        return Talk(
            bot=names.get(bot) or "the bot",
            earlier=tuple(map(told, earlier)),
            reply=told(_Said(post.user, text, is_own=False)),
            asked=tuple(map(name, asks)),
            works_for=tuple(map(name, works_for)),
        )
