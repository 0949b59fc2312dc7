"""Days and times of day in a person's words, in English and German."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

DEFAULT_MINUTES = 60
WEEKDAYS = (
    ("monday", "montag"),
    ("tuesday", "dienstag"),
    ("wednesday", "mittwoch"),
    ("thursday", "donnerstag"),
    ("friday", "freitag"),
    ("saturday", "samstag", "sonnabend"),
    ("sunday", "sonntag"),
)
NEAR_DAYS = {
    "today": 0, "tonight": 0, "heute": 0, "tomorrow": 1, "morgen": 1, "übermorgen": 2,
}  # fmt: skip
MONTHS = (
    ("january", "januar"),
    ("february", "februar"),
    ("march", "märz"),
    ("april",),
    ("may", "mai"),
    ("june", "juni"),
    ("july", "juli"),
    ("august",),
    ("september",),
    ("october", "oktober"),
    ("november",),
    ("december", "dezember"),
)
MONTH_NUMBERS = {name: n for n, names in enumerate(MONTHS, start=1) for name in names}
WEEKDAY_NUMBERS = {name: n for n, names in enumerate(WEEKDAYS) for name in names}
_MONTH = "|".join(MONTH_NUMBERS)
NEAR = re.compile(rf"\b({'|'.join(NEAR_DAYS)}|{'|'.join(WEEKDAY_NUMBERS)})\b", re.IGNORECASE)
ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?:of\s+)?({_MONTH})\b(?:\s+(\d{{4}}))?", re.IGNORECASE
)
MONTH_DAY = re.compile(
    rf"\b({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(\d{{4}}))?", re.IGNORECASE
)
DOTTED = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})?(?!\d)")
CLOCK = re.compile(
    r"\b(?:(?:at|um|from|von|ab)\s+(?P<h1>\d{1,2})(?:[:.](?P<m1>\d{2}))?(?!\d)\s*(?P<p1>[ap]\.?m\b)?"
    r"|(?P<h2>\d{1,2})[:](?P<m2>\d{2})\s*(?P<p2>[ap]\.?m\b)?|(?P<h3>\d{1,2})\s*(?P<p3>[ap]\.?m\b)"
    r"|(?P<h4>\d{1,2})(?P<m4>)\s*uhr\b)",
    re.IGNORECASE,
)
NOON = re.compile(r"\b(?:at noon|mittags)\b", re.IGNORECASE)
LASTS = re.compile(
    r"\b(?:for|für)\s+(?P<n>\d+|an?|eine?|half an)\s*(?P<unit>minutes?|min|hours?|h|minuten?|"
    r"stunden?)\b",
    re.IGNORECASE,
)
UNTIL = re.compile(
    r"\b(?:to|until|till|bis)\s+(?P<h>\d{1,2})(?:[:.](?P<m>\d{2}))?\s*(?P<p>[ap]\.?m\b)?",
    re.IGNORECASE,
)
ZONE = re.compile(r"\b(?:UTC|(?:Africa|America|Asia|Australia|Europe|Pacific)/[A-Za-z_/]+)")
WORDS_OF_TIME = re.compile(
    rf"\b(?:(?:on|am|at the|this|next|diesen|nächsten|nächste)\s+)?(?:{'|'.join(WEEKDAY_NUMBERS)}|"
    rf"{'|'.join(NEAR_DAYS)})\b|\b(?:on\s+|am\s+)?(?:{ISO.pattern}|{DAY_MONTH.pattern}|"
    rf"{MONTH_DAY.pattern}|{DOTTED.pattern})|\b(?:at|um|from|von|ab)\s+\d{{1,2}}(?:[:.]\d{{2}})?"
    r"(?:\s*(?:[ap]\.?m\b|uhr\b))?|\b(?:at noon|mittags)\b"
    rf"|{LASTS.pattern.replace('?P<n>', '').replace('?P<unit>', '')}"
    r"|\b(?:to|until|till|bis)\s+\d{1,2}(?:[:.]\d{2})?(?:\s*(?:[ap]\.?m\b|uhr\b))?"
    r"|\b\d{1,2}:\d{2}\b(?:\s*(?:[ap]\.?m\b|uhr\b))?|\b\d{1,2}\s*(?:[ap]\.?m\b|uhr\b)"
    rf"|\(?{ZONE.pattern}\)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Appointment:
    """When something takes place, by a clock on the wall whose zone nobody may have named."""

    start: datetime
    """Its offset means nothing: read the day and the time of day only."""
    minutes: int
    zone: str
    """The zone that was named; empty where none was."""

    @property
    def end(self) -> datetime:
        return self.start + timedelta(minutes=self.minutes)


def read_appointment(text: str, today: date) -> Appointment | None:
    """The day and time named in a text; None where either is missing.

    A weekday means the next one after today.
    """
    day, clock = _day(text, today), _clock(text)
    if day is None or clock is None:
        return None
    start = datetime.combine(day, clock, tzinfo=UTC)
    zone = ZONE.search(text)
    return Appointment(start=start, minutes=_minutes(text, start), zone=zone[0] if zone else "")


def without_times(text: str) -> str:
    """A text without the words that say when."""
    return WORDS_OF_TIME.sub(" ", text)


def _day(text: str, today: date) -> date | None:
    if iso := ISO.search(text):
        return _date(int(iso[1]), int(iso[2]), int(iso[3]))
    if named := DAY_MONTH.search(text):
        return _next(int(named[1]), MONTH_NUMBERS[named[2].lower()], named[3], today)
    if named := MONTH_DAY.search(text):
        return _next(int(named[2]), MONTH_NUMBERS[named[1].lower()], named[3], today)
    if dotted := DOTTED.search(text):
        return _next(int(dotted[1]), int(dotted[2]), dotted[3], today)
    near = NEAR.search(text)
    return today + timedelta(days=_distance(near[1].lower(), today)) if near else None


def _distance(word: str, today: date) -> int:
    if word in NEAR_DAYS:
        return NEAR_DAYS[word]
    return (WEEKDAY_NUMBERS[word] - today.weekday() - 1) % 7 + 1


def _next(day: int, month: int, year: str | None, today: date) -> date | None:
    found = _date(int(year or today.year), month, day)
    if found is None or year or found >= today:
        return found
    return _date(today.year + 1, month, day)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _clock(text: str) -> time | None:
    if NOON.search(text):
        return time(12)
    for match in CLOCK.finditer(text):
        groups = match.groupdict()
        hour = next(groups[f"h{n}"] for n in range(1, 5) if groups[f"h{n}"])
        minute = next((groups[f"m{n}"] for n in (1, 2, 4) if groups[f"m{n}"]), "0")
        half = next((groups[f"p{n}"] for n in range(1, 4) if groups[f"p{n}"]), "")
        if found := _time(int(hour), int(minute), half):
            return found
    return None


def _time(hour: int, minute: int, half: str) -> time | None:
    if half:
        hour = hour % 12 + (12 if half.lower().startswith("p") else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _minutes(text: str, start: datetime) -> int:
    if lasts := LASTS.search(text):
        return _span(lasts["n"].lower(), lasts["unit"].lower())
    until = UNTIL.search(text)
    end = _time(int(until["h"]), int(until["m"] or 0), until["p"] or "") if until else None
    if end is None:
        return DEFAULT_MINUTES
    minutes = (end.hour - start.hour) * 60 + end.minute - start.minute
    return minutes if minutes > 0 else DEFAULT_MINUTES


def _span(number: str, unit: str) -> int:
    count = int(number) if number.isdigit() else 1
    if number == "half an":
        return 30
    return max(1, count) * (60 if unit.startswith(("h", "st")) else 1)
