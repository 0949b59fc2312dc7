"""The team's present state, and the only ways to change it. Every change is published."""

from dataclasses import replace

from bot.sandbox.slack.clock import Clock
from bot.sandbox.slack.feed import Change, Feed
from bot.sandbox.slack.records import (
    ApiCall,
    Channel,
    Delivery,
    File,
    Post,
    Session,
    Share,
    SuggestedPrompts,
    Upload,
    User,
    View,
)
from bot.sandbox.slack.team import Ids, build_team


class State:
    """What a page shows and what the methods read. It knows nothing of sockets or HTTP."""

    def __init__(self, clock: Clock, bot_name: str) -> None:
        self.clock = clock
        self.ids = Ids(clock)
        self.feed = Feed()
        self.team = build_team(self.ids, bot_name, int(clock.now()) - 86_400)
        self.users: dict[str, User] = {user.id: user for user in self.team.users.values()}
        self.channels: dict[str, Channel] = {c.id: c for c in self.team.channels.values()}
        self.posts: dict[str, dict[str, Post]] = {}
        self.ephemerals: list[Post] = []
        self.uploads: dict[str, Upload] = {}
        """By ticket, until they are completed."""
        self.files: dict[str, File] = {}
        self.deleted_files: set[str] = set()
        self.sessions: dict[tuple[str, str], Session] = {}
        self.prompts: dict[str, SuggestedPrompts] = {}
        self.views: dict[str, View] = {}
        self.homes: dict[str, View] = {}
        self.calls: list[ApiCall] = []
        self.deliveries: dict[str, Delivery] = {}

    def find_post(self, channel: str, ts: str) -> Post | None:
        return self.posts.get(channel, {}).get(ts)

    def posts_of(self, channel: str) -> list[Post]:
        """The posts of a channel, replies included, oldest first; ephemerals are not among them."""
        return sorted(self.posts.get(channel, {}).values(), key=lambda post: post.ts)

    def replies_of(self, channel: str, thread_ts: str) -> list[Post]:
        posts = self.posts_of(channel)
        return [post for post in posts if post.is_reply and post.thread_ts == thread_ts]

    def add_post(self, post: Post) -> Post:
        """Put a post into its channel and note in its files that they are shared there."""
        post = replace(post, files=tuple(self._share_file(file, post) for file in post.files))
        self.posts.setdefault(post.channel, {})[post.ts] = post
        self.feed.publish(Change(post))
        return post

    def _share_file(self, file: File, post: Post) -> File:
        is_public = self.channels[post.channel].kind == "channel"
        share = Share(
            channel=post.channel, ts=post.ts, thread_ts=post.thread_ts, is_public=is_public
        )
        file = self.files[file.id]
        file = self.files[file.id] = replace(file, shares=(*file.shares, share))
        return file

    def change_post(self, post: Post) -> None:
        """Put the new version of a post in the place of the old one."""
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

    def set_user(self, user: User) -> None:
        """Put a user in the place of the one with the same id."""
        names = {known.id: name for name, known in self.team.users.items()}
        self.users[user.id] = self.team.users[names[user.id]] = user

    def set_channel(self, channel: Channel) -> None:
        self.channels[channel.id] = channel
        self.feed.publish(Change(channel))

    def find_direct_channel(self, *members: str) -> Channel | None:
        """The direct conversation of these users, if one was opened."""
        wanted = frozenset(members)
        direct = (channel for channel in self.channels.values() if channel.is_direct)
        return next((channel for channel in direct if frozenset(channel.members) == wanted), None)

    def direct_channel(self, *members: str) -> Channel:
        """The direct conversation of these users, opened if there is none."""
        if (known := self.find_direct_channel(*members)) is not None:
            return known
        is_pair = len(members) <= 2
        name = "mpdm-" + "--".join(self.users[user].name for user in members) + "-1"
        channel = Channel(
            id=self.ids.named("D" if is_pair else "G", "".join(sorted(members))),
            name="" if is_pair else name,
            kind="im" if is_pair else "mpim",
            creator=members[0],
            created_s=int(self.clock.now()),
            members=members,
        )
        self.set_channel(channel)
        return channel

    def set_session(self, session: Session) -> None:
        self.sessions[session.channel, session.thread_ts] = session
        self.feed.publish(Change(session))

    def set_prompts(self, prompts: SuggestedPrompts) -> None:
        self.prompts[prompts.channel] = prompts
        self.feed.publish(Change(prompts))

    def show_view(self, view: View) -> None:
        shelf = self.homes if view.type == "home" else self.views
        shelf[view.user if view.type == "home" else view.id] = view
        self.feed.publish(Change(view))

    def close_view(self, view: View) -> None:
        self.views.pop(view.id, None)
        self.feed.publish(Change(view, is_gone=True))

    def note_call(self, call: ApiCall) -> None:
        self.calls.append(call)
        self.feed.publish(Change(call))

    def note_delivery(self, delivery: Delivery) -> None:
        self.deliveries[f"{delivery.envelope_id}/{delivery.attempt}"] = delivery
        self.feed.publish(Change(delivery))
