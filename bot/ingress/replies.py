"""Replies without a mention: which of them are for the bot.

Rules decide where it is plain, the small model decides the rest, and where that is unclear the bot
is silent. Who has spoken in a thread is read once, and kept up to date from every payload.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from cachetools import LRUCache

from agent_core.background import Locks
from agent_core.errors import SessionError
from agent_core.ids import UserId
from agent_core.messages import JsonObject, Payer
from agent_core.runtime import Line, ReplyReader, Talk, is_laughter, small_talk, spoken_time
from bot.front import FrontDoor, ThreadActivity
from bot.inbound import (
    InboundPost,
    SlackFile,
    mentioned_users,
    object_in,
    plain_text,
    read_post,
    text_in,
)
from bot.slack_api import Identity, People, PostRecord, SlackApi, SlackRefused
from bot.threads import ThreadRef, parse_user, user_id

MAX_THREADS = 10_000
MAX_VERDICTS = 10_000
MAX_POSTS = 10
"""So many posts before a reply are shown to the model, beside the root and the last answer."""
MAX_READ = 2_000
"""Of longer threads the root is not among the posts that are read."""

_ADDRESS = re.compile(r" ?\(https?://[^\s()]*\)|https?://[^\s()]+")

Silence = Literal["", "not_ours", "mention_only", "two_party", "reaction", "others"]
"""Why a reply is left unanswered: `others` is the model's verdict, empty means that it is not."""

FollowUpsIn = Callable[[ThreadRef], Awaitable[str]]
"""What is set for a thread's channel: replies without a mention are answered where they are `meant`
for the bot, in threads between one person and it (`two_party`), or never (`mention`). Whoever the
bot asks is heard in any case."""


@dataclass(slots=True)
class _Speakers:
    """Who has spoken in a thread."""

    people: set[str] = field(default_factory=set[str])
    bot_ts: str = ""
    """Where the bot first spoke or was mentioned; empty where it was not yet."""
    is_whole: bool = False
    """What was said before is taken into account."""


