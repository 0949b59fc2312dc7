"""What is taken from a page, and what happens to pages that would rather not be read."""

import asyncio
import os
import select
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest

from mcp_local.errors import FetchFailed, NeedsBrowser, ReadingFailed
from mcp_local.extract import ExtractedPage
from mcp_local.extract.html import MAX_ELEMENTS, MAX_HTML_CHARS, extract_html
from mcp_local.extract.reader import MAX_TEXT_CHARS, Readers, extract_text, read_page
from tests.mcp_local.fetch.world import article, paragraphs

URL = "http://news.example/page"


def sentence(n: int) -> str:
    return (
        "<p>This <b>sentence</b> about <a href='/robots'>robots</a>, with <em>stress</em>&nbsp;"
        f"and <code>code()</code>, is long enough to be text and says {n}.</p>"
    )


def page(*blocks: str, head: str = "<title>Guide to robots | The Site</title>") -> str:
    inner = "".join(f"{sentence(n)}{block}" for n, block in enumerate(blocks))
    return (
        f"<html><head>{head}</head><body><nav><a href='/'>Home</a></nav>"
        f"<main><h1>Guide to robots</h1>{inner}{sentence(90)}{sentence(91)}{sentence(92)}</main>"
        "<footer>Imprint</footer></body></html>"
    )


def markdown(*blocks: str) -> str:
    return extract_html(page(*blocks), URL).markdown


def test_a_sentence_of_the_page_can_be_quoted_letter_by_letter() -> None:
    expected = (
        "This sentence about robots, with stress and code(), is long enough to be text and says 0."
    )
    assert expected in markdown("").split("\n\n")


def test_title_and_description_stand_beside_the_text_and_not_in_it() -> None:
    head = "<title>Guide to robots | The Site</title><meta name=description content=' All  of it '>"
    read = extract_html(page("", head=head), URL)
    assert (read.title, read.description) == ("Guide to robots", "All of it")
    assert "# Guide to robots" not in read.markdown


def test_a_page_says_who_wrote_it_when_in_which_language_and_where_it_is() -> None:
    head = """<title>Guide to robots</title><link rel=canonical href=/guide>
        <script type="application/ld+json">{"@context": "https://schema.org",
        "@type": "Article", "author": {"@type": "Person", "name": "Ada Lovelace"},
        "publisher": {"@type": "Organization", "name": "The Engine"},
        "datePublished": "2026-03-02T10:00:00Z"}</script>"""
    html = page("", head=head).replace("<html>", "<html lang=en-GB>")
    read = extract_html(html, "https://amp.news.example/guide?amp=1")
    assert (read.author, read.publisher) == ("Ada Lovelace", "The Engine")
    assert (read.published, read.language) == (date(2026, 3, 2), "en")
    assert read.canonical_url == "https://amp.news.example/guide"
    original = extract_html(
        html.replace("href=/guide", "href=https://news.example/guide"), read.canonical_url
    )
    assert original.canonical_url == "https://news.example/guide"
    for foreign in ("https://bank.example.org/guide", "https://news.example/", "javascript:1"):
        other = extract_html(html.replace("href=/guide", f"href={foreign}"), URL)
        assert other.canonical_url == ""
    neighbour = html.replace("href=/guide", "href=https://bank.wordpress.com/guide")
    assert extract_html(neighbour, "https://eve.wordpress.com/guide").canonical_url == ""


@pytest.mark.proves("crawl.markdown")
@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("<h2>Install</h2>", "\n\n## Install\n\n"),
        ("<h3>More <em>of</em> it</h3>", "\n\n### More of it\n\n"),
        (
            "<ul><li>One <b>thing</b></li><li>Two<ul><li>inner</li></ul></li></ul>",
            "\n\n- One thing\n- Two\n  - inner\n\n",
        ),
        (
            "<pre><code>pip install it\nrun | less</code></pre>",
            "```\npip install it\nrun | less\n```",
        ),
        (
            "<table><tr><th>Year</th><th>Count</th></tr><tr><td>2024</td><td>1|2</td></tr></table>",
            "| Year | Count |\n|---|---|\n| 2024 | 1\\|2 |",
        ),
        ("<blockquote><p>Words of another.</p></blockquote>", "\n\n> Words of another.\n\n"),
        ("<p>Line one<br>line *two* &lt; 3</p>", "\n\nLine one\n\nline *two* < 3\n\n"),
    ],
)
def test_the_structure_of_the_page_stays(block: str, expected: str) -> None:
    assert expected in markdown(block, "")


@pytest.mark.proves("crawl.cleaned")
@pytest.mark.parametrize("sign", ["](", "**", "<b>", "href", "Home", "Imprint", "x.png"])
def test_links_images_and_the_sites_furniture_do_not(sign: str) -> None:
    assert sign not in markdown("<img src=x.png alt='A chart'>", "<h2>Two</h2>")


@pytest.mark.proves("crawl.cleaned")
@pytest.mark.parametrize(
    "notice",
    [
        "Related: Ten robots that you have never heard of",
        "Sign up for our newsletter and never miss a robot",
        "Follow us on Example and Sample",
        "Share this story with your friends",
        "READ MORE: Robots in the garden",
    ],
)
def test_what_the_site_says_about_itself_is_left_out(notice: str) -> None:
    assert notice not in markdown(f"<p>{notice}</p>", "")


def test_a_long_paragraph_stays_whatever_its_first_words_are() -> None:
    text = "Related work has been measured by many groups, " + "and each found another value, " * 10
    assert text.strip() in markdown(f"<p>{text}</p>", "")


def test_a_heading_over_nothing_is_left_out_at_the_end() -> None:
    text = extract_html(page("").replace("</main>", "<h2>Most popular</h2></main>"), URL).markdown
    assert not text.endswith("Most popular")


