"""Reading a report's HTML as a program would: elements with their attributes and text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from html.parser import HTMLParser

from mcp_local.report.compose import Report, compose_report
from mcp_local.sources import NumberedSource, SourceKind

VOID = {"meta", "br", "hr", "img", "link", "base", "input"}


@dataclass
class Element:
    """One element; `text` is everything inside it."""

    tag: str
    attrs: dict[str, str]
    text: str = ""
    children: list["Element"] = field(default_factory=list["Element"])

    def all(self, tag: str = "", **attrs: str) -> list["Element"]:
        """The elements below with this tag and these attributes (`class_` for class)."""
        wanted = {name.rstrip("_"): value for name, value in attrs.items()}
        return [
            element
            for element in self.walk()
            if (not tag or element.tag == tag) and wanted.items() <= element.attrs.items()
        ]

    def one(self, tag: str = "", **attrs: str) -> "Element":
        """The only such element."""
        (found,) = self.all(tag, **attrs)
        return found

    def walk(self) -> Iterator["Element"]:
        for child in self.children:
            yield child
            yield from child.walk()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("document", {})]
        self.unbalanced: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].tag != tag:
            self.unbalanced.append(tag)
            return
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data


def read_html(html: str) -> Element:
    """The document as a tree; tags that do not match are a failure."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.unbalanced == []
    assert len(reader.open) == 1
    return reader.open[0]


DAY = date(2026, 11, 21)


def source(
    n: int, text: str = "Text.", *, ok: bool = True, kind: SourceKind = "page"
) -> NumberedSource:
    """Source n at https://n.test/page with the title `Title n`."""
    return NumberedSource(
        n=n,
        url=f"https://www.{n}.test/page",
        title=f"Title {n}",
        kind=kind,
        ok=ok,
        text=text,
        path=f"search_results/{n}.md",
    )


SOURCES = [source(n) for n in range(1, 10)]


def compose(
    markdown: str,
    *,
    title: str = "The topic",
    summary: str = "So it is. [1]",
    language: str = "en",
    sources: Sequence[NumberedSource] = SOURCES,
    before: Sequence[int] = (),
    is_comprehensive: bool = False,
) -> Report:
    """A report, over nine sources if nothing else is said."""
    return compose_report(
        sources,
        DAY,
        title=title,
        markdown=markdown,
        summary=summary,
        language=language,
        before=before,
        is_comprehensive=is_comprehensive,
    )


def page(markdown: str, *, summary: str = "So it is. [1]", language: str = "en") -> Element:
    """The same as a tree."""
    return read_html(compose(markdown, summary=summary, language=language).html)
