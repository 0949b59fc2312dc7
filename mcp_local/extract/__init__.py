"""A page's main text, taken in a process of its own so that no page can stall or crash us."""

from dataclasses import dataclass
from typing import Literal

GOES_ON = "The page goes on; only its beginning could be read."


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPage:
    """The main text of a page as plain-reading Markdown."""

    title: str = ""
    description: str = ""
    markdown: str = ""
    note: str = ""
    """What a reader has to know of the text, such as what is left out."""
    lack: Literal["", "needs a browser", "no text on the page"] = ""
    """Why `markdown` is empty, if it is."""
