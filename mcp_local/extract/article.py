"""What is taken from a page, and the frames in which it crosses between processes."""

import struct
from typing import Literal

from pydantic import BaseModel

FRAME_HEADER = struct.Struct(">I")
"""Each message is preceded by its length in bytes."""


class Request(BaseModel):
    """A page to be read."""

    kind: Literal["html", "text"]
    text: str
    url: str


class Article(BaseModel):
    """The main text of a page as plain-reading Markdown."""

    title: str = ""
    description: str = ""
    markdown: str = ""
    lack: Literal["", "needs a browser", "no text on the page"] = ""
    """Why `markdown` is empty, if it is."""
