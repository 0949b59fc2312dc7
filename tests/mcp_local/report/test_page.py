"""The finished page: its parts, their order, and what the author's Markdown becomes."""

import re
from dataclasses import replace

import pytest

from mcp_local.errors import ToolkitError
from mcp_local.report.charts import draw_chart
from mcp_local.report.compose import topic_slug
from tests.mcp_local.report.reading import SOURCES, compose, page, read_html, source

REPORT = """# The topic

Opening words. [2]

## First theme

Text. [1]

### A detail

More. [3]

## Second theme

| Name | Share |
|:-----|------:|
| One  | 12 % [4] |
"""


@pytest.mark.proves("report.order", "report.gradient")
def test_the_page_has_title_date_summary_contents_sections_and_sources_in_this_order() -> None:
    tree = page(REPORT)
    assert tree.one("h1").text == "The topic"
    assert tree.one("title").text == "The topic"
    assert tree.one("time").attrs["datetime"] == "2026-11-21"
    assert tree.one("time").text == "November 21, 2026"
    assert [heading.text for heading in tree.one("main").all("h2")] == [
        "Executive summary",
        "First theme",
        "Second theme",
        "Sources",
    ]
    assert tree.one("html").attrs["lang"] == "en"
    assert "linear-gradient(" in tree.one("style").text


@pytest.mark.proves("report.contents")
def test_the_contents_lead_to_every_section() -> None:
    tree = page(REPORT)
    links = {link.text: link.attrs["href"] for link in tree.one("nav").all("a")}
    assert list(links) == [
        "Executive summary",
        "First theme",
        "A detail",
        "Second theme",
        "Sources",
    ]
    for href in links.values():
        assert len(tree.all(id=href.removeprefix("#"))) == 1


def test_headings_of_one_name_have_anchors_of_their_own() -> None:
    tree = page(
        "## Costs\n\na [1]\n\n## Costs\n\nb [1]\n\n### Costs\n\n## ???\n\n## source-1\n\n## top"
    )
    anchors = [element.attrs["id"] for element in tree.walk() if "id" in element.attrs]
    assert len(anchors) == len(set(anchors))
    assert len(anchors) == 10


def test_a_source_shows_number_title_link_and_host() -> None:
    item = page("Text. [7]").one(id="source-2")
    assert item.tag == "li"
    assert (item.attrs["value"], item.attrs["data-n"]) == ("2", "7")
    assert item.one("a").attrs["href"] == "https://www.7.test/page"
    assert item.one("a").text == "Title 7"
    assert item.one("span", class_="host").text == "7.test"


def test_the_summary_may_be_a_section_of_the_text() -> None:
    tree = page("## Executive Summary\n\nIn short. [1]\n\n## Theme\n\nx [2]", summary="")
    assert "In short." in tree.one(id="summary").text
    assert [heading.text for heading in tree.one("main").all("h2")] == [
        "Executive summary",
        "Theme",
        "Sources",
    ]


def test_a_summary_given_twice_is_shown_once() -> None:
    tree = page("## Summary\n\nIn *short*. [1]\n\n## Theme\n\nx", summary="In short. [1]")
    assert tree.one(id="summary").text.count("In short.") == 1


def test_lists_of_sources_and_contents_by_the_author_are_dropped() -> None:
    tree = page(
        "## Table of Contents\n\n1. Theme\n\n## 1. Theme\n\nx [2]\n\n## Sources\n\n[2] Title\n"
    )
    assert [heading.text for heading in tree.one("main").all("h2")] == [
        "Executive summary",
        "1. Theme",
        "Sources",
    ]


@pytest.mark.parametrize(
    ("markdown", "tags"),
    [
        ("# Other title\n\n## A\n\nx [1]\n\n### B\n\ny", ["h2", "h3"]),
        ("# A\n\nx [1]\n\n## B\n\n# C\n\ny", ["h2", "h3", "h2"]),
        ("### A\n\nx [1]\n\n#### B", ["h2", "h3"]),
        ("no heading [1]", []),
    ],
)
def test_headings_begin_at_the_second_level_below_the_title(markdown: str, tags: list[str]) -> None:
    themes = page(markdown).all("section", class_="theme")
    found = [e.tag for theme in themes for e in theme.walk() if re.fullmatch(r"h\d", e.tag)]
    assert found == tags


