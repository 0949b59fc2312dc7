"""A page that a run has read, as far as a digest tells of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRead:
    """A page that was fetched and had text."""

    url: str
    title: str
    date: str
    """As the search wrote it, such as `2026-11-20`; empty where none did."""
