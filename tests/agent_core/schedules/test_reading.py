import time
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.schedules.reading import (
    read_answer,
    read_command,
    read_consent,
    read_correction,
    read_request,
)
from agent_core.schedules.rule import BadRule, check_rule, slots_after
from tests.agent_core.schedules.sentences import (
    BERLIN,
    NOW,
    ask,
    asked,
    local,
    requests_in_words,
    rows_of,
    rule_of,
)


@pytest.mark.parametrize(("language", "text", "recurrence", "task", "channel"), requests_in_words())
def test_a_sentence_is_read_whole(
    language: str, text: str, recurrence: str, task: str, channel: str
) -> None:
    request = asked(text)
    assert request.rule is not None
    named = request.channel if request.channel_is_sure else ""
    assert (request.rule.recurrence, request.task, named, request.language) == (
        recurrence,
        task,
        channel,
        language,
    )
    assert request.missing == frozenset()


def test_what_is_read_can_be_a_schedule_or_is_refused_as_too_frequent() -> None:
    for _, text, recurrence, _, _ in requests_in_words():
        rule = rule_of(text)
        if recurrence in {"FREQ=SECONDLY;INTERVAL=30", "FREQ=MINUTELY;INTERVAL=5"}:
            with pytest.raises(BadRule) as refused:
                check_rule(rule, NOW)
            assert refused.value.reason == "too_often"
        else:
            check_rule(rule, NOW)


@pytest.mark.parametrize("text", list(rows_of("ordinary_texts.txt")))
def test_an_ordinary_text_asks_for_no_schedule(text: str) -> None:
    assert ask(text) is None


@pytest.mark.parametrize(
    ("words", "zone"),
    [
        ("at 9 Berlin time", "Europe/Berlin"),
        ("at 9 New York time", "America/New_York"),
        ("at 9:00 UTC", "UTC"),
        ("at 9am ET", "America/New_York"),
        ("at 9 CET", "Europe/Berlin"),
        ("at 9 (Europe/Paris)", "Europe/Paris"),
        ("at 9 Pacific time", "America/Los_Angeles"),
        ("at 9 local time", "Asia/Tokyo"),
        ("at 9", "Asia/Tokyo"),
        ("at 9 et", "Asia/Tokyo"),
        ("at 9 pst", "America/Los_Angeles"),
        ("at 9 est", "America/New_York"),
        ("at 9 in Berlin", "Europe/Berlin"),
        ("at 9 in new york", "America/New_York"),
        ("at 9am, London", "Europe/London"),
        ("at 9 (Tokyo)", "Asia/Tokyo"),
        ("at 9 in UTC", "UTC"),
        ("at 9 in CET", "Europe/Berlin"),
        ("at 9 UTC+2", "Etc/GMT-2"),
        ("at 9 GMT-5", "Etc/GMT+5"),
        ("at 9 in Mumbai", "Asia/Kolkata"),
    ],
)
def test_a_zone_in_the_words_wins_over_that_of_the_asker(words: str, zone: str) -> None:
    assert rule_of(f"post fusion news every weekday {words}", zone="Asia/Tokyo").zone == zone


