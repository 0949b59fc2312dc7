"""Orders that leave something open: it is named, so that one question can ask for it."""

import pytest

from agent_core.schedules.reading import Missing, read_answer
from tests.agent_core.schedules.sentences import BERLIN, NOW, asked


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("every Monday post a digest on fusion", {"time"}),
        ("every morning post a digest on fusion", {"time"}),
        ("every quarter post a digest on fusion", {"day", "time"}),
        ("every month post a digest on fusion", {"day", "time"}),
        ("every week at 9 post a digest on fusion", {"day"}),
        ("every month on Monday at 9 post a digest on fusion", {"day"}),
        ("every third Monday at 9 post a digest on fusion", {"day"}),
        ("every 0 days at 9 post a digest on fusion", {"day"}),
        ("every weekday at 25 post a digest on fusion", {"time"}),
        ("every weekday at 9:75 post a digest on fusion", {"time"}),
        ("twice a day at 9 post a digest on fusion", {"time"}),
        ("twice a day post a digest on fusion", {"time"}),
        ("twice a week on Monday at 9 post a digest on fusion", {"day"}),
        ("every month on the 32nd at 9 post a digest on fusion", {"day"}),
        ("every year on 31 February at 9 post a digest on fusion", {"day"}),
        ("every weekday at 9", {"task"}),
        ("every Monday", {"task", "time"}),
        ("every weekday at 9 post a digest in #news", {"task"}),
        ("every Monday at 9 and every Friday at 16 post a digest on fusion", {"day"}),
        ("every Monday at 9 post fusion news, every Friday at 9 post a quiz", {"day"}),
        ("every weekday at 9 post fusion in #a and every Friday at 4pm one on solar", {"day"}),
        (
            "every weekday at 9 post a digest on fusion, every Friday at 16 a digest on wind",
            {"day"},
        ),
        ("jeden Montag um 9 einen Digest zu Wind und jeden Freitag um 9 einen zu Solar", {"day"}),
        ("every day but Sunday at 9 post a digest on fusion", {"day"}),
        ("jeden Tag außer Sonntag um 9 ein Digest zu Fusion", {"day"}),
        ("tous les jours sauf le dimanche à 9h un digest sur la fusion", {"day"}),
        ("todos los días menos el domingo a las 9 un digest sobre fusión", {"day"}),
        ("every day at 9 and at 5 post a digest on fusion", {"time"}),
        ("every Friday at 3 post a digest on fusion", {"time"}),
        ("jeden Freitag um halb 4 einen Digest zu Fusion", {"time"}),
        ("todos los viernes a las 5 un digest sobre fusión", {"time"}),
        ("every day at 10 and 8 post a digest on fusion", {"time"}),
        ("every day at 9, 1 and half past five post a digest on fusion", {"time"}),
        ("every hour for the next 6 hours post a digest on fusion", {"day"}),
        ("every Monday at 9 for 0 weeks post a digest on fusion", {"day"}),
        ("zweimal die Woche ein Digest zu Fusion", {"day", "time"}),
        ("every Monday or Tuesday at 9 post a digest on fusion", {"day"}),
        ("every weekday at 9 except holidays post a digest on fusion", {"day"}),
        ("every 6 hours until the conference post a digest on fusion", {"day"}),
        ("every weekday at 9 until 31 February post a digest on fusion", {"day"}),
        ("every weekday at 9 until Monday 24 December post a digest on fusion", {"day"}),
        ("every weekday at 9 until 3/4 post a digest on fusion", {"day"}),
        ("every 2 hours on weekdays post a digest on fusion", {"day"}),
        ("every hour between 9 and 17 post a digest on fusion", {"time"}),
        ("every weekday at 9 Foobar time post a digest on fusion", {"zone"}),
        ("every weekday at 9 IST post a digest on fusion", {"zone"}),
        ("set up a digest", {"task", "day", "time"}),
        ("can you set up a digest on fusion?", {"day", "time"}),
        ("schedule a digest on fusion in #news", {"day", "time"}),
        ("schedule a digest on fusion in #news at 9", {"day"}),
        ("richte einen Digest über Fusion in #energie ein", {"day", "time"}),
        ("programme un digest sur la fusion", {"day", "time"}),
        ("programa un digest sobre fusión", {"day", "time"}),
        ("jeden Montag poste einen Digest zu Fusion", {"time"}),
        ("jeden Monat poste einen Digest zu Fusion", {"day", "time"}),
        ("jeden Werktag um 9", {"task"}),
        ("chaque lundi publie un résumé sur la fusion", {"time"}),
        ("chaque trimestre publie un résumé sur la fusion", {"day", "time"}),
        ("cada lunes publica un resumen sobre fusión", {"time"}),
        ("cada mes publica un resumen sobre fusión", {"day", "time"}),
        ("twice a week post a digest on fusion", {"day", "time"}),
        ("post a digest on fusion twice a week in #news", {"day", "time"}),
        ("poste zweimal pro Woche einen Digest zu Fusion", {"day", "time"}),
        ("publie un digest sur la fusion deux fois par semaine", {"day", "time"}),
        ("publica un digest sobre fusión dos veces por semana", {"day", "time"}),
        ("I want a daily digest on fusion", {"time"}),
        ("every 20th post a digest on fusion", {"time"}),
        ("bimonthly on the 1st at 9 post a digest on fusion", {"day"}),
        ("every Monday at 9 or 10 post a digest on fusion", {"time"}),
        ("every Monday at 9 to 10 post a digest on fusion", {"time"}),
        ("every day at 9 in Tokyo and at 10 in London post a digest on fusion", {"zone"}),
        ("every weekday at 9 UTC+5:30 post a digest on fusion", {"zone"}),
        ("every weekday at 9 in Springfield post a digest on fusion", {"zone"}),
        ("every 6 hours until Friday at 5 post a digest on fusion", {"time"}),
        ("every 6 hours until Friday afternoon post a digest on fusion", {"day"}),
        ("every day at 9:00-10:00 post a digest on fusion", {"time"}),
        ("jeden Tag um 9-10 Uhr poste einen Digest zu Fusion", {"time"}),
        ("every day at 9 in Los Angeles and New York post a digest on fusion", {"day"}),
        ("every day at 9 and at noon on Fridays post a digest on fusion", {"day"}),
        ("every full moon post a digest on fusion", {"day", "time"}),
        ("every bank holiday at 9 post a digest on fusion", {"day"}),
        ("every 1.5 hours post a digest on fusion", {"day", "time"}),
        ("every couple of hours post a digest on fusion", {"day", "time"}),
        ("every weekday after lunch please post a digest on fusion", {"time"}),
        ("every day at sunrise post us a digest on fusion", {"time"}),
        ("every weekday at EOD post a digest on fusion", {"time"}),
        ("every day at 9 besides weekends post a digest on fusion", {"day"}),
        ("first thing every morning post a digest on fusion", {"time"}),
        ("jeden Feiertag um 9 poste einen Digest zu Fusion", {"day"}),
        ("chaque jour férié à 9h publie un digest sur la fusion", {"day"}),
        ("cada festivo a las 9 publica un digest sobre fusión", {"day"}),
    ],
)
def test_what_is_left_open_is_named(text: str, missing: set[Missing]) -> None:
    request = asked(text)
    assert request.missing == missing
    assert (request.rule is None) == bool(missing - {"task"})
    assert (request.task == "") == ("task" in missing)


