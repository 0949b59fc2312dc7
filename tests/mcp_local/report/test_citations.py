"""Citations: every spelling is found, code and escapes are not, and none leads nowhere."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_local.errors import CitationError
from mcp_local.report.citations import check_citations, list_citations
from mcp_local.report.compose import with_session_numbers
from mcp_local.report.markdown import parse_markdown
from tests.mcp_local.report.reading import compose, page, read_html, source


@pytest.mark.parametrize(
    ("markdown", "numbers"),
    [
        ("A sentence. [1]", [1]),
        ("A sentence [1].", [1]),
        ("Two at once. [1, 3]", [1, 3]),
        ("Two at once. [1,3]", [1, 3]),
        ("Two at once. [1; 3]", [1, 3]),
        ("Two in a row. [1][3]", [1, 3]),
        ("Two in a row. [1] [3]", [1, 3]),
        ("A footnote. [^4]", [4]),
        ("**Bold. [2]**", [2]),
        ("- item [2]\n- item [5]", [2, 5]),
        ("> quote [7]", [7]),
        ("| a | b |\n|--|--|\n| x [1] | y [2] |", [1, 2]),
        ("## Heading [3]", [3]),
        ("As a link. [3](https://www.3.test/page)", [3]),
        ("As a link. [[3]](https://www.3.test/page)", [3]),
        ("In a link: [see [3] here](https://www.3.test/page)", [3]),
        ("Twice. [1] And again. [1]", [1, 1]),
        ("A line\n[1]", [1]),
        ("[1]: https://evil.test/ is no definition. [2]", [1, 2]),
        ("`a[1]` is code", []),
        ("```\na[1]\n```", []),
        ("```python\nrows[1, 3]\n", []),
        (r"An escaped \[1\] bracket", []),
        (r"An escaped \[1] bracket", []),
        ("[] [x] [1a] [1-2-3] [ ] [n]", []),
        ("![1](https://evil.test/x.png)", []),
    ],
)
def test_citations_are_found_where_they_stand_in_text(markdown: str, numbers: list[int]) -> None:
    cited = list_citations(parse_markdown(markdown))
    assert [source for source, _ in cited] == numbers


def test_a_citation_may_name_the_passage_of_its_source() -> None:
    tokens = parse_markdown("It is so. [3#12] It is not. [1, 3#2; 3#12]")
    assert list_citations(tokens) == [(3, 12), (1, 0), (3, 2), (3, 12)]
    html = compose("## S\n\nIt is so. [2#1]", summary="").html
    assert re.search(r'It is so\.<a class="citation" href="#source-1"[^>]*>\[1\]</a>', html)
    with pytest.raises(CitationError, match=r"passage \[2#9\] does not exist"):
        compose("## S\n\nIt is so. [2#9]")


def test_a_citation_links_to_its_source_right_after_the_sentence() -> None:
    html = compose("## S\n\nIt is so. [1] It is not.\nIt may be. [2, 3]").html
    assert 'It is so.<a class="citation" href="#source-1">[1]</a> It is not.' in html
    assert (
        'It may be.<a class="citation" href="#source-2">[2]</a>'
        '<a class="citation" href="#source-3">[3]</a>'
    ) in html


def test_citations_in_headings_and_tables_are_links_like_all_others() -> None:
    tree = page(
        "## Prices [2]\n\n### By year [3, 4]\n\n"
        "| Year [5] | Price [^6] |\n|:--|--:|\n| 2025 [7] | **9** [8][9] |\n| 2026 | [1] |"
    )

    def cited_in(tag: str) -> list[list[str]]:
        found = tree.one("main").all(tag)
        return [[link.attrs["href"] for link in one.all("a", class_="citation")] for one in found]

    assert cited_in("h2")[1:2] == [["#source-2"]]
    assert cited_in("h3") == [["#source-3", "#source-4"]]
    assert cited_in("th") == [["#source-5"], ["#source-6"]]
    assert cited_in("td") == [["#source-7"], ["#source-8", "#source-9"], [], ["#source-1"]]
    assert {item.attrs["id"] for item in tree.all("li") if "id" in item.attrs} == {
        f"source-{n}" for n in range(1, 10)
    }
    contents = tree.one("nav")
    assert "[" not in contents.text
    assert contents.all("a", class_="citation") == []


@pytest.mark.proves("report.cited", "report.numbers")
def test_every_citation_leads_to_a_listed_source_and_none_is_listed_unread() -> None:
    tree = page("## S\n\nOne. [2] Two. [9, 4]\n\n- three [2]")
    marks = tree.all("a", class_="citation")
    listed = tree.one(id="sources").all("li")
    assert {mark.attrs["href"] for mark in marks} == {f"#{item.attrs['id']}" for item in listed}
    assert [mark.text for mark in marks] == ["[1]", "[2]", "[3]", "[4]", "[2]"]
    numbers = [(item.attrs["value"], item.attrs["data-n"]) for item in listed]
    assert numbers == [("1", "1"), ("2", "2"), ("3", "9"), ("4", "4")]
    assert "4 sources" in tree.one("header").text


@pytest.mark.proves("report.numbers")
def test_a_later_version_keeps_the_numbers_of_the_one_before() -> None:
    html = compose("## New\n\nNew. [3]\n\n## S\n\nOne. [5] Two. [9]", before=[9, 5, 7]).html
    tree = read_html(html)
    marks = [mark.text for mark in tree.all("a", class_="citation")]
    assert marks == ["[3]", "[4]", "[2]", "[1]"]
    again = read_html(with_session_numbers(html))
    assert [mark.text for mark in again.all("a", class_="citation")] == ["[1]", "[3]", "[5]", "[9]"]


def test_citations_without_a_source_are_each_named_once() -> None:
    sources = [source(1), source(2), source(3), source(5)]
    with pytest.raises(CitationError) as caught:
        check_citations([(n, 0) for n in (9, 1, 12, 9, 0)], sources)
    message = str(caught.value)
    assert "source [9] does not exist; source [12] does not exist; source [0]" in message
    assert "[1] " not in message


def test_a_bad_citation_in_the_summary_is_refused_too() -> None:
    with pytest.raises(CitationError, match=r"\[77\]"):
        compose("Fine. [1]", summary="Not fine. [77]")


NUMBERS = st.lists(st.integers(min_value=0, max_value=9999), min_size=1, max_size=6)


@given(NUMBERS)
def test_a_report_is_written_only_if_all_its_sources_exist(numbers: list[int]) -> None:
    markdown = f"## S\n\nText. {numbers}"
    missing = [number for number in numbers if not 1 <= number <= 9]
    if not missing:
        report = compose(markdown, summary="")
        assert [source.n for source in report.cited] == sorted(set(numbers))
        return
    with pytest.raises(CitationError) as caught:
        compose(markdown, summary="")
    assert all(f"[{number}]" in str(caught.value) for number in missing)
