"""Markdown of a whole HTML file: a report of ours that is read again, or a page that is attached.

An article's text is taken from a web page elsewhere (`html.py`); here nothing but style, scripts
and the page's own navigation is left out, and the numbers of lists, such as sources, stay.
"""

import re
from typing import Any, cast

from lxml.html import (
    document_fromstring,  # pyright: ignore[reportUnknownVariableType]
)

_LEFT_OUT = ("head", "nav", "footer", "script", "style", "noscript", "template", "svg")
_BLOCKS = ("article", "aside", "blockquote", "div", "header", "main", "ol", "p", "section", "ul")
_BLOCK = ("\n\n", "\n\n")
_MARKS = {
    **{f"h{level}": (f"\n\n{'#' * level} ", "\n\n") for level in range(1, 7)},
    **dict.fromkeys((*_BLOCKS, "dl", "figure", "form", "table"), _BLOCK),
    **dict.fromkeys(("br", "dd", "dt", "hr"), ("\n", "")),
    **dict.fromkeys(("span", "time"), ("", " ")),
    **dict.fromkeys(("td", "th"), ("", " | ")),
    "pre": ("\n\n```\n", "\n```\n\n"),
}
"""What stands before and behind an element's text in Markdown."""

_LAID_OUT = frozenset(["table", "thead", "tbody", "tfoot", "tr"])
"""Blanks directly in these stand between cells and rows."""
_QUOTES = ("aside", "blockquote")
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\n)+")


Element = Any
"""An element of a page; lxml comes without types."""


def html_text(data: bytes) -> str:
    """The text as Markdown: headings, lists, tables, code and links, without emphasis."""
    page = cast("Element", document_fromstring(data))
    for element in list(page.iter(*_LEFT_OUT)):
        element.drop_tree()
    verbatim: set[Element] = {each for pre in page.iter("pre") for each in pre.iter()}
    elements: list[Element] = [each for each in page.iter() if isinstance(each.tag, str)]
    for element in elements:
        if element not in verbatim:
            element.text = _on_one_line(element.text, element)
        if element.getparent() not in verbatim:
            element.tail = _on_one_line(element.tail, element.getparent())
    for element in elements:
        before, after = _marks(element)
        if "\n" in before + after:  # a block: no line of it begins with a blank
            element.text = (element.text or "").lstrip(" ")
            element.tail = (element.tail or "").lstrip(" ")
        element.text = before + (element.text or "")
        element.tail = after + (element.tail or "")
    return _EMPTY_LINES.sub("\n\n", page.text_content()).strip()


def _on_one_line(text: str | None, parent: Element) -> str:
    if parent is not None and parent.tag in _LAID_OUT:
        return ""
    return _BLANKS.sub(" ", text or "")


def _marks(element: Element) -> tuple[str, str]:
    marks = _MARKS.get(element.tag, ("", ""))
    parent = element.getparent()
    match element.tag:
        case "a" if element.get("href", "").startswith(("http://", "https://")):
            marks = ("[", f"]({element.get('href')})")
        case "li":
            depth = sum(each.tag == "li" for each in element.iterancestors())
            marks = (f"\n{'  ' * depth}{_bullet(element, parent)} ", "")
        case "tr":
            is_head = element.find("th") is not None and element.find("td") is None
            marks = ("\n| ", f"\n|{'---|' * len(element)}" if is_head else "")
        case "p" if parent is not None and parent.tag in _QUOTES:
            marks = ("\n\n> ", "\n\n")
        case _:
            pass
    return marks


def _bullet(item: Element, items: Element) -> str:
    if items is None or items.tag != "ol":
        return "-"
    number = item.get("value") or 1 + sum(1 for _ in item.itersiblings("li", preceding=True))
    return f"{number}."
