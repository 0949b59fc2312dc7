import time
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest

from agent_core.schedules.rule import Rule, newest_slot, slots_after

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
FIRST_MOMENT = datetime.min.replace(tzinfo=UTC)
LAST_MOMENT = datetime.max.replace(tzinfo=UTC)
EVERY_HOUR = ",".join(str(hour) for hour in range(24))


def a_rule(
    recurrence: str,
    zone: str = "UTC",
    begins: datetime = NEW_YEAR,
    ends: datetime | None = None,
) -> Rule:
    return Rule(recurrence=recurrence, zone=zone, begins=begins, ends=ends)


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def clock_of(rule: Rule, after: datetime, number: int) -> list[str]:
    """The next slots as the clocks of the rule's zone show them."""
    slots = islice(slots_after(rule, after), number)
    return [slot.astimezone(ZoneInfo(rule.zone)).isoformat(timespec="minutes") for slot in slots]


def test_a_weekday_rule_keeps_its_wall_clock_time_over_the_change() -> None:
    rule = a_rule("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0", "Europe/Berlin")

    assert clock_of(rule, at("2026-03-27T08:59:50", "Europe/Berlin"), 3) == [
        "2026-03-27T09:00+01:00",
        "2026-03-30T09:00+02:00",
        "2026-03-31T09:00+02:00",
    ]


@pytest.mark.parametrize(
    ("zone", "time_of_day", "eve", "expected"),
    [
        ("Europe/Berlin", (2, 30), "2026-03-28", "2026-03-29T03:00+02:00"),
        ("America/New_York", (2, 30), "2026-03-07", "2026-03-08T03:00-04:00"),
        ("Australia/Lord_Howe", (2, 15), "2026-10-03", "2026-10-04T02:30+11:00"),
        ("America/Santiago", (0, 0), "2026-09-05", "2026-09-06T01:00-03:00"),
    ],
)
def test_a_time_that_the_clocks_skip_is_due_behind_the_gap(
    zone: str, time_of_day: tuple[int, int], eve: str, expected: str
) -> None:
    hour, minute = time_of_day
    rule = a_rule(f"FREQ=DAILY;BYHOUR={hour};BYMINUTE={minute}", zone)
    usual = f"T{hour:02}:{minute:02}"

    before, changed, after = clock_of(rule, at(f"{eve}T00:00", zone) - timedelta(seconds=1), 3)

    assert changed == expected
    assert before.startswith(f"{eve}{usual}")
    assert usual in after


@pytest.mark.parametrize(
    ("zone", "time_of_day", "day", "expected"),
    [
        ("Europe/Berlin", (2, 30), "2026-10-25", "2026-10-25T02:30+02:00"),
        ("America/New_York", (1, 30), "2026-11-01", "2026-11-01T01:30-04:00"),
        ("Australia/Lord_Howe", (1, 45), "2026-04-05", "2026-04-05T01:45+11:00"),
    ],
)
def test_a_time_that_comes_twice_is_due_the_first_time_only(
    zone: str, time_of_day: tuple[int, int], day: str, expected: str
) -> None:
    hour, minute = time_of_day
    rule = a_rule(f"FREQ=DAILY;BYHOUR={hour};BYMINUTE={minute}", zone)

    slots = clock_of(rule, at(f"{day}T00:00", zone), 2)

    assert slots[0] == expected
    assert not slots[1].startswith(day)


def test_a_moment_between_the_two_readings_of_a_time_does_not_make_it_due_again() -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "Europe/Berlin")

    assert clock_of(rule, at("2026-10-25T01:10"), 1) == ["2026-10-26T02:30+01:00"]


def test_times_that_meet_behind_a_gap_are_one_slot() -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30", "Europe/Berlin")

    assert clock_of(rule, at("2026-03-29T00:00", "Europe/Berlin"), 3) == [
        "2026-03-29T03:00+02:00",
        "2026-03-29T03:30+02:00",
        "2026-03-30T02:00+02:00",
    ]


