"""The payloads of the Events API: the wrapper and the messages inside it. Builds, sends nothing."""

from bot.sandbox.slack.app import App
from bot.sandbox.slack.messages import show_post
from bot.sandbox.slack.records import Channel, Post
from bot.sandbox.slack.state import State
from bot.sandbox.slack.wire import JsonObject


def wrap_event(state: State, app: App, event: JsonObject, channel: Channel | None) -> JsonObject:
    """The `event_callback` around an event, with an event id of its own."""
    authorization = {
        "enterprise_id": None,
        "team_id": app.team_id,
        "user_id": app.bot_user_id,
        "is_bot": True,
        "is_enterprise_install": False,
    }
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
        "authorizations": [authorization],
        "event": event,
    }


def message_event(state: State, post: Post, channel: Channel) -> JsonObject:
    """A new message, in the thread or channel where it stands."""
    place = {"channel": post.channel, "channel_type": channel.kind, "event_ts": post.ts}
    return show_post(state, post) | _root_of_broadcast(state, post) | place


def mention_event(state: State, post: Post) -> JsonObject:
    """The `app_mention` that comes beside the message: same ts, no channel type.

    Of the subtypes it keeps only the broadcast of a reply, with the root (soxtoby/SlackNet#69).
    """
    shown = show_post(state, post) | _root_of_broadcast(state, post)
    if post.subtype != "thread_broadcast":
        shown.pop("subtype", None)
    return shown | {"type": "app_mention", "channel": post.channel, "event_ts": post.ts}


def _root_of_broadcast(state: State, post: Post) -> JsonObject:
    root = state.find_post(post.channel, post.root_ts)
    is_broadcast = post.subtype == "thread_broadcast"
    return {"root": show_post(state, root)} if root is not None and is_broadcast else {}


def hidden_event(
    state: State, subtype: str, channel: Channel, previous: Post, **fields: object
) -> JsonObject:
    """A message was edited or deleted: its last version and what has become of it."""
    event_ts = state.ids.fresh_ts()
    return {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": channel.id,
        "channel_type": channel.kind,
        "ts": event_ts,
        "event_ts": event_ts,
        "previous_message": show_post(state, previous),
        **fields,
    }
