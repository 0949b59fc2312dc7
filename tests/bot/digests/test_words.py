"""Every language says the same about digests, and what it tells people to write is understood."""

import re
from dataclasses import fields
from datetime import UTC, datetime
from string import Formatter
from typing import get_args

import pytest

from agent_core.prompts.language import Language
from agent_core.runtime.timekeeper import Obstacle
from agent_core.schedules.reading import Request, read_answer, read_command, read_request
from bot.digests.words import WORDS, Button, Missing, Refusal, Words

LANGUAGES: tuple[Language, ...] = get_args(Language)
OTHERS = tuple(language for language in LANGUAGES if language != "en")
NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
WITHOUT_A_TIME: dict[Language, str] = {
    "en": "every Monday post a digest on batteries",
    "de": "poste jeden Montag einen Digest über Batterien",
    "fr": "publie tous les lundis un digest sur les batteries",
    "es": "publica todos los lunes un digest sobre baterías",
}
WITHOUT_A_DAY: dict[Language, str] = {
    "en": "every month post a digest on batteries",
    "de": "poste jeden Monat einen Digest über Batterien",
    "fr": "publie chaque mois un digest sur les batteries",
    "es": "publica cada mes un digest sobre baterías",
}

_QUOTED = re.compile("“([^”“]+)”|„([^“]+)“|«([^»]+)»")


def sentences(words: Words) -> dict[str, str]:
    """All that a language says, by the name of the field and the key in it."""
    said: dict[str, str] = {}
    for field in fields(words):
        value: object = getattr(words, field.name)
        if isinstance(value, str):
            said[field.name] = value
        elif isinstance(value, dict):
            said |= {f"{field.name} {key}": form for key, form in value.items()}  # pyright: ignore[reportUnknownVariableType]
        else:
            assert isinstance(value, tuple)
            said |= {f"{field.name} {n}": form for n, form in enumerate(value)}  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
    return said


def slots(form: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(form) if name is not None)


def quoted(form: str) -> str:
    """What a sentence tells people to write."""
    found = _QUOTED.search(form)
    assert found is not None
    return next(part for part in found.groups() if part).strip()


def is_complete(request: Request | None, language: Language) -> bool:
    return request is not None and not request.missing and request.language == language


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_slots_in_its_sentences(language: Language) -> None:
    english, other = sentences(WORDS["en"]), sentences(WORDS[language])

    assert {name: slots(form) for name, form in other.items()} == {
        name: slots(form) for name, form in english.items()
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_empty_or_has_room_at_its_ends(language: Language) -> None:
    said = sentences(WORDS[language])

    assert {name for name, form in said.items() if not form or form != form.strip()} == set()


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_was_left_in_english(language: Language) -> None:
    english, other = sentences(WORDS["en"]), sentences(WORDS[language])

    same = {name for name, form in other.items() if form == english[name]}
    assert same <= {"listed", "form_title"}, "the word digest is the same in all"


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_words_for_every_refusal_question_and_button(language: Language) -> None:
    words = WORDS[language]

    assert set(words.refusals) == set(get_args(Refusal))
    assert set(words.ask) == set(get_args(Missing))
    assert set(words.buttons) == set(get_args(Button))
    assert set(words.why_paused) == {"failing", *get_args(Obstacle)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_about_one_differs_from_that_about_several(language: Language) -> None:
    words = WORDS[language]

    assert words.count(words.left_out, 1).startswith("1 ")
    assert words.count(words.left_out, 7).startswith("7 ")
    assert words.count(words.left_out, 1)[1:] != words.count(words.left_out, 2)[1:]


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_fit_into_what_slack_allows(language: Language) -> None:
    words = WORDS[language]

    for label in (words.form_title, words.form_save, words.buttons["cancel"]):
        assert len(label) <= 24
    labels = (words.form_task, words.form_when, words.form_channel, words.form_news)
    options = (words.news_post, words.news_say_so, words.news_silent)
    for label in (*labels, *options, *words.buttons.values()):
        assert len(label) <= 75


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "verb", "which"),
    [
        ("paused", "resume", "12"),
        ("paused_because", "resume", "12"),
        ("more", "edit", "21"),
        ("refusals not_there", "list", ""),
    ],
)
def test_the_commands_that_sentences_advertise_are_understood(
    language: Language, name: str, verb: str, which: str
) -> None:
    said = quoted(sentences(WORDS[language])[name]).replace("{n}", "12")

    command = read_command(said)

    assert command is not None
    assert (command.verb, command.which, command.language) == (verb, which, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_order_that_an_empty_list_suggests_is_understood(language: Language) -> None:
    request = read_request(quoted(WORDS[language].none), zone="Europe/Berlin", now=NOW)

    assert request is not None
    assert is_complete(request, language)
    assert request.channel in ("energy", "energie", "energia")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("missing", "asked"),
    [("time", WITHOUT_A_TIME), ("zone", WITHOUT_A_TIME), ("day", WITHOUT_A_DAY)],
)
def test_the_answers_that_questions_suggest_complete_the_order(
    language: Language, missing: Missing, asked: dict[Language, str]
) -> None:
    order = asked[language]
    first = read_request(order, zone="Europe/Berlin", now=NOW)
    answer = quoted(WORDS[language].ask[missing])

    answered = read_answer(order, answer, zone="America/New_York", now=NOW)

    assert not is_complete(first, language)
    assert is_complete(answered, language)
    assert answered is not None
    assert answered.rule is not None
    assert (answered.rule.zone == "America/New_York") is (missing != "zone")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["form_when", "form_unclear", "refusals unreadable"])
def test_the_times_that_sentences_suggest_are_understood(language: Language, name: str) -> None:
    form = sentences(WORDS[language])[name]
    said = quoted(form) if _QUOTED.search(form) else form.rpartition(": ")[2]

    request = read_request(f"{said} digest", zone="Europe/Berlin", now=NOW)

    assert request is not None
    assert request.rule is not None
    assert request.rule.recurrence.startswith("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9")
