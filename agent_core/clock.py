"""What time it is: the machine's time, or one that a file puts off for tests and the sandbox."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

MAX_SHIFT_S = 100 * 366 * 86_400.0
"""A file that asks for more counts as unreadable."""

UtcClock = Callable[[], datetime]
"""Gives the moment, in UTC; passed in wherever time counts."""


def machine_time() -> datetime:
    """The machine's time, in UTC."""
    return datetime.now(UTC)


def find_zone(name: str) -> ZoneInfo | None:
    """The zone of an IANA name such as `Europe/Berlin`; None for any other text."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def local_time(moment: datetime, zone: str) -> datetime:
    """The moment on the clocks of a zone; in UTC where the name is none."""
    return moment.astimezone(find_zone(zone) or UTC)


class WallClock:
    """The machine's time; with a file, that many seconds later.

    The file holds one line with a decimal number, which may change while the clock is in use. A
    line without its end is half written: it counts as little as a missing file or other text, and
    what was read last stays in force.
    """

    def __init__(self, shift_file: Path | None = None) -> None:
        self._shift_file = shift_file
        self._shift_s = 0.0

    def now(self) -> datetime:
        """The moment, in UTC."""
        if self._shift_file is not None:
            with suppress(OSError, ValueError):
                text = self._shift_file.read_text(encoding="ascii")
                shift_s = float(text)
                if text.endswith("\n") and abs(shift_s) <= MAX_SHIFT_S:
                    self._shift_s = shift_s
        return machine_time() + timedelta(seconds=self._shift_s)
