"""When a model call that failed is made again, and after what wait."""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from agent_core.background import Backoff
from agent_core.errors import ModelError, ModelUnavailable, ReplyTruncated
from agent_core.models import Delta, Model, ModelRequest, Reply

Sleep = Callable[[float], Awaitable[None]]

ATTEMPTS = 20
"""They outlast an outage of ten minutes."""
ATTEMPTS_PAID_FOR = 4
"""Of calls whose reply came but was not whole: each of them costs tokens."""
LONGEST_RETRY_AFTER_S = 90.0
"""A provider that asks for more than this is not waited for."""
_BACKOFF = Backoff(first_s=1.0, longest_s=60.0)
_PAID_FOR_KINDS = frozenset({"incomplete", "malformed", "overlong"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Retried:
    """The call failed in passing and is made again after `wait_s`; deltas so far are void."""

    reason: str
    wait_s: float
    attempt: int
    """The number of the attempt that follows: 2 or more."""


@dataclass(frozen=True, slots=True)
class RetryingModel:
    """Makes a model's call again while that can help."""

    model: Model
    sleep: Sleep = asyncio.sleep
    chance: Callable[[], float] = random.random  # noqa: S311 (not for secrets)
    """A number from 0 to 1 each time, to spread the waits."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Retried | Reply, None]:
        """As `Model.stream`, with a Retried before each new attempt; it voids the deltas before it.

        Raises:
            ModelRejected: at once.
            ModelUnavailable: after the last attempt, or when the provider asks for too long a wait.
            ReplyTruncated: when twice the output limit was not enough either.
        """
        failures: list[ModelError] = []
        while True:
            try:
                async with aclosing(self.model.stream(request)) as items:
                    async for item in items:
                        yield item
            except (ModelUnavailable, ReplyTruncated) as error:
                failures.append(error)
            else:
                return
            wait_s = self._wait_s(failures)
            if isinstance(failures[-1], ReplyTruncated):
                request = replace(request, max_tokens=2 * request.max_tokens)
            yield Retried(
                reason=_reason(failures[-1]),
                wait_s=wait_s,
                attempt=len(failures) + 1,
            )
            await self.sleep(wait_s)

    def _wait_s(self, failures: Sequence[ModelError]) -> float:
        """The wait before the next attempt; raises the last failure when there shall be none."""
        last = failures[-1]
        if isinstance(last, ReplyTruncated):
            if sum(isinstance(failure, ReplyTruncated) for failure in failures) > 1:
                raise last
            return 0.0
        paid_for = sum(failure.kind in _PAID_FOR_KINDS for failure in failures)
        if len(failures) >= ATTEMPTS or paid_for >= ATTEMPTS_PAID_FOR:
            raise last
        wish_s = (last.retry_after_s if isinstance(last, ModelUnavailable) else None) or 0.0
        if wish_s > LONGEST_RETRY_AFTER_S:
            raise last
        return max(wish_s, _BACKOFF.wait_s(len(failures), self.chance()))


def _reason(error: ModelError) -> str:
    """The kind of an error, else its status: short, and nothing of the request."""
    if error.kind:
        return error.kind
    return f"status {error.status}" if error.status else "unavailable"
