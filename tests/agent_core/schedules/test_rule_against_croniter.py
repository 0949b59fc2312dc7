"""Ten years of slots against a second library.

Both put a time that the clocks skip at the first moment behind the gap. They differ in one thing: a
time that the clocks read twice is due twice for croniter and, by our rule, once, the first time. So
croniter's second readings are left out before the two are compared.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise, takewhile
from zoneinfo import ZoneInfo

import pytest
from croniter import croniter

from agent_core.schedules.rule import Rule, slots_after

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


def test_croniter_is_due_twice_where_we_are_due_once() -> None:
    in_the_night = datetime(2026, 10, 25, tzinfo=ZoneInfo("Europe/Berlin"))
    cron = croniter("30 2 * * *", in_the_night)
    rule = Rule(
        recurrence="FREQ=DAILY;BYHOUR=2;BYMINUTE=30", zone="Europe/Berlin", begins=in_the_night
    )

    first, second = cron.get_next(datetime), cron.get_next(datetime)
    ours = slots_after(rule, in_the_night.astimezone(UTC))

    assert (second.astimezone(UTC) - first.astimezone(UTC)) == timedelta(hours=1)
    assert next(ours) == first.astimezone(UTC)
    assert next(ours) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


def test_every_six_hours_stays_six_real_hours_apart_where_cron_follows_the_clock() -> None:
    start = datetime(2026, 3, 28, tzinfo=ZoneInfo("Europe/Berlin"))
    cron = croniter("0 */6 * * *", start)
    rule = Rule(recurrence="FREQ=HOURLY;INTERVAL=6", zone="Europe/Berlin", begins=start)

    theirs = [cron.get_next(datetime).astimezone(UTC) for _ in range(8)]
    slots = slots_after(rule, start)
    ours = [next(slots) for _ in range(8)]

    assert {later - earlier for earlier, later in pairwise(ours)} == {timedelta(hours=6)}
    assert {later - earlier for earlier, later in pairwise(theirs)} == {
        timedelta(hours=5),
        timedelta(hours=6),
    }
