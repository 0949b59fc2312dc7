"""What nobody listens to: acknowledged, and each kind logged once."""

import logging
from collections import OrderedDict
from typing import cast

from agent_core.messages import JsonObject
from bot.inbound import DELETED, EDITED, KEPT_SUBTYPES

MAX_KINDS = 500

_LEFT = frozenset(
    {
        EDITED, DELETED,
        "assistant_app_thread", "bot_message", "channel_archive", "channel_join", "channel_leave",
        "channel_name", "channel_purpose", "channel_topic", "channel_unarchive", "group_archive",
        "group_join", "group_leave", "group_name", "group_purpose", "group_topic",
        "group_unarchive", "message_replied",
    }
)  # fmt: skip
"""Subtypes of posts that we know and leave alone on purpose."""

_log = logging.getLogger(__name__)


class Unheard:
    """Notes kinds of events that the bot does not know, so that an operator can find them."""

    def __init__(self) -> None:
        self._noted: OrderedDict[str, None] = OrderedDict()

    def note(self, body: JsonObject) -> None:
        """Log the kind of a payload's event, unless it is known or was logged before."""
        if kind := _unknown_kind(body):
            self.note_kind(kind)

    def note_kind(self, kind: str) -> None:
        """Log a kind of payload, named for people, unless it was logged before."""
        if kind in self._noted:
            return
        self._noted[kind] = None
        if len(self._noted) > MAX_KINDS:
            self._noted.popitem(last=False)
        _log.info("Slack sends %s, which the bot leaves alone (said once)", kind)


def _unknown_kind(body: JsonObject) -> str:
    event = cast("JsonObject", body.get("event") or {})
    kind, subtype = str(event.get("type") or "?"), str(event.get("subtype") or "")
    if kind not in {"message", "app_mention"}:
        return repr(kind[:80])
    known = subtype in KEPT_SUBTYPES or subtype in _LEFT
    return "" if known else repr(f"{kind}/{subtype}"[:80])
