"""Main-text extraction from HTML by trafilatura and resiliparse: the article of a page as Markdown.

Around the libraries stand bounds (markup, elements, cells), the repair of articles that stand in
several elements, the choice among the readings, and the removal of boilerplate.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from html import unescape
from itertools import islice

from lxml.etree import (
    Comment,  # pyright: ignore[reportUnknownVariableType]
    ElementDefaultClassLookup,  # pyright: ignore[reportUnknownVariableType]
    strip_elements,  # pyright: ignore[reportUnknownVariableType]
    strip_tags,  # pyright: ignore[reportUnknownVariableType]
)
from lxml.html import (
    HtmlElement,
    tostring,  # pyright: ignore[reportUnknownVariableType]
)
from resiliparse.extract.html2text import extract_plain_text
from trafilatura import bare_extraction
from trafilatura.settings import Document
from trafilatura.utils import HTML_PARSER, load_html
from trafilatura.xml import xmltotxt  # pyright: ignore[reportUnknownVariableType]

from mcp_local.errors import FetchFailed, NeedsBrowser
from mcp_local.extract import GOES_ON, NO_TEXT, ExtractedPage
from mcp_local.extract.facts import Element, line_of, read_facts
from mcp_local.extract.readings import (
    LEARNT,
    Outline,
    Readings,
    choose,
    drop_boilerplate,
    drop_lone_lines,
    phrase_of,
    trim_menus,
)

MAX_HTML_CHARS = 4_000_000
"""More markup than this is not parsed."""
MAX_ELEMENTS = 30_000
"""What stands behind so many is not parsed: the extraction copies the tree several times."""
MAX_CELLS = 10_000
"""Of all tables; the rows behind are left out, as laying out a table takes time and memory."""

# lxml.html asks Python for the class of each element, which takes an eighth of the time.
HTML_PARSER.set_element_class_lookup(  # pyright: ignore[reportUnknownMemberType]
    ElementDefaultClassLookup(element=HtmlElement)
)

MIN_CHARS = 80
"""With less text than this, a page with scripts is one whose text comes by script."""

_EMBEDDED = re.compile(r"data:[^\s\"'()<>]{1000,}")
_LONG_TAG = re.compile(r"<([a-zA-Z][\w:-]{0,40}\s)[^<>]{10000,}")
_ELEMENT = re.compile(r"<[a-zA-Z]")
_FOOTNOTE = re.compile(r"\[[^\[\]]{1,12}\]")


def extract_html(html: str, url: str) -> ExtractedPage:
    """The article of a page.

    Raises:
        NeedsBrowser: Its text would be made by its scripts.
        FetchFailed: There is no text on it.
    """
    short_tags = _LONG_TAG.sub(r"<\1", _EMBEDDED.sub("data:", html))
    bounded = _bounded(short_tags)
    page: Element = load_html(bounded)
    if page is None:
        raise FetchFailed(NO_TEXT)
    notes: list[str] = []
    if len(bounded) < len(short_tags):
        notes.append(GOES_ON)
    dropped_rows = _bound_tables(page)
    if dropped_rows:
        notes.append(f"Its tables go on; {dropped_rows:,} of their rows are left out.")
    facts = read_facts(page, url)
    headlines = {facts.title.casefold()}
    for h1 in page.iter("h1"):  # headings of the body that only repeat the title
        headlines.add(_text_of(h1).casefold())
    for mark in list(page.iter("sup")):  # a footnote's: it would pass for a citation of ours
        if _FOOTNOTE.fullmatch(_text_of(mark)):
            mark.drop_tree()
    scripts = [script.get("type", "").lower() for script in page.iter("script")]
    has_program = any("json" not in kind for kind in scripts)  # data blocks make no text
    text = _main_text(page, url)
    markdown = trim_menus("\n\n".join(drop_notices(_BLANK_LINES.split(text), headlines))).strip()
    if len(markdown) < MIN_CHARS and has_program:
        raise NeedsBrowser("needs a browser")
    if not markdown:
        raise FetchFailed(NO_TEXT)
    return replace(facts, markdown=markdown, note=" ".join(notes))


def _bounded(html: str) -> str:
    """The beginning of the markup that is parsed."""
    bounded = html[:MAX_HTML_CHARS]
    for element in islice(_ELEMENT.finditer(bounded), MAX_ELEMENTS, None):
        return bounded[: element.start()]
    return bounded


def _bound_tables(page: Element) -> int:
    """Empty the rows behind the bound of cells; how many they are."""
    cells = islice(page.iter("td", "th"), MAX_CELLS, None)
    rows = {cell.getparent() for cell in cells}
    for row in rows:
        row.clear()
    return len(rows)


def _text_of(element: Element) -> str:
    return line_of("".join(element.itertext()))


def _main_text(page: Element, url: str) -> str:
    types = declared_types(page)
    is_product = any(each.startswith("product") for each in types)
    is_of_article = is_article(types) and not is_product
    readings = readings_of_page(page, url, is_article=is_of_article)
    text = chosen_text(readings, is_product=is_product, is_article=is_of_article)
    if len(text) < MIN_CHARS:
        all_found = _markdown_of(_extract(page, url, favor_recall=True))
        return all_found if len(all_found) >= _MIN_OTHER_CHARS else text
    return text


def readings_of_page(page: Element, url: str, *, is_article: bool) -> Readings:
    """The page's main text as each reader has it, in Markdown; empty where it found none.

    What calls itself an article, trafilatura reads best by itself.
    """
    strip_elements(page, "style", "svg", Comment, with_tail=False)
    for script in list(page.iter("script")):
        if "json" not in script.get("type", ""):  # the text may stand in a block of data
            script.drop_tree()
    unicode = tostring(page, encoding="unicode")  # pyright: ignore[reportUnknownVariableType]
    markup = str(unicode)  # pyright: ignore[reportUnknownArgumentType]
    body = _extract(page, url, fast=is_article)
    joined = _joined_body(page, body, url, fast=is_article)
    outline = _outline_of(page)
    plain_text = drop_boilerplate(_markdown_of(body), outline)
    minimal = extract_plain_text(markup, preserve_formatting="minimal_html", main_content=True)
    whole = _single_spaces(extract_plain_text(markup, alt_texts=False))
    return {
        "plain": plain_text,
        "joined": plain_text if joined is None else drop_boilerplate(_markdown_of(joined), outline),
        "resiliparse": drop_boilerplate(_markdown_of_minimal(minimal), outline),
        "whole": drop_boilerplate(whole, outline, most=1),
    }


_BOILERPLATE = LEARNT["boilerplate"]
_NAMES = re.compile(rf"(?<![a-z])(?:{'|'.join(_BOILERPLATE['names'])})(?![a-z])")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAX_SHARE = 0.3
"""An element with more of the page's text is no boilerplate, whatever its name is."""


