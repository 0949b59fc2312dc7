"""A page's title and description, from its metadata or else from its headings."""

import re
from dataclasses import dataclass

from mcp_local.extract.tree import Element, line_of

MAX_TITLE_CHARS = 300
MAX_DESCRIPTION_CHARS = 1_000
_TITLE_NAMES = ("og:title", "twitter:title", "dc.title", "citation_title")
_DESCRIPTION_NAMES = ("description", "og:description", "twitter:description")
_SITE_SUFFIX = re.compile(r"\s+[|·»:\u2010-\u2015-]+\s+[^|·»\u2010-\u2015]{1,40}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a page says about itself."""

    title: str
    description: str
    headlines: frozenset[str]
    """Every spelling of the title, in lower case: body headings that only repeat it."""


def read_facts(tree: Element) -> Facts:
    """Title and description on one line each, empty where the page has none."""
    metas = _metas(tree)
    named = [metas[name] for name in _TITLE_NAMES if metas.get(name)]
    h1s = [text for text in (_text(h1) for h1 in tree.iter("h1")) if text]
    title_tags = [text for text in (_text(title) for title in tree.iter("title")) if text]
    short_tags = [_SITE_SUFFIX.sub("", text) for text in title_tags[:1]]
    lone_h1 = h1s if len(h1s) == 1 else []
    candidates = [*named, *lone_h1, *short_tags, *title_tags[:1], *h1s]
    title = next(iter(candidates), "")
    if lone_h1 and title.startswith(lone_h1[0]):
        title = lone_h1[0]
    descriptions = (metas.get(name, "") for name in _DESCRIPTION_NAMES)
    return Facts(
        title=title[:MAX_TITLE_CHARS],
        description=next((text for text in descriptions if text), "")[:MAX_DESCRIPTION_CHARS],
        headlines=frozenset(text.casefold() for text in candidates),
    )


def _metas(tree: Element) -> dict[str, str]:
    """The page's meta elements by name; the first of a name counts."""
    found: dict[str, str] = {}
    for meta in tree.iter("meta"):
        name = (meta.get("property", "") or meta.get("name", "")).lower()
        content = line_of(meta.get("content", ""))
        if name and content:
            found.setdefault(name, content)
    return found


def _text(element: Element) -> str:
    return line_of("".join(element.itertext()))[:MAX_DESCRIPTION_CHARS]
