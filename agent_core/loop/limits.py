"""Bounds on what one run may spend, and the tally against them."""

from dataclasses import dataclass
from datetime import datetime

from agent_core.events import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    max_steps: int = 40
    max_duration_s: float = 30 * 60
    max_tokens: int = 3_000_000
    """All tokens of the run's model calls, cached ones included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a run has spent. Times come from recorded steps, so a replay decides the same."""

    steps: int = 0
    usage: Usage = Usage()
    started_at: datetime | None = None
    finished_at: datetime | None = None

    def plus(self, usage: Usage, started_at: datetime, finished_at: datetime) -> "Tally":
        """The tally after a step that took this long."""
        return Tally(
            steps=self.steps + 1,
            usage=self.usage + usage,
            started_at=self.started_at or started_at,
            finished_at=finished_at,
        )

    @property
    def duration_s(self) -> float:
        """From the beginning of the first step to the end of the last one."""
        if self.started_at is None or self.finished_at is None:
            return 0.0
        return (self.finished_at - self.started_at).total_seconds()

    def reached(self, limits: Limits) -> str | None:
        """The limit that is reached, in words; None while there is room."""
        if self.steps >= limits.max_steps:
            return f"the limit of {limits.max_steps} steps"
        if self.duration_s >= limits.max_duration_s:
            return f"the limit of {limits.max_duration_s / 60:.0f} minutes"
        if self.usage.total_tokens >= limits.max_tokens:
            return f"the limit of {limits.max_tokens:,} tokens"
        return None
