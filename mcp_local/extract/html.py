"""Finds the main text in HTML, and says what is wrong where there is none."""

import re
from collections.abc import Collection, Sequence
from typing import Any

from lxml.etree import strip_tags  # pyright: ignore[reportUnknownVariableType]
from trafilatura import bare_extraction
from trafilatura.metadata import examine_meta, extract_title
from trafilatura.settings import Document
from trafilatura.utils import load_html
from trafilatura.xml import xmltotxt  # pyright: ignore[reportUnknownVariableType]

from mcp_local.extract import Article

MAX_HTML_CHARS = 4_000_000
"""More markup than this is not parsed; it would take the reader several hundred megabytes."""

MAX_TITLE_CHARS = 300
MAX_DESCRIPTION_CHARS = 1_000
MIN_CHARS = 80
"""With less text than this, a page with scripts is one whose text comes by script."""

_EMBEDDED = re.compile(r"data:[^\s\"'()<>]{1000,}")


Element = Any
"""An element of an HTML page, or of trafilatura's simpler tree; lxml comes without types."""


def line_of(text: str | None) -> str:
    """Text on one line, each run of white space one space."""
    return " ".join((text or "").split())


def extract_html(html: str, url: str) -> Article:
    """The article of a page; its `lack` says what is wrong when there is none."""
    tree = load_html(_EMBEDDED.sub("data:", html)[:MAX_HTML_CHARS])
    if tree is None:
        return Article(lack="no text on the page")
    page: Element = tree
    facts = examine_meta(tree)
    title, description = line_of(facts.title or extract_title(tree)), line_of(facts.description)
    # Headings of the body that only repeat the title.
    headlines = {title.casefold()}
    headlines |= {line_of("".join(h1.itertext())).casefold() for h1 in page.iter("h1")}
    body = find_body(tree, url)
    blocks = render_blocks(body) if body is not None else []
    markdown = "\n\n".join(drop_boilerplate(blocks, headlines))
    if len(markdown) < MIN_CHARS and _has_scripts(page):
        return Article(lack="needs a browser")
    if not markdown:
        return Article(lack="no text on the page")
    return Article(
        title=title[:MAX_TITLE_CHARS],
        description=description[:MAX_DESCRIPTION_CHARS],
        markdown=markdown,
    )


def _has_scripts(page: Element) -> bool:
    """Whether scripts other than data blocks stand on the page."""
    return any("json" not in script.get("type", "").lower() for script in page.iter("script"))


def find_body(page: Element, url: str) -> Element | None:
    """The main text as trafilatura's simple tree, or None where there is none."""
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
    kept = [block for block in blocks if not (_is_notice(block) or _repeats(block, headlines))]
    while kept and _is_heading(kept[-1]):
        kept.pop()
    return kept


def _is_notice(block: str) -> bool:
    if block.startswith("```") or len(block) > MAX_NOTICE_CHARS:
        return False
    return bool(_NOTICE.match(block.lstrip(_MARKS)))


def _repeats(block: str, headlines: Collection[str]) -> bool:
    return _is_heading(block) and block.lstrip("# ").casefold() in headlines


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
