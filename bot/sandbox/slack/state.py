"""The team's present state, and the only ways to change it. Every change is published."""

from collections import defaultdict
from dataclasses import replace

from bot.sandbox.slack.clock import SandboxClock
from bot.sandbox.slack.feed import ChangeFeed, TeamChange
from bot.sandbox.slack.records import (
    AgentSession,
    ApiCall,
    Channel,
    Delivery,
    File,
    PendingUpload,
    Post,
    Share,
    SuggestedPrompts,
    View,
)
from bot.sandbox.slack.team import Ids, build_team


class TeamState:
    """What the page shows and the methods read. It knows nothing of sockets or HTTP."""

    def __init__(self, clock: SandboxClock, bot_name: str) -> None:
        self.clock = clock
        self.ids = Ids(clock)
        self.feed = ChangeFeed()
        self.team = build_team(self.ids, bot_name)
        self.users = {user.id: user for user in self.team.users.values()}
        self.channels = {channel.id: channel for channel in self.team.channels.values()}
        self.posts: defaultdict[str, dict[str, Post]] = defaultdict(dict)
        """By channel and ts."""
        self.ephemerals: dict[str, Post] = {}
        """By ts."""
        self.uploads: dict[str, PendingUpload] = {}
        """By ticket, until they are completed."""
        self.files: dict[str, File] = {}
        self.sessions: dict[tuple[str, str], AgentSession] = {}
        self.prompts: dict[str, SuggestedPrompts] = {}
        self.views: dict[str, View] = {}
        self.homes: dict[str, View] = {}
        self.calls: list[ApiCall] = []
        self.deliveries: dict[str, Delivery] = {}

    def find_post(self, channel: str, ts: str) -> Post | None:
        return self.posts[channel].get(ts)

    def posts_of(self, channel: str) -> list[Post]:
        """A channel's posts, replies included, oldest first; without ephemeral posts."""
        posts = self.posts[channel]
        return [posts[ts] for ts in sorted(posts)]

    def replies_of(self, channel: str, thread_ts: str) -> list[Post]:
        return [
            post for post in self.posts_of(channel) if post.is_reply and post.thread_ts == thread_ts
        ]

    def add_post(self, post: Post) -> None:
        """Put a post into its channel; its files note the share."""
        channel = self.channels[post.channel]
        share = Share(
            channel=post.channel,
            ts=post.ts,
            thread_ts=post.thread_ts,
            is_public=channel.kind == "channel",
        )
        for file in post.files:
            known = self.files[file.id]
            self.files[file.id] = replace(known, shares=(*known.shares, share))
        self.posts[post.channel][post.ts] = post
        self.feed.publish(TeamChange(post))

    def change_post(self, post: Post) -> None:
        """Replace a post by its new version."""
        posts = self.posts[post.channel]
        change = TeamChange(post, previous=posts[post.ts])
        posts[post.ts] = post
        self.feed.publish(change)

    def remove_post(self, post: Post) -> None:
        del self.posts[post.channel][post.ts]
        self.feed.publish(TeamChange(post, is_gone=True))

    def add_ephemeral(self, post: Post) -> None:
        self.ephemerals[post.ts] = post
        self.feed.publish(TeamChange(post))

    def remove_ephemeral(self, post: Post) -> None:
        del self.ephemerals[post.ts]
        self.feed.publish(TeamChange(post, is_gone=True))

    def delete_file(self, file_id: str) -> None:
        """Mark a file as deleted; posts keep a mark in its place."""
        file = self.files[file_id]
        self.files[file_id] = replace(file, is_deleted=True)

    def direct_channel(self, *members: str) -> Channel:
        """The direct conversation of these users, opened if there is none."""
        wanted = set(members)
        for known in self.channels.values():
            if known.is_direct and set(known.members) == wanted:
                return known
        key = "".join(sorted(members))
        if len(members) == 2:
            channel = Channel(
                id=self.ids.named("D", key),
                name="",
                kind="im",
                members=members,
            )
        else:
            names = [self.users[user].name for user in members]
            channel = Channel(
                id=self.ids.named("G", key),
                name="mpdm-" + "--".join(names),
                kind="mpim",
                members=members,
            )
        self.keep(channel)
        return channel

    def show_view(self, view: View) -> None:
        if view.type == "home":
            self.homes[view.user] = view
        else:
            self.views[view.id] = view
        self.feed.publish(TeamChange(view))

    def close_view(self, view: View) -> None:
        self.views.pop(view.id, None)
        self.feed.publish(TeamChange(view, is_gone=True))

    def keep(self, record: Channel | AgentSession | SuggestedPrompts | ApiCall | Delivery) -> None:
        """Store a record; a new version replaces the old one."""
        match record:
            case Channel():
                self.channels[record.id] = record
            case AgentSession():
                self.sessions[record.channel, record.thread_ts] = record
            case SuggestedPrompts():
                self.prompts[record.channel] = record
            case ApiCall():
                self.calls.append(record)
            case Delivery():
                key = f"{record.envelope_id}/{record.attempt}"
                self.deliveries[key] = record
        self.feed.publish(TeamChange(record))