@pytest.mark.parametrize(
    ("words", "begins", "ends"),
    [
        ("every weekday at 9", "2026-03-27 08:59:51", ""),
        ("every weekday at 9 until Friday", "2026-03-27 08:59:51", "2026-04-03 23:59:59"),
        ("every weekday at 9 until 29 March", "2026-03-27 08:59:51", "2026-03-29 23:59:59"),
        ("every weekday at 9 until 1 January", "2026-03-27 08:59:51", "2027-01-01 23:59:59"),
        ("every weekday at 9 until 24.12.2027", "2026-03-27 08:59:51", "2027-12-24 23:59:59"),
        ("every weekday at 9 until 2026-12-24", "2026-03-27 08:59:51", "2026-12-24 23:59:59"),
        ("every weekday at 9 until tomorrow", "2026-03-27 08:59:51", "2026-03-28 23:59:59"),
        ("every day at 9 until the end of May", "2026-03-27 08:59:51", "2026-05-31 23:59:59"),
        ("every Monday at 9 for the next 3 weeks", "2026-03-27 08:59:51", "2026-04-17 23:59:59"),
        ("every Monday at 9 for two more months", "2026-03-27 08:59:51", "2026-05-27 23:59:59"),
        ("every day at 9 from 1 April for 2 weeks", "2026-04-01 00:00:00", "2026-04-14 23:59:59"),
        ("For two months, every day at 9", "2026-03-27 08:59:51", "2026-05-27 23:59:59"),
        ("every day at 9 for a quarter", "2026-03-27 08:59:51", "2026-06-27 23:59:59"),
        ("jeden Tag um 9 für zwei Wochen", "2026-03-27 08:59:51", "2026-04-10 23:59:59"),
        ("jeden Tag um 9 drei Tage lang", "2026-03-27 08:59:51", "2026-03-30 23:59:59"),
        ("chaque jour à 9h pendant 2 semaines", "2026-03-27 08:59:51", "2026-04-10 23:59:59"),
        ("cada día a las 9 durante dos semanas", "2026-03-27 08:59:51", "2026-04-10 23:59:59"),
        ("every weekday at 9 starting Monday", "2026-03-30 00:00:00", ""),
        ("every weekday at 9 from 1 December", "2026-12-01 00:00:00", ""),
        ("every weekday at 9 from today", "2026-03-27 08:59:51", ""),
        ("every hour", "2026-03-27 09:00:00", ""),
        ("every 6 hours until Friday noon", "2026-03-27 09:00:00", "2026-04-03 12:00:00"),
        ("every 6 hours until Friday 17:00", "2026-03-27 09:00:00", "2026-04-03 17:00:00"),
        ("every 6 hours until Friday, 5pm", "2026-03-27 09:00:00", "2026-04-03 17:00:00"),
        ("every 6 hours until Friday evening", "2026-03-27 09:00:00", "2026-04-03 23:59:59"),
        ("every 6 hours until Friday midnight", "2026-03-27 09:00:00", "2026-04-03 23:59:59"),
        ("every 6 hours until 24 December", "2026-03-27 09:00:00", "2026-12-24 23:59:59"),
        (
            "every 6 hours until 24 December 2027 at noon",
            "2026-03-27 09:00:00",
            "2027-12-24 12:00:00",
        ),
        ("every 6 hours at 11 until Friday 8:00", "2026-03-27 11:00:00", "2026-04-03 08:00:00"),
        ("every 6 hours for 10 days", "2026-03-27 09:00:00", "2026-04-06 23:59:59"),
        ("every weekday at 9 until Friday 17:00", "2026-03-27 08:59:51", "2026-04-03 17:00:00"),
        ("every day until Friday at 9", "2026-03-27 08:59:51", "2026-04-03 23:59:59"),
        ("every day at 10 for 3 days", "2026-03-27 08:59:51", "2026-03-30 23:59:59"),
        ("alle 6 Stunden bis Freitag 12 Uhr", "2026-03-27 09:00:00", "2026-04-03 12:00:00"),
        ("alle 6 Stunden bis Freitag Mittag", "2026-03-27 09:00:00", "2026-04-03 12:00:00"),
        ("toutes les 6 heures jusqu'à vendredi midi", "2026-03-27 09:00:00", "2026-04-03 12:00:00"),
        ("cada 6 horas hasta el viernes a las 17:00", "2026-03-27 09:00:00", "2026-04-03 17:00:00"),
        ("every 6 hours at 11", "2026-03-27 11:00:00", ""),
        ("every 6 hours at 7", "2026-03-28 07:00:00", ""),
        ("every 6 hours from Monday", "2026-03-30 00:00:00", ""),
        ("every 20 minutes", "2026-03-27 09:00:00", ""),
    ],
)
def test_the_first_and_last_moments_are_days_of_the_zone(
    words: str, begins: str, ends: str
) -> None:
    rule = rule_of(f"{words} post a digest on fusion")
    assert (local(rule.begins), local(rule.ends)) == (begins, ends)
    assert rule.begins.microsecond == 0


def test_the_slots_keep_their_hour_when_the_clocks_change() -> None:
    rule = rule_of("every weekday at 9 post a digest on X in #news")
    assert [local(slot) for slot in islice(slots_after(rule, NOW), 3)] == [
        "2026-03-27 09:00:00",
        "2026-03-30 09:00:00",
        "2026-03-31 09:00:00",
    ]


def test_a_channel_by_id_keeps_its_capitals() -> None:
    for name in ("#C0123ABC", "<#C0123ABC|energy>", "<#C0123ABC>"):
        assert asked(f"every weekday at 9 post fusion news in {name}").channel == "C0123ABC"


@pytest.mark.parametrize(
    "text",
    [
        "every weekday at 9 post a digest on fusion here",
        "post a digest on fusion in this channel every weekday at 9",
        "jeden Werktag um 9 poste hier einen Digest zu fusion",
        "publica aquí un resumen sobre fusion todos los lunes a las 9",
    ],
)
def test_here_is_no_channel_and_no_part_of_the_task(text: str) -> None:
    assert (asked(text).channel, asked(text).task) == ("", "fusion")


