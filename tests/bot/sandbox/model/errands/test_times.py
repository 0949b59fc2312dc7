"""Days and times in words; today is Sunday, 22 November 2026."""

from datetime import date

import pytest

from bot.sandbox.model.errands.times import read_appointment, without_times

TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("text", "start", "minutes"),
    [
        ("on Friday at 10", "2026-11-27 10:00", 60),
        ("next Sunday at 10am", "2026-11-29 10:00", 60),
        ("tomorrow at 12:30 for 2 hours", "2026-11-23 12:30", 120),
        ("today at noon for half an hour", "2026-11-22 12:00", 30),
        ("on December 3 at 3pm", "2026-12-03 15:00", 60),
        ("on 3 January at 12 am", "2027-01-03 00:00", 60),
        ("2027-02-01 from 9 to 10:15", "2027-02-01 09:00", 75),
        ("am Freitag um 10 Uhr", "2026-11-27 10:00", 60),
        ("morgen von 10 bis 11:30 Uhr", "2026-11-23 10:00", 90),
        ("am 5. Dezember um 15 Uhr für eine Stunde", "2026-12-05 15:00", 60),
        ("am 5.12.2027 um 8:05", "2027-12-05 08:05", 60),
    ],
)
def test_a_day_and_a_time_are_read(text: str, start: str, minutes: int) -> None:
    read = read_appointment(text, TODAY)
    assert read is not None
    assert (f"{read.start:%Y-%m-%d %H:%M}", read.minutes) == (start, minutes)


@pytest.mark.parametrize(
    "text", ["on Friday", "at 10", "soon", "on 31 February at 10", "at 25 on 4"]
)
def test_half_a_time_is_none(text: str) -> None:
    assert read_appointment(text, TODAY) is None


def test_a_named_zone_is_kept() -> None:
    read = read_appointment("tomorrow at 10 Europe/Berlin", TODAY)
    assert read is not None
    assert read.zone == "Europe/Berlin"


def test_a_text_without_its_times_keeps_the_rest() -> None:
    text = "Lunch with Ada on Friday at 10 for 30 minutes in the docks"
    assert without_times(text).split() == ["Lunch", "with", "Ada", "in", "the", "docks"]
