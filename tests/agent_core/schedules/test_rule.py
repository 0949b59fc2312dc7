"""When rules are due, which a schedule may have, and the same by a second library."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise, takewhile
from zoneinfo import ZoneInfo

import pytest
from croniter import croniter
from hypothesis import given
from hypothesis import strategies as st

from agent_core.schedules.rule import BadRule, Rule, RuleFault, check_rule, newest_slot, slots_after

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
FIRST_MOMENT = datetime.min.replace(tzinfo=UTC)
LAST_MOMENT = datetime.max.replace(tzinfo=UTC)
EVERY_HOUR = ",".join(str(hour) for hour in range(24))


def a_rule(
    recurrence: str, zone: str = "UTC", begins: datetime = NEW_YEAR, ends: datetime | None = None
) -> Rule:
    return Rule(recurrence=recurrence, zone=zone, begins=begins, ends=ends)


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def clock_of(rule: Rule, after: datetime, number: int) -> list[str]:
    """The next slots as the clocks of the rule's zone show them."""
    slots = islice(slots_after(rule, after), number)
    return [slot.astimezone(ZoneInfo(rule.zone)).isoformat(timespec="minutes") for slot in slots]


@pytest.mark.parametrize(
    ("rule", "after", "expected"),
    [
        (  # Times that meet behind a gap are one slot.
            a_rule("FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30", "Europe/Berlin"),
            at("2026-03-29T00:00", "Europe/Berlin"),
            ["2026-03-29T03:00+02:00", "2026-03-29T03:30+02:00", "2026-03-30T02:00+02:00"],
        ),
        (  # A day that a zone skipped is due where the next one starts.
            a_rule("FREQ=DAILY;BYHOUR=9", "Pacific/Apia", begins=at("2011-12-01T00:00")),
            at("2011-12-29T08:00", "Pacific/Apia"),
            ["2011-12-29T09:00-10:00", "2011-12-31T00:00+14:00", "2011-12-31T09:00+14:00"],
        ),
        (  # Stated minutes of an hourly rule count from its first full hour.
            a_rule(
                "FREQ=HOURLY;INTERVAL=6;BYMINUTE=15,45", "Asia/Kathmandu", at("2026-01-01T14:23")
            ),
            NEW_YEAR,
            ["2026-01-01T20:15+05:45", "2026-01-01T20:45+05:45", "2026-01-02T02:15+05:45"],
        ),
    ],
)
def test_a_rule_is_due_by_the_clocks_of_its_zone(
    rule: Rule, after: datetime, expected: list[str]
) -> None:
    assert clock_of(rule, after, 3) == expected


@pytest.mark.parametrize("eve", ["2026-03-28T20:00", "2026-10-24T20:00"])
def test_hours_are_elapsed_time_whatever_the_clocks_do(eve: str) -> None:
    rule = a_rule("FREQ=HOURLY;INTERVAL=6", "Europe/Berlin")

    slots = list(islice(slots_after(rule, at(eve)), 6))

    assert all((slot - NEW_YEAR) % timedelta(hours=6) == timedelta() for slot in slots)


