"""How often a call is made: pauses are kept, and what is safe to repeat is repeated."""

from collections.abc import Mapping
from typing import Any

from agent_core.messages import JsonObject
from bot.slack_api.budget import Budget
from bot.slack_api.clock import Clock
from bot.slack_api.errors import SlackLimited, SlackUnavailable
from bot.slack_api.scopes import Method
from bot.slack_api.wire import Wire

BACKOFF_S = (0.5, 1.0, 2.0, 4.0, 8.0, 8.0)
"""Waits between the tries of one call, so there is one try more than there are waits."""

MAX_PAUSES = 100
"""Rate limits in a row before a call is given up: at 30 s each, most of an hour."""


class Calls:
    """Makes calls under the shared budget."""

    def __init__(self, wire: Wire, clock: Clock) -> None:
        self.wire = wire
        self.clock = clock
        self.budget = Budget(clock)

    async def repeatable(self, method: Method, arguments: Mapping[str, Any]) -> JsonObject:
        """Make a call whose repetition changes nothing: tried again while Slack gives no answer."""
        for wait_s in BACKOFF_S:
            try:
                return await self.single(method, arguments)
            except SlackUnavailable:
                await self.clock.sleep(wait_s)
        return await self.single(method, arguments)

    async def single(self, method: Method, arguments: Mapping[str, Any]) -> JsonObject:
        """Make a call that must not be repeated blindly. Pauses are waited out."""
        channel = str(arguments.get("channel", ""))
        for _ in range(MAX_PAUSES):
            await self.budget.admit(method, channel)
            try:
                return await self._counted(method, channel, arguments)
            except SlackLimited:
                continue
        raise SlackLimited(method, retry_after_s=0)

    async def droppable(self, method: Method, arguments: Mapping[str, Any]) -> JsonObject | None:
        """Make a call that may be left out: None inside a pause, and no waiting."""
        channel = str(arguments.get("channel", ""))
        if not self.budget.is_open(method, channel):
            return None
        try:
            return await self._counted(method, channel, arguments)
        except SlackLimited:
            return None

    async def _counted(
        self, method: Method, channel: str, arguments: Mapping[str, Any]
    ) -> JsonObject:
        try:
            return await self.wire.call(method, arguments)
        except SlackLimited as limited:
            self.budget.close(method, channel, retry_after_s=limited.retry_after_s)
            raise
