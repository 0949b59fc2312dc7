"""Short ways to sources and reports for the tests."""

from datetime import date

from mcp_local.report.compose import Draft, Report, compose_report
from mcp_local.sources import Source, SourceKind
from tests.mcp_local.report.reading import Element, read_html

DAY = date(2026, 11, 21)


def source(n: int, text: str = "Text.", *, ok: bool = True, kind: SourceKind = "page") -> Source:
    """Source n at https://n.test/page with the title `Title n`."""
    return Source(
        n=n,
        url=f"https://www.{n}.test/page",
        title=f"Title {n}",
        kind=kind,
        ok=ok,
        text=text,
        path=f"search_results/{n}.md",
    )


SOURCES = [source(n) for n in range(1, 10)]


def compose(markdown: str, *, title: str = "The topic", summary: str = "So it is. [1]") -> Report:
    """A report over nine sources."""
    return compose_report(Draft(title=title, markdown=markdown, summary=summary), SOURCES, DAY)


def page(markdown: str, **options: str) -> Element:
    """The same as a tree."""
    return read_html(compose(markdown, **options).html)
