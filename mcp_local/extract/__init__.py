"""A page's main text, taken in a process of its own so that no page can stall or crash us."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """The main text of a page as plain-reading Markdown."""

    title: str = ""
    description: str = ""
    markdown: str = ""
    lack: Literal["", "needs a browser", "no text on the page"] = ""
    """Why `markdown` is empty, if it is."""
