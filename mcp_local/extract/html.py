"""Finds the main text in HTML, and says what is wrong where there is none."""

import re
from typing import cast

from trafilatura.utils import load_html

from mcp_local.extract.article import Article
from mcp_local.extract.body import find_body
from mcp_local.extract.boilerplate import drop_boilerplate
from mcp_local.extract.facts import read_facts
from mcp_local.extract.markdown import render_blocks
from mcp_local.extract.tree import Element

MAX_HTML_CHARS = 4_000_000
"""More markup than this is not parsed; it would take the reader several hundred megabytes."""

MIN_CHARS = 80
"""With less text than this, a page with scripts is one whose text comes by script."""

_EMBEDDED = re.compile(r"data:[^\s\"'()<>]{1000,}")


def extract_html(html: str, url: str) -> Article:
    """The article of a page; its `lack` says what is wrong when there is none."""
    tree = load_html(_EMBEDDED.sub("data:", html)[:MAX_HTML_CHARS])
    if tree is None:
        return Article(lack="no text on the page")
    page = cast("Element", tree)
    facts = read_facts(page)
    body = find_body(tree, url)
    blocks = render_blocks(body) if body is not None else []
    markdown = "\n\n".join(drop_boilerplate(blocks, facts.headlines))
    if len(markdown) < MIN_CHARS and _has_scripts(page):
        return Article(lack="needs a browser")
    if not markdown:
        return Article(lack="no text on the page")
    return Article(title=facts.title, description=facts.description, markdown=markdown)


def _has_scripts(page: Element) -> bool:
    """Whether scripts other than data blocks stand on the page."""
    return any("json" not in script.get("type", "").lower() for script in page.iter("script"))
