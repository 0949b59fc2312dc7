"""Slack's limits: sizes, counts, and how often a method may be called."""

import math
from dataclasses import dataclass
from typing import Final

from bot.sandbox.slack.clock import SandboxClock

MAX_POST_TEXT: Final = 40_000
MAX_UPDATE_TEXT: Final = 4_000
MAX_MARKDOWN_TEXT: Final = 12_000
MAX_BLOCKS_TOTAL_CHARS: Final = 13_200
MAX_TABLE_CHARS: Final = 10_000
MAX_STREAM_BYTES: Final = 10_600
MAX_TITLE: Final = 200
MAX_PROMPTS: Final = 4
MAX_LOADING_MESSAGES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A sustained rate with a burst; `per_channel` gives each channel a bucket of its own."""

    per_minute: float
    burst: int
    per_channel: bool = False


TIER_2 = Rate(per_minute=20, burst=20)
TIER_3 = Rate(per_minute=50, burst=50)
TIER_4 = Rate(per_minute=100, burst=100)
POSTS_OF_A_CHANNEL = Rate(per_minute=60, burst=20, per_channel=True)
POSTS_OF_THE_TEAM = Rate(per_minute=300, burst=300)
STREAM_APPENDS = Rate(per_minute=180, burst=1_000)
STATUS_UPDATES = Rate(per_minute=600, burst=600)
UNLIMITED = Rate(per_minute=math.inf, burst=1)


class RateLimiter:
    """Token buckets by name, counted by the stand-in's clock."""

    def __init__(self, clock: SandboxClock) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        """The tokens that were left, and when."""

    def take(self, name: str, rate: Rate) -> int:
        """Count one call. Returns 0, or after how many whole seconds the caller may come back."""
        if math.isinf(rate.per_minute):
            return 0
        now_s = self._clock.now()
        per_second = rate.per_minute / 60
        full = (float(rate.burst), now_s)
        tokens, counted_s = self._buckets.get(name, full)
        tokens += (now_s - counted_s) * per_second
        tokens = min(rate.burst, tokens)
        if tokens < 1:
            self._buckets[name] = (tokens, now_s)
            missing_s = (1 - tokens) / per_second
            return max(1, math.ceil(missing_s))
        self._buckets[name] = (tokens - 1, now_s)
        return 0
