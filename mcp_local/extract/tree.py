"""What we use of lxml's elements, which come without types."""

from collections.abc import Iterator
from typing import Protocol


class Element(Protocol):
    """An element of an HTML page, or of trafilatura's simpler tree."""

    tag: object
    """The name; comments and processing instructions have something else here."""
    text: str | None
    tail: str | None

    def __iter__(self) -> Iterator["Element"]: ...

    def extend(self, elements: "list[Element]", /) -> None: ...

    def get(self, key: str, default: str, /) -> str: ...

    def iter(self, *tags: str) -> Iterator["Element"]: ...

    def iterancestors(self) -> Iterator["Element"]: ...

    def iterchildren(self, *tags: str) -> Iterator["Element"]: ...

    def itertext(self) -> Iterator[str]: ...


def line_of(text: str | None) -> str:
    """Text on one line, each run of white space one space."""
    return " ".join((text or "").split())
