"""The sandbox's time: where it begins, and how it is put forward for the bot and Slack at once."""

import asyncio
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

_WRITTEN = re.compile(r"(20\d\d-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\s+(\S+))?")
_FORM = "a whole local time and a zone, such as 2026-03-27T08:59:50 Europe/Berlin"


def read_moment(text: str) -> datetime:
    """The moment of `2026-03-27T08:59:50 Europe/Berlin`, in its zone; without one it is UTC.

    Of a time that occurs twice, the first is meant. Raises ValueError of another text, or a time
    that the zone's clocks leave out; it says which.
    """
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no moment: write {_FORM}.")
    day, hour, zone = match[1], match[2], match[3] or "UTC"
    if zone not in available_timezones():
        raise ValueError(f"There is no time zone {zone}: write {_FORM}.")
    try:
        at = datetime.fromisoformat(f"{day}T{hour}").replace(tzinfo=ZoneInfo(zone))
    except ValueError as error:
        raise ValueError(f"There is no {day} {hour}: write {_FORM}.") from error
    if at.astimezone(UTC).astimezone(at.tzinfo).replace(tzinfo=None) != at.replace(tzinfo=None):
        raise ValueError(f"The clocks in {zone} leave out {day} {hour}: write another.")
    return at


class SharedClock:
    """The machine's clock, put off as far as is written into a file that the bot reads too.

    It only ever goes forward after its start. Waits are those of the machine: one that is under way
    when the clock jumps lasts as long as it would have without it, so that nobody's patience (for
    an acknowledgement, a ping) ends by a jump.
    """

    def __init__(self, file: Path, *, start_s: float) -> None:
        self.file = file
        self._shift_to(start_s)

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time() + self._shift_s

    async def sleep_until(self, at_s: float) -> None:
        await asyncio.sleep(max(0.0, at_s - self.now()))

    def jump_to(self, at_s: float) -> None:
        """Go forward to the moment; one that has passed leaves the clock as it is."""
        if at_s > self.now():
            self._shift_to(at_s)

    def _shift_to(self, at_s: float) -> None:
        self._shift_s = at_s - time.time()
        beside = self.file.with_suffix(".new")
        beside.write_text(f"{self._shift_s:.6f}\n", encoding="ascii")
        beside.replace(self.file)
