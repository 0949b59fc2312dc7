"""The team: its clock, ids and app, its users and channels at the start, and its present state.

Every change of the state is published.
"""

import asyncio
import hashlib
import itertools
import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from bot.sandbox.slack.records import (
    AgentSession,
    ApiCall,
    Channel,
    ChannelKind,
    Delivery,
    File,
    Post,
    Record,
    StoredRecord,
    SuggestedPrompts,
    User,
    View,
)
from bot.sandbox.slack.wire import JsonObject

DOMAIN = "sandbox"
PEOPLE = ("ann", "ben", "cleo")
_TEAM: dict[str, dict[str, Any]] = yaml.load(
    Path(__file__).with_name("team.yml").read_text("utf-8"), yaml.CSafeLoader
)
DEFAULT_SCOPES: Sequence[str] = tuple(_TEAM["app"]["scopes"].split())
DEFAULT_EVENTS: Sequence[str] = tuple(_TEAM["app"]["events"].split())
PLURALS: Mapping[ChannelKind, str] = {
    "channel": "channels",
    "group": "groups",
    "im": "im",
    "mpim": "mpim",
}
"""How scopes and message events name the kinds of channels."""
_EVENT_SCOPES: Mapping[str, str] = {
    "app_mention": "app_mentions:read",
    "agent_session_stopped": "chat:write",
    "reaction_added": "reactions:read",
    **{f"message.{plural}": f"{plural}:history" for plural in PLURALS.values()},
}
"""The scope that Slack demands for an event; an event without an entry needs none."""


def named_id(prefix: str, name: str) -> str:
    """The same id for the same name, so that a test's output can be compared."""
    digest = hashlib.sha256(f"{prefix}{name}".encode()).hexdigest()
    return f"{prefix}0{digest[:9].upper()}"


TEAM_ID = named_id("T", DOMAIN)


class SandboxClock:
    """The machine's clock; its subclasses tell another time."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    async def sleep_until(self, at_s: float) -> None:
        """Wait for a moment; a past one returns at once."""
        await asyncio.sleep(max(0.0, at_s - self.now()))


class Ids:
    """Mints ids with Slack's prefixes and timestamps; unique, the same in each run of a story."""

    def __init__(self, clock: SandboxClock) -> None:
        self._clock = clock
        self._count = itertools.count(1)
        self._last_us = 0

    def fresh(self, prefix: str) -> str:
        return named_id(prefix, str(next(self._count)))

    def fresh_ts(self) -> str:
        """A message timestamp: the clock's microsecond, or the next free one."""
        now_us = int(self._clock.now() * 1_000_000)
        self._last_us = max(now_us, self._last_us + 1)
        seconds, microseconds = divmod(self._last_us, 1_000_000)
        return f"{seconds}.{microseconds:06d}"

    def mark_blocks(self, blocks: Sequence[JsonObject]) -> list[JsonObject]:
        """Blocks as Slack keeps them: those without an id get one."""
        return [{"block_id": self.fresh("b").lower(), **block} for block in blocks]


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The bot of the team, with fresh tokens, and what its manifest grants."""

    name: str = "universal-agent"
    scopes: Sequence[str] = DEFAULT_SCOPES
    bot_events: Sequence[str] = DEFAULT_EVENTS
    commands: Sequence[JsonObject] = ()
    shortcuts: Sequence[JsonObject] = ()
    bot_token: str = field(default_factory=lambda: f"xoxb-sandbox-{secrets.token_hex(12)}")
    app_token: str = field(default_factory=lambda: f"xapp-1-{secrets.token_hex(12)}")

    def is_subscribed(self, event: str) -> bool:
        """Whether Slack would send this event: it is subscribed and its scope is granted."""
        scope = _EVENT_SCOPES.get(event)
        is_granted = scope is None or scope in self.scopes
        return is_granted and event in self.bot_events


def _user(name: str, *, team: str = DOMAIN, is_bot: bool = False, **fields: Any) -> User:
    fields.setdefault("display_name", fields.get("real_name") or name)
    if is_bot:
        fields["bot_id"] = named_id("B", name)
        fields["app_id"] = named_id("A", name)
    return User(
        id=named_id("U", name),
        team_id=named_id("T", team),
        name=name,
        is_bot=is_bot,
        **fields,
    )


@dataclass(frozen=True, slots=True)
class TeamChange:
    """The new version of a record; `previous` is the old version of a post.

    Files and reactions change with their posts.
    """

    record: Record
    previous: Post | None = None
    is_gone: bool = False


class TeamState:
    """What the page shows and the methods read. It knows nothing of sockets or HTTP."""

    def __init__(self, clock: SandboxClock, app: App) -> None:
        self.clock = clock
        self.app = app
        self.ids = Ids(clock)
        self._watchers: dict[Callable[[TeamChange], object], None] = {}
        self.bot = _user(app.name, real_name=app.name, display_name="", is_bot=True)
        users = {name: _user(name, **fields) for name, fields in _TEAM["users"].items()}
        users["bot"] = self.bot
        self.users = {user.id: user for user in users.values()}
        self.user_ids = {name: user.id for name, user in users.items()}
        """By the names in `team.yml`; the app's own user is "bot"."""
        self.channels: dict[str, Channel] = {}
        self.channel_ids: dict[str, str] = {}
        """By the names in `team.yml`, which a renamed channel keeps."""
        for name, about in _TEAM["channels"].items():
            fields: dict[str, Any] = {**about}
            members = [self.user_ids[member] for member in fields.pop("members").split()]
            channel_id = named_id("C", name)
            self.channel_ids[name] = channel_id
            self.channels[channel_id] = Channel(
                id=channel_id,
                name=name,
                members=tuple(members),
                purpose=f"All about {name}.",
                **fields,
            )
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

    def publish(self, change: TeamChange) -> None:
        """Hand a change to every watcher. Nobody waits for a slow reader."""
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
        self.publish(TeamChange(record, previous))

    def drop(self, record: Post | View) -> None:
        """Delete a post, or close a modal."""
        match record:
            case View():
                self.views.pop(record.id, None)
            case Post(ephemeral_to=None):
                del self.posts[record.channel][record.ts]
            case Post():
                del self.ephemerals[record.ts]
        self.publish(TeamChange(record, is_gone=True))
