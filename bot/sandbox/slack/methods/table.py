"""The table of all methods. A method that is not in it answers `unknown_method`."""

from collections.abc import Mapping

from bot.sandbox.slack.limits import (
    POSTS_OF_A_CHANNEL,
    STATUS_UPDATES,
    STREAM_APPENDS,
    TIER_2,
    TIER_3,
    TIER_4,
    UNLIMITED,
)
from bot.sandbox.slack.methods import agents, chat, conversations, files, streams
from bot.sandbox.slack.methods.call import Call, Method
from bot.sandbox.slack.wire import JsonObject

_WRITE = ("chat:write",)
_ASSISTANT = ("assistant:write",)
_READ = ("channels:read", "groups:read", "im:read", "mpim:read")
_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")
_OPEN = ("im:write", "mpim:write")
_REACT = ("reactions:write",)
_USERS = ("users:read",)
_UPLOAD = ("files:write",)


def _open_socket(call: Call) -> JsonObject:
    """Give out the address of a socket, good for one connection."""
    ticket = call.workspace.sockets.issue_ticket()
    base = call.workspace.base_url.replace("http", "ws", 1)
    return {"url": f"{base}/link/?ticket={ticket}&app_id={call.app.id}"}


METHODS: Mapping[str, Method] = {
    "agents.sessions.setStatus": Method(run=agents.set_session_status, scopes=_WRITE, rate=TIER_3),
    "apps.connections.open": Method(run=_open_socket, rate=TIER_3, access="app"),
    "assistant.threads.setStatus": Method(
        run=agents.set_thread_status, scopes=_WRITE, rate=STATUS_UPDATES
    ),
    "assistant.threads.setSuggestedPrompts": Method(
        run=agents.set_suggested_prompts, scopes=_ASSISTANT, rate=TIER_4
    ),
    "auth.test": Method(run=conversations.test_auth, rate=UNLIMITED),
    "bots.info": Method(run=conversations.bot_info, scopes=_USERS, rate=TIER_3),
    "chat.appendStream": Method(run=streams.append, scopes=_WRITE, rate=STREAM_APPENDS),
    "chat.delete": Method(run=chat.delete, scopes=_WRITE, rate=TIER_3),
    "chat.getPermalink": Method(run=chat.get_permalink, rate=UNLIMITED),
    "chat.postEphemeral": Method(run=chat.post_ephemeral, scopes=_WRITE, rate=TIER_4),
    "chat.postMessage": Method(run=chat.post_message, scopes=_WRITE, rate=POSTS_OF_A_CHANNEL),
    "chat.startStream": Method(run=streams.start, scopes=_WRITE, rate=TIER_2),
    "chat.stopStream": Method(run=streams.stop, scopes=_WRITE, rate=TIER_2),
    "chat.update": Method(run=chat.update, scopes=_WRITE, rate=TIER_3),
    "conversations.history": Method(run=conversations.history, scopes=_HISTORY, rate=TIER_3),
    "conversations.info": Method(run=conversations.channel_info, scopes=_READ, rate=TIER_3),
    "conversations.members": Method(run=conversations.members, scopes=_READ, rate=TIER_4),
    "conversations.open": Method(run=conversations.open_direct, scopes=_OPEN, rate=TIER_3),
    "conversations.replies": Method(run=conversations.replies, scopes=_HISTORY, rate=TIER_3),
    "files.completeUploadExternal": Method(run=files.complete_upload, scopes=_UPLOAD, rate=TIER_4),
    "files.getUploadURLExternal": Method(run=files.get_upload_url, scopes=_UPLOAD, rate=TIER_4),
    "files.info": Method(run=files.info, scopes=("files:read",), rate=TIER_4),
    "reactions.add": Method(run=chat.add_reaction, scopes=_REACT, rate=TIER_3),
    "reactions.remove": Method(run=chat.remove_reaction, scopes=_REACT, rate=TIER_2),
    "users.conversations": Method(run=conversations.channels_of_bot, scopes=_READ, rate=TIER_3),
    "users.info": Method(run=conversations.user_info, scopes=_USERS, rate=TIER_4),
    "views.open": Method(run=agents.open_view, rate=TIER_4),
    "views.publish": Method(run=agents.publish_view, rate=TIER_4),
    "views.update": Method(run=agents.update_view, rate=TIER_4),
}
