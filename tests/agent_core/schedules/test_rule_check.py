import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.schedules.rule import BadRule, Fault, Rule, check_rule, slots_after

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
EVERY_HOUR = ",".join(str(hour) for hour in range(24))


def a_rule(
    recurrence: str,
    zone: str = "UTC",
    begins: datetime = NEW_YEAR,
    ends: datetime | None = None,
) -> Rule:
    return Rule(recurrence=recurrence, zone=zone, begins=begins, ends=ends)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def fault_of(rule: Rule, now: datetime = NEW_YEAR) -> Fault | None:
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
        "FREQ=WEEKLY;BYDAY=MO;WKST=SU",
        "FREQ=HOURLY;BYHOUR=9",
        "FREQ=MINUTELY;INTERVAL=20;BYDAY=MO",
        "FREQ=DAILY;BYHOUR=" + ",".join(["9"] * 200),
    ],
)
def test_what_is_not_plainly_a_recurrence_is_unreadable(recurrence: str) -> None:
    assert fault_of(a_rule(recurrence)) == "unreadable"
    with pytest.raises(BadRule, match="cannot be read"):
        slots_after(a_rule(recurrence), NEW_YEAR)


@pytest.mark.parametrize(
    "zone", ["", "Berlin", "Europe", "europe/berlin", "../etc/passwd", "/etc/localtime", "UTC\n"]
)
def test_a_zone_that_is_none_is_named_as_the_fault(zone: str) -> None:
    assert fault_of(a_rule("FREQ=DAILY", zone)) == "unknown_zone"


@pytest.mark.parametrize(
    "recurrence",
    [
        "FREQ=SECONDLY",
        "FREQ=SECONDLY;INTERVAL=86400",
        "FREQ=MINUTELY",
        "FREQ=MINUTELY;INTERVAL=14",
        "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=30",
        "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0,30",
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


def test_two_times_that_a_change_brings_too_close_are_named() -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=1,3;BYMINUTE=50,0", "Europe/Berlin")
    with pytest.raises(BadRule, match=r"due at 01:50 and again at 03:00 on 2026-03-29") as bad:
        check_rule(rule, NEW_YEAR)
    assert bad.value.reason == "too_often"


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
        (at("2040-01-01"), None, None),
    ],
)
def test_a_rule_without_a_slot_left_is_over(
    begins: datetime, ends: datetime | None, expected: Fault | None
) -> None:
    rule = a_rule("FREQ=DAILY;BYHOUR=9", begins=begins, ends=ends)

    assert fault_of(rule, at("2026-06-05T09:30")) == expected


def test_a_rule_with_a_slot_left_in_the_far_future_is_not_over() -> None:
    on_leap_mondays = "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO"
    rule = a_rule(on_leap_mondays, begins=at("2016-01-01"), ends=at("2060-01-01"))

    assert next(slots_after(rule, NEW_YEAR)) == at("2044-02-29")
    assert fault_of(rule) == "never"


@given(st.text(max_size=40) | st.from_regex(r"FREQ=[A-Z]+;[A-Z]+=[A-Z0-9,+-]*", fullmatch=True))
def test_any_text_is_a_rule_or_a_bad_one(text: str) -> None:
    fault = fault_of(a_rule(text))

    assert fault != "unknown_zone"
