"""Prompts as files with slots, the language of a text, and whole messages that need no model."""

import pytest

from agent_core.prompts import fill, prompt
from agent_core.words import (
    Language,
    SmallTalk,
    asks_for_nothing,
    detect_language,
    phrase_language,
    small_talk,
)


@pytest.mark.parametrize(
    ("text", "values", "filled"),
    [
        ("{{a}} and {{b}}, {{a}}", {"a": "one", "b": "two"}, "one and two, one"),
        ("nothing {here} to {} fill { { a } }", {}, "nothing {here} to {} fill { { a } }"),
        ("{{a}} {{b}}", {"a": "{{b}}", "b": "{{a}}"}, "{{b}} {{a}}"),
        ("<{{a}}>", {"a": r"\1 \g<a> \n $a %s"}, r"<\1 \g<a> \n $a %s>"),
    ],
)
def test_slots_are_filled_once_with_their_values(
    text: str, values: dict[str, str], filled: str
) -> None:
    assert fill(text, **values) == filled


@pytest.mark.parametrize("values", [{"given": "x"}, {"given": "x", "missing": "y", "odd": "z"}])
def test_a_slot_without_a_value_and_a_value_without_a_slot_are_named(
    values: dict[str, str],
) -> None:
    with pytest.raises(KeyError, match=r"missing|odd"):
        fill("{{given}} {{missing}}", **values)


def test_what_a_person_wrote_cannot_open_a_slot_of_a_prompt() -> None:
    text = prompt("classify", query="{{history}} {{query}}", history="SECRET")
    assert "Query: {{history}} {{query}}" in text
    assert text.count("SECRET") == 1


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the capital of France?", "en"),
        ("Was ist die Hauptstadt von Frankreich?", "de"),
        ("Schreibe einen Bericht über Batterien und ihre Preise", "de"),
        ("Fasse die Datei bitte zusammen", "de"),
        ("Quelle est la capitale de la France ?", "fr"),
        ("Peux-tu résumer ces fichiers ?", "fr"),
        ("¿Cuál es la capital de Francia y por qué?", "es"),
        ("¿Puedes leer este archivo?", "es"),
        ("Tell me what the word die means in the song of Rammstein", "en"),
    ],
)
@pytest.mark.parametrize("locale", ["", "en-GB", "de-DE", "es-ES"])
def test_the_language_is_told_by_small_words_before_the_locale(
    text: str, language: Language, locale: str
) -> None:
    assert detect_language(text, locale=locale) == language


@pytest.mark.parametrize(
    ("locale", "language"),
    [("de-DE", "de"), ("fr-CA", "fr"), ("es-419", "es"), ("ja-JP", "en"), ("", "en"), ("-", "en")],
)
@pytest.mark.parametrize("text", ["", "status", "12345 !!! 🎉"])
def test_where_the_text_gives_no_language_it_is_that_of_the_locale(
    text: str, locale: str, language: Language
) -> None:
    assert detect_language(text, locale=locale) == language


def test_where_a_text_gives_no_language_the_next_one_does() -> None:
    assert detect_language("ok", "Was ist die Hauptstadt?", locale="fr-FR") == "de"
    assert detect_language("What is the capital?", "Was ist die Hauptstadt?") == "en"


SAID: dict[SmallTalk, str] = {
    "help": "help | /help | help me, please 🙏 | Hi, what can you do? | Hilfe | Was kannst du?"
    " | aide | Que peux-tu faire ? | ayuda, por favor | ¿Qué puedes hacer?",
    "stop": "stop | Stop!! | stop working | forget it | 🛑 | please cancel | bitte aufhören"
    " | hör auf | Hör bitte auf! | lass es | laisse tomber | annule, s'il te plaît | para"
    " | ¡Cancela!",
    "status": "How far are you? | Wie weit bist du? | Où en es-tu ? | ¿Cómo vas?",
    "empty": " | \n\t\u200b\ufeff | ¿?!",
    "emoji": "🎉🎉 | 👍🏽 | 👩‍👩‍👧‍👦 | 🇩🇪 🏴󠁧󠁢󠁷󠁬󠁳󠁿 | 1️⃣",
    "noise": " | ".join(("x" * 39_000, "あ" * 20, "-=" * 500)),
    "thanks": "thanks | Thank you so much! | great, thanks! 🎉 | thanks for your help | danke 🙏"
    " | Vielen Dank! | merci beaucoup | ¡Muchas gracias!",
}


@pytest.mark.parametrize(
    ("text", "kind"), [(text, kind) for kind, texts in SAID.items() for text in texts.split(" | ")]
)
def test_a_message_that_says_nothing_else_is_told(text: str, kind: SmallTalk) -> None:
    assert small_talk(text) == kind


WORK = """
help me write a report on heat pumps | what can you do about the noise of a heat pump?
stop the presses: what is new? | stop the Tuesday one | don't stop | never stop
stop using Wikipedia | can you stop at 2020? | stop words should be removed from the text
add a section on how to stop smoking | stop, do Berlin instead | stop, wrong topic: do Berlin
that's wrong | you can stop when you have ten | never mind the costs | forget it was about Berlin
lass es kurz sein | hör auf, Blogs zu zitieren | nicht aufhören | n'arrête pas
arrête de citer des blogs | laisse tomber la deuxième source | no pares | déjalo más corto
para ahora solo Berlín | how far are you from Berlin? | cancel culture
para qué sirve una bomba de calor | thanks, now write the report | thanks, and in Spain?
danke, jetzt auf Französisch | continue: add a section on retries | ok, what is a thread?
great | continue | ok | Yes, please. | hello | hmm 🎉 | 7 | 12:30:45 | नमस्ते | ½
"""


@pytest.mark.parametrize(
    "text",
    [
        *WORK.strip().replace("\n", " | ").split(" | "),
        "x" * 39_000 + " What is this?",
        "x" * 19 + " help",
        "thanks " * 2_000,
    ],
)
def test_a_message_that_asks_for_something_is_work(text: str) -> None:
    assert small_talk(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [("Hilfe!", "de"), ("arrête", "fr"), ("gracias", "es"), ("stop", None), ("🎉", None)],
)
def test_a_phrase_of_one_language_tells_it(text: str, language: Language | None) -> None:
    assert phrase_language(text) == language


@pytest.mark.parametrize(
    ("text", "is_nothing"),
    [
        *(dict.fromkeys(("", "🎉", "...", "x" * 30, "thanks!"), True)).items(),
        *(dict.fromkeys(("help", "continue", "stop", "look", "7", "ok"), False)).items(),
    ],
)
def test_whether_anybody_could_act_on_it(text: str, is_nothing: bool) -> None:
    assert asks_for_nothing(text) == is_nothing
