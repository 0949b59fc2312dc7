"""What people in the team do: saying, editing, reacting, pressing, filling in forms.

A gesture that asks the app something waits for its acknowledgement, at most 3 s by the stand-in's
clock, and returns the delivery: `acked_at_s` is None when the app did not answer, `answer` what
it said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import uuid4

from bot.sandbox.slack.actions import collect_state, collect_values, describe_action
from bot.sandbox.slack.arguments import Arguments, read_content
from bot.sandbox.slack.backend import SlackBackend
from bot.sandbox.slack.messages import show_post, show_view
from bot.sandbox.slack.records import Channel, Delivery, Post
from bot.sandbox.slack.team import DOMAIN
from bot.sandbox.slack.text import type_text
from bot.sandbox.slack.wire import JsonObject, without_none

TypedFile = tuple[str, bytes, str | None]
"""Name, bytes, and mimetype (None: told by the name)."""


class SimulatedPeople:
    """People and channels are given by name or id. Each gesture delivers what Slack would."""

    def __init__(self, backend: SlackBackend) -> None:
        self.backend = backend
        self.state = backend.state

    def user_id(self, user: str) -> str:
        known = self.state.team.users.get(user)
        return known.id if known else self.state.users[user].id

    def channel_id(self, channel: str) -> str:
        return self._channel(channel).id

    def _channel(self, channel: str) -> Channel:
        """As it is now."""
        known = self.state.team.channels.get(channel)
        return self.state.channels[known.id if known else channel]

    def dm_id(self, user: str) -> str:
        """The direct channel between the user and the bot, opened if there is none."""
        bot = self.backend.app.bot_user_id
        return self.state.direct_channel(self.user_id(user), bot).id

    def find(self, channel: str, ts: str) -> Post:
        """The post; raises KeyError when there is none."""
        return self.state.posts[self.channel_id(channel)][ts]

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
        is_foreign: bool = False,
    ) -> str:
        """A person posts wire text (see `typed`). Returns the ts; the events are on their way."""
        author = self.state.users[self.user_id(user)]
        place = self._channel(self.dm_id(user) if dm else channel or "")
        is_broadcast = bool(thread_ts and reply_broadcast)
        kept = (
            self.backend.add_file(
                name=name,
                title=name,
                content=content,
                user=author.id,
                mimetype=mimetype,
                is_foreign=is_foreign,
            )
            for name, content, mimetype in files
        )
        post = Post(
            channel=place.id,
            ts=self.state.ids.fresh_ts(),
            user=author.id,
            text=text,
            thread_ts=thread_ts,
            subtype="file_share" if files else "thread_broadcast" if is_broadcast else None,
            files=tuple(kept),
            bot_id=author.bot_id,
            app_id=author.app_id,
            client_msg_id=client_msg_id or str(uuid4()),
        )
        return self.backend.add_post(post).ts

    async def edit(self, user: str, channel: str, ts: str, text: str) -> None:
        changed = replace(self.find(channel, ts), text=text)
        self.backend.change_post(changed, editor=self.user_id(user))

    def delete_file(self, file_id: str) -> None:
        """Its author takes a file away; posts keep a mark in its place."""
        self.state.files[file_id] = replace(self.state.files[file_id], is_deleted=True)

    async def delete(self, channel: str, ts: str) -> None:
        self.backend.delete_post(self.find(channel, ts))

    async def react(
        self, user: str, channel: str, ts: str, name: str, *, added: bool = True
    ) -> None:
        """A person reacts to a post, or takes that back."""
        post, person = self.find(channel, ts), self.user_id(user)
        self.backend.set_reaction(post, name, person, added=added)

    async def invite(self, channel: str, user: str) -> None:
        """Someone brings a user, or the bot ("bot"), into a channel."""
        place, person = self._channel(channel), self.user_id(user)
        place = replace(place, members=(*place.members, person))
        self.state.keep(place)
        self._tell_member("member_joined_channel", place, person)

    async def remove_from_channel(self, channel: str, user: str) -> None:
        """A user, or the bot, is taken out of a channel."""
        place, person = self._channel(channel), self.user_id(user)
        self.state.keep(replace(place, members=tuple(m for m in place.members if m != person)))
        self._tell_member("member_left_channel", place, person)

    def _tell_member(self, event: str, place: Channel, user: str) -> None:
        kind = "C" if place.kind == "channel" else "G"
        team = self.state.users[user].team_id
        self.backend.tell(event, place, user=user, channel=place.id, channel_type=kind, team=team)

    async def archive(self, channel: str) -> None:
        place = replace(self._channel(channel), is_archived=True)
        self.state.keep(place)
        kind = f"{_event_kind(place)}_archive"
        self.backend.tell(kind, place, channel=place.id, user=place.creator)

    async def rename(self, channel: str, name: str) -> None:
        """Someone gives a channel another name; tests still find it by its first one."""
        place = replace(self._channel(channel), name=name)
        self.state.keep(place)
        told = {"id": place.id, "name": name, "name_normalized": name, "created": place.created_s}
        self.backend.tell(f"{_event_kind(place)}_rename", place, channel=told)

    def live_in(self, user: str, zone: str) -> None:
        """A user's profile names another time zone from now on; the app is not told of it."""
        person = self.user_id(user)
        self.state.users[person] = replace(self.state.users[person], tz=zone)

    async def stop_session(self, user: str, channel: str, thread_ts: str) -> None:
        """A person presses Stop: running streams end at once, then the app is told."""
        place = self._channel(channel)
        stopped: list[str] = []
        for post in self.state.replies_of(place.id, thread_ts):
            if post.stream and post.stream.is_open(self.state.clock.now()):
                ended = replace(post.stream, phase="completed", stopped_by_user=True)
                self.backend.change_post(replace(post, stream=ended))
                stopped.append(post.ts)
        if session := self.state.sessions.get((place.id, thread_ts)):
            self.state.keep(replace(session, status="active", status_text=""))
        self.backend.tell(
            "agent_session_stopped",
            place,
            channel=place.id,
            thread_ts=thread_ts,
            user=self.user_id(user),
            streaming_message_ts=stopped,
        )

    async def open_home(self, user: str, *, tab: str = "home") -> None:
        """A person opens the app: its Home tab, or its messages."""
        person = self.user_id(user)
        view = self.state.homes.get(person) if tab == "home" else None
        self.backend.tell(
            "app_home_opened",
            user=person,
            channel=self.dm_id(user),
            tab=tab,
            view=show_view(view) if view else None,
            context={} if tab == "messages" else None,
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
        entered: Mapping[str, object] | None = None,
    ) -> Delivery:
        """Use an element of a post, an ephemeral one too.

        Menus and radio buttons take the chosen option's value, checkboxes the values of all that
        are ticked, feedback buttons the pressed one's, inputs what is typed. `entered` is what
        the others show, by action id. The block is named where an action id stands in several.
        Raises KeyError for an element or an option that is not there.
        """
        shown = (post for post in self.state.ephemerals if post.ts == ts)
        post = next(shown, None) or self.find(channel, ts)
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
            state={"values": collect_values(post.blocks, {**(entered or {}), action_id: chosen})},
            actions=[self._action(post.blocks, action_id, block_id, chosen)],
        )

    async def click_view(
        self,
        user: str,
        view_id: str,
        action_id: str,
        chosen: object = None,
        *,
        block_id: str | None = None,
        entered: Mapping[str, object] | None = None,
    ) -> Delivery:
        """Use an element of a modal or of App Home; see `click`."""
        view = self.backend.views.find(view_id)
        values = {**(entered or {}), action_id: chosen}
        view = replace(view, state=collect_values(view.body["blocks"], values))
        return await self._interact(
            "block_actions",
            user,
            container={"type": "view", "view_id": view.id},
            view=show_view(view),
            actions=[self._action(view.body["blocks"], action_id, block_id, chosen)],
        )

    def _action(
        self, blocks: Sequence[JsonObject], action_id: str, block_id: str | None, chosen: object
    ) -> JsonObject:
        action = describe_action(blocks, action_id, block_id, chosen)
        return action | {"action_ts": self.state.ids.fresh_ts()}

    async def submit_view(
        self, user: str, view_id: str, entered: Mapping[str, object] | None = None
    ) -> Delivery:
        """Submit a modal with what was entered, by action id, and do what the app answers.

        Raises UnfilledError for an input that must be filled, KeyError for a choice that is not
        there.
        """
        view = self.state.views[view_id]
        view = replace(view, state=collect_state(view.body["blocks"], entered or {}))
        self.state.show_view(view)
        shown = show_view(view)
        delivery = await self._interact("view_submission", user, view=shown, response_urls=[])
        answer = delivery.answer or {}
        match answer.get("response_action"):
            case _ if delivery.acked_at_s is None:
                pass
            case "errors":
                pass
            case "update":
                self.backend.views.update(view.id, answer["view"])
            case _:
                self.state.close_view(view)
        return delivery

    async def close_view(self, view_id: str) -> None:
        """A person closes a modal. The app hears of it only where the view asks for that."""
        view = self.state.views[view_id]
        self.state.close_view(view)
        if view.body.get("notify_on_close"):
            await self._interact("view_closed", view.user, view=show_view(view), is_cleared=False)

    async def shortcut(self, user: str, channel: str, ts: str, callback_id: str) -> Delivery:
        """Choose a message shortcut of the app in the menu of a post."""
        post = self.find(channel, ts)
        place = self.state.channels[post.channel]
        return await self._interact(
            "message_action",
            user,
            callback_id=callback_id,
            message_ts=post.ts,
            message=show_post(self.state, post),
            channel={"id": place.id, "name": place.name or "directmessage"},
            action_ts=self.state.ids.fresh_ts(),
        )

    async def slash(self, user: str, channel: str, command: str, text: str = "") -> Delivery:
        """Run a slash command; a message in the acknowledgement is posted as Slack posts it."""
        person, place = self.user_id(user), self._channel(channel)
        payload: JsonObject = {
            "team_id": self.state.team.id,
            "channel_id": place.id,
            "channel_name": place.name or "directmessage",
            "user_id": person,
            "user_name": self.state.users[person].name,
            "command": command,
            "text": text,
            "api_app_id": self.state.team.app_id,
            "trigger_id": self.backend.views.trigger(person),
        }
        deliverer = self.backend.deliverer
        delivery = await deliverer.attempt("slash_commands", payload, accepts_answer=True)
        if delivery.answer:
            self._post_answer(person, place, Arguments(delivery.answer))
        return delivery

    def _post_answer(self, person: str, place: Channel, answer: Arguments) -> None:
        """In the app's name, to the person alone."""
        content, app = read_content(answer, self.state.ids), self.backend.app
        post = Post(
            channel=place.id,
            ts=self.state.ids.fresh_ts(),
            user=app.bot_user_id,
            bot_id=app.bot_id,
            app_id=app.id,
            text=content.text,
            blocks=content.blocks or (),
            ephemeral_to=person,
        )
        self.state.add_ephemeral(post)

    async def _interact(self, kind: str, user: str, **fields: object) -> Delivery:
        """Send the payload of a gesture, with what every one carries."""
        person = self.state.users[self.user_id(user)]
        payload: JsonObject = {
            "type": kind,
            "team": {"id": self.state.team.id, "domain": DOMAIN},
            "user": {"id": person.id, "name": person.name, "team_id": person.team_id},
            "api_app_id": self.state.team.app_id,
            "trigger_id": self.backend.views.trigger(person.id),
            **without_none(fields),
        }
        return await self.backend.deliverer.attempt(
            "interactive", payload, accepts_answer=kind == "view_submission"
        )


def _event_kind(channel: Channel) -> str:
    """Events about private channels have names of their own."""
    return "channel" if channel.kind == "channel" else "group"
