"""What happens in the team: each act changes the state and tells the app what it may know."""

import mimetypes
import secrets
from dataclasses import replace
from urllib.parse import quote

from bot.sandbox.slack.app import MESSAGE_EVENTS, App
from bot.sandbox.slack.blocks import check_view
from bot.sandbox.slack.clock import StandInTasks
from bot.sandbox.slack.messages import (
    hidden_event,
    mention_event,
    message_event,
    show_post,
    wrap_event,
)
from bot.sandbox.slack.records import AgentSession, Channel, File, Post, Reaction, View
from bot.sandbox.slack.sockets import Deliverer, Sockets
from bot.sandbox.slack.state import TeamState
from bot.sandbox.slack.text import mentions_user
from bot.sandbox.slack.wire import ApiError, JsonObject, without_none

STATUSES = ("active", "processing", "suspended", "closed")
STATUS_LINE_LIFETIME_S = 120.0
TRIGGER_LIFETIME_S = 3.0


class Views:
    """What people have before them: one modal each, and App Home. Every view is checked first.

    A person's gesture triggers one modal of the app, within three seconds.
    """

    def __init__(self, state: TeamState) -> None:
        self._state = state
        self._triggers: dict[str, tuple[str, float]] = {}
        """By id: whose gesture it was, and until when it is good."""
        self._used: set[str] = set()

    def trigger(self, user: str) -> str:
        now_s = self._state.clock.now()
        trigger_id = f"{int(now_s)}.{len(self._triggers) + 1}.{secrets.token_hex(16)}"
        self._triggers[trigger_id] = (user, now_s + TRIGGER_LIFETIME_S)
        return trigger_id

    def open(self, trigger_id: str, body: JsonObject) -> View:
        """Open a modal for the person whose gesture it was; one that is open gives way."""
        if trigger_id in self._used:
            raise ApiError("exchanged_trigger_id")
        user, expires_s = self._triggers.get(trigger_id, ("", 0.0))
        if self._state.clock.now() > expires_s:
            raise ApiError("expired_trigger_id" if user else "invalid_trigger_id")
        self._used.add(trigger_id)
        view = self._build(user, body, "modal")
        if (open_one := self.modal_of(user)) is not None:
            self._state.close_view(open_one)
        self._state.show_view(view)
        return view

    def publish(self, user: str, body: JsonObject) -> View:
        view = self._build(user, body, "home")
        if (current := self._state.homes.get(user)) is not None:
            view = replace(view, id=current.id)
        self._state.show_view(view)
        return view

    def update(self, view_id: str, body: JsonObject, seen_hash: str = "") -> View:
        """Put another view in a view's place, unless it has changed since `seen_hash`."""
        current = self.find(view_id)
        if seen_hash not in ("", current.hash):
            raise ApiError("hash_conflict")
        view = replace(self._build(current.user, body, current.type), id=view_id)
        self._state.show_view(view)
        return view

    def find(self, view_id: str) -> View:
        for view in (*self._state.views.values(), *self._state.homes.values()):
            if view.id == view_id:
                return view
        raise ApiError("not_found")

    def modal_of(self, user: str) -> View | None:
        return next((view for view in self._state.views.values() if view.user == user), None)

    def _build(self, user: str, body: JsonObject, kind: str) -> View:
        check_view(body, kind)
        ids = self._state.ids
        blocks = [{"block_id": ids.fresh("b").lower(), **block} for block in body["blocks"]]
        return View(
            id=ids.fresh("V"),
            user=user,
            type="home" if kind == "home" else "modal",
            hash=f"{int(self._state.clock.now())}.{secrets.token_hex(4)}",
            body={"callback_id": "", "private_metadata": "", **body, "blocks": blocks},
        )


