"""Every language says the same: each form takes what the presenter puts into it."""

from dataclasses import fields
from string import Formatter

import pytest

from bot.presenter.words import WORDS, Words


def gaps(form: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(form) if name}


def forms(words: Words) -> dict[str, str]:
    given = {field.name: getattr(words, field.name) for field in fields(words)}
    return {name: form for name, form in given.items() if isinstance(form, str)}


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_every_language_has_the_same_gaps_in_its_sentences(language: str) -> None:
    english, other = forms(WORDS["en"]), forms(WORDS[language])  # pyright: ignore[reportArgumentType]

    assert {name: gaps(form) for name, form in other.items()} == {
        name: gaps(form) for name, form in english.items()
    }
    assert all(form.strip() for form in other.values())


@pytest.mark.parametrize("language", sorted(WORDS))
@pytest.mark.parametrize(
    "code", ["file_type_not_allowed", "file_uploads_disabled", "missing_scope", "unheard_of"]
)
def test_why_a_file_is_not_taken_is_told_without_a_code(language: str, code: str) -> None:
    words = WORDS[language]  # pyright: ignore[reportArgumentType]

    told = words.why_not_taken(code)
    assert told in words.file_refusals.values()
    assert "_" not in told
    assert not told.endswith(".")


@pytest.mark.parametrize("language", sorted(WORDS))
def test_every_count_has_its_number(language: str) -> None:
    words = WORDS[language]  # pyright: ignore[reportArgumentType]

    for counted in (words.tool_calls, words.pages_read, words.earlier_steps, words.unsure_steps):
        assert words.count(counted, 1) != words.count(counted, 2)
        assert words.count(counted, 7).startswith("7 ")
