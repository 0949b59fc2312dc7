"""Finds the main text in HTML, and says what is wrong where there is none."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from copy import deepcopy
from itertools import islice
from typing import Any

from lxml.etree import strip_tags  # pyright: ignore[reportUnknownVariableType]
from trafilatura import bare_extraction
from trafilatura.metadata import examine_meta, extract_title
from trafilatura.settings import Document
from trafilatura.utils import load_html
from trafilatura.xml import xmltotxt  # pyright: ignore[reportUnknownVariableType]

from mcp_local.extract import GOES_ON, ExtractedPage

MAX_HTML_CHARS = 4_000_000
"""More markup than this is not parsed."""
MAX_ELEMENTS = 30_000
"""What stands behind so many is not parsed: the extraction copies the tree several times."""
MAX_CELLS = 10_000
"""Of all tables; the rows behind are left out, as laying out a table takes time and memory."""

MAX_TITLE_CHARS = 300
MAX_DESCRIPTION_CHARS = 1_000
MIN_CHARS = 80
"""With less text than this, a page with scripts is one whose text comes by script."""

_EMBEDDED = re.compile(r"data:[^\s\"'()<>]{1000,}")
_LONG_TAG = re.compile(r"<([a-zA-Z][\w:-]{0,40}\s)[^<>]{10000,}")
_ELEMENT = re.compile(r"<[a-zA-Z]")


Element = Any
"""An element of an HTML page, or of trafilatura's simpler tree; lxml comes without types."""


def line_of(text: str | None) -> str:
    """Text on one line, each run of white space one space."""
    return " ".join((text or "").split())


def extract_html(html: str, url: str) -> ExtractedPage:
    """The article of a page; its `lack` says what is wrong when there is none."""
    html, is_cut = _bounded(html)
    tree = load_html(html)
    if tree is None:
        return ExtractedPage(lack="no text on the page")
    page: Element = tree
    left_out = {cell.getparent() for cell in islice(page.iter("td", "th"), MAX_CELLS, None)}
    for row in left_out:
        row.clear()
    notes = [
        GOES_ON if is_cut else "",
        f"Its tables go on; {len(left_out):,} of their rows are left out." if left_out else "",
    ]
    facts = examine_meta(tree)
    title, description = line_of(facts.title or extract_title(tree)), line_of(facts.description)
    title = title.rstrip("\u00b6 ")  # the mark of a heading's own link
    # Headings of the body that only repeat the title.
    headlines = {title.casefold()}
    headlines |= {line_of("".join(h1.itertext())).casefold() for h1 in page.iter("h1")}
    for caption in list(page.iter("caption")):  # it would be read as a second head of the table
        caption.tag = "p"
        caption.getparent().addprevious(caption)
    body = find_body(tree, url)
    blocks = render_blocks(body) if body is not None else []
    markdown = "\n\n".join(drop_boilerplate(blocks, headlines))
    # Scripts that are data blocks make no text.
    kinds = (script.get("type", "").lower() for script in page.iter("script"))
    if len(markdown) < MIN_CHARS and any("json" not in kind for kind in kinds):
        return ExtractedPage(lack="needs a browser")
    if not markdown:
        return ExtractedPage(lack="no text on the page")
    return ExtractedPage(
        title=title[:MAX_TITLE_CHARS],
        description=description[:MAX_DESCRIPTION_CHARS],
        markdown=markdown,
        note=" ".join(filter(None, notes)),
    )


def _bounded(html: str) -> tuple[str, bool]:
    """The markup without embedded files and floods of attributes, and whether limits cut it."""
    html = _LONG_TAG.sub(r"<\1", _EMBEDDED.sub("data:", html))
    beyond = next(islice(_ELEMENT.finditer(html[:MAX_HTML_CHARS]), MAX_ELEMENTS, None), None)
    end = beyond.start() if beyond else MAX_HTML_CHARS
    return html[:end], len(html) > end


MAX_PIECES = 60
_LEAST_SHARE = 0.3
_LEAST_GAIN = 1.15


def find_body(page: Element, url: str) -> Element | None:
    """The main text as trafilatura's simple tree, or None where there is none.

    Where its text stands in several elements of one kind, all of them are read as one article.
    """
    body = _extract(page, url)
    if body is None:
        return None
    whole = _joined(page, line_of("".join(body.itertext())))
    rejoined = _extract(whole, url) if whole is not None else None
    if rejoined is not None and _length(rejoined) > _LEAST_GAIN * _length(body):
        return rejoined
    return body


