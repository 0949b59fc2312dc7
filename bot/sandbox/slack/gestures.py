"""What people in the team do: saying, editing, reacting, pressing, filling in forms.

A gesture that asks the app something waits for its acknowledgement, at most 3 s by the stand-in's
clock, and returns the delivery: `acked_at_s` is None when the app did not answer, `answer` what
it said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.sandbox.slack.actions import (
    blocks_of_post,
    collect_state,
    collect_values,
    describe_action,
    find_element,
)
from bot.sandbox.slack.arguments import Arguments
from bot.sandbox.slack.content import read_content
from bot.sandbox.slack.messages import show_post, show_view
from bot.sandbox.slack.records import Channel, Delivery, Post, View
from bot.sandbox.slack.team import DOMAIN
from bot.sandbox.slack.text import type_text
from bot.sandbox.slack.wire import JsonObject, without_none
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
        return self._channel(channel).id

    def _channel(self, channel: str) -> Channel:
        """As it is now; a channel that was renamed is found by its first name."""
        known = self.state.team.channels.get(channel)
        return self.state.channels[known.id if known else channel]

    def dm_id(self, user: str) -> str:
        """The direct channel between the user and the bot, opened if there is none."""
        bot = self.workspace.app.bot_user_id
        return self.state.direct_channel(self.user_id(user), bot).id

    def find(self, channel: str, ts: str) -> Post:
        """The post; raises KeyError when there is none."""
        return self.state.posts[self.channel_id(channel)][ts]

    def find_shown(self, channel: str, ts: str) -> Post:
        """A post, or an ephemeral one. Raises KeyError."""
        place = (self.channel_id(channel), ts)
        shown = (post for post in self.state.ephemerals if (post.channel, post.ts) == place)
        return next(shown, None) or self.find(channel, ts)

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
        if dm == (channel is not None):
            raise ValueError("give either a channel or dm=True")
        author = self.state.users[self.user_id(user)]
        place = self._channel(channel or self.dm_id(user))
        if author.id not in place.members:
            raise ValueError(f"{user} is no member of {place.name or place.id}")
        if place.is_archived:
            raise ValueError(f"{place.name} is archived")
        is_broadcast = bool(thread_ts and reply_broadcast)
        kept = (
            self.workspace.add_file(
                name=name, title=name, content=content, user=author.id, mimetype=mimetype
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
            client_msg_id=client_msg_id or self.state.ids.fresh_uuid(),
        )
        return self.workspace.add_post(post).ts

    async def other_bot_says(self, channel: str, text: str, *, thread_ts: str | None = None) -> str:
        """The other bot of the team posts."""
        return await self.say("robot", channel, text, thread_ts=thread_ts)

    async def edit(self, user: str, channel: str, ts: str, text: str) -> None:
        """A person edits a post: the new text, marked as edited."""
        changed = replace(self.find(channel, ts), text=text)
        self.workspace.change_post(changed, editor=self.user_id(user))

    async def delete(self, channel: str, ts: str) -> None:
        self.workspace.delete_post(self.find(channel, ts))

    async def react(self, user: str, channel: str, ts: str, name: str) -> None:
        person = self.user_id(user)
        self.workspace.set_reaction(self.find(channel, ts), name, person, added=True)

    async def unreact(self, user: str, channel: str, ts: str, name: str) -> None:
        person = self.user_id(user)
        self.workspace.set_reaction(self.find(channel, ts), name, person, added=False)

    async def invite(self, inviter: str, channel: str, user: str) -> None:
        """Someone invites a user, or the bot ("bot"), into a channel."""
        place, inviter = self._channel(channel), self.user_id(inviter)
        self.workspace.join(place, self.user_id(user), inviter=inviter)

    async def remove_from_channel(self, channel: str, user: str) -> None:
        """A user, or the bot, is taken out of a channel."""
        self.workspace.leave(self._channel(channel), self.user_id(user))

    async def archive(self, user: str, channel: str) -> None:
        self.workspace.archive(self._channel(channel), self.user_id(user))

    async def rename_channel(self, channel: str, name: str) -> None:
        """A channel gets another name; `channels` still finds it by the old one."""
        self.workspace.rename(self._channel(channel), name)

    def live_in(self, user: str, zone: str) -> None:
        """A user's profile names another time zone from now on; the app is not told of it."""
        self.state.set_user(replace(self.state.users[self.user_id(user)], tz=zone))

    async def stop_session(self, user: str, channel: str, thread_ts: str) -> None:
        """A person presses Stop: running streams end at once, then the app is told."""
        self.workspace.stop_session(self._channel(channel), thread_ts, self.user_id(user))

    async def open_home(self, user: str, *, tab: str = "home") -> None:
        """A person opens the app: its Home tab, or its messages."""
        person = self.user_id(user)
        view = self.state.homes.get(person) if tab == "home" else None
        self.workspace.tell(
            "app_home_opened",
            user=person,
            channel=self.dm_id(user),
            tab=tab,
            view=show_view(self.state, view) if view else None,
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
        """Use an element of a post, an ephemeral one too. Menus take the chosen option's value.

        The block is named where an action id stands in several. Raises KeyError for an element or
        an option that is not there.
        """
        post = self.find_shown(channel, ts)
        blocks = blocks_of_post(post)
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
            channel=self._show_place(post.channel),
            message=None if post.ephemeral_to else show_post(self.state, post),
            state={"values": collect_values(blocks, {action_id: chosen})},
            actions=[self._action(blocks, action_id, block_id, chosen)],
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
        view = self.workspace.modals.find(view_id)
        return await self._interact(
            "block_actions",
            user,
            container={"type": "view", "view_id": view.id},
            view=show_view(self.state, view),
            actions=[self._action(view.body["blocks"], action_id, block_id, chosen)],
        )

    def _action(
        self, blocks: Sequence[JsonObject], action_id: str, block_id: str | None, chosen: object
    ) -> JsonObject:
        block_id, element = find_element(blocks, action_id, block_id)
        return describe_action(element, block_id, chosen, self.state.ids.fresh_ts())

    async def submit_view(
        self, user: str, view_id: str, entered: Mapping[str, object] | None = None
    ) -> Delivery:
        """Submit a modal with what was entered, by action id, and do what the app answers."""
        view = self.state.views[view_id]
        view = replace(view, state=collect_state(view.body["blocks"], entered or {}))
        self.state.show_view(view)
        shown = show_view(self.state, view)
        delivery = await self._interact("view_submission", user, view=shown, response_urls=[])
        if delivery.acked_at_s is not None:
            self._follow(view, delivery.answer or {})
        return delivery

    def _follow(self, view: View, answer: JsonObject) -> None:
        match answer.get("response_action"):
            case "errors":
                return
            case "update":
                self.workspace.modals.update(view, answer["view"])
            case "push":
                self.workspace.modals.push(view.user, answer["view"])
            case "clear":
                self._close_all(view.user)
            case _:
                self.state.close_view(view)

    def _close_all(self, user: str) -> None:
        for view in self.workspace.modals.stack_of(user):
            self.state.close_view(view)

    async def close_view(
        self, user: str, view_id: str, *, all_views: bool = False
    ) -> Delivery | None:
        """Close a modal; the app hears of it only if the view asked for that."""
        view = self.state.views[view_id]
        if all_views:
            self._close_all(self.user_id(user))
        else:
            self.state.close_view(view)
        if not view.body.get("notify_on_close"):
            return None
        shown = show_view(self.state, view)
        return await self._interact("view_closed", user, view=shown, is_cleared=all_views)

    async def use_message_shortcut(
        self, user: str, channel: str, ts: str, callback_id: str
    ) -> Delivery:
        """Run a shortcut from a post's menu."""
        post = self.find(channel, ts)
        return await self._interact(
            "message_action",
            user,
            callback_id=callback_id,
            message_ts=post.ts,
            message=show_post(self.state, post),
            channel=self._show_place(post.channel),
            action_ts=self.state.ids.fresh_ts(),
        )

    async def slash(self, user: str, channel: str, command: str, text: str = "") -> Delivery:
        """Run a slash command; a message in the acknowledgement is posted as Slack posts it."""
        person, place = self.user_id(user), self._channel(channel)
        payload: JsonObject = {
            "token": "sandbox",
            "team_id": self.state.team.id,
            "team_domain": DOMAIN,
            "channel_id": place.id,
            "channel_name": place.name or "directmessage",
            "user_id": person,
            "user_name": self.state.users[person].name,
            "command": command,
            "text": text,
            "api_app_id": self.state.team.app_id,
            "is_enterprise_install": "false",
            "trigger_id": self.workspace.triggers.issue(person),
        }
        deliverer = self.workspace.deliverer
        delivery = await deliverer.attempt("slash_commands", payload, accepts_answer=True)
        if delivery.answer:
            self._post_answer(person, place, Arguments(delivery.answer))
        return delivery

    def _post_answer(self, person: str, place: Channel, answer: Arguments) -> None:
        """In the app's name, to the person alone unless the answer says `in_channel`."""
        content, app = read_content(answer, self.state.ids), self.workspace.app
        is_public = answer.text("response_type") == "in_channel"
        post = Post(
            channel=place.id,
            ts=self.state.ids.fresh_ts(),
            user=app.bot_user_id,
            bot_id=app.bot_id,
            app_id=app.id,
            text=content.text,
            blocks=content.blocks or (),
            ephemeral_to=None if is_public else person,
        )
        if is_public:
            self.workspace.add_post(post)
        else:
            self.state.add_ephemeral(post)

    def _show_place(self, channel_id: str) -> JsonObject:
        return {"id": channel_id, "name": self.state.channels[channel_id].name or "directmessage"}

    async def _interact(self, kind: str, user: str, **fields: object) -> Delivery:
        """Send the payload of a gesture, with what every one carries."""
        person = self.state.users[self.user_id(user)]
        payload: JsonObject = {
            "type": kind,
            "team": {"id": self.state.team.id, "domain": DOMAIN},
            "enterprise": None,
            "is_enterprise_install": False,
            "user": {
                "id": person.id,
                "username": person.name,
                "name": person.name,
                "team_id": person.team_id,
            },
            "api_app_id": self.state.team.app_id,
            "token": "sandbox",
            **without_none(fields),
        }
        if kind != "view_closed":
            payload["trigger_id"] = self.workspace.triggers.issue(person.id)
        return await self.workspace.deliverer.attempt(
            "interactive", payload, accepts_answer=kind == "view_submission"
        )
