"""Finds the element of a page that holds its main text, also where sites cut it into pieces."""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import cast

from lxml.html import HtmlElement, fromstring  # pyright: ignore[reportUnknownVariableType]
from trafilatura import bare_extraction
from trafilatura.settings import Document

from mcp_local.extract.tree import Element, line_of

_parse = cast("Callable[[str], Element]", fromstring)

MAX_PIECES = 60
_LEAST_SHARE = 0.3
_LEAST_GAIN = 1.15


def find_body(page: HtmlElement, url: str) -> Element | None:
    """The main text as trafilatura's simple tree, or None where there is none."""
    body = _extract(page, url)
    if body is None:
        return None
    whole = _joined(cast("Element", page), line_of("".join(body.itertext())))
    rejoined = _extract(whole, url) if whole is not None else None
    if rejoined is not None and _length(rejoined) > _LEAST_GAIN * _length(body):
        return rejoined
    return body


def _extract(page: HtmlElement, url: str) -> Element | None:
    document = bare_extraction(page, url=url, favor_precision=True, include_comments=False)
    if not isinstance(document, Document):
        return None
    return cast("Element", document.body)  # pyright: ignore[reportUnknownMemberType]


def _joined(page: Element, text: str) -> HtmlElement | None:
    """All elements of the kind that holds the text found so far, in one article."""
    kind = _holding_kind(page, text)
    if kind is None:
        return None
    pieces = [element for element in page.iter(kind[0]) if element.get("class", "") == kind[1]]
    known = {id(piece) for piece in pieces}
    outer = [piece for piece in pieces if not any(id(up) in known for up in piece.iterancestors())]
    if not 2 <= len(outer) <= MAX_PIECES:
        return None
    document = _parse("<html><body><article></article></body></html>")
    for article in document.iter("article"):
        article.extend([deepcopy(piece) for piece in outer])
    return cast("HtmlElement", document)


def _holding_kind(page: Element, text: str) -> tuple[str, str] | None:
    """Tag and class of the elements around most of the paragraphs found so far."""
    lengths: Counter[tuple[str, str]] = Counter()
    for paragraph in page.iter("p"):
        words = line_of("".join(paragraph.itertext()))
        if len(words) > 60 and words[:50] in text:
            for level, up in enumerate(paragraph.iterancestors()):
                if level < 2 and up.get("class", ""):
                    lengths[str(up.tag), up.get("class", "")] += len(words)
    for kind, length in lengths.most_common(1):
        if length >= _LEAST_SHARE * len(text):
            return kind
    return None


def _length(body: Element) -> int:
    return sum(len(text) for text in body.itertext())