class SlackBackend:
    """Used by people and by the Web API alike, so that both leave the same traces."""

    def __init__(
        self, state: TeamState, app: App, sockets: Sockets, background: StandInTasks
    ) -> None:
        self.state = state
        self.app = app
        self.sockets = sockets
        self.background = background
        self.deliverer = Deliverer(state, sockets, background)
        self.views = Views(state)
        self.revoked_tokens: set[str] = set()
        self.base_url = ""

    def emit(self, subscription: str, event: JsonObject, channel: Channel | None = None) -> None:
        """Send an event if the app subscribed to it and may see the channel."""
        is_seen = channel is None or self.app.is_member(channel)
        if is_seen and self.app.is_subscribed(subscription):
            self.deliverer.start_event(wrap_event(self.state, self.app, event, channel))

    def tell(self, kind: str, in_channel: Channel | None = None, **fields: object) -> None:
        """Send an event of these fields, with the moment at which it came to be."""
        event = {"type": kind, **without_none(fields), "event_ts": self.state.ids.fresh_ts()}
        self.emit(kind, event, in_channel)

    def add_post(self, post: Post) -> Post:
        """Post a message. Whoever wrote it: the app is told of it like of any other."""
        post = self.state.add_post(post)
        channel = self.state.channels[post.channel]
        self._tell_mention(post, channel)
        event = message_event(self.state, post, channel)
        self.emit(MESSAGE_EVENTS[channel.kind], event, channel)
        return post

    def _tell_mention(self, post: Post, channel: Channel) -> None:
        bot = self.app.bot_user_id
        if not channel.is_direct and post.user != bot and mentions_user(post.text, bot):
            self.emit("app_mention", mention_event(self.state, post), channel)

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
        is_foreign: bool = False,
    ) -> File:
        """Keep a file; it is seen by others once a post shares it."""
        file_id = file_id or self.state.ids.fresh("F")
        file = File(
            id=file_id,
            name=name,
            title=title,
            mimetype=mimetype or _guess_type(name),
            user=user,
            created_s=int(self.state.clock.now()),
            content=content,
            alt_txt=alt_txt,
            is_foreign=is_foreign,
            url_private=f"{self.base_url}/files-pri/{self.app.team_id}-{file_id}/{quote(name)}",
        )
        self.state.files[file_id] = file
        return file

    def can_read(self, file: File) -> bool:
        """Whether the app may see a file: its own, or one that was shared where it is."""
        places = (self.state.channels[share.channel] for share in file.shares)
        is_shared = any(self.app.is_member(channel) for channel in places)
        return file.user == self.app.bot_user_id or is_shared

    def change_post(self, post: Post, *, editor: str | None = None) -> Post:
        """Put a new version in place; with an editor it is marked as edited.

        Slack tells of an edited mention once more, whether or not the edit added it: the same ts,
        with `edited` (slack-go/slack#1256, chenhg5/cc-connect#1579).
        """
        previous = self.state.posts[post.channel][post.ts]
        if editor:
            post = replace(post, edited={"user": editor, "ts": self.state.ids.fresh_ts()})
        self.state.change_post(post)
        channel = self.state.channels[post.channel]
        if editor:
            self._tell_mention(post, channel)
        self._tell_of_old("message_changed", channel, previous, message=show_post(self.state, post))
        return post

    def delete_post(self, post: Post) -> None:
        """Delete a post; the root of a thread with replies stays behind as a tombstone."""
        channel = self.state.channels[post.channel]
        if not post.is_reply and self.state.replies_of(post.channel, post.ts):
            tombstone = Post(
                channel=post.channel,
                ts=post.ts,
                thread_ts=post.ts,
                user="USLACKBOT",
                text="This message was deleted.",
                subtype="tombstone",
            )
            self.state.change_post(tombstone)
        else:
            self.state.remove_post(post)
        self._tell_of_old("message_deleted", channel, post, deleted_ts=post.ts)

    def _tell_of_old(
        self, subtype: str, channel: Channel, previous: Post, **fields: object
    ) -> None:
        event = hidden_event(self.state, subtype, channel, previous, **fields)
        self.emit(MESSAGE_EVENTS[channel.kind], event, channel)

    def set_reaction(self, post: Post, name: str, user: str, *, added: bool) -> bool:
        """React to a post or take that back; False when nothing is to be done."""
        users = {reaction.name: reaction.users for reaction in post.reactions}
        known = users.get(name, ())
        if (user in known) == added:
            return False
        users[name] = (*known, user) if added else tuple(u for u in known if u != user)
        left = tuple(Reaction(name=n, users=u) for n, u in users.items() if u)
        self.state.change_post(replace(post, reactions=left))
        self.tell(
            "reaction_added" if added else "reaction_removed",
            self.state.channels[post.channel],
            user=user,
            reaction=name,
            item_user=post.user,
            item={"type": "message", "channel": post.channel, "ts": post.ts},
        )
        return True

    def _session_of(self, channel: str, thread_ts: str, title: str = "") -> AgentSession:
        """A thread's agent session as it is, or a new one that is not kept yet."""
        new = AgentSession(channel=channel, thread_ts=thread_ts, status="active", title=title)
        return self.state.sessions.get((channel, thread_ts), new)

    def set_status(
        self, channel: str, thread_ts: str, status: str, *, title: str = ""
    ) -> AgentSession:
        """Set the status. A title counts only where the call creates the session."""
        if status not in STATUSES:
            raise ApiError("invalid_status")
        session = replace(self._session_of(channel, thread_ts, title), status=status)
        self.state.keep(session)
        return session

    def set_status_line(
        self, channel: str, thread_ts: str, text: str, loading_messages: tuple[str, ...]
    ) -> None:
        """The line "<App> <text>" under the thread, for two minutes; an empty text clears it."""
        session = replace(
            self._session_of(channel, thread_ts),
            status="processing" if text else "active",
            status_text=text,
            loading_messages=loading_messages,
            set_at_s=self.state.clock.now(),
        )
        self.state.keep(session)
        self.background.start(self._expire_status_line(session))

    def end_status_line(self, channel: str, thread_ts: str) -> None:
        """A reply of the app clears the line that stood under the thread."""
        session = self._session_of(channel, thread_ts)
        if session.status_text:
            self.state.keep(replace(session, status_text="", loading_messages=()))

    async def _expire_status_line(self, session: AgentSession) -> None:
        await self.state.clock.sleep_until(session.set_at_s + STATUS_LINE_LIFETIME_S)
        if self._session_of(session.channel, session.thread_ts) == session:
            ended = replace(session, status="active", status_text="", loading_messages=())
            self.state.keep(ended)


def _guess_type(name: str) -> str:
    default = "text/plain" if name.endswith(".log") else "application/octet-stream"
    return mimetypes.guess_type(name)[0] or default
