"""The text of an HTML file, as Markdown paragraphs and headings."""

import re
from html.parser import HTMLParser

SILENT = frozenset({"script", "style", "template", "noscript"})
HEADINGS = frozenset({"title", "h1", "h2", "h3", "h4", "h5", "h6"})
BLOCKS = HEADINGS | {
    "address", "article", "blockquote", "br", "dd", "div", "dt", "footer", "header", "hr", "li",
    "main", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul",
}  # fmt: skip
LOOKS_LIKE_HTML = re.compile(r"\A\s*(?:<!doctype html|<html\b)", re.IGNORECASE)


def is_html(name: str, text: str) -> bool:
    """Whether a file is HTML, by its name or its first words."""
    return name.lower().endswith((".html", ".htm")) or LOOKS_LIKE_HTML.match(text) is not None


def text_of_html(markup: str) -> str:
    """What a reader of the page would read."""
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in SILENT
        if tag in BLOCKS:
            self._parts.append("\n\n## " if tag in HEADINGS else "\n\n")

    def handle_endtag(self, tag: str) -> None:
        self._silent = max(0, self._silent - (tag in SILENT))
        if tag in BLOCKS:
            self._parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._parts.append(re.sub(r"\s+", " ", data))

    def text(self) -> str:
        lines = (line.strip() for line in "".join(self._parts).split("\n"))
        return "\n\n".join(line for line in lines if line.strip("# "))