@pytest.mark.parametrize(
    ("recurrence", "begins", "expected"),
    [
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;BYHOUR=9", "2026-01-08", ["01-09", "01-19", "01-23"]),
        ("FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=1;BYHOUR=9", "2026-01-08", ["01-12", "01-19"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9", "2026-01-05", ["01-11", "01-25", "02-08"]),
        ("FREQ=DAILY;INTERVAL=3;BYHOUR=9", "2026-01-05", ["01-05", "01-08", "01-11"]),
        ("FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15;BYHOUR=9", "2026-01-20", ["04-15", "07-15"]),
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


@pytest.mark.parametrize(
    "recurrence", ["FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY", "FREQ=HOURLY"]
)
def test_what_is_left_open_is_as_at_the_beginning(recurrence: str) -> None:
    begins = at("2026-01-20T14:23:37")

    assert next(slots_after(a_rule(recurrence, begins=begins), NEW_YEAR)) == begins


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


def fault_of(rule: Rule, now: datetime = NEW_YEAR) -> RuleFault | None:
    try:
        check_rule(rule, now)
    except BadRule as bad:
        return bad.reason
    return None


@pytest.mark.parametrize(
    "recurrence",
    [
        "",
        "every day",
        "DAILY",
        "FREQ=SOMETIMES",
        "FREQ=DAILY;",
        "freq=daily",
        "RRULE:FREQ=DAILY",
        "FREQ=DAILY\n",
        "FREQ=DAILY\nRDATE:20260101T090000",
        "FREQ=DAILY;BYHOUR=\u0669",
        "FREQ=DAILY\x00",
        "FREQ=DAILY;COUNT=3",
        "FREQ=DAILY;UNTIL=20270101T000000Z",
        "FREQ=DAILY;DTSTART=20270101T000000Z",
        "FREQ=DAILY;BYEASTER=0",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=-1",
        "FREQ=DAILY;INTERVAL=1,2",
        "FREQ=DAILY;INTERVAL=9999999",
        "FREQ=DAILY;BYHOUR=24",
        "FREQ=DAILY;BYMONTH=13",
        "FREQ=MONTHLY;BYMONTHDAY=0",
        "FREQ=MONTHLY;BYDAY=0MO",
        "FREQ=MONTHLY;BYDAY=6MO",
        "FREQ=MONTHLY;BYDAY=XX",
        "FREQ=WEEKLY;BYDAY=1MO",
        "FREQ=DAILY;BYHOUR=9,17;BYSETPOS=1",
        "FREQ=WEEKLY;BYDAY=MO;WKST=SU",
        "FREQ=HOURLY;BYHOUR=9",
        "FREQ=MINUTELY;INTERVAL=20;BYDAY=MO",
        "FREQ=DAILY;BYHOUR=" + ",".join(["9"] * 200),
    ],
)
def test_what_is_not_plainly_a_recurrence_is_unreadable(recurrence: str) -> None:
    assert fault_of(a_rule(recurrence)) == "unreadable"
    with pytest.raises(BadRule):
        slots_after(a_rule(recurrence), NEW_YEAR)


@pytest.mark.parametrize(
    "zone", ["", "Berlin", "Europe", "europe/berlin", "../etc/passwd", "/etc/localtime", "UTC\n"]
)
def test_a_zone_that_is_none_is_named_as_the_fault(zone: str) -> None:
    assert fault_of(a_rule("FREQ=DAILY", zone)) == "unknown_zone"


@pytest.mark.parametrize(
    "recurrence",
    [
        "FREQ=MINUTELY",
        "FREQ=SECONDLY",
        "FREQ=DAILY;BYHOUR=9;BYSECOND=0,30",
        "FREQ=MINUTELY;INTERVAL=14",
        "FREQ=DAILY;BYHOUR=9;BYMINUTE=0,5,10",
        "FREQ=HOURLY;BYMINUTE=0,5,10",
        "FREQ=HOURLY;BYMINUTE=5,55",
        "FREQ=DAILY;BYHOUR=0,23;BYMINUTE=0,50",
        "FREQ=YEARLY;INTERVAL=5;BYHOUR=9;BYMINUTE=0,5",
    ],
)
@pytest.mark.proves("digest.rare")
def test_slots_less_than_15_minutes_apart_are_too_often(recurrence: str) -> None:
    assert fault_of(a_rule(recurrence, begins=at("2026-01-01T10:00"))) == "too_often"


@pytest.mark.parametrize(
    "recurrence",
    [
        "FREQ=MINUTELY;INTERVAL=15",
        "FREQ=HOURLY;BYMINUTE=0,15,30,45",
        f"FREQ=DAILY;BYHOUR={EVERY_HOUR};BYMINUTE=0,15,30,45",
        "FREQ=WEEKLY;WKST=MO;BYDAY=MO;BYHOUR=9;BYMINUTE=0;BYSECOND=0",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
    ],
)
def test_a_rule_that_a_schedule_may_have_passes(recurrence: str) -> None:
    assert fault_of(a_rule(recurrence, "Europe/Berlin")) is None


@pytest.mark.parametrize(
    "recurrence",
    [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=20",
        "FREQ=MONTHLY;INTERVAL=12;BYMONTH=3",
        "FREQ=WEEKLY;BYDAY=SA,SU;BYSETPOS=366",
        "FREQ=DAILY;INTERVAL=7;BYDAY=MO",
        "FREQ=DAILY;BYMONTH=2;BYDAY=MO;BYSETPOS=2",
        "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO",
        "FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29",
    ],
)
def test_a_rule_that_is_never_due_is_found_out_at_once(recurrence: str) -> None:
    started = time.process_time()

    assert fault_of(a_rule(recurrence)) == "never"
    assert time.process_time() - started < 0.2  # seconds of dateutil's own search otherwise


@pytest.mark.parametrize(
    ("begins", "ends", "expected"),
    [
        (NEW_YEAR, at("2026-05-01"), "over"),
        (NEW_YEAR, at("2026-06-05T10:00"), "over"),
        (at("2026-06-05T10:00"), at("2026-06-05T12:00"), "never"),
        (at("2028-01-01"), at("2027-01-01"), "never"),
        (NEW_YEAR, at("2026-06-06T09:00"), None),
        (at("2040-01-01"), None, "never"),
    ],
)
def test_a_rule_without_a_slot_left_is_over(
    begins: datetime, ends: datetime | None, expected: RuleFault | None
) -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=9", begins=begins, ends=ends)

    assert fault_of(rule, at("2026-06-05T09:30")) == expected


BEGINS = datetime(2024, 12, 31, tzinfo=UTC)
ENDS = datetime(2034, 12, 31, tzinfo=UTC)
DAILY = [
    ("Europe/Berlin", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "0 9 * * *"),
    ("Asia/Kathmandu", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "0 9 * * *"),
    ("Europe/Berlin", "FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "30 2 * * *"),
    ("Africa/Casablanca", "FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "30 2 * * *"),
    ("America/New_York", "FREQ=DAILY;BYHOUR=1;BYMINUTE=30", "30 1 * * *"),
    ("America/New_York", "FREQ=DAILY;BYHOUR=2;BYMINUTE=15", "15 2 * * *"),
    ("Australia/Lord_Howe", "FREQ=DAILY;BYHOUR=2;BYMINUTE=15", "15 2 * * *"),
    ("Australia/Lord_Howe", "FREQ=DAILY;BYHOUR=1;BYMINUTE=45", "45 1 * * *"),
    ("America/Santiago", "FREQ=DAILY;BYHOUR=0;BYMINUTE=0", "0 0 * * *"),
    ("Europe/Berlin", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0", "0 9 * * mon-fri"),
]
ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Santiago",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca",
]
SELDOM = [
    ("FREQ=WEEKLY;BYDAY=SU;BYHOUR=2;BYMINUTE=0", "0 2 * * sun"),
    ("FREQ=WEEKLY;BYDAY=TU,SA;BYHOUR=17;BYMINUTE=45", "45 17 * * tue,sat"),
    ("FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=9;BYMINUTE=0", "0 9 15 * *"),
    ("FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=2;BYMINUTE=30", "30 2 31 * *"),
    ("FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9,17;BYMINUTE=15", "15 9,17 L * *"),
    ("FREQ=MONTHLY;BYDAY=1MO;BYHOUR=9;BYMINUTE=0", "0 9 * * mon#1"),
    ("FREQ=MONTHLY;BYDAY=5FR;BYHOUR=9;BYMINUTE=0", "0 9 * * fri#5"),
    ("FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=16;BYMINUTE=0", "0 16 * * L5"),
    ("FREQ=MONTHLY;BYDAY=-1SU;BYHOUR=2;BYMINUTE=30", "30 2 * * L0"),
    ("FREQ=YEARLY;BYMONTH=1,4,7,10;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0", "0 9 1 1,4,7,10 *"),
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9;BYMINUTE=0", "0 9 29 2 *"),
]
CASES = DAILY + [(zone, *pair) for zone in ZONES for pair in SELDOM]


def moments_of_cron(expression: str, zone: str) -> Iterator[datetime]:
    cron = croniter(expression, BEGINS.astimezone(ZoneInfo(zone)))
    while True:
        yield cron.get_next(datetime)


def is_second_reading(moment: datetime) -> bool:
    return moment.fold == 1 and moment.utcoffset() != moment.replace(fold=0).utcoffset()


@pytest.mark.parametrize(("zone", "recurrence", "expression"), CASES)
def test_ten_years_of_slots_are_those_of_croniter(
    zone: str, recurrence: str, expression: str
) -> None:
    rule = Rule(recurrence=recurrence, zone=zone, begins=BEGINS, ends=ENDS)

    expected = [
        moment.astimezone(UTC)
        for moment in takewhile(lambda moment: moment <= ENDS, moments_of_cron(expression, zone))
        if not is_second_reading(moment)
    ]

    assert list(slots_after(rule, BEGINS)) == expected
    assert len(expected) >= 2


RECURRENCES = st.sampled_from(
    [
        *(recurrence for recurrence, _ in SELDOM),
        "FREQ=WEEKLY;INTERVAL=3;BYDAY=SA,SU;BYHOUR=2,3;BYMINUTE=0,30",
        "FREQ=MONTHLY;INTERVAL=5;BYDAY=MO,FR;BYSETPOS=-1;BYHOUR=2;BYMINUTE=30",
        "FREQ=DAILY;INTERVAL=4;BYHOUR=1,2,23;BYMINUTE=45",
        "FREQ=HOURLY;INTERVAL=7;BYMINUTE=15,45",
        "FREQ=MINUTELY;INTERVAL=35",
    ]
)
SOME_ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]
)
MOMENTS = st.integers(0, 40 * 365 * 86_400).map(
    lambda seconds: datetime(2010, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)
RULES = st.builds(
    Rule, recurrence=RECURRENCES, zone=SOME_ZONES, begins=MOMENTS, ends=st.none() | MOMENTS
)


@given(RULES, MOMENTS)
def test_slots_ascend_are_in_utc_and_keep_within_the_rule(rule: Rule, moment: datetime) -> None:
    slots = list(islice(slots_after(rule, moment), 7))

    assert all(earlier < later for earlier, later in pairwise(slots))
    assert all(slot.tzinfo is UTC and slot > moment for slot in slots)
    assert all(slot >= rule.begins for slot in slots)
    assert all(rule.ends is None or slot <= rule.ends for slot in slots)
    assert len(slots) == 7 or rule.ends is not None
