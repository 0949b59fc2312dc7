import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render import split

FENCE = re.compile(r"^```.*$", re.MULTILINE)

words = st.text(st.characters(codec="utf-8", exclude_characters="`<>&:\n\r"), max_size=90)
pieces = st.one_of(
    words,
    words.map(lambda text: f"```\n{text}\n```"),
    words.map(lambda text: f"```python\n{text} {text}\n{text}\n```"),
    words.map(lambda text: f"<https://a.test/{len(text)}|a label> &amp; &lt;{text}"),
    st.sampled_from(["👩‍👩‍👧‍👦" * 30, "🇩🇪🇫🇷" * 40, "é" * 70, "a" * 200, ":tada:" * 30]),
)
texts = st.lists(pieces, max_size=12).map("\n\n".join)


def _solid(text: str) -> str:
    """What must survive: everything but white space and fence lines."""
    return re.sub(r"\s+", "", FENCE.sub("", text))


@given(texts, st.integers(40, 400))
def test_parts_keep_to_the_limit_lose_nothing_and_close_the_fences_that_they_open(
    text: str, limit: int
) -> None:
    parts = split(text, limit)
    assert all(len(part) <= limit for part in parts)
    assert _solid("\n".join(parts)) == _solid(text)
    assert all(len(FENCE.findall(part)) % 2 == 0 for part in parts)


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=20), max_size=80), st.integers(40, 90))
def test_no_word_that_fits_is_cut(typed: list[str], limit: int) -> None:
    parts = split(" ".join(typed), limit)

    assert [word for part in parts for word in part.split()] == typed


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("Hello there.", 100, ["Hello there."]),
        ("a" * 30 + "\n\n" + "b" * 30, 50, ["a" * 30, "b" * 30]),
        (
            "One two three four five. Six seven eight nine ten.",
            40,
            ["One two three four five.", "Six seven eight nine ten."],
        ),
        ("a" * 34 + "&amp;bbb", 40, ["a" * 34, "&amp;bbb"]),
    ],
)
def test_the_best_break_is_taken(text: str, limit: int, parts: list[str]) -> None:
    """Between paragraphs, sentences, words; never inside of an entity."""
    assert split(text, limit) == parts


def test_a_cut_fence_is_opened_again_with_its_language() -> None:
    code = "\n".join(f"line {number}" for number in range(10))

    parts = split(f"```python\n{code}\n```", 60)

    assert all(part.startswith("```python\n") and part.endswith("\n```") for part in parts)
    assert len(parts) > 1


def test_the_indentation_of_code_survives_a_cut() -> None:
    parts = split("```\nif a:\n" + "    do()\n" * 9 + "```", 60)

    assert [line for part in parts for line in part.splitlines()].count("    do()") == 9


def test_a_link_with_spaces_in_its_label_is_not_broken() -> None:
    link = "<https://a.test/page|a label of several words>"

    assert any(link in part for part in split(f"{'w ' * 20}{link} and more words here", 60))


def test_a_joined_emoji_is_not_torn() -> None:
    family = "👩‍👩‍👧‍👦"

    assert all(set(part.split(family)) == {""} for part in split(family * 30, 45))
