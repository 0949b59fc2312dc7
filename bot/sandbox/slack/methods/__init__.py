"""The methods of the Web API: what runs each, and how the server treats it (`methods.yml`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bot.sandbox.slack.methods import chat, conversations
from bot.sandbox.slack.methods.call import MethodCall as MethodCall
from bot.sandbox.slack.wire import JsonObject

_TABLES: dict[str, dict[str, dict[str, Any]]] = yaml.load(
    Path(__file__).with_name("methods.yml").read_text("utf-8"), yaml.CSafeLoader
)
RUN: Mapping[str, Callable[[MethodCall], JsonObject]] = {
    "agents.sessions.rename": chat.rename_session,
    "agents.sessions.setStatus": chat.set_session_status,
    "apps.connections.open": chat.open_socket,
    "assistant.threads.setStatus": chat.set_thread_status,
    "assistant.threads.setSuggestedPrompts": chat.set_suggested_prompts,
    "auth.test": conversations.test_auth,
    "bots.info": conversations.bot_info,
    "chat.appendStream": chat.append_stream,
    "chat.delete": chat.delete,
    "chat.postEphemeral": chat.post_ephemeral,
    "chat.postMessage": chat.post_message,
    "chat.startStream": chat.start_stream,
    "chat.stopStream": chat.stop_stream,
    "chat.update": chat.update,
    "conversations.history": conversations.history,
    "conversations.info": conversations.channel_info,
    "conversations.members": conversations.members,
    "conversations.open": conversations.open_direct,
    "conversations.replies": conversations.replies,
    "files.completeUploadExternal": chat.complete_upload,
    "files.getUploadURLExternal": chat.get_upload_url,
    "files.delete": chat.delete_file,
    "files.info": chat.file_info,
    "reactions.add": chat.add_reaction,
    "reactions.remove": chat.remove_reaction,
    "users.conversations": conversations.channels_of_bot,
    "users.info": conversations.user_info,
    "views.open": chat.open_view,
    "views.publish": chat.publish_view,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A sustained rate with a burst."""

    per_minute: float
    burst: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """How the server treats a method."""

    scope: str = ""
    rate: str = "tier_3"


RATES = {name: Rate(**fields) for name, fields in _TABLES["rates"].items()}
METHODS = {name: Method(**fields) for name, fields in _TABLES["methods"].items()}
