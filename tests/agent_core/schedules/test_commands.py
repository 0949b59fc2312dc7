from datetime import UTC, datetime

import pytest

from agent_core.schedules.in_words.commands import Command, Verb, matches, read_command
from agent_core.schedules.rule import Rule

BERLIN = "Europe/Berlin"
NOW = datetime(2026, 3, 27, 7, 59, 50, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "verb", "which", "language"),
    [
        ("schedules", "list", "", "en"),
        ("digests", "list", "", "en"),
        ("list digests", "list", "", "en"),
        ("which digests are there?", "list", "", "en"),
        ("show the schedules", "list", "", "en"),
        ("pause the Tuesday one", "pause", "tuesday", "en"),
        ("please pause the digest", "pause", "", "en"),
        ("resume the battery digest", "resume", "battery", "en"),
        ("run the energy digest now", "run", "energy", "en"),
        ("stop the Tuesday one", "delete", "tuesday", "en"),
        ("stop the #energy one", "delete", "#energy", "en"),
        ("delete digest 2", "delete", "2", "en"),
        ("cancel the weekday digest", "delete", "weekday", "en"),
        ("edit the news digest", "edit", "news", "en"),
        ("welche Digests gibt es?", "list", "", "de"),
        ("Zeitpläne", "list", "", "de"),
        ("pausiere den Digest am Dienstag", "pause", "dienstag", "de"),
        ("setze den Digest zu Energie fort", "resume", "energie", "de"),
        ("starte den Digest 2 jetzt", "run", "2", "de"),
        ("ändere den Digest 2", "edit", "2", "de"),
        ("lösche den Batterie-Digest", "delete", "batterie", "de"),
        ("quels digests y a-t-il ?", "list", "", "fr"),
        ("mets en pause le digest sur les batteries", "pause", "batteries", "fr"),
        ("reprends le digest 2", "resume", "2", "fr"),
        ("lance le digest 2 maintenant", "run", "2", "fr"),
        ("supprime le digest du lundi", "delete", "lundi", "fr"),
        ("¿qué digests hay?", "list", "", "es"),
        ("pausa el digest del lunes", "pause", "lunes", "es"),
        ("reanuda el digest 2", "resume", "2", "es"),
        ("ejecuta el digest 2 ahora", "run", "2", "es"),
        ("elimina el digest de baterías", "delete", "baterias", "es"),
        ("pls pause the figs digest", "pause", "figs", "en"),
        ("could you please pause the figs digest?", "pause", "figs", "en"),
        ("list the digests in #Energy", "list", "#Energy", "en"),
        ("which digests are there in <#C0123ABC|energy>?", "list", "#C0123ABC", "en"),
        ("which digests are running?", "list", "", "en"),
        ("Welche Digests laufen?", "list", "", "de"),
        ("quels digests sont actifs ?", "list", "", "fr"),
        ("turn off the whisky digest", "pause", "whisky", "en"),
        ("turn on the whisky digest", "resume", "whisky", "en"),
        ("unsubscribe from the whisky digest", "delete", "whisky", "en"),
        ("schalte den Digest zu Wein aus", "pause", "wein", "de"),
        ("schalte den Digest zu Wein wieder ein", "resume", "wein", "de"),
        ("stop this digest", "delete", "", "en"),
        ("pause this digest", "pause", "", "en"),
        ("delete all digests", "delete", "all", "en"),
        ("pause everything", "pause", "all", "en"),
        ("lösche alle Digests", "delete", "all", "de"),
        ("supprime tous les digests", "delete", "all", "fr"),
        ("borra todos los digests", "delete", "all", "es"),
    ],
)
def test_an_order_about_schedules_is_read(text: str, verb: Verb, which: str, language: str) -> None:
    command = read_command(text)
    assert isinstance(command, Command)
    assert (command.verb, command.which, command.language) == (verb, which, language)


@pytest.mark.parametrize(
    "text",
    [
        "stop",
        "pause",
        "continue",
        "resume",
        "stopp",
        "arrête",
        "para",
        "stop it",
        "stop the report",
        "stop researching batteries",
        "stop 2",
        "cancel the meeting",
        "change the schedule of the meeting",
        "run a digest on batteries",
        "run the tests",
        "delete tuna",
        "stop everything",
        "move the meeting to 8am",
        "pause it",
        "run again",
        "change it to 10",
        "run the Tuesday numbers",
        "what is a digest?",
        "ändere die Zusammenfassung",
        "write a digest on batteries",
        "x" * 5_000,
    ],
)
def test_all_other_texts_are_no_orders(text: str) -> None:
    assert read_command(text) is None