class Replies:
    """Decides on replies that mention nobody. To decide raises SlackError where Slack is away."""

    def __init__(
        self,
        front: FrontDoor,
        people: People,
        api: SlackApi,
        identity: Identity,
        under_way: Mapping[str, InboundPost],
        reader: ReplyReader,
        follow_ups: FollowUpsIn,
        hears_all: bool,
    ) -> None:
        """`under_way` are the posts that are being handed over, by key.

        Where other processes hear some of the payloads (not `hears_all`), threads are read anew.
        """
        self._front = front
        self._hears_all = hears_all
        self._people = people
        self._api = api
        self._bot = identity.bot_user
        self.under_way = under_way
        self._reader = reader
        self._follow_ups = follow_ups
        self._speakers: LRUCache[ThreadRef, _Speakers] = LRUCache(MAX_THREADS)
        self._verdicts: LRUCache[str, Silence] = LRUCache(MAX_VERDICTS)
        """Of each post; an edit changes none."""
        self._reading = Locks[ThreadRef]()

    def note(self, body: JsonObject) -> None:
        """Take a payload into account, whoever wrote the post."""
        event = object_in(body, "event")
        raw = object_in(event, "message") or event
        root_ts = text_in(raw, "thread_ts") or text_in(raw, "ts")
        team, channel = text_in(body, "team_id"), text_in(event, "channel")
        try:
            thread = ThreadRef(team=team, channel=channel, root_ts=root_ts)
        except SessionError:
            return
        speakers = self._speakers.get(thread)
        if speakers is not None:
            self._add(speakers, thread, raw)

    def forget(self, thread: ThreadRef | None = None) -> None:
        """Posts may not have been heard, in one thread or in all: they are read again."""
        if thread is None:
            self._speakers.clear()
        else:
            self._speakers.pop(thread, None)

    def may_be_for_bot(self, thread: ThreadRef) -> bool:
        """Whether replies of a thread may be for the bot, as far as that is known already."""
        speakers = self._speakers.get(thread)
        if speakers is None or not speakers.is_whole or not self._hears_all:
            return True
        return speakers.bot_ts != ""

    def is_alone(self, post: InboundPost) -> bool:
        """Whether it is known that the author shares the thread with nobody but the bot."""
        speakers = self._speakers.get(post.thread)
        return speakers is not None and speakers.is_whole and speakers.people <= {post.user}

    async def has_bot(self, post: InboundPost) -> bool:
        """Whether the bot had a part in the thread when a reply was written."""
        thread = post.thread
        async with self._reading.of(thread):
            speakers = self._speakers.setdefault(thread, _Speakers())
            if not speakers.is_whole or not self._hears_all:
                await self._read(speakers, thread)
            return "" < speakers.bot_ts < post.ts

    async def is_for_bot(self, post: InboundPost) -> bool:
        """Whether a reply that mentions nobody is for the bot."""
        if post.key not in self._verdicts and await self.has_bot(post):
            self._verdicts[post.key] = await self._decide(post)
        return not self.silence_of(post)

    def silence_of(self, post: InboundPost) -> Silence:
        """Why a reply that was judged is left unanswered; empty where it is for the bot."""
        return self._verdicts.get(post.key, "not_ours")

    async def _decide(self, post: InboundPost) -> Silence:
        activity = await self._front.activity(post.thread.session)
        follow_ups = await self._follow_ups(post.thread)
        verdict = self._by_rule(post, activity, follow_ups)
        if verdict is not None:
            return verdict
        is_meant = await self._reader.is_for_bot(await self._talk(post, activity))
        if is_meant is None:
            # The asker may want to stop the work or to change it: that waits for no model.
            is_meant = user_id(post.thread.team, post.user) in activity.works_for
        return "" if is_meant else "others"

    def _by_rule(
        self,
        post: InboundPost,
        activity: ThreadActivity,
        follow_ups: str,
    ) -> Silence | None:
        """The sure cases; None for all others."""
        words = plain_text(post.wire_text)
        kind = None if post.files else small_talk(words)
        # A mention in the thread may still be on its way to the agent.
        is_handed_over = any(
            other.mentions_bot and other.thread == post.thread for other in self.under_way.values()
        )
        if kind == "stop" and (activity.works_for or is_handed_over):
            return ""
        is_asked = user_id(post.thread.team, post.user) in activity.asks
        if follow_ups == "mention" and not is_asked:
            return "mention_only"
        if self.is_alone(post):
            return ""
        if is_asked:
            return None
        is_reaction = kind in ("empty", "emoji", "noise", "thanks")
        is_reaction = is_reaction or (not post.files and is_laughter(words))
        if is_reaction:
            return "reaction"
        return "two_party" if follow_ups == "two_party" else None

    async def _read(self, speakers: _Speakers, thread: ThreadRef) -> None:
        try:
            async for page in self._api.channels.replies(thread, at_once=True):
                for raw in page:
                    self._add(speakers, thread, raw)
        except SlackRefused as refused:
            if refused.code not in {"message_not_found", "thread_not_found"}:
                raise
        speakers.is_whole = True

    def _add(
        self,
        speakers: _Speakers,
        thread: ThreadRef,
        raw: JsonObject,
    ) -> None:
        body = {"team_id": thread.team, "event": {**raw, "channel": thread.channel}}
        post = read_post(body, bot_user=self._bot)
        if post is not None:
            speakers.people.add(post.user)
        if text_in(raw, "user") == self._bot or (post is not None and post.mentions_bot):
            ts = text_in(raw, "ts")
            speakers.bot_ts = min(ts, speakers.bot_ts or ts)

    async def _talk(self, post: InboundPost, activity: ThreadActivity) -> Talk:
        """The thread as the model reads it: everybody by name."""
        before = await self._api.newest_posts(post.thread, limit=MAX_READ, before_ts=post.ts)
        kept = [each for each in before if (each.text or each.files) and not _is_progress(each)]
        own = [each for each in kept if each.user == self._bot]
        answer = next((each for each in reversed(own) if _is_answer(each)), None)
        if answer is None and own:
            answer = own[-1]
        chosen = {each.ts: each for each in (*kept[:1], *kept[-MAX_POSTS:])}
        if answer is not None:
            chosen[answer.ts] = answer
        earlier = [chosen[ts] for ts in sorted(chosen, key=float)]
        asked = _users(activity.asks)
        works_for = _users(activity.works_for)
        users = {*asked, *works_for, post.user, self._bot, *mentioned_users(post.wire_text)}
        names = await self._people.names_in(earlier, *users)
        lines: list[Line] = []
        for each in earlier:
            line = self._line(each.user, each.text, each.files, names)
            age = spoken_time(max(0.0, float(post.ts) - float(each.ts)))
            lines.append(replace(line, age=age, is_answer=each is answer))
        return Talk(
            bot=names.get(self._bot, "the bot"),
            earlier=tuple(lines),
            has_spoken=bool(own),
            reply=self._line(post.user, post.wire_text, post.files, names),
            asked=tuple(names.get(user, user) for user in asked),
            works_for=tuple(names.get(user, user) for user in works_for),
            payer=Payer(
                person=user_id(post.thread.team, post.user),
                session=post.thread.session,
            ),
        )

    def _line(
        self,
        user: str,
        wire_text: str,
        files: Sequence[SlackFile],
        names: Mapping[str, str],
    ) -> Line:
        author = ""
        if user != self._bot:
            author = names.get(user) or user or "An app"
        text = plain_text(wire_text, names=names)
        if user == self._bot:
            text = _ADDRESS.sub("", text)
        parts = [text]
        parts += [f"[file: {file.name}]" for file in files]
        return Line(author=author, text=" ".join(parts))


def _is_progress(post: PostRecord) -> bool:
    """Whether it is a plan card of the bot."""
    return post.op_id.endswith(":progress")


def _is_answer(post: PostRecord) -> bool:
    return ":answer" in post.op_id and bool(post.text)


def _users(people: Sequence[UserId]) -> list[str]:
    return [parse_user(person)[1] for person in people]