@pytest.mark.parametrize(
    "words",
    [
        "only when there is something new",
        "but only if there's anything new",
        "only when new",
        "if there is something new",
        "nur wenn es etwas Neues gibt",
        "aber nur, wenn es was Neues gibt",
        "seulement s'il y a du nouveau",
        "s'il y a du nouveau",
        "si hay novedades",
        "solo si hay novedades",
    ],
)
def test_only_when_new_is_heard_and_left_out_of_the_task(words: str) -> None:
    request = asked(f"every weekday at 9 post a digest on fusion, {words}.")
    assert (request.only_when_new, request.task) == (True, "fusion")


@pytest.mark.parametrize(
    "text",
    [
        "every weekday at 9, only when there is something new, post a digest on fusion",
        "post a digest on fusion, only if there is news, every weekday at 9",
        "jeden Werktag um 9, nur wenn es etwas Neues gibt, ein Digest zu fusion",
    ],
)
def test_only_when_new_may_stand_amid_the_order(text: str) -> None:
    request = asked(text)
    assert (request.only_when_new, request.task, request.missing) == (True, "fusion", frozenset())


@pytest.mark.parametrize(
    "text",
    [
        "Hi! Post a digest on fusion every weekday at 9. Thanks a lot!",
        "Hello! every weekday at 9 post a digest on fusion. Thank you!",
        "Hallo zusammen! Poste jeden Werktag um 9 einen Digest über fusion. Vielen Dank!",
        "Bonjour ! Publie chaque lundi à 9h un résumé sur fusion. Merci beaucoup !",
        "Hola! Publica por favor un resumen sobre fusion cada lunes a las 9, por favor",
        "Publica un resumen sobre fusion cada lunes a las 9. ¡Muchas gracias!",
    ],
)
def test_greetings_and_thanks_are_no_part_of_the_task(text: str) -> None:
    assert asked(text).task == "fusion"


def test_further_sentences_belong_to_the_task() -> None:
    request = asked("Every weekday at 9 post a digest on fusion in #energy. Focus on Europe.")
    assert (request.task, request.channel) == ("fusion. Focus on Europe", "energy")


ODD_WORDS = (
    "every Monday at 9 and post jeden um bis zum 24.12. #news tous les until Friday , . ? cada "
    "first last of the month 25:99 twice a day Uhr a las from 31 February UTC time here -1 ª ß "
    "\N{COMBINING ACUTE ACCENT} \N{ZERO WIDTH JOINER}"
)
PHRASES = st.sampled_from(ODD_WORDS.split())
TEXTS = st.one_of(st.text(max_size=200), st.lists(PHRASES, max_size=25).map(" ".join))


@given(text=TEXTS, zone=st.sampled_from(["Europe/Berlin", "UTC", "", "Mars/Base"]))
@settings(max_examples=300, deadline=None)
def test_no_text_is_too_odd_to_be_read(text: str, zone: str) -> None:
    request = read_request(text, zone=zone, now=NOW)
    if request is not None:
        assert (request.rule is None) == bool(request.missing - {"task", "channel"})
        assert (request.task == "") == ("task" in request.missing)
    read_correction("every Monday at 9 post X", text, zone=zone, now=NOW)
    read_consent(text)
    read_command(text, about_one=True)
    read_answer("every month post X", text, zone=zone, now=NOW)
    read_command(text)


@pytest.mark.parametrize(
    "piece",
    ["every ", "every Monday and ", "at 9, ", "1,", "the first and ", " ", "\n", "#a", "<#C", "9:",
     "please ", "until ", "a", "é", "(", "post a digest on ", "the last ", "can you "],
)  # fmt: skip
def test_hostile_texts_are_read_in_little_time(piece: str) -> None:
    longest, beyond = (piece * 2_000)[:2_000], (piece * 20_000)[:20_000]
    start = time.perf_counter()
    read_request(longest, zone=BERLIN, now=NOW)
    read_answer("every month post X", longest, zone=BERLIN, now=NOW)
    read_command(longest)
    read_correction("every Monday at 9 post X", longest, zone=BERLIN, now=NOW)
    read_consent(longest[:60])
    read_command(longest[:120], about_one=True)
    assert ask(beyond) is None
    assert read_command(beyond) is None
    assert time.perf_counter() - start < 5
