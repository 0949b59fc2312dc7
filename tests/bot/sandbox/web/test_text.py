"""Reading text from HTML for the index."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.web.text import read_html

LONG = "A sentence that says something about the matter at hand. " * 12


@pytest.mark.parametrize(
    "date",
    [
        '<meta property="article:published_time" content="2026-03-04T08:15:00Z">',
        '<meta name="Date" content="2026-03-04T08:15">',
        '<meta itemprop="datePublished" content="2026-03-04T09:15:00+01:00">',
        '<script type="application/ld+json">{"datePublished": "2026-03-04T08:15:00Z"}</script>',
        '<time datetime="2026-03-04T08:15:00+00:00">4 March</time>',
        '<meta name="date" content="yesterday"><time datetime="2026-03-04T08:15:00Z"></time>',
    ],
)
def test_the_date_of_a_page_is_read_from_what_it_declares(date: str) -> None:
    page = read_html(f"<html><head>{date}</head><body><p>{LONG}</p></body></html>".encode())
    assert page.date == datetime(2026, 3, 4, 8, 15, tzinfo=UTC)


def test_a_page_without_a_date_has_none() -> None:
    assert read_html(b"<p>text</p>").date is None


def test_the_title_is_the_shared_one_then_the_tag_then_the_heading() -> None:
    og = '<meta property="og:title" content="Shared"><title>Tag</title>'
    assert read_html(f"<head>{og}</head><h1>Heading</h1>".encode()).title == "Shared"
    assert read_html(b"<title> Tag\n of it </title><h1>Heading</h1>").title == "Tag of it"
    assert read_html(b"<body><h1>Head<i>ing</i></h1>").title == "Head ing"


def test_the_longest_article_wins_over_teasers() -> None:
    page = f"<article><p>Teaser</p></article><article><p>{LONG}</p></article><div>Rest</div>"
    assert read_html(page.encode()).text == LONG.strip()


def test_cells_stay_on_one_line_and_blocks_do_not() -> None:
    html = b"<table><tr><td>Life</td><td>4 h</td></tr><tr><td>Ping</td><td>12 s</td></tr></table>"
    assert read_html(html).text.splitlines() == ["Life 4 h", "Ping 12 s"]
    assert read_html(b"<p>one<br>two</p><ul><li>a<li>b</ul>").text == "one\ntwo\na\nb"


def test_a_page_that_is_one_form_keeps_its_text() -> None:
    page = f"<body><form><nav>Menu</nav><p>{LONG}</p></form></body>"
    assert LONG.strip() in read_html(page.encode()).text


def test_a_name_like_furniture_does_not_remove_most_of_the_page() -> None:
    page = f'<body><div class="share-layout"><p>{LONG}</p><div class="share">Tell</div></div>'
    assert read_html(page.encode()).text == LONG.strip()


def test_utf_16_and_a_wrong_declaration_are_read() -> None:
    assert read_html("<p>Grüße</p>".encode("utf-16")).text == "Grüße"
    assert read_html('<meta charset="utf-9000"><p>Grüße</p>'.encode()).text == "Grüße"
    assert read_html("<p>Grüße</p>".encode("cp1252")).text == "Grüße"
    assert read_html('<meta charset="UTF-16"><p>Grüße</p>'.encode()).text == "Grüße"
    assert read_html('<meta charset="idna"><p>Grüße..</p>'.encode()).text == "Grüße.."
    latin = '<meta charset="ISO-8859-1"><p>“Grüße”</p>'.encode("cp1252")
    assert read_html(latin).text == "“Grüße”"


@given(st.binary(max_size=400))
def test_any_bytes_are_read_without_an_error(data: bytes) -> None:
    page = read_html(data)
    assert "\n\n" not in page.text


TAGS = ("<p>", "</p>", "<div class='ad'>", "</div>", "<article>", "<!--", "-->", "<script>", "&#0;")


@given(st.lists(st.sampled_from((*TAGS, "<table><td>", "</form>", "text ", "é", "<?x?>"))))
def test_any_tag_soup_is_read_without_an_error(parts: list[str]) -> None:
    assert "<script>" not in read_html("".join(parts).encode()).text
