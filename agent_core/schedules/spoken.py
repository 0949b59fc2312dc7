"""Rules and moments in words, as the bot repeats what it understood."""

from collections.abc import Sequence
from datetime import date, datetime
from itertools import product

from agent_core.prompts.language import Language
from agent_core.schedules.in_words.words.spoken import SPOKEN, SpokenWords
from agent_core.schedules.recurrence import Recurrence, Weekday, read_recurrence
from agent_core.schedules.rule import Rule
from agent_core.schedules.zones import wall_at, zone_named

_ELAPSED = frozenset({"HOURLY", "MINUTELY", "SECONDLY"})
_QUARTERS = (1, 4, 7, 10)
_WORKDAYS = (0, 1, 2, 3, 4)
_WEEKEND = (5, 6)


def rule_words(rule: Rule, language: Language) -> str:
    """A rule as a person would say it: every weekday at 09:00 (Europe/Berlin).

    A first day is named where the rule begins at midnight of its zone, as one that was asked for
    does. Raises `ValueError` for a recurrence that cannot be read.
    """
    words = SPOKEN[language]
    recurrence = read_recurrence(rule.recurrence)
    parts = [_days_words(recurrence, words)]
    if recurrence.hours:
        parts.append(words.times.format(times=_listed(_clock_words(recurrence), words)))
        parts.append(f"({rule.zone})")
    begins = wall_at(rule.begins, zone_named(rule.zone))
    if (begins.hour, begins.minute, begins.second) == (0, 0, 0):
        parts.append(words.starting.format(day=_date_words(begins.date(), words)))
    if rule.ends is not None:
        end, is_timed = _end_words(rule.ends, rule.zone, words)
        parts.append(words.until.format(day=end))
        if is_timed and not recurrence.hours:
            parts.append(f"({rule.zone})")
    return " ".join(parts)


def moment_words(moment: datetime, zone: str, language: Language) -> str:
    """A moment on the clocks of a zone: Mon 30 March 2026, 09:00."""
    words = SPOKEN[language]
    local = wall_at(moment, zone_named(zone))
    day = _date_words(local.date(), words, names=words.short_days)
    return f"{day}, {local.hour:02}:{local.minute:02}"


def _end_words(ends: datetime, zone: str, words: SpokenWords) -> tuple[str, bool]:
    """The last day, with a time where it is not the day's end, and whether it has one."""
    last = wall_at(ends, zone_named(zone))
    day = _date_words(last.date(), words)
    if (last.hour, last.minute) == (23, 59):
        return day, False
    return f"{day}, {last.hour:02}:{last.minute:02}", True


def _date_words(day: date, words: SpokenWords, names: Sequence[str] = ()) -> str:
    return words.date.format(
        weekday=(names or words.days)[day.weekday()],
        day=day.day,
        month=words.months[day.month - 1],
        year=day.year,
    )


def _days_words(recurrence: Recurrence, words: SpokenWords) -> str:
    if recurrence.frequency in _ELAPSED:
        return _elapsed_words(recurrence, words)
    if recurrence.frequency == "YEARLY" and recurrence.months and recurrence.month_days:
        return _yearly_words(recurrence, words)
    if recurrence.frequency in ("DAILY", "WEEKLY"):
        return _with_months(_weekly_words(recurrence, words), recurrence, words)
    return _monthly_words(recurrence, words)


def _elapsed_words(recurrence: Recurrence, words: SpokenWords) -> str:
    single, several = words.units[recurrence.frequency]
    return several.format(n=recurrence.interval) if recurrence.interval > 1 else single


def _weekly_words(recurrence: Recurrence, words: SpokenWords) -> str:
    days = tuple(each.day for each in recurrence.weekdays)
    if not days:
        pattern = words.days_apart if recurrence.interval > 1 else words.every_day
        return pattern.format(n=recurrence.interval)
    if recurrence.interval > 1:
        named = _listed([words.days[day] for day in days], words)
        return words.alternate.format(n=recurrence.interval, days=named)
    if days == _WORKDAYS:
        return words.every_workday
    if days == _WEEKEND:
        return words.every_weekend
    return words.every_days.format(days=_listed([words.days[day] for day in days], words))


