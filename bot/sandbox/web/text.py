"""Reads title, main text and date from HTML for the search index; never fails on a page.

This is deliberately plainer than what a reader of the page would use: an index bears noise.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Protocol, cast

etree: Any = import_module("lxml.etree")  # lxml ships no types

MIN_ARTICLE_CHARS = 400
INVISIBLE = ("script", "style", "noscript", "template", "svg", "iframe", "head")
FURNITURE = ("nav", "footer", "aside", "form", "button", "select", "dialog")
FURNITURE_NAME = re.compile(
    r"cookie|consent|gdpr|newsletter|subscri|sidebar|breadcrumb|share|social|related|most-?read"
    r"|promo|advert|\bad\b|\bad-|masthead|menu|suggested|outbrain|feedback",
    re.IGNORECASE,
)
MAX_FURNITURE_SHARE = 0.3
"""A part that holds more of the page than this is not furniture, whatever its name says."""
BLOCKS = frozenset({
    "address", "article", "blockquote", "br", "caption", "dd", "div", "dl", "dt", "figcaption",
    "figure", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre",
    "section", "summary", "table", "tbody", "thead", "tr", "ul",
})  # fmt: skip
CELLS = frozenset({"td", "th"})
DATE_NAMES = (
    "article:published_time", "datepublished", "date", "dc.date", "dcterms.created", "pubdate",
    "publishdate", "parsely-pub-date", "sailthru.date", "article:modified_time",
)  # fmt: skip
CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
JSON_DATE = re.compile(rb'"datePublished"\s*:\s*"([^"]{8,40})"')
MEANT = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "utf-16": "utf-8"}
"""What a declared encoding means in HTML: a tag that can be read is not in UTF-16."""
BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class Element(Protocol):
    """The part of lxml's element that this module uses."""

    tag: object
    text: str | None
    tail: str | None

    def get(self, key: str, default: str = ...) -> str: ...
    def iter(self, *tags: str) -> Iterator["Element"]: ...
    def itertext(self) -> Iterator[str]: ...
    def clear(self, keep_tail: bool = ...) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    title: str
    text: str
    date: datetime | None
    site_name: str | None


def read_html(data: bytes) -> PageText:
    """What a page says, as far as it can be read; empty fields where it says nothing."""
    root = _parse(data)
    if root is None:
        return PageText(title="", text="", date=None, site_name=None)
    meta = _read_meta(root)
    title = meta.get("og:title") or _first_text(root, "title") or _first_text(root, "h1")
    return PageText(
        title=_squeeze(title),
        date=_find_date(root, meta, data),
        text=_read_text(root),
        site_name=meta.get("og:site_name"),
    )


def _decode(data: bytes) -> str:
    """The page as text by its byte order mark, its own declaration, UTF-8, or Windows-1252."""
    for bom, encoding in BOMS:
        if data.startswith(bom):
            return data.decode(encoding, errors="replace")
    declared = CHARSET.search(data, 0, 4096)
    name = declared.group(1).decode("ascii").lower() if declared else "utf-8"
    for encoding in (MEANT.get(name, name), "utf-8"):
        try:
            return data.decode(encoding)
        except (LookupError, UnicodeError):
            continue
    return data.decode("cp1252", errors="replace")


def _parse(data: bytes) -> Element | None:
    text = _decode(data).replace("\x00", " ")
    if not text.strip():
        return None
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True
    )
    try:
        return cast("Element | None", etree.fromstring(text.encode("utf-8", "replace"), parser))
    except etree.XMLSyntaxError:
        return None


def _read_meta(root: Element) -> dict[str, str]:
    """The page's meta tags by lower-case name, the first of a name wins."""
    found: dict[str, str] = {}
    for element in root.iter("meta"):
        name = element.get("property", "") or element.get("name", "") or element.get("itemprop", "")
        content = _squeeze(element.get("content", ""))
        if name and content:
            found.setdefault(name.lower(), content)
    return found


def _find_date(root: Element, meta: dict[str, str], data: bytes) -> datetime | None:
    candidates = [meta[name] for name in DATE_NAMES if name in meta]
    candidates += [m.group(1).decode("ascii", "replace") for m in JSON_DATE.finditer(data)][:1]
    candidates += [element.get("datetime", "") for element in root.iter("time")][:1]
    dates = (_parse_date(text) for text in candidates)
    return next((date for date in dates if date is not None), None)


def _parse_date(text: str) -> datetime | None:
    """An ISO 8601 date or time with a time zone (UTC where it names none), else None."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_text(root: Element) -> str:
    """The main text. Takes the page apart, so everything else is read before."""
    etree.strip_elements(root, *INVISIBLE, with_tail=False)
    everything = "\n".join(_blocks(root))
    _remove_furniture(root)
    main = "\n".join(_blocks(_choose_main(root)))
    # Some pages wrap all they have in a form or an aside: then furniture is better than nothing.
    return main if len(main) >= MIN_ARTICLE_CHARS else everything


def _remove_furniture(root: Element) -> None:
    etree.strip_elements(root, *FURNITURE, with_tail=False)
    limit = MAX_FURNITURE_SHARE * _text_length(root)
    for element in list(root.iter("div", "section", "ul", "p")):
        name = f"{element.get('class', '')} {element.get('id', '')}"
        if FURNITURE_NAME.search(name) and _text_length(element) < limit:
            element.clear(keep_tail=True)
    for header in list(root.iter("header")):
        if next(header.iter("h1", "h2"), None) is None:
            header.clear(keep_tail=True)


def _choose_main(root: Element) -> Element:
    """The longest article, else the main element, else all of the page."""
    for tag in ("article", "main"):
        longest = max(root.iter(tag), key=_text_length, default=None)
        if longest is not None and _text_length(longest) >= MIN_ARTICLE_CHARS:
            return longest
    return root


def _text_length(element: Element) -> int:
    return sum(len(part) for part in element.itertext())


def _blocks(root: Element) -> Iterator[str]:
    """The element's text, one block a line."""
    for line in "".join(_pieces(root)).split("\n"):
        if squeezed := _squeeze(line):
            yield squeezed


def _pieces(root: Element) -> Iterable[str]:
    """All text in document order with a line break wherever a block begins or ends."""
    walker = etree.iterwalk(root, events=("start", "end"))
    for event, element in cast("Iterable[tuple[str, Element]]", walker):
        yield "\n" if element.tag in BLOCKS else " " if element.tag in CELLS else ""
        if event == "start":
            yield _flatten(element.text)
        elif element is not root:
            yield _flatten(element.tail)


def _flatten(text: str | None) -> str:
    return (text or "").replace("\n", " ")


def _first_text(root: Element, tag: str) -> str:
    element = next(root.iter(tag), None)
    return "" if element is None else " ".join(element.itertext())


def _squeeze(text: str) -> str:
    return " ".join(text.split())
