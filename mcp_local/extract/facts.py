"""Metadata of an HTML page: title, author, publisher, day, language and canonical address.

trafilatura reads the meta tags and the JSON-LD. The address that a page calls its own is believed
within its host alone: a neighbour at the same provider may name another's.
"""

import re
from contextlib import suppress
from datetime import date
from typing import Any
from urllib.parse import urljoin, urlsplit

from trafilatura.metadata import examine_meta, extract_meta_json, extract_title

from mcp_local.extract import MAX_NAME_CHARS, MAX_TITLE_CHARS, ExtractedPage

MAX_DESCRIPTION_CHARS = 1_000

_DAYS = (
    "//meta[@property='article:published_time' or @itemprop='datePublished' or @name='date']"
    "/@content | //*[@itemprop='datePublished']/@datetime | //article//time/@datetime"
)
_JSON = "//script[contains(@type, 'json')]/text()"
_JSON_DAY = re.compile(r'"datePublished"\s*:\s*"([\d-]{10})')
_LANGUAGES = (
    "/html/@lang | //meta[@property='og:locale' or"
    " translate(@http-equiv, 'CL', 'cl')='content-language']/@content"
)
_LANGUAGE = re.compile(r"\b[a-z]{2,3}\b", re.I)
_ADDRESSES = "//link[@rel='canonical']/@href | //meta[@property='og:url']/@content"
_PHONE_HOST = re.compile(r"^(?:(?:www|m|mobile|amp)\.)+")
_TITLE_PARTS = re.compile(r"\s[|–—·-]\s")  # noqa: RUF001 (dashes of titles)

Element = Any
"""An element of an HTML page; lxml comes without types."""


def line_of(text: str | None) -> str:
    """Text on one line, each run of white space one space."""
    return " ".join((text or "").split())


def read_facts(page: Element, url: str) -> ExtractedPage:
    """What a page says of itself, without its text."""
    facts = examine_meta(page)
    title = line_of(facts.title or extract_title(page))
    title = title.rstrip("\u00b6 ")  # the mark of a heading's own link
    with suppress(AttributeError, LookupError, TypeError, ValueError):  # of data of odd shapes
        facts = extract_meta_json(page, facts)
    return ExtractedPage(
        title=title[:MAX_TITLE_CHARS],
        description=line_of(facts.description)[:MAX_DESCRIPTION_CHARS],
        publisher=_publisher(facts.sitename or "", title, url),
        author=line_of(facts.author)[:MAX_NAME_CHARS],
        published=_published(page),
        language=next(iter(_LANGUAGE.findall(" ".join(page.xpath(_LANGUAGES)))), "").lower(),
        canonical_url=_canonical_url(page, url),
    )


def _published(page: Element) -> date | None:
    """The first day that the page's own data give, by which its maker means its publication."""
    days = [*page.xpath(_DAYS), *_JSON_DAY.findall(" ".join(page.xpath(_JSON)))]
    for text in days:
        with suppress(ValueError):
            return date.fromisoformat(text.strip()[:10])
    return None


def _publisher(name: str, title: str, url: str) -> str:
    """As the page names it, or its title's end that stands in its host."""
    *_, end = _TITLE_PARTS.split(title)
    if not name and end.replace(" ", "").casefold() in urlsplit(url).netloc:
        name = end
    return line_of(name.lstrip("@"))[:MAX_NAME_CHARS]


def _canonical_url(page: Element, url: str) -> str:
    """The address that the page calls its own, as its mobile and AMP forms do their original's.

    A site's front page is none: many name it on all their pages.
    """
    for address in page.xpath(_ADDRESSES):
        with suppress(ValueError):
            canonical = urlsplit(urljoin(url, address.strip()))
            is_page = canonical.netloc and canonical.path.strip("/")
            if is_page and _host_of(canonical.netloc) == _host_of(urlsplit(url).netloc):
                return canonical.geturl()
    return ""


def _host_of(netloc: str) -> str:
    """A host without what stands before its form for phones."""
    return _PHONE_HOST.sub("", netloc.lower())
