"""How long the socket waits from try to try."""

import pytest

from bot.slack_api import SkippingClock, SlackError, SlackLimited, SlackRefused, SlackUnavailable
from bot.socket.trouble import (
    CROWDED,
    LONGEST_S,
    LOST,
    REFRESH,
    SWITCHED_OFF,
    UNEXPECTED,
    Pauses,
    trouble_of_error,
)


def longest(_least: float, most: float) -> float:
    return most


def shortest(least: float, _most: float) -> float:
    return least


def test_an_outage_makes_the_pauses_longer_up_to_a_bound() -> None:
    pauses = Pauses(SkippingClock(), jitter=longest)
    assert [pauses.before_next(UNEXPECTED) for _ in range(6)] == [1, 2, 4, 8, LONGEST_S, LONGEST_S]


@pytest.mark.proves("socket.too_many")
def test_too_many_sockets_make_them_five_to_sixty_seconds() -> None:
    clock = SkippingClock()
    most, least = Pauses(clock, jitter=longest), Pauses(clock, jitter=shortest)
    assert [most.before_next(CROWDED) for _ in range(5)] == [10, 20, 40, 60, 60]
    assert [least.before_next(CROWDED) for _ in range(5)] == [5, 5, 5, 5, 5]


@pytest.mark.proves("socket.too_many")
def test_bots_that_are_sent_away_together_do_not_come_back_together() -> None:
    waits = {Pauses(SkippingClock()).before_next(CROWDED) for _ in range(20)}
    assert len(waits) > 10
    assert all(5 <= wait <= 10 for wait in waits)


def test_a_connection_that_opened_begins_them_anew() -> None:
    pauses = Pauses(SkippingClock(), jitter=longest)
    for _ in range(5):
        pauses.before_next(UNEXPECTED)
    pauses.note_open()
    assert pauses.before_next(UNEXPECTED) == 1


def test_a_lost_socket_and_a_notice_are_followed_at_once() -> None:
    pauses = Pauses(SkippingClock())
    assert pauses.before_next(LOST) == pauses.before_next(REFRESH) == 0


def test_what_a_person_has_to_mend_is_looked_at_once_a_minute() -> None:
    pauses = Pauses(SkippingClock())
    assert [pauses.before_next(SWITCHED_OFF) for _ in range(3)] == [60, 60, 60]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (SlackLimited("m", retry_after_s=7), "limited"),
        (SlackUnavailable("m"), "unavailable"),
        (SlackRefused("m", "too_many_websockets"), "crowded"),
        (SlackRefused("m", "link_disabled"), "refused"),
        (SlackRefused("m", "forbidden_team"), "refused"),
    ],
)
def test_each_error_has_its_trouble(error: SlackError, kind: str) -> None:
    assert trouble_of_error(error).kind == kind


def test_ten_openings_a_minute_are_enough() -> None:
    clock = SkippingClock()
    pauses = Pauses(clock)
    for _ in range(9):
        pauses.note_open()
        assert pauses.before_next(REFRESH) == 0
    pauses.note_open()
    assert pauses.before_next(REFRESH) == LONGEST_S
    clock.advance(61)
    assert pauses.before_next(REFRESH) == 0
