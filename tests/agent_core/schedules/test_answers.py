import pytest

from agent_core.schedules.reading import (
    read_answer,
    read_consent,
    read_correction,
)
from tests.agent_core.schedules.sentences import BERLIN, NOW, local


@pytest.mark.parametrize(
    ("request_text", "answer", "recurrence"),
    [
        ("every Monday post X", "at 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("every Monday post X", "9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("every Monday post X", "9:30", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=30"),
        ("every Monday post X", "half past eight", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=30"),
        ("every Monday post X", "um 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("jeden Montag poste X", "9 Uhr", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("chaque lundi publie X", "14h", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=14;BYMINUTE=0"),
        ("cada lunes publica X", "a las 9", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("every day at 3 post X", "3", "FREQ=DAILY;BYHOUR=3;BYMINUTE=0"),
        ("every day at 3 post X", "3pm", "FREQ=DAILY;BYHOUR=15;BYMINUTE=0"),
        ("every day at 9 and 5 post X", "at 9 and 17", "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0"),
        ("every evening post X", "at 8", "FREQ=DAILY;BYHOUR=20;BYMINUTE=0"),
        ("weekly at 9 post X", "Tuesday", "FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0"),
        (
            "every quarter post X",
            "the first Monday at 9",
            "FREQ=MONTHLY;BYMONTH=1,4,7,10;BYDAY=1MO;BYHOUR=9;BYMINUTE=0",
        ),
        ("every month post X", "the 15th at 9", "FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=9;BYMINUTE=0"),
        ("jeden Monat poste X", "am 15. um 9", "FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=9;BYMINUTE=0"),
        ("twice a day post X", "9 and 17", "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0"),
        (
            "every weekday at 25 post X",
            "15",
            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=15;BYMINUTE=0",
        ),
        (
            "every third Monday at 9 post X",
            "the third Monday of the month",
            "FREQ=MONTHLY;BYDAY=3MO;BYHOUR=9;BYMINUTE=0",
        ),
        (
            "every Monday at 9 and every Friday at 16 post X",
            "every Tuesday at 10",
            "FREQ=WEEKLY;BYDAY=TU;BYHOUR=10;BYMINUTE=0",
        ),
        (
            "every 6 hours until the conference post X",
            "until 24 December",
            "FREQ=HOURLY;INTERVAL=6",
        ),
    ],
)
def test_an_answer_completes_a_request(request_text: str, answer: str, recurrence: str) -> None:
    request = read_answer(request_text, answer, zone=BERLIN, now=NOW)
    assert request is not None
    assert request.rule is not None
    assert (request.rule.recurrence, request.task) == (recurrence, "X")


@pytest.mark.parametrize(
    ("texts", "answer", "recurrence"),
    [
        (
            ["post a weekly digest on X in #energy", "Monday"],
            "at nine",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
        ),
        (
            ["set up a digest", "X", "weekdays"],
            "at nine",
            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0",
        ),
        (
            ["schedule a digest on X in #energy"],
            "every Monday at 9",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
        ),
        (
            ["poste einen wöchentlichen Digest über X in #energie", "Montag"],
            "9 Uhr",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
        ),
        (["every mnday post X"], "at 0930", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=30"),
    ],
)
def test_answers_one_after_another_complete_a_request(
    texts: list[str], answer: str, recurrence: str
) -> None:
    request = read_answer(texts, answer, zone=BERLIN, now=NOW)
    assert request is not None
    assert request.rule is not None
    assert (request.rule.recurrence, request.task) == (recurrence, "X")


ORDERED = "Every weekday at 09:00 (Europe/Berlin) post a digest on X in #energy"
WEEKDAYS = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR={h};BYMINUTE={m}"


@pytest.mark.parametrize(
    ("text", "recurrence", "task", "channel"),
    [
        ("no, at 10", WEEKDAYS.format(h=10, m=0), "X", "energy"),
        ("10", WEEKDAYS.format(h=10, m=0), "X", "energy"),
        ("yes, but at 10", WEEKDAYS.format(h=10, m=0), "X", "energy"),
        ("change it to 10", WEEKDAYS.format(h=10, m=0), "X", "energy"),
        ("make it 8:30 and in #news", WEEKDAYS.format(h=8, m=30), "X", "news"),
        ("here please", WEEKDAYS.format(h=9, m=0), "X", ""),
        ("in the evening", WEEKDAYS.format(h=21, m=0), "X", "energy"),
        ("only on Mondays please", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", "X", "energy"),
        ("only on mndays", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", "X", "energy"),
        ("no, every Monday at 10", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=10;BYMINUTE=0", "X", "energy"),
        ("actually about grapes and wine", WEEKDAYS.format(h=9, m=0), "grapes and wine", "energy"),
        ("nein, um 10", WEEKDAYS.format(h=10, m=0), "X", "energy"),
        ("lieber montags um 8", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0", "X", "energy"),
        ("eigentlich über Wein", WEEKDAYS.format(h=9, m=0), "Wein", "energy"),
        ("non, à 10h", WEEKDAYS.format(h=10, m=0), "X", "energy"),
        ("plutôt sur le vin", WEEKDAYS.format(h=9, m=0), "le vin", "energy"),
        ("mejor a las 10", WEEKDAYS.format(h=10, m=0), "X", "energy"),
        ("no, sobre vino", WEEKDAYS.format(h=9, m=0), "vino", "energy"),
    ],
)
def test_a_correction_replaces_what_it_names(
    text: str, recurrence: str, task: str, channel: str
) -> None:
    request = read_correction(ORDERED, text, zone=BERLIN, now=NOW)
    assert request is not None
    assert request.rule is not None
    assert (request.rule.recurrence, request.rule.zone) == (recurrence, BERLIN)
    assert (request.task, request.channel) == (task, channel)


def test_another_day_keeps_every_second_week() -> None:
    ordered = "every 2 weeks on Monday at 09:00 post a digest on X"
    request = read_correction(ordered, "on Tuesday", zone=BERLIN, now=NOW)
    assert request is not None
    assert request.rule is not None
    assert request.rule.recurrence == "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;BYHOUR=9;BYMINUTE=0"


def test_only_when_new_is_a_correction() -> None:
    request = read_correction(ORDERED, "but only when there is news", zone=BERLIN, now=NOW)
    assert request is not None
    assert (request.only_when_new, request.task) == (True, "X")


@pytest.mark.parametrize(
    "text",
    [
        "what will it contain at 9?",
        "3 sentences please",
        "not on Mondays",
        "make it shorter",
        "I have 2 questions",
        "can you also include prices?",
        "thanks",
        "",
        "every Monday at 9 post a digest on Y",
        "how much is it at 10?",
    ],
)
def test_what_says_anything_else_is_no_correction(text: str) -> None:
    assert read_correction(ORDERED, text, zone=BERLIN, now=NOW) is None


@pytest.mark.parametrize(
    ("text", "consent"),
    [
        *((text, "yes") for text in (
            "yes", "Ok, thanks!", "go ahead", "confirm", "ja", "ja, bitte", "oui", "D'accord", "sí",
            "\U0001f44d", ":+1:", "\U0001f44d\U0001f3fd", ":+1::skin-tone-3:", "yes please",
            "yes, do it", "ok \U0001f44d", "\u2705",
        )),
        *((text, "no") for text in (
            "no", "cancel", "No, cancel it.", "nein", "non", "never mind", "no thanks", "cancela",
        )),
        *((text, None) for text in (
            "yes but at 10", "okra", "no idea", "thanks", "please", "", "yes and also the moon",
            "is that ok?", "no, at 10", "stop",
        )),
    ],
)  # fmt: skip
def test_a_whole_text_agrees_or_declines(text: str, consent: str | None) -> None:
    assert read_consent(text) == consent


@pytest.mark.parametrize(
    ("answer", "recurrence"),
    [
        ("the first one", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("1", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("The second, please.", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=0"),
        ("die zweite", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=0"),
        ("la première", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
        ("la segunda", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=0"),
        ("every Friday at 16:00 (Europe/Berlin)", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=0"),
    ],
)
def test_an_answer_takes_one_of_two_rules(answer: str, recurrence: str) -> None:
    ordered = "every Monday at 9 and every Friday at 16 post X"
    request = read_answer(ordered, answer, zone=BERLIN, now=NOW)
    assert request is not None
    assert request.rule is not None
    assert (request.rule.recurrence, request.task) == (recurrence, "X")


def test_an_answer_says_when_the_last_day_ends() -> None:
    ordered = "every 6 hours at 11 until Friday at 5 post X"
    request = read_answer(ordered, "17:00", zone=BERLIN, now=NOW)
    assert request is not None
    assert request.rule is not None
    assert local(request.rule.begins) == "2026-03-27 11:00:00"
    assert local(request.rule.ends) == "2026-04-03 17:00:00"


def test_an_answer_may_leave_something_open() -> None:
    request = read_answer("every month post X", "on the 15th", zone=BERLIN, now=NOW)
    assert request is not None
    assert request.missing == {"time"}


def test_a_day_of_the_week_is_no_answer_for_a_month() -> None:
    assert read_answer("every month at 9 post X", "Tuesday", zone=BERLIN, now=NOW) is None


def test_an_answer_names_the_task() -> None:
    request = read_answer("every Monday at 9", "the top 5 of fusion news", zone=BERLIN, now=NOW)
    assert request is not None
    assert (request.task, request.missing) == ("the top 5 of fusion news", frozenset())


@pytest.mark.parametrize("answer", ["Paris", "Europe/Paris", "Paris time"])
def test_an_answer_names_the_zone(answer: str) -> None:
    request = read_answer("every Monday at 9 Foobar time post X", answer, zone=BERLIN, now=NOW)
    assert request is not None
    assert request.rule is not None
    assert request.rule.zone == "Europe/Paris"


@pytest.mark.parametrize("answer", ["no idea", "why?", "at 25", "", "in #news"])
def test_an_answer_that_says_nothing_of_what_was_asked_is_none(answer: str) -> None:
    assert read_answer("every Monday post X", answer, zone=BERLIN, now=NOW) is None


def test_an_answer_to_no_request_is_none() -> None:
    assert read_answer("hello", "at 9", zone=BERLIN, now=NOW) is None
    assert read_answer("every Monday at 9 post X", "at 10", zone=BERLIN, now=NOW) is None
