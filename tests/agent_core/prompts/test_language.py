import pytest

from agent_core.prompts.language import Language, detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the capital of France?", "en"),
        ("Was ist die Hauptstadt von Frankreich?", "de"),
        ("Schreibe einen Bericht über Batterien und ihre Preise", "de"),
        ("Quelle est la capitale de la France ?", "fr"),
        ("Rédige un rapport sur les batteries", "fr"),
        ("¿Cuál es la capital de Francia y por qué?", "es"),
        ("Escribe un informe sobre las baterías", "es"),
        ("Was steht in der Datei?", "de"),
        ("Was steht in dieser Datei?", "de"),
        ("Kannst du mir helfen?", "de"),
        ("Fasse die Datei bitte zusammen", "de"),
        ("Que contient ce fichier ?", "fr"),
        ("Peux-tu résumer ces fichiers ?", "fr"),
        ("¿Qué hay en este archivo?", "es"),
        ("¿Puedes leer este archivo?", "es"),
        ("What was in this file?", "en"),
        ("status", "en"),
        ("", "en"),
        ("12345 !!! :tada:", "en"),
        ("Tell me what the word die means in the song of Rammstein", "en"),
    ],
)
def test_the_language_is_told_by_small_words(text: str, language: Language) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("de-DE", "de"),
        ("de", "de"),
        ("fr-CA", "fr"),
        ("es-419", "es"),
        ("es-LA", "es"),
        ("en-GB", "en"),
        ("ja-JP", "en"),
        ("", "en"),
        ("-", "en"),
        ("nonsense", "en"),
    ],
)
@pytest.mark.parametrize("text", ["", "status", "12345 !!! :tada:", "Q3 2026"])
def test_where_the_text_gives_no_language_it_is_that_of_the_locale(
    text: str, locale: str, language: Language
) -> None:
    assert detect_language(text, locale=locale) == language


@pytest.mark.parametrize("locale", ["", "en-GB", "de-DE", "fr-FR", "es-ES"])
@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the capital of France?", "en"),
        ("Write a report on heat pumps in old houses", "en"),
        ("Was ist die Hauptstadt von Frankreich?", "de"),
        ("Rédige un rapport sur les batteries", "fr"),
        ("Escribe un informe sobre las baterías", "es"),
    ],
)
def test_the_words_that_were_written_come_before_the_locale(
    text: str, language: Language, locale: str
) -> None:
    assert detect_language(text, locale=locale) == language


def test_where_a_text_gives_no_language_the_next_one_does() -> None:
    assert detect_language("ok", "Was ist die Hauptstadt?", locale="fr-FR") == "de"
    assert detect_language("What is the capital?", "Was ist die Hauptstadt?") == "en"
    assert detect_language("ok", "", locale="fr-FR") == "fr"
