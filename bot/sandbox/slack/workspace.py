"""What happens in the team: each act changes the state and tells the app what it may know."""

from dataclasses import replace
from urllib.parse import quote

from bot.sandbox.slack import events
from bot.sandbox.slack.app import MESSAGE_EVENTS, App
from bot.sandbox.slack.background import Background
from bot.sandbox.slack.clock import Clock
from bot.sandbox.slack.delivery import Deliverer
from bot.sandbox.slack.feed import ReactionChanged
from bot.sandbox.slack.links import is_of_domains, links_in
from bot.sandbox.slack.modals import Modals
from bot.sandbox.slack.records import Channel, Edited, File, Post, Reaction
from bot.sandbox.slack.responses import ResponseUrls
from bot.sandbox.slack.sessions import Sessions
from bot.sandbox.slack.sockets import Sockets
from bot.sandbox.slack.state import State
from bot.sandbox.slack.text import mentions_user
from bot.sandbox.slack.triggers import Triggers
from bot.sandbox.slack.uploads import Uploads, guess_types
from bot.sandbox.slack.wire import JsonObject


class Workspace:
    """Used by people and by the Web API alike, so that both leave the same traces."""

    def __init__(self, state: State, app: App, sockets: Sockets, background: Background) -> None:
        self.state = state
        self.app = app
        self.sockets = sockets
        self.background = background
        self.deliverer = Deliverer(state, sockets, background)
        self.sessions = Sessions(state, background)
        self.modals = Modals(state)
        self.response_urls = ResponseUrls(state, app, self)
        self.revoked_tokens: set[str] = set()
        self.triggers = Triggers(state.clock)
        self.uploads = Uploads(state.ids)
        self.base_url = ""

    @property
    def clock(self) -> Clock:
        return self.state.clock

    def emit(self, subscription: str, event: JsonObject, channel: Channel | None = None) -> None:
        """Send an event if the app subscribed to it and may see the channel."""
        if not self.app.is_subscribed(subscription):
            return
        if channel is None or self.app.is_member(channel):
            self.deliverer.start_event(events.wrap_event(self.state, self.app, event, channel))

    def add_post(self, post: Post) -> Post:
        """Post a message. Whoever wrote it: the app is told of it like of any other."""
        post = self.state.add_post(post)
        channel = self.state.channels[post.channel]
        if self._mentions_app(post, channel):
            self.emit("app_mention", events.mention_event(self.state, post), channel)
        self._emit_message(channel, events.message_event(self.state, post, channel))
        self._tell_links(post, channel)
        for file in post.files:
            event = events.file_shared_event(self.state, file.id, post.user, channel.id)
            self.emit("file_shared", event, channel)
        return post

    def _tell_links(self, post: Post, channel: Channel) -> None:
        """Links of the app's own domains are told to it, for `chat.unfurl`."""
        links = [u for u in links_in(post.text) if is_of_domains(u, self.app.unfurl_domains)]
        if links and post.user != self.app.bot_user_id:
            self.emit("link_shared", events.link_shared_event(self.state, post, links), channel)

    def _mentions_app(self, post: Post, channel: Channel) -> bool:
        is_own = post.user == self.app.bot_user_id
        return (
            not channel.is_direct and not is_own and mentions_user(post.text, self.app.bot_user_id)
        )

    def _emit_message(self, channel: Channel, event: JsonObject) -> None:
        self.emit(MESSAGE_EVENTS[channel.kind], event, channel)

    def add_file(
        self,
        *,
        name: str,
        title: str,
        content: bytes,
        user: str,
        file_id: str | None = None,
        mimetype: str | None = None,
        alt_txt: str | None = None,
    ) -> File:
        """Keep a file; it is seen by others once a post shares it."""
        file_id = file_id or self.state.ids.fresh("F")
        guessed_mimetype, filetype = guess_types(name)
        file = File(
            id=file_id,
            name=name,
            title=title,
            mimetype=mimetype or guessed_mimetype,
            filetype=filetype,
            user=user,
            created_s=int(self.clock.now()),
            content=content,
            alt_txt=alt_txt,
            url_private=f"{self.base_url}/files-pri/{self.app.team_id}-{file_id}/{quote(name)}",
        )
        self.state.files[file_id] = file
        return file

    def change_post(self, post: Post, *, editor: str | None = None) -> Post:
        """Put a new version in place; with an editor it is marked as edited.

        Slack tells of an edited mention once more, whether or not the edit added it: the same ts,
        with `edited` (slack-go/slack#1256, chenhg5/cc-connect#1579).
        """
        previous = self.state.posts[post.channel][post.ts]
        if editor:
            post = replace(post, edited=Edited(user=editor, ts=self.state.ids.fresh_ts()))
        self.state.change_post(post)
        channel = self.state.channels[post.channel]
        if editor and self._mentions_app(post, channel):
            self.emit("app_mention", events.mention_event(self.state, post), channel)
        self._emit_message(channel, events.changed_event(self.state, post, previous, channel))
        return post

    def delete_post(self, post: Post) -> None:
        """Delete a post; the root of a thread with replies stays behind as a tombstone."""
        channel = self.state.channels[post.channel]
        if not post.is_reply and self.state.replies_of(post.channel, post.ts):
            self.state.change_post(
                Post(
                    channel=post.channel,
                    ts=post.ts,
                    thread_ts=post.ts,
                    user="USLACKBOT",
                    text="This message was deleted.",
                    subtype="tombstone",
                )
            )
        else:
            self.state.remove_post(post)
        self._emit_message(channel, events.deleted_event(self.state, post, channel))

    def add_reaction(self, post: Post, name: str, user: str) -> bool:
        """React to a post; False when the user had done so already."""
        users = next((r.users for r in post.reactions if r.name == name), ())
        if user in users:
            return False
        self._set_reaction(post, name, (*users, user))
        self._tell_reaction(post, name, user, added=True)
        return True

    def remove_reaction(self, post: Post, name: str, user: str) -> bool:
        """Take a reaction back; False when there is none."""
        users = next((r.users for r in post.reactions if r.name == name), ())
        if user not in users:
            return False
        self._set_reaction(post, name, tuple(u for u in users if u != user))
        self._tell_reaction(post, name, user, added=False)
        return True

    def _set_reaction(self, post: Post, name: str, users: tuple[str, ...]) -> None:
        names = dict.fromkeys([*(reaction.name for reaction in post.reactions), name])
        by_name = {r.name: r.users for r in post.reactions} | {name: users}
        reactions = (Reaction(name=n, users=by_name[n]) for n in names if by_name[n])
        self.state.change_post(replace(post, reactions=tuple(reactions)))

    def _tell_reaction(self, post: Post, name: str, user: str, *, added: bool) -> None:
        self.state.publish(
            ReactionChanged(channel=post.channel, ts=post.ts, name=name, user=user, added=added)
        )
        event = events.reaction_event(self.state, post, name, user, added=added)
        self.emit(event["type"], event, self.state.channels[post.channel])

    def pin(self, post: Post, user: str) -> None:
        """Pin a post to its channel."""
        self.state.pins.setdefault(post.channel, []).append(post.ts)
        self._tell_pin(post, user, added=True)

    def unpin(self, post: Post, user: str) -> None:
        """Take a pin off."""
        self.state.pins[post.channel].remove(post.ts)
        self._tell_pin(post, user, added=False)

    def _tell_pin(self, post: Post, user: str, *, added: bool) -> None:
        event = events.pin_event(self.state, post, user, added=added)
        self.emit(event["type"], event, self.state.channels[post.channel])

    def join(self, channel: Channel, user: str, *, inviter: str | None = None) -> Channel:
        """Make a user a member of a channel."""
        channel = replace(channel, members=(*channel.members, user))
        self.state.set_channel(channel)
        event = events.member_joined_event(self.state, user, channel, inviter)
        self.emit("member_joined_channel", event, channel)
        return channel

    def leave(self, channel: Channel, user: str) -> None:
        """Take a user out of a channel; the app learns of its own leave as `channel_left`."""
        members = tuple(member for member in channel.members if member != user)
        event: JsonObject = {"channel": channel.id, "event_ts": self.state.ids.fresh_ts()}
        if user == self.app.bot_user_id:
            self.emit("channel_left", {"type": "channel_left", "actor_id": user, **event}, channel)
        else:
            left = {"type": "member_left_channel", "user": user, "team": self.app.team_id, **event}
            self.emit("member_left_channel", left, channel)
        self.state.set_channel(replace(channel, members=members))

    def archive(self, channel: Channel, user: str) -> None:
        self.state.set_channel(replace(channel, is_archived=True))
        name = "channel_archive" if channel.kind == "channel" else "group_archive"
        event_ts = self.state.ids.fresh_ts()
        event = {"type": name, "channel": channel.id, "user": user, "event_ts": event_ts}
        self.emit(name, event, channel)

    def rename(self, channel: Channel, name: str) -> None:
        """Give a channel another name."""
        self.state.set_channel(replace(channel, name=name))
        shown: JsonObject = {
            "id": channel.id,
            "name": name,
            "name_normalized": name,
            "created": channel.created_s,
            "is_channel": channel.kind == "channel",
            "is_mpim": channel.kind == "mpim",
        }
        kind = "channel_rename" if channel.kind == "channel" else "group_rename"
        event = {"type": kind, "channel": shown, "event_ts": self.state.ids.fresh_ts()}
        self.emit(kind, event, channel)

    def stop_session(self, channel_id: str, thread_ts: str, user: str) -> None:
        """End the thread's running streams, set its session to active and tell the app."""
        streams = [
            post
            for post in self.state.replies_of(channel_id, thread_ts)
            if post.stream and post.stream.is_open(self.clock.now())
        ]
        for post in streams:
            if post.stream:
                ended = replace(post.stream, phase="completed", stopped_by_user=True)
                self.change_post(replace(post, stream=ended))
        session = self.state.sessions.get((channel_id, thread_ts))
        if session is not None:
            self.state.set_session(replace(session, status="active", status_text=""))
        event = events.session_stopped_event(
            self.state, channel_id, thread_ts, user, [post.ts for post in streams]
        )
        self.emit("agent_session_stopped", event, self.state.channels[channel_id])
