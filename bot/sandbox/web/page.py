"""What a search engine knows about a page of the small web."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

PageKind = Literal["web", "news"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One entry of the search index: the page as it looked when it was crawled."""

    url: str
    title: str
    text: str
    """The main text, one block a line, without markup."""
    date: datetime | None
    """When the page was published, with a time zone; None where the page does not say."""
    source: str
    """The publisher's name as a search result shows it."""
    kind: PageKind
