"""A page's main text, taken in a process of its own so that no page can stall or crash us."""

from dataclasses import dataclass
from datetime import date

GOES_ON = "The page goes on; only its beginning could be read."
NO_TEXT = "no text on the page"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPage:
    """The main text of a page as plain-reading Markdown."""

    title: str = ""
    description: str = ""
    markdown: str = ""
    publisher: str = ""
    """As the page names it, or its title's end that stands in its host."""
    author: str = ""
    published: date | None = None
    note: str = ""
    """What a reader has to know of the text, such as what is left out."""
