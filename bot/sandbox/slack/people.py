"""What people in the team do: saying, editing, reacting, pressing, filling in forms.

A gesture that asks the app something waits for the app's acknowledgement, at most 3 s by the
stand-in's clock, and returns the delivery: `acked_at_s` is None when the app did not answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from bot.sandbox.slack.backend import SlackBackend
from bot.sandbox.slack.blocks import collect_state, describe_action
from bot.sandbox.slack.messages import show_post, show_view
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import Channel, Delivery, Post
from bot.sandbox.slack.state import TEAM_ID
from bot.sandbox.slack.wire import JsonObject, type_text, without_none

TypedFile = tuple[str, bytes, str | None]
"""Name, bytes, and mimetype (None: guessed from the name)."""


class SimulatedPeople:
    """People and channels are given by name or id. Each gesture delivers what Slack would."""

    def __init__(self, backend: SlackBackend) -> None:
        self.backend = backend
        self.state = backend.state

    def user_id(self, user: str) -> str:
        return self.state.user_ids.get(user, user)

    def channel_id(self, channel: str) -> str:
        return self.state.channel_ids.get(channel, channel)

    def _channel(self, channel: str) -> Channel:
        """The present version of a channel."""
        return self.state.channels[self.channel_id(channel)]

    def dm_id(self, user: str) -> str:
        """The direct channel between the user and the bot, opened if there is none."""
        return self.state.direct_channel(self.user_id(user)).id

    def find(self, channel: str, ts: str) -> Post:
        """The post; raises KeyError when there is none."""
        return self.state.posts[self.channel_id(channel)][ts]

    def typed(self, text: str) -> str:
        """The wire form of typed text: `@ann`, `@bot` or its name, `#general`, escapes, links."""
        references = {
            "@here": "<!here>",
            "@channel": "<!channel>",
            "@everyone": "<!everyone>",
            f"@{self.state.bot.name}": f"<@{self.state.bot.id}>",
        }
        for name, user_id in self.state.user_ids.items():
            references[f"@{name}"] = f"<@{user_id}>"
        for name, channel_id in self.state.channel_ids.items():
            references[f"#{name}"] = f"<#{channel_id}|{name}>"
        return type_text(text, references)

    async def say(
        self,
        user: str,
        channel: str | None = None,
        text: str = "",
        *,
        dm: bool = False,
        thread_ts: str | None = None,
        files: Sequence[TypedFile] = (),
        is_foreign: bool = False,
    ) -> str:
        """A person posts wire text (see `typed`). Returns the ts; the events are on their way."""
        author = self.state.users[self.user_id(user)]
        attached = [
            self.backend.new_file(
                name=name,
                content=content,
                user=author.id,
                mimetype=mimetype,
                is_foreign=is_foreign,
            )
            for name, content, mimetype in files
        ]
        self.state.files.update({file.id: file for file in attached})
        post = self.state.draft(
            author,
            self.dm_id(user) if dm else self.channel_id(channel or ""),
            text=text,
            thread_ts=thread_ts,
            subtype="file_share" if attached else None,
            files=tuple(attached),
            client_msg_id=str(uuid4()),
        )
        self.backend.add_post(post)
        return post.ts

    async def edit(
        self,
        user: str,
        channel: str,
        ts: str,
        text: str,
    ) -> None:
        post = self.find(channel, ts)
        changed = replace(post, text=text)
        editor = self.user_id(user)
        self.backend.change_post(changed, editor=editor)

    async def delete(self, channel: str, ts: str) -> None:
        self.backend.delete_post(self.find(channel, ts))

    async def react(
        self,
        user: str,
        channel: str,
        ts: str,
        name: str,
        *,
        added: bool = True,
    ) -> None:
        """A person reacts to a post, or takes the reaction back."""
        post = self.find(channel, ts)
        person = self.user_id(user)
        if added:
            self.backend.add_reaction(post, name, person)
        else:
            self.backend.remove_reaction(post, name, person)

    async def invite(self, channel: str, user: str) -> None:
        """Someone brings a user, or the bot ("bot"), into a channel."""
        members = (*self._channel(channel).members, self.user_id(user))
        self.change_channel(channel, members=members)

    def change_channel(self, channel: str, **fields: Any) -> None:
        """Someone archives or renames a channel; tests still find it by its first name."""
        self.state.keep(replace(self._channel(channel), **fields))

    def live_in(self, user: str, zone: str) -> None:
        """Set the time zone of a user's profile; the app gets no event."""
        person = self.user_id(user)
        self.state.users[person] = replace(self.state.users[person], tz=zone)

    async def stop_session(self, user: str, channel: str, thread_ts: str) -> None:
        """A person presses Stop: running streams end at once, then the app gets the event."""
        current = self._channel(channel)
        now_s = self.state.clock.now()
        for post in self.state.replies_of(current.id, thread_ts):
            stream = post.stream
            if stream is not None and stream.is_open(now_s):
                ended = replace(stream, phase="completed", stopped_by_user=True)
                self.backend.change_post(replace(post, stream=ended))
        session = self.state.sessions.get((current.id, thread_ts))
        if session is not None:
            self.state.keep(replace(session, status="active", status_text=""))
        self.backend.emit_now(
            "agent_session_stopped",
            current,
            channel=current.id,
            thread_ts=thread_ts,
            user=self.user_id(user),
        )

    async def open_home(self, user: str, *, tab: str = "home") -> None:
        """A person opens the app: its Home tab, or its messages."""
        self.backend.emit_now(
            "app_home_opened",
            user=self.user_id(user),
            channel=self.dm_id(user),
            tab=tab,
        )

    async def click(
        self,
        user: str,
        channel: str,
        ts: str,
        action_id: str,
        chosen: object = None,
        *,
        block_id: str | None = None,
    ) -> Delivery:
        """Use an element of a post, an ephemeral one too.

        `chosen` is the value of a menu's option or of the pressed feedback button. The block is
        named where several blocks have an element of this action id. Raises KeyError for an
        unknown element or option.
        """
        post = self.state.ephemerals.get(ts) or self.find(channel, ts)
        container = {
            "type": "message",
            "message_ts": post.ts,
            "channel_id": post.channel,
            "is_ephemeral": post.ephemeral_to is not None,
            "thread_ts": post.thread_ts,
        }
        return await self._interact(
            "block_actions",
            user,
            container=without_none(container),
            channel={"id": post.channel},
            message=None if post.ephemeral_to else show_post(self.state, post),
            response_url=f"{self.backend.base_url}/actions/{post.ts}",
            actions=self._actions(post.blocks, action_id, block_id, chosen),
        )

    async def click_view(
        self,
        user: str,
        view_id: str,
        action_id: str,
        chosen: object = None,
        *,
        block_id: str | None = None,
    ) -> Delivery:
        """Use an element of a modal or of App Home; see `click`."""
        view = self.backend.views.find(view_id)
        return await self._interact(
            "block_actions",
            user,
            container={"type": "view", "view_id": view.id},
            view=show_view(view),
            actions=self._actions(view.body["blocks"], action_id, block_id, chosen),
        )

    def _actions(
        self, blocks: Sequence[JsonObject], action_id: str, block_id: str | None, chosen: object
    ) -> list[JsonObject]:
        """The only entry of `actions`."""
        action = describe_action(blocks, action_id, block_id, chosen)
        action["action_ts"] = self.state.ids.fresh_ts()
        return [action]

    async def submit_view(
        self, user: str, view_id: str, entered: Mapping[str, object] | None = None
    ) -> Delivery:
        """Submit a modal with the entered values, by action id.

        The modal closes unless the app answers with errors or not at all. Raises UnfilledError
        for an empty required input, KeyError for an unknown option.
        """
        view = self.state.views[view_id]
        view = replace(view, state=collect_state(view.body["blocks"], entered or {}))
        self.state.keep(view)
        delivery = await self._interact("view_submission", user, view=show_view(view))
        answer = delivery.answer or {}
        has_errors = answer.get("response_action") == "errors"
        if delivery.acked_at_s is not None and not has_errors:
            self.state.drop(view)
        return delivery

    async def close_view(self, view_id: str) -> None:
        """A person closes a modal; the app gets no payload."""
        self.state.drop(self.state.views[view_id])

    async def shortcut(
        self,
        user: str,
        channel: str,
        ts: str,
        callback_id: str,
    ) -> Delivery:
        """Choose a message shortcut of the app in the menu of a post."""
        post = self.find(channel, ts)
        return await self._interact(
            "message_action",
            user,
            callback_id=callback_id,
            message_ts=post.ts,
            message=show_post(self.state, post),
            channel={"id": post.channel},
            action_ts=self.state.ids.fresh_ts(),
        )

    async def slash(
        self,
        user: str,
        channel: str,
        command: str,
        text: str = "",
    ) -> Delivery:
        """Run a slash command; a message in the acknowledgement is posted as Slack posts it.

        The app is the post's author, and only the person sees the post.
        """
        person = self.user_id(user)
        channel_id = self.channel_id(channel)
        payload = {
            "team_id": TEAM_ID,
            "channel_id": channel_id,
            "user_id": person,
            "command": command,
            "text": text,
            "api_app_id": self.state.bot.app_id,
            "trigger_id": self.backend.views.trigger(person),
        }
        delivery = await self.backend.sockets.attempt("slash_commands", payload)
        if not delivery.answer:
            return delivery
        content = MethodCall(delivery.answer, self.backend).content()
        post = self.state.draft(self.state.bot, channel_id, ephemeral_to=person, **content)
        self.state.keep(post)
        return delivery

    async def _interact(self, kind: str, user: str, **fields: object) -> Delivery:
        """Send the payload of a gesture, with the fields common to all gestures."""
        person = self.state.users[self.user_id(user)]
        payload = {
            "type": kind,
            "team": {"id": TEAM_ID},
            "user": {
                "id": person.id,
                "name": person.name,
                "team_id": person.team_id,
            },
            "api_app_id": self.state.bot.app_id,
            "trigger_id": self.backend.views.trigger(person.id),
            **without_none(fields),
        }
        return await self.backend.sockets.attempt("interactive", payload)
