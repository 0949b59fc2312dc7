"""Acts of people and of the Web API alike: each changes the state and sends the app its events."""

import mimetypes
import secrets
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from bot.sandbox.slack.blocks import check_view
from bot.sandbox.slack.messages import (
    hidden_event,
    mention_event,
    message_event,
    show_post,
    wrap_event,
)
from bot.sandbox.slack.records import AgentSession, Channel, File, Post, View, ViewKind
from bot.sandbox.slack.sockets import Sockets
from bot.sandbox.slack.state import PLURALS, TeamState
from bot.sandbox.slack.wire import ApiError, JsonObject, mentions_user

TRIGGER_LIFETIME_S = 3.0


class Views:
    """One modal a person, and App Home. Every view is validated first.

    A person's gesture triggers one modal of the app, within three seconds.
    """

    def __init__(self, state: TeamState) -> None:
        self._state = state
        self._triggers: dict[str, tuple[str, float]] = {}
        """By id: the person, and the end of its life."""

    def trigger(self, user: str) -> str:
        expires_s = self._state.clock.now() + TRIGGER_LIFETIME_S
        trigger_id = secrets.token_hex(16)
        self._triggers[trigger_id] = (user, expires_s)
        return trigger_id

    def open(self, trigger_id: str, body: JsonObject) -> None:
        """Open a modal for the person of the trigger; it replaces the person's open modal."""
        user, expires_s = self._triggers.pop(trigger_id, ("", 0.0))
        if self._state.clock.now() > expires_s:
            raise ApiError("expired_trigger_id")
        previous = self.modal_of(user)
        if previous is not None:
            self._state.drop(previous)
        self._show("modal", self._state.ids.fresh("V"), user, body)

    def publish(self, user: str, body: JsonObject) -> None:
        """Set a person's App Home, which keeps its id."""
        current = self._state.homes.get(user)
        self._show("home", current.id if current else self._state.ids.fresh("V"), user, body)

    def _show(self, kind: ViewKind, view_id: str, user: str, body: JsonObject) -> None:
        check_view(body, kind)
        shown = {
            "callback_id": "",
            "private_metadata": "",
            "hash": secrets.token_hex(8),
            **body,
            "blocks": self._state.ids.mark_blocks(body["blocks"]),
        }
        self._state.keep(View(id=view_id, user=user, type=kind, body=shown))

    def find(self, view_id: str) -> View:
        """The open modal or App Home of this id. Raises KeyError."""
        homes = {home.id: home for home in self._state.homes.values()}
        return homes.get(view_id) or self._state.views[view_id]

    def modal_of(self, user: str) -> View | None:
        modals = {view.user: view for view in self._state.views.values()}
        return modals.get(user)


