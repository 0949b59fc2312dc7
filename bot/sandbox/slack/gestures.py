"""What people in the team do by typing: saying, editing, deleting, reacting, inviting, stopping."""

from collections.abc import Sequence
from dataclasses import replace

from bot.sandbox.slack import events
from bot.sandbox.slack.messages import show_view
from bot.sandbox.slack.records import Channel, File, Post
from bot.sandbox.slack.text import rich_text_block, type_text
from bot.sandbox.slack.workspace import Workspace

TypedFile = tuple[str, bytes, str | None]
"""Name, bytes, and mimetype (None: told by the name)."""


class Gestures:
    """People and channels are given by name or id. Each gesture delivers what Slack would."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.state = workspace.state

    def user_id(self, user: str) -> str:
        known = self.state.team.users.get(user)
        return known.id if known else self.state.users[user].id

    def channel_id(self, channel: str) -> str:
        known = self.state.team.channels.get(channel)
        return known.id if known else self.state.channels[channel].id

    def dm_id(self, user: str) -> str:
        """The direct channel between the user and the bot, opened if there is none."""
        bot = self.workspace.app.bot_user_id
        return self.state.direct_channel(self.user_id(user), bot).id

    def typed(self, text: str) -> str:
        """The wire form of typed text: `@ann`, `@bot` or its name, `#general`, escapes, links."""
        users = {name: user.id for name, user in self.state.team.users.items()}
        users[self.state.team.bot.name] = self.state.team.bot.id
        channels = {name: channel.id for name, channel in self.state.team.channels.items()}
        return type_text(text, users, channels)

    async def say(
        self,
        user: str,
        channel: str | None = None,
        text: str = "",
        *,
        dm: bool = False,
        thread_ts: str | None = None,
        files: Sequence[TypedFile] = (),
        reply_broadcast: bool = False,
        client_msg_id: str | None = None,
    ) -> str:
        """A person posts wire text (see `typed`). Returns the ts; the events are on their way."""
        author, place = self.state.users[self.user_id(user)], self._place(user, channel, dm=dm)
        if author.id not in place.members:
            raise ValueError(f"{user} is no member of {place.name or place.id}")
        if place.is_archived:
            raise ValueError(f"{place.name} is archived")
        is_broadcast = bool(thread_ts and reply_broadcast)
        post = self.workspace.add_post(
            Post(
                channel=place.id,
                ts=self.state.ids.fresh_ts(),
                user=author.id,
                text=text,
                thread_ts=thread_ts,
                subtype="file_share" if files else "thread_broadcast" if is_broadcast else None,
                files=tuple(self._keep_file(author.id, file) for file in files),
                bot_id=author.bot_id,
                app_id=author.app_id,
                client_msg_id=client_msg_id or self.state.ids.fresh_uuid(),
            )
        )
        return post.ts

    async def other_bot_says(self, channel: str, text: str, *, thread_ts: str | None = None) -> str:
        """The other bot of the team posts."""
        return await self.say("robot", channel, text, thread_ts=thread_ts)

    def _place(self, user: str, channel: str | None, *, dm: bool) -> Channel:
        if dm == (channel is not None):
            raise ValueError("give either a channel or dm=True")
        return self.state.channels[
            self.dm_id(user) if channel is None else self.channel_id(channel)
        ]

    def _keep_file(self, user: str, file: TypedFile) -> File:
        name, content, mimetype = file
        return self.workspace.add_file(
            name=name, title=name, content=content, user=user, mimetype=mimetype
        )

    async def edit(self, user: str, channel: str, ts: str, text: str) -> None:
        """A person edits a post: the new text, marked as edited."""
        post = self.find(channel, ts)
        blocks = (rich_text_block(text, "edit"),) if post.blocks else ()
        changed = replace(post, text=text, blocks=blocks)
        self.workspace.change_post(changed, editor=self.user_id(user))

    async def delete(self, channel: str, ts: str) -> None:
        self.workspace.delete_post(self.find(channel, ts))

    async def react(self, user: str, channel: str, ts: str, name: str) -> None:
        self.workspace.add_reaction(self.find(channel, ts), name, self.user_id(user))

    async def unreact(self, user: str, channel: str, ts: str, name: str) -> None:
        self.workspace.remove_reaction(self.find(channel, ts), name, self.user_id(user))

    async def pin(self, user: str, channel: str, ts: str) -> None:
        """A person pins a post to its channel."""
        self.workspace.pin(self.find(channel, ts), self.user_id(user))

    async def unpin(self, user: str, channel: str, ts: str) -> None:
        self.workspace.unpin(self.find(channel, ts), self.user_id(user))

    async def invite(self, inviter: str, channel: str, user: str) -> None:
        """Someone invites a user, or the bot ("bot"), into a channel."""
        place = self.state.channels[self.channel_id(channel)]
        self.workspace.join(place, self.user_id(user), inviter=self.user_id(inviter))

    async def remove_from_channel(self, channel: str, user: str) -> None:
        """A user, or the bot, is taken out of a channel."""
        self.workspace.leave(self.state.channels[self.channel_id(channel)], self.user_id(user))

    async def archive(self, user: str, channel: str) -> None:
        self.workspace.archive(self.state.channels[self.channel_id(channel)], self.user_id(user))

    async def rename_channel(self, channel: str, name: str) -> None:
        """A channel gets another name; `channels` still finds it by the old one."""
        self.workspace.rename(self.state.channels[self.channel_id(channel)], name)

    async def open_home(self, user: str, *, tab: str = "home") -> None:
        """A person opens the app: its Home tab, or its messages."""
        person = self.user_id(user)
        view = self.state.homes.get(person) if tab == "home" else None
        shown = show_view(self.state, view) if view else None
        event = events.home_opened_event(self.state, person, self.dm_id(user), tab, shown)
        self.workspace.emit("app_home_opened", event)

    def live_in(self, user: str, zone: str) -> None:
        """A user's profile names another time zone from now on; the app is not told of it."""
        self.state.set_user(replace(self.state.users[self.user_id(user)], tz=zone))

    async def stop_session(self, user: str, channel: str, thread_ts: str) -> None:
        """A person presses Stop: running streams end at once, then the app is told."""
        self.workspace.stop_session(self.channel_id(channel), thread_ts, self.user_id(user))

    async def rename_session(self, user: str, channel: str, thread_ts: str, title: str) -> None:
        """A person gives the thread's agent session another title."""
        place, sessions = self.channel_id(channel), self.workspace.sessions
        previous = sessions.of_thread(place, thread_ts).title
        sessions.set_title(place, thread_ts, title)
        event = events.session_title_event(
            self.state, place, thread_ts, self.user_id(user), title, previous
        )
        self.workspace.emit("agent_session_title_changed", event, self.state.channels[place])

    async def look_at(self, user: str, channel: str) -> None:
        """A person looks at a channel with the agent open beside it."""
        event = events.context_changed_event(
            self.state, self.user_id(user), self.dm_id(user), self.channel_id(channel)
        )
        self.workspace.emit("app_context_changed", event)

    def find(self, channel: str, ts: str) -> Post:
        """The post; raises KeyError when there is none."""
        return self.state.posts[self.channel_id(channel)][ts]
