"""The team's present state, and the only ways to change it. Every change is published."""

from dataclasses import replace

from bot.sandbox.slack.clock import SandboxClock
from bot.sandbox.slack.feed import Change, ChangeFeed
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
    User,
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
        self.users: dict[str, User] = {}
        for user in self.team.users.values():
            self.users[user.id] = user
        self.channels: dict[str, Channel] = {}
        for channel in self.team.channels.values():
            self.channels[channel.id] = channel
        self.posts: dict[str, dict[str, Post]] = {}
        self.ephemerals: list[Post] = []
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
        return self.posts.get(channel, {}).get(ts)

    def find_ephemeral(self, ts: str) -> Post | None:
        for post in self.ephemerals:
            if post.ts == ts:
                return post
        return None

    def posts_of(self, channel: str) -> list[Post]:
        """A channel's posts, replies included, oldest first; without ephemeral posts."""
        posts = self.posts.get(channel, {})
        return sorted(posts.values(), key=lambda post: post.ts)

    def replies_of(self, channel: str, thread_ts: str) -> list[Post]:
        posts = self.posts_of(channel)
        return [post for post in posts if post.is_reply and post.thread_ts == thread_ts]

    def add_post(self, post: Post) -> Post:
        """Put a post into its channel; its files note the share."""
        files = [self._share_file(file, post) for file in post.files]
        post = replace(post, files=tuple(files))
        self.posts.setdefault(post.channel, {})[post.ts] = post
        self.feed.publish(Change(post))
        return post

    def _share_file(self, file: File, post: Post) -> File:
        share = Share(
            channel=post.channel,
            ts=post.ts,
            thread_ts=post.thread_ts,
            is_public=self.channels[post.channel].kind == "channel",
        )
        known = self.files[file.id]
        shared = replace(known, shares=(*known.shares, share))
        self.files[file.id] = shared
        return shared

    def change_post(self, post: Post) -> None:
        """Replace a post by its new version."""
        previous = self.posts[post.channel][post.ts]
        self.posts[post.channel][post.ts] = post
        self.feed.publish(Change(post, previous))

    def remove_post(self, post: Post) -> None:
        del self.posts[post.channel][post.ts]
        self.feed.publish(Change(post, is_gone=True))

    def add_ephemeral(self, post: Post) -> None:
        self.ephemerals.append(post)
        self.feed.publish(Change(post))

    def remove_ephemeral(self, post: Post) -> None:
        self.ephemerals.remove(post)
        self.feed.publish(Change(post, is_gone=True))

    def delete_file(self, file_id: str) -> None:
        """Mark a file as deleted; posts keep a mark in its place."""
        self.files[file_id] = replace(self.files[file_id], is_deleted=True)

    def direct_channel(self, *members: str) -> Channel:
        """The direct conversation of these users, opened if there is none."""
        for known in self.channels.values():
            if known.is_direct and set(known.members) == set(members):
                return known
        key = "".join(sorted(members))
        if len(members) == 2:
            channel = Channel(id=self.ids.named("D", key), name="", kind="im", members=members)
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
        self.feed.publish(Change(view))

    def close_view(self, view: View) -> None:
        self.views.pop(view.id, None)
        self.feed.publish(Change(view, is_gone=True))

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
                self.deliveries[f"{record.envelope_id}/{record.attempt}"] = record
        self.feed.publish(Change(record))
