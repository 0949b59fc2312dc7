"""Days and times of day in what people write: the days of a digest, and moments of an event."""

from datetime import datetime

from dateutil.relativedelta import relativedelta

from bot.sandbox.model.phrases import find, lines

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
NOON = 12


def days_in(words: str) -> str:
    """The days that words name as RFC 5545 writes them, or `daily`; empty where they name none."""
    plain = words.casefold()
    for row in lines("days"):
        days, *names = row.split()
        if any(name in plain for name in names):
            return days
    return ""


def clock_in(words: str) -> tuple[int, int] | None:
    """The hour and the minute that words name; None where they name none."""
    clock = find("clock", words)
    if clock is None:
        return None
    hour = int(clock["h"])
    half = (clock["half"] or "").casefold()
    if half:
        hour = hour % NOON + (NOON if half == "pm" else 0)
    return hour, int(clock["m"] or 0)


def moment_in(words: str, sent_at: datetime | None) -> datetime | None:
    """The next such moment after a message; None where the words name no day or no hour."""
    clock = clock_in(words)
    if clock is None or sent_at is None:
        return None
    days = days_in(words)
    if days in WEEKDAYS:
        sent_at += relativedelta(days=1, weekday=WEEKDAYS.index(days))
    elif "tomorrow" in words.casefold():
        sent_at += relativedelta(days=1)
    elif "today" not in words.casefold():
        return None
    hour, minute = clock
    return sent_at.replace(hour=hour, minute=minute)
