"""Descriptions of recurrences and moments in a person's language, for proposals and lists.

Babel writes names, dates and lists; the catalogue of the core has the sentences.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from itertools import product, zip_longest

from babel.dates import (
    format_date,
    format_datetime,
    get_day_names,
    get_month_names,
)
from babel.lists import format_list

from agent_core.schedules.rule import (
    ELAPSED,
    Recurrence,
    Rule,
    read_recurrence,
    wall_at,
    zone_named,
)
from agent_core.words import CORE, Words

_DAYS: dict[tuple[int, ...], str] = {
    (): "day",
    (0, 1, 2, 3, 4, 5, 6): "day",
    (0, 1, 2, 3, 4): "workday",
    (5, 6): "weekend",
}


def rule_words(rule: Rule, language: str) -> str:
    """A rule as a person would say it: every weekday at 09:00 (Europe/Berlin).

    A first day is named where the rule begins at midnight of its zone, as one that was asked for
    does.
    """
    words = CORE.of(language)
    zone = zone_named(rule.zone)
    recurrence = read_recurrence(rule.recurrence)
    parts = [_days(recurrence, words)]
    if recurrence.hours:
        times = product(recurrence.hours, recurrence.minutes or (0,))
        clock_times = [f"{hour:02}:{minute:02}" for hour, minute in times]
        listed = _listed(clock_times, words)
        parts.append(words("rule-times", times=listed))
        parts.append(f"({rule.zone})")
    begins = wall_at(rule.begins, zone)
    if begins.time() == time():
        parts.append(words("rule-starting", day=_date(begins, words)))
    if rule.ends is not None:
        ends = wall_at(rule.ends, zone)
        parts.append(words("rule-until", day=_date(ends, words)))
    return " ".join(parts)


def moment_words(moment: datetime, zone: str, language: str) -> str:
    """A moment on the clocks of a zone: Mon 30 March 2026, 09:00."""
    words = CORE.of(language)
    wall = wall_at(moment, zone_named(zone))
    pattern = words("schedule-moment")
    return format_datetime(wall, pattern, locale=words("schedule-locale"))


def moments_words(moments: Sequence[datetime], zone: str, language: str) -> str:
    """Moments in one short line: Fri 27, Mon 30, Tue 31 March at 09:00.

    A month is named where the next moment has another one, and a year where they have several.
    """
    words = CORE.of(language)
    walls = [wall_at(moment, zone_named(zone)) for moment in moments]
    times = {f"{wall:%H:%M}" for wall in walls}
    whole = "schedule-day-month" if walls[0].year == walls[-1].year else "schedule-day-year"
    days: list[str] = []
    for wall, following in zip_longest(walls, walls[1:]):
        is_short = following and following.strftime("%Y%m") == wall.strftime("%Y%m")
        pattern = words("schedule-day" if is_short else whole)
        day = format_datetime(wall, pattern, locale=words("schedule-locale"))
        days.append(day if len(times) == 1 else f"{day}, {wall:%H:%M}")
    if len(times) > 1:
        return " · ".join(days)
    return words("schedule-days-at", days=", ".join(days), time=times.pop())


def day_words(day: date, language: str) -> str:
    """A day in short: 15 Sep 2026."""
    return format_date(day, "d MMM y", locale=language)


def _days(recurrence: Recurrence, words: Words) -> str:
    n = recurrence.interval
    frequency = recurrence.frequency
    if frequency in ELAPSED:
        return words("rule-elapsed", unit=frequency, n=n)
    names = get_month_names("wide", "format", words("schedule-locale"))
    months = _listed([names[month] for month in recurrence.months], words)
    if frequency == "YEARLY" and months and recurrence.month_days:
        day = _listed(map(str, recurrence.month_days), words)
        return words(
            "rule-yearly",
            n=n,
            day=day,
            month=months,
        )
    if frequency in ("DAILY", "WEEKLY"):
        days = _of_week(recurrence, words)
    elif n > 1:
        days = _of_month(recurrence, words, "on-")
        return words("rule-months-apart", n=n, on=days)
    else:
        days = _of_month(recurrence, words)
    if months:
        return words("rule-only-in", recurrence=days, months=months)
    return days


def _of_week(recurrence: Recurrence, words: Words) -> str:
    n = recurrence.interval
    days = tuple(each.weekday for each in recurrence.weekdays)
    names = _weekdays(days, words)
    if n == 1:
        kind = _DAYS.get(days, "days")
        return words("rule-every", kind=kind, days=names)
    if not days:
        return words("rule-days-apart", n=n)
    return words("rule-weeks-apart", n=n, days=names)


def _of_month(recurrence: Recurrence, words: Words, on: str = "") -> str:
    """Days of a month; with "on-" in the form that follows "every n months"."""
    dates = recurrence.month_days
    if dates and min(dates) > 0:
        days = _listed([words("rule-date", n=day) for day in dates], words)
        return words(f"rule-{on}month-day", days=days)
    positions = set(dates) or {each.n for each in recurrence.weekdays if each.n}
    positions = positions or set(recurrence.positions)
    last_ones_last = sorted(positions, key=lambda number: (number < 0, number))
    ordinals = [words("rule-ordinal", n=number) for number in last_ones_last]
    nth = _listed(ordinals, words)
    weekdays = tuple(dict.fromkeys(each.weekday for each in recurrence.weekdays))
    day = words("rule-day")
    if _DAYS.get(weekdays) == "workday":
        day = words("rule-workday")
    elif weekdays:
        day = _weekdays(weekdays, words)
    return words(f"rule-{on}nth", nth=nth, day=day)


def _weekdays(days: Sequence[int], words: Words) -> str:
    names = get_day_names("wide", "format", words("schedule-locale"))
    return _listed([names[day] for day in days], words)


def _date(day: date, words: Words) -> str:
    pattern = words("schedule-date")
    return format_date(day, pattern, locale=words("schedule-locale"))


def _listed(items: Iterable[str], words: Words) -> str:
    return format_list(list(items), locale=words("schedule-locale"))
