"""HTML and pictures that an author brings along have no effect, and the author is told."""

import pytest

from mcp_local.report.compose import Draft, compose_report
from tests.mcp_local.report.drafts import DAY, SOURCES, source
from tests.mcp_local.report.reading import read_html

FOREIGN = {
    "script": "<script>fetch('//evil.test')</script>",
    "form": '<form action="//evil.test"><input name="q"></form>',
    "img": '<img src="https://evil.test/?d=1">',
    "iframe": "<IFRAME src=//evil.test></IFRAME>",
    "meta": '<meta http-equiv="refresh" content="0;url=//evil.test">',
}


def warnings_of(markdown: str, *, title: str = "Topic", summary: str = "Sum. [1]") -> list[str]:
    draft = Draft(title=title, markdown=f"## S\n\n{markdown}\n\nEnd. [1]", summary=summary)
    report = compose_report(draft, SOURCES, DAY)
    page = read_html(report.html)
    assert not [
        element for element in page.walk() if element.tag in FOREIGN and element.tag != "meta"
    ]
    assert "http-equiv=refresh" not in report.html
    return report.warnings


@pytest.mark.parametrize("tag", FOREIGN)
def test_foreign_html_is_named_to_the_author(tag: str) -> None:
    [warning] = [each for each in warnings_of(FOREIGN[tag]) if "HTML" in each]
    assert f"<{tag}>" in warning
    assert "Markdown" in warning


def test_html_in_title_and_summary_is_named_too() -> None:
    said = warnings_of("Text.", title="<b>Bold</b>", summary="<i>Sum.</i> [1]")
    assert any("<b>, <i>" in warning for warning in said)


def test_a_picture_is_named_to_the_author() -> None:
    said = warnings_of("![The tower](https://evil.test/tower.png) and ![again](x.png)")
    assert "Pictures are left out of a report, 2 here; only their descriptions are shown." in said


@pytest.mark.parametrize(
    "markdown",
    [
        "Prices rose by <5 % and then by >7 %.",
        "A list of <name> placeholders.",
        "Write to <ann@ok.test>.",
        "`<script>` is a tag.",
        "```html\n<form></form>\n```",
        "if a <b and c then",
    ],
)
def test_what_is_no_markup_is_no_warning(markdown: str) -> None:
    assert warnings_of(markdown) == []


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
    draft = Draft(title="T", markdown="## S\n\nText. [1]", summary="Sum. [2]", language=language)
    report = compose_report(draft, [source(n, kind="snippet") for n in (1, 2)], DAY)
    page = read_html(report.html)
    assert words in page.one("aside", class_="box warning").text
    assert any("None of the cited sources was read in full" in each for each in report.warnings)


def test_a_report_with_one_page_that_was_read_says_nothing_of_the_kind() -> None:
    draft = Draft(title="T", markdown="## S\n\nText. [1, 9]", summary="Sum. [1]")
    report = compose_report(draft, [*SOURCES[:8], source(9, kind="snippet")], DAY)
    assert "none of its sources" not in report.html
    assert report.warnings == []