def _joined(page: Element, text: str) -> Element | None:
    """All elements of the kind that holds the text found so far, in one article."""
    kind = _holding_kind(page, text)
    if kind is None:
        return None
    pieces = [element for element in page.iter(kind[0]) if element.get("class", "") == kind[1]]
    known = {id(piece) for piece in pieces}
    outer = [piece for piece in pieces if not any(id(up) in known for up in piece.iterancestors())]
    if not 2 <= len(outer) <= MAX_PIECES:
        return None
    document: Element = load_html("<html><body><article></article></body></html>")
    for article in document.iter("article"):
        article.extend([deepcopy(piece) for piece in outer])
    return document


def _holding_kind(page: Element, text: str) -> tuple[str, str] | None:
    """Tag and class of the elements around most of the paragraphs found so far."""
    lengths: Counter[tuple[str, str]] = Counter()
    for paragraph in page.iter("p"):
        words = line_of("".join(paragraph.itertext()))
        if len(words) > 60 and words[:50] in text:
            for up in islice(paragraph.iterancestors(), 2):
                if up.get("class", ""):
                    lengths[str(up.tag), up.get("class", "")] += len(words)
    for kind, length in lengths.most_common(1):
        if length >= _LEAST_SHARE * len(text):
            return kind
    return None


def _length(body: Element) -> int:
    return sum(len(text) for text in body.itertext())


def _extract(page: Element, url: str) -> Element | None:
    document = bare_extraction(page, url=url, favor_precision=True, include_comments=False)
    if not isinstance(document, Document):
        return None
    return document.body  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


MAX_NOTICE_CHARS = 260
"""Longer blocks are taken for text, whatever their first words are."""

_NOTICE = re.compile(
    r"""
    advertisement | also\ (?:on|read) | click\ here | do(?:n['\u2019]t|\ not)\ miss
    | download\ (?:our|the\ app) | email\ \S+\ at | filed\ under
    | follow\ (?:her|him|me|the|them|us)\b | get\ the\ (?:day|latest) | image: | join\ the\ conv
    | like\ this\ (?:article|post|story) | listen: | more: | more\ (?:from|in|on)\b | most\ read
    | photo: | read\ (?:also|more|next|the\ full) | recommended\b | related\b | reporting\ by
    | see\ (?:also|more) | share\ (?:on|this) | sign\ up | source: | sponsored | subscribe\b
    | tags?: | tell\ us\ what | want\ more | watch: | you\ (?:may|might)\ also
    """,
    re.I | re.X,
)
_MARKS = "#>-*[( "


def drop_boilerplate(blocks: Sequence[str], headlines: Collection[str]) -> list[str]:
    """The blocks without notices, without repeated titles, and without headings over nothing.

    `headlines` are the spellings of the page's title, in lower case.
    """
    kept: list[str] = []
    for block in blocks:
        may_be_notice = len(block) <= MAX_NOTICE_CHARS and not block.startswith("```")
        is_notice = may_be_notice and _NOTICE.match(block.lstrip(_MARKS))
        is_repeated = _is_heading(block) and block.lstrip("# ").casefold() in headlines
        if not is_notice and not is_repeated:
            kept.append(block)
    while kept and _is_heading(kept[-1]):
        kept.pop()
    return kept


def _is_heading(block: str) -> bool:
    return bool(re.match(r"#{1,6} ", block))


_CODE = re.compile(r"(^```.*?^```+$)", re.MULTILINE | re.DOTALL)
_ESCAPE = re.compile(r"\\([^a-zA-Z0-9\s|])")
_SPACES = re.compile(r"(?<=\S)[^\S\n]+")


def render_blocks(body: Element) -> list[str]:
    """The blocks of the tree in their order, to be joined by empty lines.

    trafilatura writes the Markdown; without emphasis, links and escapes its words are the page's.
    """
    for code in body.iter("code"):
        if "\n" not in "".join(code.itertext()) and not list(code.iter("lb")):
            code.tag = "hi"
    for quote in body.iter("quote"):
        for part in list(quote.iter("p")) or [quote]:
            part.text = f"> {part.text or ''}"
    strip_tags(body, "hi", "ref", "del")
    pieces = _CODE.split(xmltotxt(body, True))
    pieces[::2] = [_SPACES.sub(" ", _ESCAPE.sub(r"\1", piece)) for piece in pieces[::2]]
    lines = "\n".join(line.rstrip() for line in "".join(pieces).splitlines())
    return [block for block in re.split(r"\n{2,}", lines.strip()) if block]