def _outline_of(page: Element) -> Outline:
    """What stands where on a page without scripts and styles."""
    boilerplate: list[str] = []
    rest: list[str] = []
    most = _MAX_SHARE * len("".join(page.itertext()))

    def walk(element: Element, *, is_boilerplate: bool) -> None:
        if element.tag == "script" or not isinstance(element.tag, str):
            return
        is_boilerplate = is_boilerplate or _is_boilerplate(element, most)
        part = boilerplate if is_boilerplate else rest
        part.append(element.text or "")
        for child in element:
            walk(child, is_boilerplate=is_boilerplate)
            part.append(child.tail or "")

    walk(page, is_boilerplate=False)
    return Outline(
        boilerplate=f" {phrase_of(' '.join(boilerplate))} ",
        rest=f" {phrase_of(' '.join(rest))} ",
    )


def _is_boilerplate(element: Element, most: float) -> bool:
    """Whether an element is named like boilerplate and holds neither a title nor `most` letters."""
    names = " ".join((element.get("class", ""), element.get("id", ""), element.get("role", "")))
    is_named_so = element.tag in _BOILERPLATE["tags"] or _names_boilerplate(names)
    if not is_named_so or next(element.iter("h1"), None) is not None:
        return False
    return len("".join(element.itertext())) <= most


@lru_cache(maxsize=10_000)
def _names_boilerplate(names: str) -> bool:
    return _NAMES.search(_HUMP.sub(" ", names).lower()) is not None


_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"([^"]*)"')


def is_article(types: Collection[str]) -> bool:
    """Whether a page of these types calls itself an article."""
    return any(each.endswith(("article", "blogposting")) for each in types)


def declared_types(page: Element) -> set[str]:
    """What the page says it is, in lower case: `article`, `product`, `newsarticle`, and so on."""
    types = page.xpath("//meta[@property='og:type' or @name='og:type']/@content | //@itemtype")
    for script in page.iter("script"):
        types += _TYPE.findall(script.text or "")
    return {each.lower().rstrip("/").rpartition("/")[2].removeprefix("og:") for each in types}


_MIN_OTHER_CHARS = 500
"""Where trafilatura finds nothing, less text than this is taken for menus and notices."""


def chosen_text(readings: Readings, *, is_product: bool, is_article: bool) -> str:
    """The reading that is most likely the main text, without the labels that it alone has."""
    if len(readings["plain"]) < MIN_CHARS:
        other_text = readings["resiliparse"]
        return other_text if len(other_text) >= _MIN_OTHER_CHARS else readings["plain"]
    if is_product:  # around its few sentences stand offers that readers agree upon
        return readings["plain"]
    chosen = choose(readings, is_article=is_article)
    others = [text for name, text in readings.items() if name not in (chosen, "whole")]
    return drop_lone_lines(readings[chosen], others)