class SlackBackend:
    """Used by people and by the Web API alike, so that both leave the same traces."""

    def __init__(self, state: TeamState, sockets: Sockets) -> None:
        self.state = state
        self.sockets = sockets
        self.views = Views(state)
        self.base_url = ""

    def emit(self, subscription: str, event: JsonObject, channel: Channel | None = None) -> None:
        """Send an event if the app subscribed to it and may see the channel."""
        is_visible = channel is None or self.state.is_member(channel)
        if is_visible and self.state.app.is_subscribed(subscription):
            self.sockets.start_event(wrap_event(self.state, event))

    def emit_now(self, kind: str, within: Channel | None = None, **fields: object) -> None:
        """Send an event of these fields, with the present moment as its `event_ts`."""
        event = {
            "type": kind,
            **fields,
            "event_ts": self.state.ids.fresh_ts(),
        }
        self.emit(kind, event, within)

    def _emit_message(self, event: JsonObject, channel: Channel) -> None:
        self.emit(f"message.{PLURALS[channel.kind]}", event, channel)

    def add_post(self, post: Post) -> None:
        """Post a message. The app gets the event whoever the author is.

        Its files note the share. A reply of the app clears the status line under the thread.
        """
        channel = self.state.channels[post.channel]
        for file in post.files:
            known = self.state.files[file.id]
            self.state.files[file.id] = replace(known, shares=(*known.shares, post))
        self.state.keep(post)
        session = self.state.sessions.get((post.channel, post.root_ts))
        if post.user == self.state.bot.id and session is not None and session.status_text:
            self.state.keep(replace(session, status_text="", loading_messages=()))
        self._emit_mention(post, channel)
        self._emit_message(message_event(self.state, post, channel), channel)

    def _emit_mention(self, post: Post, channel: Channel) -> None:
        bot = self.state.bot.id
        is_from_person = post.user != bot and not channel.is_direct
        if is_from_person and mentions_user(post.text, bot):
            self.emit("app_mention", mention_event(self.state, post), channel)

    def new_file(
        self,
        *,
        name: str,
        content: bytes,
        user: str,
        mimetype: str | None = None,
        alt_txt: str | None = None,
        is_foreign: bool = False,
    ) -> File:
        """A file that is not stored yet."""
        file_id = self.state.ids.fresh("F")
        guessed, _ = mimetypes.guess_type(name)
        return File(
            id=file_id,
            name=name,
            title=name,
            mimetype=mimetype or guessed or "application/octet-stream",
            user=user,
            content=content,
            alt_txt=alt_txt,
            is_foreign=is_foreign,
            url_private=f"{self.base_url}/files-pri/{file_id}/{quote(name)}",
        )

    def change_post(self, post: Post, *, editor: str | None = None) -> None:
        """Replace a post by its new version; with an editor it is marked as edited.

        Slack sends the mention event of an edited mention once more, whether or not the edit
        added it: the same ts, with `edited` (slack-go/slack#1256, chenhg5/cc-connect#1579).
        """
        previous = self.state.posts[post.channel][post.ts]
        channel = self.state.channels[post.channel]
        if editor:
            post = replace(post, edited={"user": editor, "ts": self.state.ids.fresh_ts()})
        self.state.keep(post)
        if editor:
            self._emit_mention(post, channel)
        message = show_post(self.state, post)
        event = hidden_event(
            self.state,
            "message_changed",
            channel,
            previous,
            message=message,
        )
        self._emit_message(event, channel)

    def delete_post(self, post: Post) -> None:
        """Delete a post; the root of a thread with replies stays behind as a tombstone."""
        channel = self.state.channels[post.channel]
        if self.state.replies_of(post.channel, post.ts):
            tombstone = Post(
                channel=post.channel,
                ts=post.ts,
                thread_ts=post.ts,
                user="USLACKBOT",
                text="This message was deleted.",
                subtype="tombstone",
            )
            self.state.keep(tombstone)
        else:
            self.state.drop(post)
        event = hidden_event(
            self.state,
            "message_deleted",
            channel,
            post,
            deleted_ts=post.ts,
        )
        self._emit_message(event, channel)

    def add_reaction(self, post: Post, name: str, user: str) -> bool:
        """React to a post; False when the user has reacted so before."""
        users = post.reactions.get(name, ())
        if user in users:
            return False
        reactions = {**post.reactions, name: (*users, user)}
        self.state.keep(replace(post, reactions=reactions))
        self.emit_now(
            "reaction_added",
            self.state.channels[post.channel],
            user=user,
            reaction=name,
            item_user=post.user,
            item={
                "type": "message",
                "channel": post.channel,
                "ts": post.ts,
            },
        )
        return True

    def remove_reaction(self, post: Post, name: str, user: str) -> bool:
        """Take a reaction back; False when there is none."""
        users = post.reactions.get(name, ())
        if user not in users:
            return False
        others = tuple(other for other in users if other != user)
        reactions = {**post.reactions, name: others}
        if not others:
            del reactions[name]
        self.state.keep(replace(post, reactions=reactions))
        return True

    def change_session(self, channel: str, thread_ts: str, **fields: Any) -> None:
        """Change a thread's agent session; the first change makes it."""
        session = self.state.sessions.get((channel, thread_ts))
        session = session or AgentSession(channel=channel, thread_ts=thread_ts, status="active")
        self.state.keep(replace(session, **fields))
