"""Dates of search results, and the ranges that searches are limited to."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.sandbox.composio.dates import describe_date, parse_when

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("age", "text"),
    [
        (timedelta(), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=7), "1 week ago"),
        (timedelta(days=27), "3 weeks ago"),
        (timedelta(days=28), "Oct 24, 2026"),
        (-timedelta(days=1), "Nov 22, 2026"),
    ],
)
def test_an_age_is_told_as_search_results_tell_it(age: timedelta, text: str) -> None:
    assert describe_date(NOW - age, now=NOW) == text


@pytest.mark.parametrize(
    ("when", "age"),
    [("h", timedelta(hours=1)), ("d", timedelta(days=1)), ("2d", timedelta(days=2)),
     (" 3 W ", timedelta(weeks=3)), ("m", timedelta(days=31)), ("y", timedelta(days=366))],
)  # fmt: skip
def test_a_range_begins_that_long_ago(when: str, age: timedelta) -> None:
    assert parse_when(when, now=NOW) == NOW - age


@pytest.mark.parametrize("when", [None, "", "soon", "d2", "-1d", "99999999d"])
def test_what_is_no_range_limits_nothing(when: str | None) -> None:
    assert parse_when(when, now=NOW) is None