def _yearly_words(recurrence: Recurrence, words: SpokenWords) -> str:
    pattern = words.years_apart if recurrence.interval > 1 else words.yearly
    month = _listed([words.months[number - 1] for number in recurrence.months], words)
    days = _listed([str(day) for day in recurrence.month_days], words)
    return pattern.format(n=recurrence.interval, day=days, month=month)


def _monthly_words(recurrence: Recurrence, words: SpokenWords) -> str:
    is_quarterly = recurrence.months == _QUARTERS and recurrence.interval == 1
    if is_quarterly:
        return words.quarterly.format(on=_day_of_month(recurrence, words, is_alone=False))
    if recurrence.interval > 1:
        on = _day_of_month(recurrence, words, is_alone=False)
        return words.months_apart.format(n=recurrence.interval, on=on)
    return _with_months(_day_of_month(recurrence, words, is_alone=True), recurrence, words)


def _with_months(text: str, recurrence: Recurrence, words: SpokenWords) -> str:
    months = _listed([words.months[month - 1] for month in recurrence.months], words)
    return words.only_in.format(recurrence=text, months=months) if months else text


def _day_of_month(recurrence: Recurrence, words: SpokenWords, *, is_alone: bool) -> str:
    nth_pattern = words.nth if is_alone else words.on_nth
    day_pattern = words.month_day if is_alone else words.on_month_day
    if any(day < 0 for day in recurrence.month_days):
        nth = _ordinals(recurrence.month_days, words)
        return nth_pattern.format(nth=nth, day=words.day)
    if recurrence.month_days:
        days = [_month_ordinal(day, words) for day in recurrence.month_days]
        return day_pattern.format(days=_listed(days, words))
    return nth_pattern.format(
        nth=_ordinals(_nths(recurrence), words), day=_nth_day(recurrence.weekdays, words)
    )


def _nths(recurrence: Recurrence) -> tuple[int, ...]:
    """Which of the month's days: stated with the days, or as places among all their times."""
    stated = dict.fromkeys(each.nth for each in recurrence.weekdays if each.nth)
    if stated:
        return tuple(stated)
    a_day = max(1, len(_grid(recurrence)))
    places = (
        (place - 1) // a_day + 1 if place > 0 else -((-place - 1) // a_day) - 1
        for place in recurrence.positions
    )
    return tuple(dict.fromkeys(places))


def _nth_day(weekdays: Sequence[Weekday], words: SpokenWords) -> str:
    days = tuple(dict.fromkeys(each.day for each in weekdays))
    if days == _WORKDAYS:
        return words.workday
    return _listed([words.days[day] for day in days], words) or words.day


def _ordinals(numbers: Sequence[int], words: SpokenWords) -> str:
    in_order = sorted(numbers, key=lambda number: (number < 0, number))
    return _listed(
        [words.ordinals.get(number) or _month_ordinal(number, words) for number in in_order], words
    )


def _month_ordinal(day: int, words: SpokenWords) -> str:
    return words.month_ordinal.format(n=day, suffix=_english_suffix(day))


def _english_suffix(number: int) -> str:
    if number in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _grid(recurrence: Recurrence) -> list[tuple[int, int]]:
    return list(product(recurrence.hours, recurrence.minutes or (0,)))


def _clock_words(recurrence: Recurrence) -> list[str]:
    times = _grid(recurrence)
    chosen = times
    if recurrence.positions and _is_one_day(recurrence):
        chosen = [times[place - 1] for place in recurrence.positions if 0 < place <= len(times)]
    return [f"{hour:02}:{minute:02}" for hour, minute in chosen or times]


def _is_one_day(recurrence: Recurrence) -> bool:
    """Whether places count the times of one day, and not the days of a month."""
    if recurrence.frequency == "DAILY" or recurrence.month_days:
        return True
    return len(recurrence.weekdays) == 1


def _listed(items: Sequence[str], words: SpokenWords) -> str:
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {words.both} {items[-1]}"
