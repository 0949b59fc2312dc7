"""The sandbox's clock: its start, and its jumps forward for the bot and Slack at once."""

import re
import time
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from dateutil.tz import datetime_exists

from bot.sandbox.slack import SandboxClock

_WRITTEN = re.compile(r"(20\d\d-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\s+(\S+))?")
_FORM = "a whole local time and a zone, such as 2026-03-27T08:59:50 Europe/Berlin"


def read_moment(text: str) -> datetime:
    """The moment of `2026-03-27T08:59:50 Europe/Berlin`, in its zone; without a zone in UTC.

    A time that occurs twice is the first one. Raises ValueError for any other text, and for a time
    that the zone's clocks leave out.
    """
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no moment: write {_FORM}.")
    day, hour, zone = match.groups("UTC")
    try:
        moment = datetime.fromisoformat(f"{day}T{hour}").replace(tzinfo=ZoneInfo(zone))
    except (ValueError, KeyError, OSError) as error:
        raise ValueError(f"{text!r} is no moment ({error}): write {_FORM}.") from error
    if not datetime_exists(moment):
        raise ValueError(f"The clocks in {zone} leave out {day} {hour}: write another.")
    return moment


class SharedClock(SandboxClock):
    """The machine's clock with an offset, in a file that the bot reads too.

    After its start the clock only goes forward. A wait that runs when the clock jumps lasts as long
    as without the jump, so that no patience (for an acknowledgement, a ping) ends by a jump.
    """

    def __init__(self, file: Path, *, start_s: float) -> None:
        self.file = file
        self._shift_to(start_s)

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time() + self._shift_s

    def jump_to(self, at_s: float) -> None:
        """Go forward to the moment; a past moment changes nothing."""
        if at_s > self.now():
            self._shift_to(at_s)

    def _shift_to(self, at_s: float) -> None:
        self._shift_s = at_s - time.time()
        new = self.file.with_suffix(".new")
        new.write_text(f"{self._shift_s:.6f}\n", encoding="ascii")
        new.replace(self.file)