@pytest.mark.parametrize(
    ("text", "which", "change", "language"),
    [
        ("change digest 4 to 10:30", "4", "10:30", "en"),
        ("move the apples digest to 8am", "apples", "8am", "en"),
        ("ändere den Digest 4 auf 10:30", "4", "10:30", "de"),
        ("verschiebe den Apfel-Digest auf 8 Uhr", "apfel", "8 Uhr", "de"),
        ("change le digest 4 à 10h30", "4", "10h30", "fr"),
        ("cambia el digest 4 a las 10:30", "4", "las 10:30", "es"),
        ("edit digest 4", "4", "", "en"),
    ],
)
def test_a_change_says_what_is_to_be_different(
    text: str, which: str, change: str, language: str
) -> None:
    command = read_command(text)
    assert command is not None
    assert (command.verb, command.which, command.change) == ("edit", which, change)
    assert command.language == language


@pytest.mark.parametrize(
    ("text", "verb", "change", "language"),
    [
        ("pause it", "pause", "", "en"),
        ("please resume it", "resume", "", "en"),
        ("run it now", "run", "", "en"),
        ("run again", "run", "", "en"),
        ("delete it", "delete", "", "en"),
        ("stop sending this", "delete", "", "en"),
        ("change it to 8:30 and in #News", "edit", "8:30 and in #News", "en"),
        ("move it to Monday", "edit", "Monday", "en"),
        ("pausiere ihn", "pause", "", "de"),
        ("setz ihn fort", "resume", "", "de"),
        ("starte ihn jetzt", "run", "", "de"),
        ("lösche ihn", "delete", "", "de"),
        ("ändere ihn auf 10", "edit", "10", "de"),
        ("mets-le en pause", "pause", "", "fr"),
        ("reprends-le", "resume", "", "fr"),
        ("relance-le", "run", "", "fr"),
        ("supprime-le", "delete", "", "fr"),
        ("change-le à 10h", "edit", "10h", "fr"),
        ("páusalo", "pause", "", "es"),
        ("reanúdalo", "resume", "", "es"),
        ("ejecútalo ahora", "run", "", "es"),
        ("elimínalo", "delete", "", "es"),
        ("cámbialo a las 10", "edit", "las 10", "es"),
    ],
)
def test_it_means_the_digest_that_the_conversation_is_about(
    text: str, verb: Verb, change: str, language: str
) -> None:
    command = read_command(text, about_one=True)
    assert command is not None
    assert (command.verb, command.which, command.change) == (verb, "", change)
    assert (command.language, command.is_pointed_at) == (language, True)


@pytest.mark.parametrize(
    "text", ["stop it", "stop", "cancel it", "stopp das", "arrête ça", "continue", "thanks", "run"]
)
def test_even_there_stop_it_means_the_work_that_is_going_on(text: str) -> None:
    assert read_command(text, about_one=True) is None


TUESDAYS = Rule(recurrence="FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0", zone=BERLIN, begins=NOW)
WORKDAYS = Rule(
    recurrence="FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0", zone=BERLIN, begins=NOW
)


@pytest.mark.parametrize(
    ("which", "rule", "is_named"),
    [
        ("", TUESDAYS, True),
        ("tuesday", TUESDAYS, True),
        ("the Tuesday one", TUESDAYS, True),
        ("dienstag", TUESDAYS, True),
        ("mardi", TUESDAYS, True),
        ("weekly", TUESDAYS, True),
        ("2", TUESDAYS, True),
        ("battery", TUESDAYS, True),
        ("batteries", TUESDAYS, False),
        ("#energy", TUESDAYS, True),
        ("energy", TUESDAYS, True),
        ("tuesday battery", TUESDAYS, True),
        ("tuesday fusion", TUESDAYS, False),
        ("3", TUESDAYS, False),
        ("monday", TUESDAYS, False),
        ("weekday", TUESDAYS, False),
        ("daily", TUESDAYS, False),
        ("#news", TUESDAYS, False),
        ("weekday", WORKDAYS, True),
        ("tuesday", WORKDAYS, False),
    ],
)
def test_words_name_a_schedule_or_not(which: str, rule: Rule, is_named: bool) -> None:
    assert matches(which, number=2, task="Battery storage", rule=rule, channel="energy") is is_named