def test_a_zone_without_full_hours_keeps_its_own_clock() -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=9", "Asia/Kathmandu")

    assert next(slots_after(rule, NEW_YEAR)) == datetime(2026, 1, 1, 3, 15, tzinfo=UTC)


def test_a_day_that_a_zone_skipped_is_due_where_the_next_one_starts() -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=9", "Pacific/Apia", begins=at("2011-12-01T00:00"))

    assert clock_of(rule, at("2011-12-29T08:00", "Pacific/Apia"), 3) == [
        "2011-12-29T09:00-10:00",
        "2011-12-31T00:00+14:00",
        "2011-12-31T09:00+14:00",
    ]


@pytest.mark.parametrize("eve", ["2026-03-28T20:00", "2026-10-24T20:00"])
def test_hours_are_elapsed_time_whatever_the_clocks_do(eve: str) -> None:
    rule = a_rule("FREQ=HOURLY;INTERVAL=6", "Europe/Berlin")

    slots = list(islice(slots_after(rule, at(eve)), 6))

    assert {later - earlier for earlier, later in pairwise(slots)} == {timedelta(hours=6)}
    assert all((slot - NEW_YEAR) % timedelta(hours=6) == timedelta() for slot in slots)


def test_stated_minutes_of_an_hourly_rule_count_from_its_first_full_hour() -> None:
    rule = a_rule("FREQ=HOURLY;INTERVAL=6;BYMINUTE=15,45", "Asia/Kathmandu", at("2026-01-01T14:23"))

    assert clock_of(rule, NEW_YEAR, 4) == [
        "2026-01-01T20:15+05:45",
        "2026-01-01T20:45+05:45",
        "2026-01-02T02:15+05:45",
        "2026-01-02T02:45+05:45",
    ]