@pytest.mark.proves("report.boxes")
@pytest.mark.parametrize(
    ("markdown", "style", "title", "body"),
    [
        ("> [!NOTE]\n> The body.", "box note", "Note", "The body."),
        ("> [!TIP] A title\n> The body.", "box tip", "A title", "The body."),
        ("> [!WARNING] Only this line.", "box warning", "Warning", "Only this line."),
        ("> [!KEY FINDING]\n>\n> The body.", "box key", "Key finding", "The body."),
        ("> [!FIGURES] Figures\n> The body.", "box figures", "Figures", "The body."),
        ("> [!TIMELINE] When\n> The body.", "box timeline", "When", "The body."),
        ("> [!Zitat] Titel\n>\n> The body.", "box note", "Titel", "The body."),
    ],
)
def test_a_labelled_quote_becomes_a_box(markdown: str, style: str, title: str, body: str) -> None:
    box = page(f"## S\n\n{markdown}\n\nEnd. [1]").one("aside")
    assert box.attrs["class"] == style
    assert [paragraph.text.strip() for paragraph in box.all("p")] == [title, body]


@pytest.mark.proves("report.charts")
@pytest.mark.parametrize("kind", ["BAR", "LINE"])
@pytest.mark.parametrize(
    "figures", [("12 GW", "-3 GW"), ("0", "0"), ("1e-320", "0"), ("9e307", "-9e307")]
)
def test_a_chart_box_draws_the_figures_of_its_table(kind: str, figures: tuple[str, str]) -> None:
    rows = "".join(f"> | {name} | {figure} |\n" for name, figure in zip("xy", figures, strict=True))
    chart = page(f"> [!{kind}] Power [1]\n>\n> | a | b |\n> |--|--|\n{rows}").one("figure")
    assert chart.one("svg").attrs["aria-label"] == "Power"
    assert {"x", "y"} <= {text.text for text in chart.one("svg").all("text")}
    cells = [cell.text.split(" not found")[0] for cell in chart.all("td")]
    assert cells == ["x", figures[0], "y", figures[1]]


def test_a_chart_box_without_figures_is_a_table() -> None:
    chart = page("> [!BAR] Power [1]\n>\n> | a | b |\n> |--|--|\n> | x | y |").one("figure")
    assert chart.all("svg") == []
    assert len(chart.all("table")) == 1


def test_a_figure_in_brackets_is_drawn_below_zero_as_accounts_mean_it() -> None:
    rows = [("a", "b"), ("x", "-3"), ("y", "4")]
    below = draw_chart("bar", "T", rows)
    assert draw_chart("bar", "T", [rows[0], ("x", "(3)"), rows[2]]) == below.replace("-3", "(3)")


def test_a_page_carries_the_letters_of_its_text_alone() -> None:
    latin, greek = (compose(f"{text} [1]").html.count("@font-face") for text in ("Ja.", "Ναί."))
    assert (latin, greek) == (3, 6)


def test_a_tables_alignment_survives_as_a_class() -> None:
    tree = page(REPORT)
    assert [cell.attrs.get("class") for cell in tree.all("td")] == ["left", "right"]


def test_a_sentence_of_a_page_arrives_letter_by_letter() -> None:
    for sentence in (
        "AT&T's q3 < q4 > q2, says \"A\" & 'B'.",
        "The file_name_here and 5 * 3 = 15 cost €3.50 (~2%).",
        "„Größe“ zählt – naïve café; ¿qué? 東京。",  # noqa: RUF001
        "Use a; b -- c... and (c) 1/2.",
    ):
        report = compose(f"## S\n\n{sentence} [1]", summary="", sources=[source(1, sentence)])
        tree = read_html(report.html)
        assert tree.one("section", class_="theme").one("p").text == f"{sentence}[1]"