def test_an_article_in_pieces_is_read_whole() -> None:
    pieces = "".join(
        f'<div class="grid"><div class="body-chunk">{paragraphs(8, f"part {n}")}</div></div>'
        '<aside class="ad">Buy a robot</aside>'
        for n in range(3)
    )
    html = f"<html><head><title>T</title></head><body>{pieces}</body></html>"
    text = extract_html(html, URL).markdown
    for n in range(3):
        assert f"measured about part {n}," in text


@pytest.mark.proves("crawl.needs_browser")
@pytest.mark.parametrize(
    "html",
    [
        "<html><body><div id=root></div><script src=/app.js></script></body></html>",
        "<html><body><noscript>Enable scripts.</noscript><script>go()</script></body></html>",
        "<html><body><p>Loading…</p><script>go()</script></body></html>",
    ],
)
def test_a_page_whose_text_comes_by_script_needs_a_browser(html: str) -> None:
    with pytest.raises(NeedsBrowser, match="needs a browser"):
        extract_html(html, URL)


@pytest.mark.parametrize(
    "html", ["", " ", "<html></html>", "<html><body></body></html>", "<", "\x00"]
)
def test_a_page_without_anything_says_so(html: str) -> None:
    with pytest.raises(FetchFailed, match="no text on the page"):
        extract_html(html, URL)


def test_a_short_page_without_scripts_is_read() -> None:
    html = "<html><body><p>The office is closed on Friday.</p></body></html>"
    assert extract_html(html, URL).markdown == "The office is closed on Friday."


def test_a_data_block_is_not_taken_for_a_script() -> None:
    data = '<script type="application/ld+json">{}</script>'
    html = f"<html><body><p>Closed on Friday.</p>{data}</body></html>"
    assert extract_html(html, URL).markdown == "Closed on Friday."


@pytest.mark.parametrize("rows", [1_000, 4_000])
def test_a_big_table_is_read_and_what_is_left_out_of_it_is_told(rows: int) -> None:
    cells = "".join(f"<td>r{{0}}c{n}</td>" for n in range(6))
    table = "".join(f"<tr>{cells.format(n)}</tr>" for n in range(rows))
    read = extract_html(page(f"<table>{table}</table>"), URL)
    left_out = sum(f"r{n}c5 " not in read.markdown for n in range(rows))
    told = f"Its tables go on; {left_out:,} of their rows are left out."
    assert (rows == 1_000) == (left_out == 0)
    assert read.note == (told if left_out else "")


def test_a_page_that_is_cut_says_so() -> None:
    assert "only its beginning" in extract_html(page("<br>" * MAX_ELEMENTS), URL).note
    assert "only its beginning" in extract_html(page("x" * MAX_HTML_CHARS), URL).note
    assert "only its beginning" in extract_text("x\n" * MAX_TEXT_CHARS).note
    assert not extract_text("x").note


def test_plain_text_is_kept_as_it_is() -> None:
    read = extract_text("Notes\r\n\r\n\r\n\r\n* one  \r\n* two\r\n")
    assert read == ExtractedPage(title="Notes", markdown="Notes\n\n* one\n* two")


def test_the_head_of_a_plain_text_names_its_title_author_and_day() -> None:
    read = extract_text("---\ntitle: 'Robots'\nAuthor: Ada\ndate: 2026-03-02\n---\n\n# One\n")
    assert (read.title, read.author, read.published) == ("Robots", "Ada", date(2026, 3, 2))


def test_the_first_heading_of_a_markdown_page_is_its_title() -> None:
    assert extract_text("Intro\n\n# The *title*\n\nText").title == "The *title*"


def test_an_empty_text_says_so() -> None:
    with pytest.raises(FetchFailed, match="no text on the page"):
        extract_text(" \n\n")


@pytest.mark.process("a reader that stalls is killed")
async def test_a_page_that_stalls_the_reader_is_given_up_and_the_next_one_is_read() -> None:
    links = "<a href='/x'>link text</a> " * 200_000
    with pytest.raises(ReadingFailed, match="could not be taken out"):
        await Readers(limit_s=0.2).run(read_page, "html", f"<body>{links}", URL, session="one")
    read = await Readers().run(read_page, "html", article(), URL, session="one")
    assert "Paragraph 3" in read.markdown


@pytest.mark.proves("toolkit.workers")
@pytest.mark.process("which process reads is the point")
async def test_a_second_worker_starts_only_when_the_first_is_busy(tmp_path: Path) -> None:
    readers = Readers(limit_s=300.0, idle_s=600.0)
    alone = [await readers.run(os.getpid, session="one") for _ in range(5)]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    async with asyncio.TaskGroup() as group:
        ends = [group.create_task(readers.run(meet, pipe, mode, session="one")) for mode in "rw"]
    assert len(set(alone)) == 1
    assert os.getpid() not in alone
    assert {task.result() for task in ends} > set(alone)


def meet(pipe: Path, mode: str) -> int:
    """Returns once another worker has opened the other end."""
    with pipe.open(mode):
        return os.getpid()


@pytest.mark.proves("toolkit.workers")
@pytest.mark.process("a worker that ends is the point")
async def test_an_idle_worker_ends_and_the_next_page_starts_another() -> None:
    readers = Readers(idle_s=0.2)
    pid = await readers.run(os.getpid, session="one")
    with suppress(ProcessLookupError):
        process = os.pidfd_open(pid)
        ended, _, _ = await asyncio.to_thread(select.select, [process], [], [], 60)
        os.close(process)
        assert ended
    assert await readers.run(os.getpid, session="one") != pid