@pytest.mark.parametrize(
    ("text", "recurrences"),
    [
        (
            "every Monday at 9 and every Friday at 16 post a digest on fusion",
            ["FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
             "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=0"],
        ),
        (
            "jeden Montag um 9 einen Digest zu Wind und jeden Freitag um 10 einen zu Solar",
            ["FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
             "FREQ=WEEKLY;BYDAY=FR;BYHOUR=10;BYMINUTE=0"],
        ),
        (
            "every Monday at 9, Wednesdays at 10 and Fridays at 16 post a digest on fusion",
            ["FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
             "FREQ=WEEKLY;BYDAY=WE;BYHOUR=10;BYMINUTE=0",
             "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=0"],
        ),
        (
            "every Monday at 9 and the 1st of every month at 10 post a digest on fusion",
            [
                "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
                "FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=10;BYMINUTE=0",
            ],
        ),
        ("every Monday or Tuesday at 9 post a digest on fusion", []),
        ("every 2 hours on weekdays post a digest on fusion", []),
        ("every Monday at 9 post a digest on fusion", []),
    ],
)  # fmt: skip
def test_two_rules_in_one_order_are_told_apart(text: str, recurrences: list[str]) -> None:
    assert [rule.recurrence for rule in asked(text).alternatives] == recurrences


def test_one_of_two_channels_has_to_be_chosen() -> None:
    text = "every weekday at 9 post a digest on fusion in #energy and #news"
    assert (asked(text).task, asked(text).missing) == ("fusion", {"channel"})
    answered = read_answer(text, "in #news", zone=BERLIN, now=NOW)
    assert answered is not None
    assert (answered.channel, answered.missing) == ("news", frozenset())


@pytest.mark.parametrize(
    "text",
    [
        "every weekday at 9 post a digest on batteries in energy",
        "post a digest on batteries in energy every weekday at 9",
        "poste jeden Werktag um 9 einen Digest über batteries in energy",
        "publie chaque lundi à 9h un résumé sur batteries dans energy",
        "publica cada lunes a las 9 un resumen sobre batteries en energy",
    ],
)
def test_a_last_word_behind_in_may_be_a_channel(text: str) -> None:
    request = asked(text)
    assert (request.channel, request.channel_is_sure) == ("energy", False)
    inside, without = request.in_its_channel(), request.in_no_channel()
    assert (inside.channel, inside.task, inside.channel_is_sure) == ("energy", "batteries", True)
    assert (without.channel, without.task[:9]) == ("", "batteries")
    assert without.task.endswith(" energy")


def test_a_zone_that_nobody_knows_is_asked_for() -> None:
    assert asked("every weekday at 9 post a digest on fusion", zone="").missing == {"zone"}