def test_missing_parts_are_warned_of() -> None:
    assert compose("## S\n\nx [1]").warnings == []
    assert len(compose("x [1]", summary="").warnings) == 2


@pytest.mark.parametrize(
    ("title", "markdown"), [("", "x [1]"), (" \n# ", "x [1]"), ("T", " "), ("T", "x" * 200_001)]
)
def test_a_report_without_title_or_text_or_with_too_much_is_refused(
    title: str, markdown: str
) -> None:
    with pytest.raises(ToolkitError):
        compose(markdown, title=title)


@pytest.mark.parametrize(
    ("language", "lang", "direction", "word", "day"),
    [
        ("de", "de", "ltr", "Zusammenfassung", "21. November 2026"),
        ("fr-CA", "fr-CA", "ltr", "Résumé", "21 novembre 2026"),
        ("es", "es", "ltr", "Resumen ejecutivo", "21 de noviembre de 2026"),
        ("ar", "ar", "rtl", "Executive summary", "November 21, 2026"),
        ("ja", "ja", "ltr", "Executive summary", "November 21, 2026"),
        ("nonsense language", "en", "ltr", "Executive summary", "November 21, 2026"),
        ("", "en", "ltr", "Executive summary", "November 21, 2026"),
    ],
)
def test_the_pages_own_words_and_its_date_are_in_the_reports_language(
    language: str, lang: str, direction: str, word: str, day: str
) -> None:
    tree = page("x [1]", language=language)
    assert tree.one("html").attrs == {"lang": lang, "dir": direction}
    assert tree.one(id="summary").one("h2").text == word
    assert tree.one("time").text == day


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Keeping chat bots reliable", "keeping_chat_bots_reliable"),
        ("What's new: Größe & café?", "whats_new_grosse_cafe"),
        ("東京", "report"),
        ("../../etc/passwd", "etc_passwd"),
        ("word " * 30, "word_word_word_word_word_word_word_word_word_word_word_word"),
        ("x" * 90, "x" * 60),
    ],
)
def test_a_topic_becomes_a_file_name(title: str, slug: str) -> None:
    assert topic_slug(title) == slug


@pytest.mark.proves("report.enough_sources")
def test_a_comprehensive_report_on_few_sources_says_so() -> None:
    text = "## S\n\nOne. [1] Two. [2]"
    thin = compose(text, summary="", is_comprehensive=True)
    assert thin.shortfall == (
        "This report rests on few sources: 2 of 2 publishers. "
        "A comprehensive one should have at least 8 of 5."
    )
    assert thin.shortfall in read_html(thin.html).one("aside", class_="box warning").text
    assert "[3] https://www.3.test/page; [4]" in thin.warnings[-1]
    assert compose(text, summary="").shortfall == ""
    whole = "## S\n\n" + " ".join(f"Fact {n}. [{n}]" for n in range(1, 9))
    assert compose(whole, summary="", is_comprehensive=True).shortfall == ""
    one = [replace(each, publisher="One Wire") for each in SOURCES]
    assert "8 of one publisher" in compose(whole, sources=one, is_comprehensive=True).shortfall


def test_one_agency_text_on_several_sites_counts_once_and_its_copies_say_so() -> None:
    text = " ".join(f"The plant near Lyon made {n} tonnes of glass in year {n}." for n in range(30))
    edited = f"Our reporter in Lyon. {text} Subscribe to our letter."
    other = " ".join(f"Unions say that shift {n} lasted {n} hours." for n in range(30))
    sources = [source(1, text), source(2, other), source(3, edited)]
    cited = "## S\n\nGlass is made. [1] [3] Shifts are long. [2]"
    report = compose(cited, sources=sources)
    page = read_html(report.html)
    counts = page.one("section", id="sources").attrs
    assert (counts["data-sources"], counts["data-publishers"]) == ("2", "2")
    assert "2 sources" in page.text
    (copy,) = [item for item in page.all("li") if "same text as source 1" in item.text]
    assert copy.attrs["data-n"] == "3"
