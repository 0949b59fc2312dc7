"""A page's main text, taken in a process of its own so that no page can stall or crash us."""

from dataclasses import dataclass
from datetime import date

GOES_ON = "The page goes on; only its beginning could be read."
NO_TEXT = "no text on the page"

MAX_TITLE_CHARS = 300
MAX_NAME_CHARS = 60
"""Of a publisher or an author."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPage:
    """The main text of a page as plain-reading Markdown."""

    title: str = ""
    description: str = ""
    markdown: str = ""
    publisher: str = ""
    """As the page names it, or its title's end that stands in its host."""
    author: str = ""
    language: str = ""
    """A code such as `de`: as the page declares it, or as its words have it."""
    canonical_url: str = ""
    """The address of the page that this one is a copy of, such as its mobile or AMP form."""
    published: date | None = None
    note: str = ""
    """What a reader has to know of the text, such as what is left out."""
