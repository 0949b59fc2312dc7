"""Figures and quotes of cited sentences are looked up on the sources they cite."""

import pytest

from mcp_local.report.citations import cited_sentences, find_unsupported
from mcp_local.report.markdown import parse_markdown
from tests.mcp_local.report.reading import SOURCES, compose, read_html, source

EVIDENCE = """The team of 47 engineers handled 1,250,000 requests in 2025 and cut costs
by 3.5 percent.
About 5% complained. “A queue you cannot read is a queue you cannot trust,” the authors
wrote — it's that simple."""


def warnings(markdown: str) -> list[str]:
    sources = [source(1, EVIDENCE), source(2, "Elsewhere 99 things happened.")]
    return find_unsupported(cited_sentences(parse_markdown(markdown)), sources)


@pytest.mark.parametrize(
    "markdown",
    [
        "47 engineers. [1]", "It took 1250000 requests. [1]", "It took 1.250.000 requests. [1]",
        "It took 1 250 000 requests. [1]", "Costs fell by 3.5 %. [1]",
        "Costs fell by 3,5 Prozent. [1]", "Only 5 percent complained. [1]",
        "In 2025 all went well [1].", "There were 7 of them. [1]", "No figure at all. [1]",
        "Both 47 and 99 are known. [1][2]", "Both 47 and 99 are known. [1, 2]",
        '"A queue you cannot read is a queue you cannot trust" [1]',
        "„a queue you cannot read“ [1]", '"A queue … you cannot trust" [1]',
        '"it\'s that simple" and more [1]', "Uncited: 1234 things.",
        "Uncited 1234 things. But 47 engineers. [1]",
    ],
)  # fmt: skip
def test_what_stands_on_a_cited_source_is_not_warned_of(markdown: str) -> None:
    assert warnings(markdown) == []


@pytest.mark.parametrize(
    ("markdown", "part"),
    [
        ("There were 48 engineers. [1]", "The figure 48 does not stand on source [1]: There were"),
        ("47 engineers. [2]", "The figure 47 does not stand on source [2]"),
        ("Some 98 things. [1, 2]", "The figure 98 does not stand on source [1], [2]"),
        ("Only 7% complained. [1]", "The figure 7% does not stand on source [1]"),
        ("Costs fell by 35 percent. [1]", "The figure 35% does not"),
        ("In the table\n\n| a |\n|--|\n| 48 [1] |", "The figure 48 does not"),
        ('"A queue you cannot see is no queue" [1]', 'The quote "A queue you cannot see'),
        ("Fine: 47. [1] Not fine: 46. [1]", "The figure 46"),
    ],
)
def test_what_stands_on_none_is_named(markdown: str, part: str) -> None:
    (warning,) = warnings(markdown)
    assert part in warning


def test_a_citation_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    tokens = parse_markdown("First one. [1] Second one [2]. Third. [1][2] Fourth.")
    found = [(sentence.text, sentence.numbers) for sentence in cited_sentences(tokens)]
    assert found == [("First one.", (1,)), ("Second one.", (2,)), ("Third.", (1, 2))]


def test_a_flood_of_warnings_is_cut_and_counted() -> None:
    found = warnings(" ".join(f"Item {n} is new. [1]" for n in range(200, 260)))
    assert len(found) == 21
    assert found[-1] == "40 more of the same kind."


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "none of its sources was read in full"),
        ("de", "Keine Quelle wurde ganz gelesen"),
        ("fr", "aucune source n'a été lue"),
        ("es", "ninguna fuente se leyó por completo"),
    ],
)
def test_a_report_on_search_results_alone_says_so_above_everything(
    language: str, words: str
) -> None:
    snippets = [source(n, kind="snippet") for n in (1, 2)]
    report = compose("## S\n\nText. [2]", language=language, sources=snippets)
    page = read_html(report.html)
    assert words in page.one("aside", class_="box warning").text
    assert any("None of the cited sources was read in full" in each for each in report.warnings)


def test_a_report_with_one_page_that_was_read_says_nothing_of_the_kind() -> None:
    sources = [*SOURCES[:8], source(9, kind="snippet")]
    report = compose("## S\n\nText. [1, 9]", sources=sources)
    assert "none of its sources" not in report.html
    assert report.warnings == []
