from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.prompts.language import Language
from agent_core.schedules.reading import read_request
from agent_core.schedules.rule import Rule
from agent_core.schedules.spoken import moment_words, rule_words

NOW = datetime(2026, 3, 27, 7, 59, 50, tzinfo=UTC)
LANGUAGES: tuple[Language, ...] = ("en", "de", "fr", "es")


def rule_of(text: str) -> Rule:
    request = read_request(text, zone="Europe/Berlin", now=NOW)
    assert request is not None, text
    assert request.rule is not None, (text, request.missing)
    return request.rule


def a_rule(recurrence: str) -> Rule:
    return Rule(recurrence=recurrence, zone="Europe/Berlin", begins=NOW)


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("every weekday at 9", "en", "every weekday at 09:00 (Europe/Berlin)"),
        ("every weekday at 9", "de", "jeden Werktag um 09:00 Uhr (Europe/Berlin)"),
        ("every weekday at 9", "fr", "chaque jour ouvré à 09:00 (Europe/Berlin)"),
        ("every weekday at 9", "es", "cada día laborable a las 09:00 (Europe/Berlin)"),
        (
            "on the first Monday at 9",
            "en",
            "on the first Monday of each month at 09:00 (Europe/Berlin)",
        ),
        (
            "on the first Monday at 9",
            "de",
            "am ersten Montag jedes Monats um 09:00 Uhr (Europe/Berlin)",
        ),
        ("on the first Monday at 9", "fr", "le premier lundi du mois à 09:00 (Europe/Berlin)"),
        (
            "on the first Monday at 9",
            "es",
            "el primer lunes de cada mes a las 09:00 (Europe/Berlin)",
        ),
        (
            "every 6 hours until 27 November 17:00",
            "en",
            "every 6 hours until Friday 27 November 2026, 17:00 (Europe/Berlin)",
        ),
        (
            "every day at 9 until 27 November 17:00",
            "de",
            "jeden Tag um 09:00 Uhr (Europe/Berlin) bis Freitag, 27. November 2026, 17:00",
        ),
        ("every 6 hours until 27 November", "en", "every 6 hours until Friday 27 November 2026"),
        ("every 6 hours until 27 November", "de", "alle 6 Stunden bis Freitag, 27. November 2026"),
        (
            "every 6 hours until 27 November",
            "fr",
            "toutes les 6 heures jusqu'au vendredi 27 novembre 2026",
        ),
        (
            "every 6 hours until 27 November",
            "es",
            "cada 6 horas hasta el viernes 27 de noviembre de 2026",
        ),
        ("Mondays and Thursdays at 9", "en", "every Monday and Thursday at 09:00 (Europe/Berlin)"),
        ("every other Friday at noon", "en", "every 2 weeks on Friday at 12:00 (Europe/Berlin)"),
        (
            "every quarter on the 1st at 9",
            "en",
            "every quarter on the 1st at 09:00 (Europe/Berlin)",
        ),
        ("weekdays at 9:15 and 17:30", "en", "every weekday at 09:15 and 17:30 (Europe/Berlin)"),
        (
            "daily at 9 from 1 May",
            "en",
            "every day at 09:00 (Europe/Berlin) from Friday 1 May 2026",
        ),
    ],
)
def test_a_rule_is_said_as_people_say_it(text: str, language: Language, words: str) -> None:
    assert rule_words(rule_of(text), language) == words


