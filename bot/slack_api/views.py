"""Modals: opened for the person whose gesture allows it, and changed while they are open."""

from agent_core.messages import JsonObject
from bot.slack_api.calls import Calls
from bot.slack_api.errors import SlackRefused

_TOO_LATE = frozenset(
    {"exchanged_trigger_id", "expired_trigger_id", "trigger_exchanged", "trigger_expired"}
)
"""Slack's pages on the methods and its prose name them differently."""

_OVERTAKEN = frozenset({"hash_conflict", "not_found"})


class Views:
    """A trigger lives for three seconds, so nothing is waited for."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def open(self, trigger_id: str, view: JsonObject) -> str | None:
        """Open a modal and return its id; None where it is too late or Slack asked for a pause.

        Raises:
            SlackError: The modal may or may not be open after `SlackUnavailable`; called again
                with the same trigger, this opens no second one.
        """
        if not trigger_id:
            return None
        arguments = {"trigger_id": trigger_id, "view": view}
        try:
            answer = await self._calls.droppable("views.open", arguments)
        except SlackRefused as refused:
            if refused.code in _TOO_LATE:
                return None
            raise
        return None if answer is None else str(answer["view"]["id"])

    async def update(self, view_id: str, view: JsonObject, *, view_hash: str = "") -> bool:
        """Replace what a modal shows; False where it is closed, or has changed since `view_hash`.

        Raises:
            SlackError: Of the kind that `bot.slack_api.errors` describes.
        """
        arguments = {"view_id": view_id, "view": view, "hash": view_hash or None}
        try:
            await self._calls.repeatable("views.update", arguments)
        except SlackRefused as refused:
            if refused.code in _OVERTAKEN:
                return False
            raise
        return True
