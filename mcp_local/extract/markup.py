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
_BLOCKS = frozenset(
    [
        "article",
        "aside",
        "blockquote",
        "dd",
        "div",
        "dl",
        "dt",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "ul",
    ]
)
_BEFORE = {"br": "\n", "tr": "\n| "}
_BEHIND = {"td": " | ", "th": " | ", "span": " ", "time": " "}
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_KEPT = str.maketrans({" ": "\ue000", "\n": "\ue001", "\t": "\ue000"})
"""Blanks of code, which keep their number, as signs that no text has."""
_GIVEN_BACK = str.maketrans({"\ue000": " ", "\ue001": "\n"})
_EDGES = re.compile(r" *\n *")
_EMPTY_LINES = re.compile(r"\n{3,}")

Element = Any
"""An element of a page; lxml comes without types."""


def html_text(data: bytes) -> str:
    """The text as Markdown: headings, lists, rows of tables, code and links, without emphasis."""
    page = cast("Element", document_fromstring(data))
    for element in list(page.iter(*_LEFT_OUT)):
        element.drop_tree()
    for code in page.iter("pre"):
        text = code.text_content().strip()
        for part in list(code):
            part.drop_tree()
        code.text = f"```\n{text}\n```".translate(_KEPT)
    for element in page.iter("*"):
        before, after = _marks(element)
        text = _BLANKS.sub(" ", element.text or "")
        tail = _BLANKS.sub(" ", element.tail or "")
        element.text = before + text
        element.tail = after + tail
    lines = _EDGES.sub("\n", page.text_content())
    text = _EMPTY_LINES.sub("\n\n", lines)
    return text.strip().translate(_GIVEN_BACK)


def _marks(element: Element) -> tuple[str, str]:
    """What stands before and behind an element's text in Markdown."""
    tag = element.tag
    before = _BEFORE.get(tag, "")
    after = _BEHIND.get(tag, "")
    address = element.get("href", "")
    if tag == "a" and address.startswith(("http://", "https://")):
        before = "["
        after = f"]({address})"
    elif tag == "li":
        number = element.get("value", "1")
        is_numbered = element.getparent().tag == "ol"
        before = f"\n{number}. " if is_numbered else "\n- "
    elif tag in _BLOCKS:
        level = tag[1:]
        heading = "#" * int(level) + " " if level.isdigit() else ""
        before = f"\n\n{heading}"
        after = "\n\n"
    return before, after
