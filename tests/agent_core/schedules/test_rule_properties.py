"""What holds for every rule, as properties."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise, takewhile

from hypothesis import given
from hypothesis import strategies as st

from agent_core.schedules.rule import Rule, newest_slot, slots_after


def numbers(name: str, values: st.SearchStrategy[int]) -> st.SearchStrategy[str]:
    def written(chosen: list[int]) -> str:
        return f";{name}=" + ",".join(str(value) for value in chosen)

    return st.lists(values, min_size=1, max_size=3, unique=True).map(written)


def joined(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    join: Callable[[tuple[str, ...]], str] = "".join
    return st.tuples(*parts).map(join)


TIME = joined(numbers("BYHOUR", st.integers(0, 23)), numbers("BYMINUTE", st.integers(0, 59)))
INTERVAL = st.integers(1, 5).map(lambda interval: f";INTERVAL={interval}")
WEEKDAYS = st.sampled_from(["", ";BYDAY=MO", ";BYDAY=SA,SU", ";BYDAY=MO,TU,WE,TH,FR"])
MONTH_DAYS = st.one_of(
    st.sampled_from([";BYDAY=1MO", ";BYDAY=-1FR", ";BYDAY=MO,FR;BYSETPOS=-1"]),
    numbers("BYMONTHDAY", st.integers(-28, 28).filter(bool)),
)
RECURRENCES = st.one_of(
    joined(st.just("FREQ=WEEKLY"), INTERVAL, WEEKDAYS, TIME),
    joined(st.just("FREQ=MONTHLY"), INTERVAL, MONTH_DAYS, TIME),
    joined(st.just("FREQ=DAILY"), INTERVAL, TIME),
    joined(st.just("FREQ=HOURLY"), INTERVAL),
    joined(st.just("FREQ=HOURLY"), INTERVAL, numbers("BYMINUTE", st.integers(0, 59))),
    st.integers(15, 600).map(lambda minutes: f"FREQ=MINUTELY;INTERVAL={minutes}"),
)
ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]
)
MOMENTS = st.integers(0, 40 * 365 * 86_400).map(
    lambda seconds: datetime(2010, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)
RULES = st.builds(
    Rule, recurrence=RECURRENCES, zone=ZONES, begins=MOMENTS, ends=st.none() | MOMENTS
)


@given(RULES, MOMENTS)
def test_slots_ascend_are_in_utc_and_keep_within_the_rule(rule: Rule, moment: datetime) -> None:
    slots = list(islice(slots_after(rule, moment), 40))

    assert all(earlier < later for earlier, later in pairwise(slots))
    assert all(slot.tzinfo is UTC and slot > moment for slot in slots)
    assert all(slot >= rule.begins for slot in slots)
    assert all(rule.ends is None or slot <= rule.ends for slot in slots)
    assert len(slots) == 40 or rule.ends is not None


@given(RULES, MOMENTS, st.integers(0, 19))
def test_going_on_from_any_slot_gives_the_same_slots(
    rule: Rule, moment: datetime, position: int
) -> None:
    slots = list(islice(slots_after(rule, moment), 30))
    if len(slots) == 30:
        assert (
            list(islice(slots_after(rule, slots[position]), 29 - position))
            == (slots[position + 1 :])
        )


@given(RULES, MOMENTS, st.timedeltas(timedelta(), timedelta(days=30)))
def test_the_newest_slot_agrees_with_the_slots(
    rule: Rule, after: datetime, passed: timedelta
) -> None:
    until = after + passed
    due = list(takewhile(lambda slot: slot <= until, slots_after(rule, after)))

    assert newest_slot(rule, after=after, until=until) == (due[-1] if due else None, len(due))