@pytest.mark.parametrize(
    ("recurrence", "words"),
    [
        ("FREQ=DAILY;BYMONTH=7,8;BYHOUR=9;BYMINUTE=0", "every day in July and August at 09:00"),
        (
            "FREQ=MONTHLY;BYMONTHDAY=15,-1;BYHOUR=9;BYMINUTE=0",
            "on the 15th and last day of each month",
        ),
        ("FREQ=YEARLY;INTERVAL=2;BYMONTH=12;BYMONTHDAY=24", "every 2 years on 24 December"),
        (
            "FREQ=YEARLY;BYDAY=1MO;BYMONTH=3;BYHOUR=9;BYMINUTE=0",
            "on the first Monday of each month in March",
        ),
        ("FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0", "every weekend at 09:00"),
        (
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=9,17;BYMINUTE=0",
            "on the last weekday",
        ),
    ],
)
def test_rules_that_nobody_said_have_words_too(recurrence: str, words: str) -> None:
    said = rule_words(a_rule(recurrence), "en")
    assert said.startswith(words)
    assert "BY" not in said


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Mon 30 March 2026, 09:00"),
        ("de", "Mo, 30. März 2026, 09:00"),
        ("fr", "lun. 30 mars 2026, 09:00"),
        ("es", "lun 30 de marzo de 2026, 09:00"),
    ],
)
def test_a_moment_is_said_on_the_clocks_of_its_zone(language: Language, words: str) -> None:
    assert moment_words(datetime(2026, 3, 30, 7, tzinfo=UTC), "Europe/Berlin", language) == words


DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CLOCKS = st.tuples(st.integers(0, 23), st.integers(0, 59)).map(lambda t: f"{t[0]}:{t[1]:02}")
LISTED_DAYS = st.lists(st.sampled_from(DAYS), min_size=1, max_size=4, unique=True).map(" and ".join)
NTH_DAYS = st.tuples(
    st.sampled_from(["first", "second", "third", "fourth", "last"]),
    st.sampled_from([*DAYS, "weekday"]),
).map(" ".join)
MONTH_DAYS = st.lists(st.integers(1, 31), min_size=1, max_size=3, unique=True).map(
    lambda days: " and ".join(f"{day}th" for day in days)
)
TIMED = st.one_of(
    st.sampled_from(["every day", "every weekday", "every weekend", "every other day"]),
    st.builds("every {} days".format, st.integers(2, 30)),
    LISTED_DAYS.map("every {}".format),
    st.builds("every {} weeks on {}".format, st.integers(2, 12), LISTED_DAYS),
    NTH_DAYS.map("on the {} of each month".format),
    MONTH_DAYS.map("on the {} of each month".format),
    st.builds("every {} months on the {}".format, st.integers(2, 6), NTH_DAYS),
    st.builds("every quarter on the {}".format, st.one_of(NTH_DAYS, MONTH_DAYS)),
    st.builds("every year on {} March".format, st.integers(1, 31)),
    st.sampled_from(["on the last day of the month", "on the first and third Friday of the month"]),
)
SINGLE = st.builds("{} at {}".format, TIMED, CLOCKS)
SEVERAL = st.builds(
    "{} at {}".format,
    st.one_of(st.just("every day"), LISTED_DAYS.map("every {}".format)),
    st.lists(CLOCKS, min_size=2, max_size=3, unique=True).map(" and ".join),
)
ELAPSED = st.one_of(
    st.builds("every {} hours".format, st.integers(1, 48)),
    st.builds("every {} minutes".format, st.integers(1, 90)),
)
BOUNDS = st.sampled_from(
    [
        "",
        " until Friday",
        " until Friday 17:00",
        " until 24 December 2026 at noon",
        " from 1 May",
        " starting Monday until 24 December",
        " until 2027-02-28",
    ]
)
PHRASES = st.builds("{}{}".format, st.one_of(SINGLE, SEVERAL, ELAPSED), BOUNDS)


@given(phrase=PHRASES, language=st.sampled_from(LANGUAGES))
@settings(max_examples=400, deadline=None)
def test_what_we_say_is_read_as_the_same_rule(phrase: str, language: Language) -> None:
    rule = rule_of(phrase)
    assert rule_of(rule_words(rule, language)) == rule


@given(phrase=PHRASES)
@settings(max_examples=50, deadline=None)
def test_the_zone_that_we_say_is_read_as_well(phrase: str) -> None:
    rule = replace(rule_of(phrase), zone="America/New_York", ends=None)
    said = rule_words(rule, "en")
    if "BYHOUR" in rule.recurrence:
        assert rule_of(said).zone == "America/New_York"