_LEAST_GAIN = 1.15


def _joined_body(page: Element, body: Element | None, url: str, *, fast: bool) -> Element | None:
    """The body of the article whose text stands in several elements of one kind, or None."""
    if body is None:
        return None
    text = _text_of(body)
    pieces = _pieces_in_one(page, text)
    if pieces is None or len(_text_of(pieces)) <= _LEAST_GAIN * len(text):
        return None
    joined = _extract(pieces, url, fast=fast)
    if joined is not None and len(_text_of(joined)) > _LEAST_GAIN * len(text):
        return joined
    return None


def _pieces_in_one(page: Element, text: str) -> Element | None:
    """All elements of the kind around most of the paragraphs found so far, in one article."""
    lengths: Counter[tuple[str, str]] = Counter()
    for paragraph in page.iter("p"):
        words = _text_of(paragraph)
        if words[:50] not in text:
            continue
        for ancestor in islice(paragraph.iterancestors(), 2):
            if css_class := ancestor.get("class"):
                lengths[ancestor.tag, css_class] += len(words)
    for (tag, css_class), _ in lengths.most_common(1):
        pieces = [each for each in page.iter(tag) if each.get("class") == css_class]
        known = set(pieces)
        outer = [piece for piece in pieces if known.isdisjoint(piece.iterancestors())]
        document: Element = load_html("<html><body><article></article></body></html>")
        document.find(".//article").extend(deepcopy(outer))
        return document
    return None


def _extract(
    page: Element, url: str, *, fast: bool = False, favor_recall: bool = False
) -> Element | None:
    """The body that trafilatura finds, `fast` without asking readability and justext."""
    document = bare_extraction(
        page,
        url=url,
        fast=fast,
        include_comments=False,
        favor_recall=favor_recall,
    )
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
_HEADING = re.compile(r"#{1,6} ")


def drop_notices(blocks: Sequence[str], headlines: Collection[str]) -> list[str]:
    """The blocks without notices, without repeated titles, and without headings over nothing.

    `headlines` are the spellings of the page's title, in lower case.
    """
    kept: list[str] = []
    for block in blocks:
        is_short = len(block) <= MAX_NOTICE_CHARS and not block.startswith("```")
        if is_short and _NOTICE.match(block.lstrip(_MARKS)):
            continue
        if _HEADING.match(block) and block.lstrip("# ").casefold() in headlines:
            continue
        kept.append(block)
    while kept and _HEADING.match(kept[-1]):
        kept.pop()
    return kept


_CODE = re.compile(r"(^```.*?^```+$)", re.MULTILINE | re.DOTALL)
_ESCAPE = re.compile(r"\\([^a-zA-Z0-9\s|])")
_BLANK_LINES = re.compile(r"\n{2,}")
_SPACES = re.compile(r"(?<=\S)[^\S\n]+")


def _markdown_of(body: Element | None) -> str:
    """Markdown of trafilatura's tree, its words the page's: no emphasis, links and escapes."""
    if body is None:
        return ""
    for code in body.iter("code"):
        is_one_line = "\n" not in "".join(code.itertext())
        if is_one_line and code.find(".//lb") is None:
            code.tag = "hi"
    for quote in body.iter("quote"):
        for part in list(quote.iter("p")) or [quote]:
            part.text = f"> {part.text or ''}"
    strip_tags(
        body,
        "hi",
        "ref",
        "del",
    )
    return _single_spaces(xmltotxt(body, True), _ESCAPE)


def _single_spaces(markdown: str, escape: re.Pattern[str] | None = None) -> str:
    """The Markdown with single blanks and without its escapes, but in code."""
    pieces = _CODE.split(markdown)
    for index in range(0, len(pieces), 2):
        text = escape.sub(r"\1", pieces[index]) if escape else pieces[index]
        pieces[index] = _SPACES.sub(" ", text)
    return "\n".join(line.rstrip() for line in "".join(pieces).splitlines()).strip()


_MINIMAL_HEADING = re.compile(r"<h([1-6])>\s*(.*?)\s*</h\1>", re.DOTALL)
_MINIMAL_CODE = re.compile(r"<pre>\n?(.*?)\n?</pre>", re.DOTALL)
_MINIMAL_TAG = re.compile(r"</?[a-z][^<>]*>")


def _markdown_of_minimal(markup: str) -> str:
    """Markdown of resiliparse's minimal HTML: headings, paragraphs, lists, code, loose text.

    It escapes what is no tag of its own.
    """
    markup = _MINIMAL_HEADING.sub(
        lambda heading: f"{'#' * int(heading[1])} {line_of(heading[2])}\n", markup
    )
    markup = _MINIMAL_CODE.sub(r"\n```\n\1\n```\n", markup)
    markup = markup.replace("<li>", "- ")
    return _single_spaces(unescape(_MINIMAL_TAG.sub("", markup)))