@pytest.mark.parametrize(
    ("recurrence", "begins", "expected"),
    [
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;BYHOUR=9", "2026-01-08", ["01-09", "01-19", "01-23"]),
        ("FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=1;BYHOUR=9", "2026-01-08", ["01-12", "01-19"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9", "2026-01-05", ["01-11", "01-25", "02-08"]),
        ("FREQ=DAILY;INTERVAL=3;BYHOUR=9", "2026-01-05", ["01-05", "01-08", "01-11"]),
        ("FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15;BYHOUR=9", "2026-01-20", ["04-15", "07-15"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9", "2026-01-20", ["01-31", "02-28", "03-31"]),
        ("FREQ=MONTHLY;BYDAY=1MO;BYHOUR=9", "2026-01-20", ["02-02", "03-02", "04-06"]),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-01-20", ["01-30", "02-27"]),
        ("FREQ=YEARLY;BYMONTH=3,9;BYDAY=-1SU;BYHOUR=9", "2026-01-20", ["03-29", "09-27"]),
    ],
)
def test_an_interval_counts_from_the_period_of_the_beginning(
    recurrence: str, begins: str, expected: list[str]
) -> None:
    rule = a_rule(recurrence, begins=at(begins))

    assert [slot[5:10] for slot in clock_of(rule, NEW_YEAR, len(expected))] == expected


@pytest.mark.parametrize(
    "recurrence",
    [
        "FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=1",
        "FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=1",
        "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,SA",
        "FREQ=DAILY;INTERVAL=9;BYHOUR=9",
        "FREQ=HOURLY;INTERVAL=7;BYMINUTE=0,30",
        "FREQ=MINUTELY;INTERVAL=50",
    ],
)
def test_an_interval_counts_on_years_later(recurrence: str) -> None:
    rule = a_rule(recurrence, "Europe/Berlin", begins=at("2026-03-20T14:23"))
    years_later = at("2040-01-01")

    slot_by_slot = (slot for slot in slots_after(rule, NEW_YEAR) if slot > years_later)

    assert list(islice(slots_after(rule, years_later), 5)) == list(islice(slot_by_slot, 5))


def test_an_interval_of_years_counts_from_the_year_of_the_beginning() -> None:
    rule = a_rule("FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=1", begins=at("2026-03-20T14:23"))

    assert clock_of(rule, NEW_YEAR, 1) == ["2030-02-01T14:23+00:00"]


@pytest.mark.parametrize(
    "recurrence", ["FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY", "FREQ=HOURLY"]
)
def test_what_is_left_open_is_as_at_the_beginning(recurrence: str) -> None:
    begins = at("2026-01-20T14:23:37")

    assert next(slots_after(a_rule(recurrence, begins=begins), NEW_YEAR)) == begins


def test_a_stated_second_of_elapsed_time_is_a_full_minute() -> None:
    rule = a_rule("FREQ=HOURLY;BYSECOND=0", begins=at("2026-01-20T14:23:37"))

    assert next(slots_after(rule, NEW_YEAR)) == at("2026-01-20T15:23")


def test_an_hour_alone_is_the_full_hour() -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=9", begins=at("2026-01-20T14:23:37"))

    assert next(slots_after(rule, NEW_YEAR)) == at("2026-01-21T09:00")


def test_the_end_itself_is_still_due_and_nothing_behind_it() -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=9", ends=at("2026-01-03T09:00"))

    assert list(slots_after(rule, at("2026-01-01T09:00"))) == [
        at("2026-01-02T09:00"),
        at("2026-01-03T09:00"),
    ]


def test_the_newest_slot_comes_with_the_number_of_all() -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=9")

    newest = newest_slot(rule, after=at("2026-01-01T09:00"), until=at("2026-01-04T09:00"))

    assert newest == (at("2026-01-04T09:00"), 3)


def test_without_a_slot_there_is_no_newest_one() -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=9")

    newest = newest_slot(rule, after=at("2026-01-01T09:00"), until=at("2026-01-02T08:59"))

    assert newest == (None, 0)


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        ("2030-03-01T12:07", "2030-03-01T12:00"),
        ("2030-12-31T12:07", "2030-03-31T23:45"),
        ("2075-06-30T23:59", "2031-01-10T09:00"),
    ],
)
def test_the_newest_of_too_many_to_count_is_right(until: str, expected: str) -> None:
    rule = a_rule(
        f"FREQ=DAILY;BYMONTH=1,2,3;BYHOUR={EVERY_HOUR};BYMINUTE=0,15,30,45",
        ends=at("2031-01-10T09:00"),
    )

    newest = newest_slot(rule, after=NEW_YEAR, until=at(until))

    assert newest == (at(expected), 10_000)


@pytest.mark.parametrize(
    "recurrence", ["FREQ=MINUTELY;INTERVAL=15", "FREQ=HOURLY;INTERVAL=6", "FREQ=DAILY;BYHOUR=9"]
)
def test_the_years_since_the_beginning_cost_nothing(recurrence: str) -> None:
    rule = a_rule(recurrence, "Europe/Berlin", begins=at("1990-01-01"))
    started = time.process_time()

    assert len(list(islice(slots_after(rule, at("2080-01-01")), 10))) == 10
    assert time.process_time() - started < 0.05


@pytest.mark.parametrize("extreme", [FIRST_MOMENT, LAST_MOMENT])
@pytest.mark.parametrize(
    "recurrence", ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=SA,SU", "FREQ=HOURLY;INTERVAL=999999"]
)
def test_no_moment_is_too_early_or_too_late_to_ask(recurrence: str, extreme: datetime) -> None:
    rule = a_rule(recurrence, "Pacific/Kiritimati", begins=at("2083-01-01"))

    slots = list(slots_after(rule, extreme))

    assert bool(slots) == (extreme == FIRST_MOMENT)
    assert all(slot.year == 2083 for slot in slots)
