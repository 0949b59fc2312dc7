"""The payloads of the Events API: the wrapper and the event inside it. Builds, sends nothing."""

import base64
import json

from bot.sandbox.slack.app import App
from bot.sandbox.slack.links import domain_of
from bot.sandbox.slack.messages import show_post
from bot.sandbox.slack.records import Channel, Post
from bot.sandbox.slack.state import State
from bot.sandbox.slack.wire import JsonObject, without_none


def wrap_event(state: State, app: App, event: JsonObject, channel: Channel | None) -> JsonObject:
    """The `event_callback` around an event, with an event id of its own."""
    context = {"et": event["type"], "tid": app.team_id, "aid": app.id, "cid": event.get("channel")}
    return {
        "token": "sandbox",
        "team_id": app.team_id,
        "context_team_id": app.team_id,
        "context_enterprise_id": None,
        "api_app_id": app.id,
        "type": "event_callback",
        "event_id": state.ids.fresh("Ev"),
        "event_time": int(state.clock.now()),
        "is_ext_shared_channel": channel is not None and channel.is_ext_shared,
        "event_context": f"4-{base64.b64encode(json.dumps(context).encode()).decode()}",
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": app.team_id,
                "user_id": app.bot_user_id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "event": event,
    }


def message_event(state: State, post: Post, channel: Channel) -> JsonObject:
    """A new message, in the thread or channel where it stands."""
    place: JsonObject = {"channel": post.channel, "channel_type": channel.kind, "event_ts": post.ts}
    root = state.find_post(post.channel, post.root_ts)
    if post.subtype == "thread_broadcast" and root:
        place["root"] = show_post(state, root)
    if channel.kind == "im" and post.bot_id is None:
        place["assistant_thread"] = {"action_token": state.issue_action_token(post)}
    return show_post(state, post) | place


def mention_event(state: State, post: Post) -> JsonObject:
    """The `app_mention` that comes beside the message: same ts, no channel type.

    Of the subtypes it keeps only the broadcast of a reply, with the root (soxtoby/SlackNet#69).
    """
    shown = show_post(state, post) | {"type": "app_mention"}
    if post.subtype != "thread_broadcast":
        shown.pop("subtype", None)
    root = state.find_post(post.channel, post.root_ts)
    if post.subtype == "thread_broadcast" and root:
        shown["root"] = show_post(state, root)
    if post.bot_id is None:
        shown["assistant_thread"] = {"action_token": state.issue_action_token(post)}
    return shown | {"channel": post.channel, "event_ts": post.ts}


def changed_event(state: State, post: Post, previous: Post, channel: Channel) -> JsonObject:
    """A message was edited: both versions, hidden."""
    event_ts = state.ids.fresh_ts()
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": post.channel,
        "channel_type": channel.kind,
        "ts": event_ts,
        "event_ts": event_ts,
        "message": show_post(state, post),
        "previous_message": show_post(state, previous),
    }


def deleted_event(state: State, post: Post, channel: Channel) -> JsonObject:
    """A message was deleted: its last version, hidden."""
    event_ts = state.ids.fresh_ts()
    return {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "channel": post.channel,
        "channel_type": channel.kind,
        "ts": event_ts,
        "event_ts": event_ts,
        "deleted_ts": post.ts,
        "previous_message": show_post(state, post),
    }


def reaction_event(state: State, post: Post, name: str, user: str, *, added: bool) -> JsonObject:
    """A reaction was added to a post or taken back."""
    return {
        "type": "reaction_added" if added else "reaction_removed",
        "user": user,
        "reaction": name,
        "item_user": post.user,
        "item": {"type": "message", "channel": post.channel, "ts": post.ts},
        "event_ts": state.ids.fresh_ts(),
    }


def pin_event(state: State, post: Post, user: str, *, added: bool) -> JsonObject:
    """A post was pinned to its channel, or a pin taken off."""
    message = show_post(state, post)
    return {
        "type": "pin_added" if added else "pin_removed",
        "user": user,
        "channel_id": post.channel,
        "item": {"type": "message", "channel": post.channel, "message": message},
        "event_ts": state.ids.fresh_ts(),
    }


def link_shared_event(state: State, post: Post, links: list[str]) -> JsonObject:
    """Somebody posted links of the app's domains."""
    return without_none(
        {
            "type": "link_shared",
            "channel": post.channel,
            "user": post.user,
            "message_ts": post.ts,
            "thread_ts": post.thread_ts,
            "is_bot_user_member": True,
            "unfurl_id": f"{post.channel}-{post.ts}",
            "source": "conversations_history",
            "links": [{"domain": domain_of(url), "url": url} for url in links],
            "event_ts": state.ids.fresh_ts(),
        }
    )


def file_shared_event(state: State, file_id: str, user: str, channel: str) -> JsonObject:
    """A file was shared in a channel."""
    return {
        "type": "file_shared",
        "file_id": file_id,
        "user_id": user,
        "file": {"id": file_id},
        "channel_id": channel,
        "event_ts": state.ids.fresh_ts(),
    }


def member_joined_event(
    state: State, user: str, channel: Channel, inviter: str | None
) -> JsonObject:
    """Someone joined a channel; the inviter is told only on an invitation."""
    return without_none(
        {
            "type": "member_joined_channel",
            "user": user,
            "channel": channel.id,
            "channel_type": "C" if channel.kind == "channel" else "G",
            "team": state.team.id,
            "inviter": inviter,
            "event_ts": state.ids.fresh_ts(),
        }
    )


def home_opened_event(
    state: State, user: str, channel: str, tab: str, view: JsonObject | None
) -> JsonObject:
    """A person opened the app on one of its tabs."""
    shown = {"type": "app_home_opened", "user": user, "channel": channel, "tab": tab}
    context: JsonObject = {"context": {}} if tab == "messages" else {}
    given_view = {"view": view} if view is not None else {}
    return shown | context | given_view | {"event_ts": state.ids.fresh_ts()}


def session_stopped_event(
    state: State, channel: str, thread_ts: str, user: str, streams: list[str]
) -> JsonObject:
    """A person pressed Stop; the streams named have ended already."""
    return {
        "type": "agent_session_stopped",
        "channel": channel,
        "thread_ts": thread_ts,
        "user": user,
        "streaming_message_ts": streams,
        "event_ts": state.ids.fresh_ts(),
    }


def session_title_event(
    state: State, channel: str, thread_ts: str, user: str, title: str, previous: str
) -> JsonObject:
    """A person renamed an agent session."""
    event: JsonObject = {
        "type": "agent_session_title_changed",
        "channel": channel,
        "thread_ts": thread_ts,
        "title": title,
        "user": user,
        "team_id": state.team.id,
        "event_ts": state.ids.fresh_ts(),
    }
    return event | ({"previous_title": previous} if previous else {})


def context_changed_event(state: State, user: str, channel: str, looked_at: str) -> JsonObject:
    """A person has another channel in view beside the agent."""
    entity = {"type": "slack#/types/channel_id", "value": looked_at, "team_id": state.team.id}
    return {
        "type": "app_context_changed",
        "user": user,
        "channel": channel,
        "context": {"entities": [entity]},
        "event_ts": state.ids.fresh_ts(),
    }
