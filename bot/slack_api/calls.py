"""How often a call is made: pauses are kept, and what is safe to repeat is repeated."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agent_core.messages import JsonObject
from bot.slack_api.budget import Budget
from bot.slack_api.clock import Clock
from bot.slack_api.errors import SlackLimited, SlackUnavailable
from bot.slack_api.scopes import Method
from bot.slack_api.wire import Wire

BACKOFF_S = (0.5, 1.0, 2.0, 4.0, 8.0, 8.0)
"""Waits between the tries of one call, so there is one try more than there are waits."""

VISIBLE: frozenset[Method] = frozenset(
    {
        "agents.sessions.setStatus",
        "chat.postEphemeral",
        "chat.postMessage",
        "chat.update",
        "files.completeUploadExternal",
        "reactions.add",
        "reactions.remove",
        "views.open",
        "views.update",
    }
)
"""The calls that change what people see."""

Guard = Callable[[], Awaitable[None]]
"""Returns if a write may be made now, and raises if not."""

MAX_PAUSES = 100
"""Rate limits in a row before a call is given up: at 30 s each, most of an hour."""


class Calls:
    """Makes calls under the shared budget."""

    def __init__(self, wire: Wire, clock: Clock, *, guard: Guard | None = None) -> None:
        self.wire = wire
        self.clock = clock
        self.budget = Budget(clock)
        self._guard = guard

    def guarded(self, guard: Guard) -> "Calls":
        """These calls under the same budget, with `guard` awaited right before visible ones."""
        view = Calls(self.wire, self.clock, guard=guard)
        view.budget = self.budget
        return view

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
        if self._guard is not None and method in VISIBLE:
            await self._guard()
        try:
            return await self.wire.call(method, arguments)
        except SlackLimited as limited:
            self.budget.close(method, channel, retry_after_s=limited.retry_after_s)
            raise
