"""Watermarks: how far each conversation was heard, and whether posts may be missing since.

While there is a gap no watermark moves, so that after a crash its beginning is known. `backfill`
looks for what was said in a gap.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agent_core.messages import JsonObject
from agent_core.runtime import Marks
from bot.inbound import object_in, text_in

OVERLAP_S = 600.0
"""How far before a watermark one looks again: Slack's last retry comes after six minutes, and a
process that dies loses its last watermarks. What was answered is known by its key."""

ANSWERED_S = 24 * 3_600.0
"""Posts that are older than this are listed in a notice instead of being answered."""

MAX_SILENCE_S = 60.0
"""A beat that comes later than this after the one before tells of a process that stood still."""

ALIVE_STEP_S = 30.0
_ALIVE = "*"
"""The watermark of all conversations: until then nothing was missed anywhere."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A time in which posts may have come that the bot did not hear."""

    began_s: float
    """When it was looked at; what comes later is heard."""
    marks: Mapping[str, str]
    number: int

    @property
    def channels(self) -> set[str]:
        """The conversations in which something was heard before."""
        return set(self.marks) - {_ALIVE}

    def since_s(self, channel: str) -> float:
        """Up to when the conversation was heard."""
        mark = self.marks.get(channel) or self.marks[_ALIVE]
        return float(mark)

    def is_new(self, channel: str, ts: str) -> bool:
        """Whether a post is later than what was heard; those of the overlap were likely seen to."""
        return float(ts or 0) > self.since_s(channel)

    def oldest_s(self, channel: str) -> float:
        """From when on to look, with the overlap."""
        since_s = self.since_s(channel)
        return max(0.0, since_s - OVERLAP_S)

    @property
    def opened_s(self) -> float:
        """Until then nothing was missed, in quiet conversations either; with the overlap."""
        return self.oldest_s(_ALIVE)

    def is_late(self, ts: str) -> bool:
        """Whether a post is too old to be answered."""
        return float(ts) < self.began_s - ANSWERED_S


class Watermarks:
    """The newest post heard in each conversation, written down a little later than it is heard."""

    def __init__(
        self,
        marks: Marks,
        team: str,
        now_s: Callable[[], float],
    ) -> None:
        """`now_s` is the time of day, in seconds since the epoch."""
        self.has_gap = asyncio.Event()
        self._marks = marks
        self._prefix = f"slack:{team}:"
        self._now_s = now_s
        self._saved: dict[str, str] = {}
        self._newest: dict[str, str] = {}
        self._before: dict[str, str] = {}
        """How far each conversation was heard when the gap opened."""
        self._gaps = 0
        self._beat_at_s = 0.0

    async def open(self) -> None:
        """Read the watermarks. Before the first start of all, nothing can have been missed."""
        stored = await self._marks.load(self._prefix)
        for name, ts in stored.items():
            self._saved[name.removeprefix(self._prefix)] = ts
        self._beat_at_s = self._now_s()
        if _ALIVE in self._saved:
            self.lose("the bot was not running")
        else:
            await self._save({_ALIVE: as_ts(self._beat_at_s)})

    def note(self, body: JsonObject) -> None:
        """A payload was received; whoever wrote the post and whoever it is for."""
        self._check_silence()
        event = object_in(body, "event")
        channel = text_in(event, "channel")
        self.note_post(channel, text_in(event, "ts"))

    def note_post(self, channel: str, ts: str) -> None:
        """A post of a conversation was heard, live or afterwards."""
        newest_ts = self._newest.get(channel, "")
        if channel and ts > newest_ts:
            self._newest[channel] = ts

    def lose(self, reason: str) -> None:
        """Something may be missing from now on, until the gap is closed."""
        self._gaps += 1
        if not self.has_gap.is_set():
            _log.info("posts may be missing: %s", reason)
            self._before = {**self._saved, **self._unsaved()}
        self.has_gap.set()

    def gap(self) -> Gap:
        """The gap as it is now, to look at and then close."""
        marks = self._before if self.has_gap.is_set() else self._saved
        return Gap(began_s=self._now_s(), marks=dict(marks), number=self._gaps)

    async def close(self, gap: Gap) -> None:
        """All that was said in the gap was seen to. A newer one stays open."""
        if gap.number != self._gaps:
            return
        await self._save({**self._unsaved(), _ALIVE: as_ts(gap.began_s)})
        if gap.number == self._gaps:
            self._beat_at_s = self._now_s()
            self.has_gap.clear()

    async def beat(self, *, is_well: bool) -> None:
        """Write down how far one is; to be called every few seconds, with the socket's state."""
        if not is_well:
            self.lose("the socket is not open")
        self._check_silence()
        if self.has_gap.is_set():
            return
        marks = self._unsaved()
        now_s = self._now_s()
        alive_s = float(self._saved[_ALIVE])
        if now_s - alive_s >= ALIVE_STEP_S:
            marks[_ALIVE] = as_ts(now_s)
        await self._save(marks)

    def _check_silence(self) -> None:
        """A process that stood still may have missed posts."""
        now_s = self._now_s()
        silence_s = now_s - self._beat_at_s
        self._beat_at_s = now_s
        if silence_s > MAX_SILENCE_S:
            self.lose(f"the process stood still for {silence_s:.0f} s")

    def _unsaved(self) -> dict[str, str]:
        saved = self._saved
        return {channel: ts for channel, ts in self._newest.items() if ts > saved.get(channel, "")}

    async def _save(self, marks: Mapping[str, str]) -> None:
        if not marks:
            return
        named = {f"{self._prefix}{name}": ts for name, ts in marks.items()}
        await self._marks.save(named)
        self._saved.update(marks)


def as_ts(moment_s: float) -> str:
    """A moment as Slack writes the time of a post."""
    return f"{moment_s:.6f}"
