"""The payloads of interactivity: block actions, modals, shortcuts, slash commands. Builds only."""

from bot.sandbox.slack.messages import show_post, show_view
from bot.sandbox.slack.records import Channel, Post, View
from bot.sandbox.slack.state import State
from bot.sandbox.slack.team import DOMAIN
from bot.sandbox.slack.wire import JsonArray, JsonObject


def gesture_basis(state: State, kind: str, user: str) -> JsonObject:
    """What every interactive payload carries."""
    person = state.users[user]
    return {
        "type": kind,
        "team": {"id": state.team.id, "domain": DOMAIN},
        "enterprise": None,
        "is_enterprise_install": False,
        "user": {
            "id": person.id,
            "username": person.name,
            "name": person.name,
            "team_id": person.team_id,
        },
        "api_app_id": state.team.app_id,
        "token": "sandbox",
    }


def message_container(post: Post) -> JsonObject:
    """Where the pressed element of a post stands."""
    container: JsonObject = {
        "type": "message",
        "message_ts": post.ts,
        "channel_id": post.channel,
        "is_ephemeral": post.ephemeral_to is not None,
    }
    return container | ({"thread_ts": post.thread_ts} if post.thread_ts else {})


def message_place(state: State, post: Post) -> JsonObject:
    """The post in which something was used; of an ephemeral one the message is not told."""
    channel = state.channels[post.channel]
    message = {} if post.ephemeral_to else {"message": show_post(state, post)}
    return {
        "container": message_container(post),
        "channel": {"id": channel.id, "name": _name_of(channel)},
        **message,
    }


def view_place(state: State, view: View) -> JsonObject:
    """The view in which something was used."""
    container = {"type": "view", "view_id": view.id}
    return {"container": container, "view": show_view(state, view)}


def message_actions(
    state: State,
    post: Post,
    user: str,
    action: JsonObject,
    trigger_id: str,
    response_url: str,
    *,
    values: JsonObject | None = None,
) -> JsonObject:
    """A press on an element of a post, with the values of the menus and inputs beside it."""
    return {
        **gesture_basis(state, "block_actions", user),
        **message_place(state, post),
        "trigger_id": trigger_id,
        "state": {"values": values or {}},
        "response_url": response_url,
        "actions": [action],
    }


def view_actions(
    state: State, view: View, user: str, action: JsonObject, trigger_id: str
) -> JsonObject:
    """A press on an element of a modal or of App Home."""
    return {
        **gesture_basis(state, "block_actions", user),
        **view_place(state, view),
        "trigger_id": trigger_id,
        "actions": [action],
    }


def view_submission(
    state: State,
    view: View,
    user: str,
    trigger_id: str,
    response_urls: JsonArray | None = None,
) -> JsonObject:
    """A modal was submitted with the values in the view's state."""
    return {
        **gesture_basis(state, "view_submission", user),
        "trigger_id": trigger_id,
        "view": show_view(state, view),
        "response_urls": response_urls or [],
    }


def view_closed(state: State, view: View, user: str, *, is_cleared: bool) -> JsonObject:
    """A modal was closed; `is_cleared` when the whole stack was."""
    basis = gesture_basis(state, "view_closed", user)
    return {**basis, "view": show_view(state, view), "is_cleared": is_cleared}


def shortcut(state: State, user: str, callback_id: str, trigger_id: str) -> JsonObject:
    """A global shortcut was run."""
    return {
        **gesture_basis(state, "shortcut", user),
        "callback_id": callback_id,
        "trigger_id": trigger_id,
        "action_ts": state.ids.fresh_ts(),
    }


def message_shortcut(
    state: State, post: Post, user: str, callback_id: str, trigger_id: str, response_url: str
) -> JsonObject:
    """A shortcut was run from a post's menu."""
    channel = state.channels[post.channel]
    return {
        **gesture_basis(state, "message_action", user),
        "callback_id": callback_id,
        "trigger_id": trigger_id,
        "message_ts": post.ts,
        "response_url": response_url,
        "message": show_post(state, post),
        "channel": {"id": channel.id, "name": _name_of(channel)},
        "action_ts": state.ids.fresh_ts(),
    }


def suggestion(
    state: State, user: str, block_id: str, action_id: str, typed: str, place: JsonObject
) -> JsonObject:
    """A person types into an external menu and Slack asks the app for options."""
    return {
        **gesture_basis(state, "block_suggestion", user),
        "action_id": action_id,
        "block_id": block_id,
        "value": typed,
        **place,
    }


def slash_command(
    state: State,
    channel: Channel,
    user: str,
    command: str,
    text: str,
    trigger_id: str,
    response_url: str,
) -> JsonObject:
    """A slash command was run: the one payload with form-like fields."""
    return {
        "token": "sandbox",
        "team_id": state.team.id,
        "team_domain": DOMAIN,
        "channel_id": channel.id,
        "channel_name": _name_of(channel),
        "user_id": user,
        "user_name": state.users[user].name,
        "command": command,
        "text": text,
        "api_app_id": state.team.app_id,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": trigger_id,
    }


def _name_of(channel: Channel) -> str:
    return channel.name or "directmessage"
