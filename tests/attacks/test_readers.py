"""Group D: what pages may cost their reader in memory and time, and what that costs others."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from mcp_local.errors import ReadingFailed, ToolkitError
from mcp_local.extract.reader import Readers, read_page
from tests.mcp_local.fetch.world import article, paragraphs

URL = "http://evil.example/page"
MAX_MB = 256


def opened(tag: str, count: int, text: str = "x") -> str:
    return f"<body>{paragraphs(20)}{f'<{tag}>{text}' * count}"


HOSTILE: dict[str, Callable[[], str]] = {
    "a table of 1,000 rows and columns": lambda: opened(
        "table", 1, ("<tr>" + "<td>1" * 1000) * 999
    ),
    "options": lambda: opened("option", 300_000),
    "nothing but paragraphs": lambda: opened("p", 150_000, "ab c"),
    "line breaks": lambda: opened("br", 900_000, ""),
    "a million nested elements": lambda: "<div>" * 1_000_000 + paragraphs(20),
    "elements that are never closed": lambda: opened("b", 500_000),
    "nested tables": lambda: opened("table><tr><td", 200_000),
    "headings": lambda: opened("h2", 16_000, "a</h2>"),
    "links": lambda: opened("a href=/x", 80_000, "text</a> "),
    "an element of 500,000 attributes": lambda: opened(
        f"p {' '.join(f'a{n}' for n in range(500_000))}", 1
    ),
    "many attributes everywhere": lambda: opened(
        f"p {' '.join(f'a{n}=1' for n in range(100))}", 4_000
    ),
    "attributes with brackets in them": lambda: opened(
        f"""p {" ".join(f'a{n}="<"' for n in range(20_000))}""", 1
    ),
    "ten million wide letters": lambda: opened("p", 1, "\U0001f600 word " * 1_000_000),
    "an entity of entities": lambda: (
        "<!DOCTYPE html [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;'>"
        f"<!ENTITY c '&b;&b;&b;&b;&b;'>]>{opened('p', 200_000, '&c;')}"
    ),
    "nothing but brackets": lambda: "<" * 9_000_000,
    "nested data": lambda: f'<script type="application/ld+json">{"[" * 500_000}</script>',
    "a class of megabytes": lambda: opened(f"div class={'c' * 100_000}", 40),
}


LIGHT = (
    "a million nested elements",
    "elements that are never closed",
    "nested tables",
    "an element of 500,000 attributes",
    "nothing but brackets",
    "nested data",
    "a class of megabytes",
)
"""They cost less than the start of a worker, so that one reads them all."""


def peak_mb(html: str) -> float:
    """What the worker has held at most once it has read the page."""
    with suppress(ToolkitError):
        read_page("html", html, URL)
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


@pytest.mark.proves("attacks.reader_memory")
@pytest.mark.parametrize("shapes", [LIGHT, *([each] for each in HOSTILE if each not in LIGHT)])
async def test_a_reader_lives_in_256_mb_whatever_the_page(shapes: Sequence[str]) -> None:
    readers = Readers(cpu_s=2.0)
    for shape in shapes:
        with suppress(ReadingFailed):  # one of its limits ended it
            assert await readers.run(peak_mb, HOSTILE[shape](), session="a") < MAX_MB
    read = await readers.run(read_page, "html", article(), URL, session="b")
    assert "Paragraph 3" in read.markdown


def hoard() -> int:
    return len(bytearray(300_000_000))


def spin() -> None:
    while True:
        pass


@pytest.mark.proves("attacks.reader_memory")
@pytest.mark.parametrize("misdeed", [hoard, spin])
async def test_a_limit_ends_the_worker_and_nothing_else(misdeed: Callable[[], object]) -> None:
    readers = Readers(cpu_s=0.2)
    with pytest.raises(ReadingFailed):
        await readers.run(misdeed, session="a")
    assert await readers.run(len, "four", session="a") == 4


@pytest.mark.proves("attacks.reader_fairness")
async def test_fifty_hostile_pages_of_one_session_do_not_hold_another_persons_page() -> None:
    readers = Readers(count=1)
    done: list[str] = []

    async def read(session: str, html: str, url: str) -> None:
        with suppress(ToolkitError):
            await readers.run(read_page, "html", html, url, session=session)
        done.append(session)

    hostile = opened("option", 100_000)
    pages = [read("hers", hostile, f"http://{n}.example/") for n in range(50)]
    hers = [asyncio.create_task(page) for page in pages]
    await asyncio.sleep(0)
    await read("his", article(), "http://news.example/")
    assert done == ["hers", "his"]
    for task in hers:
        task.cancel()
    await asyncio.wait(hers)
