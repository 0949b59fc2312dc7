"""Time zones: from wall-clock times to moments and back."""

import re
from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# An IANA name such as `America/Argentina/Ushuaia` or `Etc/GMT+3`.
_NAME = re.compile(r"[A-Z][A-Za-z0-9_+-]{0,31}(?:/[A-Z][A-Za-z0-9_+-]{0,31}){0,2}")


def zone_named(name: str) -> ZoneInfo:
    """The zone of an IANA name. Raises `LookupError` for any other text."""
    if not _NAME.fullmatch(name):
        raise LookupError(name)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise LookupError(name) from error


def wall_at(moment: datetime, zone: ZoneInfo) -> datetime:
    """What the clocks of the zone read at a moment; without a zone of its own."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def moment_at(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first moment, in UTC, at which the clocks of the zone have reached a wall-clock time.

    A time that occurs twice gives its first occurrence. A time that the clocks skip gives the
    first moment behind the gap.
    """
    moment = wall.replace(tzinfo=zone).astimezone(UTC)
    if wall_at(moment, zone) == wall:
        return moment
    return _end_of_gap(wall, zone)


def _end_of_gap(wall: datetime, zone: ZoneInfo) -> datetime:
    """Search the second of the change: it lies between the readings with the two offsets."""
    low = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    high = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    width_s = int((high - low).total_seconds())

    def is_behind(elapsed_s: int) -> bool:
        return wall_at(low + timedelta(seconds=elapsed_s), zone) >= wall

    return low + timedelta(seconds=bisect_left(range(width_s), True, key=is_behind))
