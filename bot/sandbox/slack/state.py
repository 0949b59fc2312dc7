"""The team's present state, and the only ways to change it. Every change is published."""

from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bot.sandbox.slack.clock import SandboxClock
from bot.sandbox.slack.records import (
    AgentSession,
    ApiCall,
    Channel,
    Delivery,
    File,
    Post,
    Record,
    StoredRecord,
    SuggestedPrompts,
    User,
    View,
)
from bot.sandbox.slack.team import App, Ids, named_id, read_team


@dataclass(frozen=True, slots=True)
class TeamChange:
    """The new version of a record; `previous` is the old version of a post.

    Files and reactions change with their posts.
    """

    record: Record
    previous: Post | None = None
    is_gone: bool = False


class ChangeFeed:
    """Hands each change to every watcher. Nobody waits for a slow reader."""

    def __init__(self) -> None:
        self._watchers: dict[Callable[[TeamChange], object], None] = {}

    def publish(self, change: TeamChange) -> None:
        for watcher in tuple(self._watchers):
            watcher(change)

    @contextmanager
    def watch(self, watcher: Callable[[TeamChange], object]) -> Generator[None]:
        """Call `watcher` with each change while the block runs."""
        self._watchers[watcher] = None
        try:
            yield
        finally:
            del self._watchers[watcher]


class TeamState:
    """What the page shows and the methods read. It knows nothing of sockets or HTTP."""

    def __init__(self, clock: SandboxClock, app: App) -> None:
        self.clock = clock
        self.app = app
        self.ids = Ids(clock)
        self.feed = ChangeFeed()
        self.bot = app.user
        users, channels = read_team(self.bot)
        self.users = {user.id: user for user in users.values()}
        self.channels = {channel.id: channel for channel in channels.values()}
        self.user_ids = {name: user.id for name, user in users.items()}
        """By the names used in tests."""
        self.channel_ids = {name: channel.id for name, channel in channels.items()}
        """By the names used in tests, which a renamed channel keeps."""
        self.posts: defaultdict[str, dict[str, Post]] = defaultdict(dict)
        """By channel and ts."""
        self.ephemerals: dict[str, Post] = {}
        """By ts."""
        self.uploads: dict[str, File] = {}
        """By id, until they are shared."""
        self.files: dict[str, File] = {}
        self.sessions: dict[tuple[str, str], AgentSession] = {}
        self.prompts: dict[str, SuggestedPrompts] = {}
        self.views: dict[str, View] = {}
        self.homes: dict[str, View] = {}
        self.calls: list[ApiCall] = []
        self.deliveries: dict[str, Delivery] = {}

    def is_member(self, channel: Channel) -> bool:
        """Whether the app is in a channel."""
        return self.bot.id in channel.members

    def find_post(self, channel: str, ts: str) -> Post | None:
        return self.posts[channel].get(ts)

    def posts_of(self, channel: str) -> list[Post]:
        """A channel's posts, replies included, oldest first; without ephemeral posts."""
        posts = self.posts[channel]
        return [posts[ts] for ts in sorted(posts)]

    def draft(self, author: User, channel: str, **fields: Any) -> Post:
        """A new post of a user that is not posted yet."""
        return Post(
            channel=channel,
            ts=self.ids.fresh_ts(),
            user=author.id,
            bot_id=author.bot_id,
            app_id=author.app_id,
            **fields,
        )

    def replies_of(self, channel: str, thread_ts: str) -> list[Post]:
        return [
            post for post in self.posts_of(channel) if post.is_reply and post.thread_ts == thread_ts
        ]

    def direct_channel(self, user: str) -> Channel:
        """The direct conversation of a user and the bot, opened if there is none."""
        channel = Channel(
            id=named_id("D", user),
            name="",
            kind="im",
            members=(user, self.bot.id),
        )
        if channel.id not in self.channels:
            self.keep(channel)
        return channel

    def keep(self, record: StoredRecord) -> None:
        """Store a record; a new version replaces the old one."""
        previous = None
        match record:
            case Post(ephemeral_to=None):
                posts = self.posts[record.channel]
                previous = posts.get(record.ts)
                posts[record.ts] = record
            case Post():
                self.ephemerals[record.ts] = record
            case Channel():
                self.channels[record.id] = record
            case AgentSession():
                self.sessions[record.channel, record.thread_ts] = record
            case SuggestedPrompts():
                self.prompts[record.channel] = record
            case View(type="home"):
                self.homes[record.user] = record
            case View():
                self.views[record.id] = record
            case ApiCall():
                self.calls.append(record)
            case Delivery():
                self.deliveries[f"{record.envelope_id}/{record.attempt}"] = record
        self.feed.publish(TeamChange(record, previous))

    def drop(self, record: Post | View) -> None:
        """Delete a post, or close a modal."""
        match record:
            case View():
                self.views.pop(record.id, None)
            case Post(ephemeral_to=None):
                del self.posts[record.channel][record.ts]
            case Post():
                del self.ephemerals[record.ts]
        self.feed.publish(TeamChange(record, is_gone=True))
