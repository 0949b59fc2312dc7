"""The pause that Slack asks for, kept by every caller that shares the limit."""

from collections import OrderedDict

from bot.slack_api.clock import Clock

SPACING_S = 1.0
"""Slack allows about one post a second and channel, and callers that waited leave one by one."""

MAX_GATES = 4_096


class Budget:
    """One gate per method, and per channel where Slack counts channels apart."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._gates: OrderedDict[str, _Gate] = OrderedDict()

    def is_open(self, method: str, channel: str) -> bool:
        """Whether a call may leave now."""
        return self._gate(method, channel).wait_s() <= 0

    async def admit(self, method: str, channel: str) -> None:
        """Wait for this call's turn; no call leaves inside a pause."""
        await self._gate(method, channel).admit()

    def close(self, method: str, channel: str, *, retry_after_s: float) -> None:
        """Slack asked for a pause: nobody calls before it is over."""
        self._gate(method, channel).close(retry_after_s)

    def _gate(self, method: str, channel: str) -> "_Gate":
        key = f"{method}:{channel}" if method == "chat.postMessage" else method
        gate = self._gates.setdefault(key, _Gate(self._clock))
        self._gates.move_to_end(key)
        if len(self._gates) > MAX_GATES:
            self._gates.popitem(last=False)
        return gate


class _Gate:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._closed_until = float("-inf")
        self._next_turn = float("-inf")

    def wait_s(self) -> float:
        return max(self._closed_until, self._next_turn) - self._clock.seconds()

    def close(self, retry_after_s: float) -> None:
        self._closed_until = max(self._closed_until, self._clock.seconds() + retry_after_s)

    async def admit(self) -> None:
        while (wait_s := self.wait_s()) > 0:
            turn = self._clock.seconds() + wait_s
            self._next_turn = turn + SPACING_S
            await self._clock.sleep(wait_s)
            if turn >= self._closed_until:
                return
