"""Relative dates become days."""

import re
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.observers.search_results import parse_relative_date

NOW = datetime(2026, 11, 21, 1, 30, tzinfo=UTC)
MOMENTS = st.datetimes(
    min_value=datetime(1990, 1, 1),  # noqa: DTZ001 (hypothesis adds the zone)
    max_value=datetime(2090, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


@pytest.mark.proves("search.relative_dates")
@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2 hours ago", "2026-11-20"),
        ("1 hour ago", "2026-11-21"),
        ("an hour ago", "2026-11-21"),
        ("45 mins ago", "2026-11-21"),
        ("just now", "2026-11-21"),
        ("Today", "2026-11-21"),
        ("yesterday", "2026-11-20"),
        ("3 days ago", "2026-11-18"),
        ("a week ago", "2026-11-14"),
        ("2 weeks ago", "2026-11-07"),
        ("1 month ago", "2026-10-21"),
        ("9 months ago", "2026-02-21"),
        ("2 years ago", "2024-11-21"),
        ("3d", "2026-11-18"),
        ("2h", "2026-11-20"),
        ("Jan 23, 2026", "2026-01-23"),
        ("January 23rd, 2026", "2026-01-23"),
        ("Sept. 3, 2025", "2025-09-03"),
        ("23 Jan 2026", "2026-01-23"),
        ("Jan 23, 2026 · Some words", "2026-01-23"),
        ("Nov 30", "2025-11-30"),
        ("Nov 20", "2026-11-20"),
        ("2025-12-22", "2025-12-22"),
        ("2025-12-22T23:30:00-05:00", "2025-12-22"),
        ("12/22/2025, 08:00 AM, +0000 UTC", "2025-12-22"),
        ("  2  HOURS   AGO ", "2026-11-20"),
    ],
)
def test_a_date_as_written_becomes_a_day(text: str, day: str) -> None:
    assert parse_relative_date(text, NOW) == day


@pytest.mark.parametrize(
    "text",
    ["", "soon", "5 parsecs ago", "2025-13-40", "Foo 12, 2026", "999999 years ago", "Feb 30, 2026"],
)
def test_what_names_no_day_is_none(text: str) -> None:
    assert parse_relative_date(text, NOW) is None


def test_a_month_ago_from_a_long_months_end_is_the_short_ones_end() -> None:
    assert parse_relative_date("1 month ago", datetime(2026, 3, 31, tzinfo=UTC)) == "2026-02-28"
    assert parse_relative_date("1 year ago", datetime(2024, 2, 29, tzinfo=UTC)) == "2023-02-28"


@settings(deadline=None)
@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2090, 1, 1)), MOMENTS)
def test_a_full_date_is_itself_whenever_it_is_read(day: date, now: datetime) -> None:
    for written in (f"{day:%b %d, %Y}", f"{day:%d %B %Y}", day.isoformat(), f"{day:%m/%d/%Y}"):
        assert parse_relative_date(written, now) == day.isoformat()


@settings(deadline=None)
@given(st.text(max_size=30) | st.from_regex(r"\d{1,6} ?[a-z]{1,6}s?( ago)?"), MOMENTS)
def test_any_text_is_a_day_or_none(text: str, now: datetime) -> None:
    day = parse_relative_date(text, now)

    assert day is None or re.fullmatch(r"\d{4}-\d{2}-\d{2}", day)
