"""Time zones as people name them: cities, abbreviations, IANA names."""

from functools import cache
from types import MappingProxyType
from zoneinfo import available_timezones

from agent_core.schedules.in_words.words.vocabulary import fold

_CODES = MappingProxyType(
    {
        "UTC": "UTC", "GMT": "UTC", "Z": "UTC",
        "CET": "Europe/Berlin", "CEST": "Europe/Berlin", "MEZ": "Europe/Berlin",
        "MESZ": "Europe/Berlin", "BST": "Europe/London", "WET": "Europe/Lisbon",
        "EET": "Europe/Helsinki", "EEST": "Europe/Helsinki",
        "ET": "America/New_York", "EST": "America/New_York", "EDT": "America/New_York",
        "CT": "America/Chicago", "CDT": "America/Chicago",
        "MT": "America/Denver", "MST": "America/Denver", "MDT": "America/Denver",
        "PT": "America/Los_Angeles", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
        "JST": "Asia/Tokyo", "KST": "Asia/Seoul", "SGT": "Asia/Singapore",
        "HKT": "Asia/Hong_Kong", "AEST": "Australia/Sydney", "AEDT": "Australia/Sydney",
        "NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland",
    }
)  # fmt: skip
_AMBIGUOUS = frozenset({"IST", "CST", "AST"})
_PLACES = MappingProxyType(
    {
        "eastern": "America/New_York", "us eastern": "America/New_York",
        "central": "America/Chicago", "mountain": "America/Denver",
        "pacific": "America/Los_Angeles", "us pacific": "America/Los_Angeles",
        "berliner": "Europe/Berlin", "munich": "Europe/Berlin", "hamburg": "Europe/Berlin",
        "frankfurt": "Europe/Berlin", "deutscher": "Europe/Berlin", "german": "Europe/Berlin",
        "wiener": "Europe/Vienna", "wien": "Europe/Vienna", "viena": "Europe/Vienna",
        "vienne": "Europe/Vienna", "zurcher": "Europe/Zurich", "schweizer": "Europe/Zurich",
        "londoner": "Europe/London", "londres": "Europe/London", "uk": "Europe/London",
        "pariser": "Europe/Paris", "barcelona": "Europe/Madrid", "mexico": "America/Mexico_City",
        "new yorker": "America/New_York", "nueva york": "America/New_York",
        "boston": "America/New_York", "san francisco": "America/Los_Angeles",
        "seattle": "America/Los_Angeles", "moscou": "Europe/Moscow", "moscu": "Europe/Moscow",
        "mumbai": "Asia/Kolkata", "delhi": "Asia/Kolkata", "bangalore": "Asia/Kolkata",
        "india": "Asia/Kolkata", "indian": "Asia/Kolkata", "tokio": "Asia/Tokyo",
        "beijing": "Asia/Shanghai", "universal": "UTC",
    }
)  # fmt: skip


def zone_of_code(code: str) -> str | None:
    """The zone of an abbreviation in capitals; "" for one of several zones; None for no zone."""
    return "" if code in _AMBIGUOUS else _CODES.get(code)


def zone_of_place(place: str) -> str:
    """The zone of a city or an IANA name, in any case; "" where we know none."""
    plain = " ".join(fold(place).replace("_", " ").split())
    return _PLACES.get(plain) or _CODES.get(plain.upper()) or _zones().get(plain, "")


@cache
def _zones() -> dict[str, str]:
    """IANA names by themselves and by their last part, where that is a city's."""
    names = sorted(name for name in available_timezones() if "/" in name or name == "UTC")
    cities = {
        fold(name.rpartition("/")[2].replace("_", " ")): name
        for name in names
        if not name.startswith(("Etc/", "SystemV/", "US/", "posix/", "right/"))
    }
    return cities | {fold(name.replace("_", " ")): name for name in names}
