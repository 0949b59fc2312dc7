"""An answer in the thread is checked on its sources, and leads to their sentences."""

import time

import pytest

from mcp_local.report.answers import mark_answer
from tests.mcp_local.report.reading import source

PAGE = """The team of 47 engineers handled 1,250,000 requests in 2025.
The plant opened on 12 May 2026 near Lyon. Road freight grew by 0.8 percent."""
URL = source(1).url
MARK = "_(not found in the source)_"


def mark(markdown: str, language: str = "en", addresses: tuple[str, ...] = (URL,)) -> str:
    return mark_answer(markdown, addresses, [source(1, PAGE)], language)


@pytest.mark.proves("answer.unfound")
@pytest.mark.parametrize(
    "claim",
    [
        "The team has **48 engineers** [1].",
        "The team has 48 engineers. [1]",
        f"- It opened on 13 May 2026 ([A page]({URL})).",
        "> Road freight grew by 0.9 percent. [1]",
        "| Year | Requests |\n|--|--|\n| 2025 | 77,000 [1] |",
        "Well.\n\n1. The team\n   has 48 engineers [1].",
    ],
)
def test_what_no_source_says_is_marked_behind_its_citation(claim: str) -> None:
    marked = mark(claim)
    assert f") {MARK}" in marked.replace(".", "").replace("))", ")")
    assert marked.count(MARK) == 1
    assert marked.endswith(" found word for word or by value, 1 not found_")
    assert "in der Quelle nicht gefunden" in mark(claim, "de")


def test_a_citation_leads_to_the_sentence_that_it_rests_on() -> None:
    marked = mark("It took 1.25 million requests. [1] The plant is near Lyon [1].")
    assert f"requests. [1]({URL}#:~:text=The%20team%20of%2047,1%2C250%2C000%20requests" in marked
    assert f"Lyon [1]({URL}#:~:text=The%20plant%20opened%20on" in marked
    assert MARK not in marked


def test_a_figure_without_a_mark_is_doubted_in_a_cited_answer_alone() -> None:
    assert "_(no source named)_" in mark("There are 47 engineers. [1]\n\nThey earn 300 euros.")
    for untouched in ("They earn 300 euros.", "300 euros [7].", "`[1]` of 300 euros."):
        assert mark(untouched) == untouched
    assert mark("They earn 300 euros. [1]", addresses=()) == "They earn 300 euros. [1]"


@pytest.mark.parametrize("piece", ["`", "*", "“", "1 ", "\\", "_(", "(1 a) "])
def test_a_hostile_answer_is_read_in_time(piece: str) -> None:
    begun = time.perf_counter()
    mark(f"There are 48 engineers. [1]\n\n{piece * 12_000}")
    assert time.perf_counter() - begun < 20
