"""Rules and moments in words, as the bot repeats what it understood."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import product

from babel.dates import format_date, format_datetime, get_day_names, get_month_names
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
    speaker = _Speaker.of(language)
    words, recurrence = speaker.words, read_recurrence(rule.recurrence)
    parts = [speaker.days(recurrence)]
    if recurrence.hours:
        parts += [words("rule-times", times=speaker.times(recurrence)), f"({rule.zone})"]
    begins = wall_at(rule.begins, zone_named(rule.zone))
    if (begins.hour, begins.minute, begins.second) == (0, 0, 0):
        parts.append(words("rule-starting", day=speaker.date(begins.date())))
    if rule.ends is not None:
        last = wall_at(rule.ends, zone_named(rule.zone))
        parts.append(words("rule-until", day=speaker.date(last.date())))
    return " ".join(parts)


def moment_words(moment: datetime, zone: str, language: str) -> str:
    """A moment on the clocks of a zone: Mon 30 March 2026, 09:00."""
    words = CORE.of(language)
    wall = wall_at(moment, zone_named(zone))
    return format_datetime(wall, words("schedule-moment"), locale=words("schedule-locale"))


@dataclass(frozen=True, slots=True)
class _Speaker:
    """The sentences of a language, and its names of days and months as CLDR has them."""

    words: Words
    locale: str

    @classmethod
    def of(cls, language: str) -> "_Speaker":
        words = CORE.of(language)
        return cls(words, words("schedule-locale"))

    def date(self, day: date) -> str:
        return format_date(day, self.words("schedule-date"), locale=self.locale)

    def listed(self, items: Sequence[str]) -> str:
        return format_list(items, locale=self.locale)

    def weekdays(self, days: Sequence[int]) -> str:
        names = get_day_names("wide", "format", self.locale)
        return self.listed([names[day] for day in days])

    def months(self, months: Sequence[int]) -> str:
        names = get_month_names("wide", "format", self.locale)
        return self.listed([names[month] for month in months])

    def times(self, recurrence: Recurrence) -> str:
        times = list(product(recurrence.hours, recurrence.minutes or (0,)))
        chosen = [times[n - 1] for n in recurrence.positions if 0 < n <= len(times)]
        # On one day places count its times; in a month they count its days.
        is_one_day = recurrence.frequency == "DAILY" or bool(recurrence.month_days)
        is_one_day = is_one_day or len(recurrence.weekdays) == 1
        shown = chosen if chosen and is_one_day else times
        return self.listed([f"{hour:02}:{minute:02}" for hour, minute in shown])

    def days(self, recurrence: Recurrence) -> str:
        n = recurrence.interval
        if recurrence.frequency in ELAPSED:
            return self.words("rule-elapsed", unit=recurrence.frequency, n=n)
        if recurrence.frequency == "YEARLY" and recurrence.months and recurrence.month_days:
            day = self.listed([str(day) for day in recurrence.month_days])
            return self.words("rule-yearly", n=n, day=day, month=self.months(recurrence.months))
        if recurrence.frequency in ("DAILY", "WEEKLY"):
            return self._in_months(self._of_week(recurrence), recurrence)
        if n > 1:
            return self.words("rule-months-apart", n=n, on=self._of_month(recurrence, "on-"))
        return self._in_months(self._of_month(recurrence, ""), recurrence)

    def _in_months(self, text: str, recurrence: Recurrence) -> str:
        if not recurrence.months:
            return text
        months = self.months(recurrence.months)
        return self.words("rule-only-in", recurrence=text, months=months)

    def _of_week(self, recurrence: Recurrence) -> str:
        days, n = tuple(each.weekday for each in recurrence.weekdays), recurrence.interval
        named = self.weekdays(days)
        if n > 1:
            apart = "rule-weeks-apart" if days else "rule-days-apart"
            return self.words(apart, n=n, days=named)
        return self.words("rule-every", kind=_DAYS.get(days, "days"), days=named)

    def _of_month(self, recurrence: Recurrence, on: str) -> str:
        """Alone, or behind every so many months."""
        days = recurrence.month_days
        if days and min(days) > 0:
            named = self.listed([self.words("rule-date", n=day) for day in days])
            return self.words(f"rule-{on}month-day", days=named)
        return self.words(
            f"rule-{on}nth",
            nth=self._ordinals(days or _nths(recurrence)),
            day=self.words("rule-day") if days else self._nth_day(recurrence),
        )

    def _nth_day(self, recurrence: Recurrence) -> str:
        days = tuple(dict.fromkeys(each.weekday for each in recurrence.weekdays))
        if _DAYS.get(days) == "workday":
            return self.words("rule-workday")
        return self.weekdays(days) or self.words("rule-day")

    def _ordinals(self, numbers: Sequence[int]) -> str:
        in_order = sorted(numbers, key=lambda number: (number < 0, number))
        return self.listed([self.words("rule-ordinal", n=number) for number in in_order])


def _nths(recurrence: Recurrence) -> tuple[int, ...]:
    """Which of the month's days: stated with the days, or as places among all their times."""
    stated = dict.fromkeys(each.n for each in recurrence.weekdays if each.n)
    if stated:
        return tuple(stated)
    a_day = max(1, len(recurrence.hours) * max(1, len(recurrence.minutes)))
    places = (
        (place - 1) // a_day + 1 if place > 0 else -((-place - 1) // a_day) - 1
        for place in recurrence.positions
    )
    return tuple(dict.fromkeys(places))
