import pytest

from bot.presenter.language import Language, detect_language


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
        ("status", "en"),
        ("", "en"),
        ("12345 !!! :tada:", "en"),
        ("Tell me what the word die means in the song of Rammstein", "en"),
    ],
)
def test_the_language_is_told_by_small_words(text: str, language: Language) -> None:
    assert detect_language(text) == language
