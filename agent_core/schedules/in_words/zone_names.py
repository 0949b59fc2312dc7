"""Time zones as people name them: cities, abbreviations, IANA names."""

from functools import cache
from types import MappingProxyType
from zoneinfo import available_timezones

from agent_core.prompts.language import Language
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
_LIKE_WORDS = frozenset({"Z", "ET", "CT", "MT", "PT", "EST", "WET"})
"""Codes that are words of our languages unless in capitals."""
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
        "nyc": "America/New_York", "miami": "America/New_York", "atlanta": "America/New_York",
        "dallas": "America/Chicago", "houston": "America/Chicago", "austin": "America/Chicago",
        "las vegas": "America/Los_Angeles", "silicon valley": "America/Los_Angeles",
        "cologne": "Europe/Berlin", "koln": "Europe/Berlin", "munchen": "Europe/Berlin",
        "stuttgart": "Europe/Berlin", "dusseldorf": "Europe/Berlin", "leipzig": "Europe/Berlin",
        "geneva": "Europe/Zurich", "genf": "Europe/Zurich", "geneve": "Europe/Zurich",
        "ginebra": "Europe/Zurich", "milan": "Europe/Rome", "mailand": "Europe/Rome",
        "rom": "Europe/Rome", "roma": "Europe/Rome", "prag": "Europe/Prague",
        "praga": "Europe/Prague", "warschau": "Europe/Warsaw", "varsovia": "Europe/Warsaw",
        "lissabon": "Europe/Lisbon", "lisbonne": "Europe/Lisbon", "lisboa": "Europe/Lisbon",
        "brussel": "Europe/Brussels", "bruxelles": "Europe/Brussels",
        "bruselas": "Europe/Brussels", "kopenhagen": "Europe/Copenhagen",
        "athen": "Europe/Athens", "moskau": "Europe/Moscow", "lyon": "Europe/Paris",
        "new delhi": "Asia/Kolkata", "hyderabad": "Asia/Kolkata", "chennai": "Asia/Kolkata",
        "pune": "Asia/Kolkata", "shenzhen": "Asia/Shanghai", "osaka": "Asia/Tokyo",
    }
)  # fmt: skip
_NO_CITIES = frozenset(
    {
        "eastern", "us eastern", "central", "mountain", "pacific", "us pacific", "universal",
        "berliner", "wiener", "zurcher", "londoner", "pariser", "new yorker", "deutscher",
        "german", "schweizer", "indian", "north", "south", "west", "act", "nsw", "center",
        "midway", "easter", "reunion",
    }
)  # fmt: skip
"""Names of `_PLACES` and of IANA that are said of other things behind a time."""
_REGIONS = frozenset(
    {"Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)


def zone_of_code(code: str, language: Language) -> str | None:
    """The zone of an abbreviation; "" for one of several zones; None for no zone.

    In small letters it is one only where that is no word of the language.
    """
    if code in _AMBIGUOUS:
        return ""
    is_word = code.islower() and code.upper() in _LIKE_WORDS
    if is_word and not (code == "est" and language == "en"):
        return None
    return _CODES.get(code.upper())


def zone_of_offset(hours: int, minutes: int) -> str:
    """The zone that is so far from UTC at any time of the year; "" where there is none."""
    if minutes or not -12 <= hours <= 14:
        return ""
    return f"Etc/GMT{-hours:+}" if hours else "UTC"


def zone_of_city(city: str) -> str:
    """The zone of a city, in any case; "" for any other name."""
    plain = " ".join(fold(city).replace("-", " ").split())
    return "" if plain in _NO_CITIES else _PLACES.get(plain) or _cities().get(plain, "")


def zone_of_place(place: str) -> str:
    """The zone of a city or an IANA name, in any case; "" where we know none."""
    plain = " ".join(fold(place).replace("_", " ").split())
    return _PLACES.get(plain) or _CODES.get(plain.upper()) or _zones().get(plain, "")


@cache
def _cities() -> dict[str, str]:
    places = (name.partition("/") for name in sorted(available_timezones()))
    return {
        fold(city.rpartition("/")[2].replace("_", " ").replace("-", " ")): f"{region}/{city}"
        for region, _, city in places
        if region in _REGIONS
    }


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
