"""Which addresses a session came by, in its searches and by fetching; and which an answer cites."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from agent_core.workspaces.layout import SEARCH_RESULTS

MAX_SOURCES = 2_000
_FRONT_MATTER_CHARS = 8_000
_FIELDS = ("url", "final_url")
_MAX_CITED = 999
_OWN = re.compile(
    r"^[ \t>*-]*\[\^?(\d{1,3})\]:?[ \t]+[^\n]*?(https?://[^\s<>()\]\"]+)", re.MULTILINE
)
"""A line of an answer's own list of sources."""


def cited_in(answer: str, report: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses that `[1]`, `[2]`, … stand for: by the answer's own list or the last report."""
    own = {int(number): url.rstrip(".,;") for number, url in _OWN.findall(answer)}
    if not own:
        return report
    last = min(max(own), _MAX_CITED)
    numbers = range(1, last + 1)
    return tuple(own.get(number, "") for number in numbers)


def known_sources(workspace: Path) -> tuple[str, ...]:
    """Addresses of search results and of fetched pages, each once; damaged files are left out."""
    folder = workspace / SEARCH_RESULTS
    if not folder.is_dir():
        return ()
    addresses: dict[str, None] = {}
    for path in sorted(folder.iterdir()):
        try:
            text = path.read_text(encoding="utf-8")
            urls = _listed(text) if path.suffix == ".json" else _fetched(text)
            addresses |= dict.fromkeys(urls)
        except (OSError, ValueError):
            continue
    return tuple(addresses)[:MAX_SOURCES]


def _listed(text: str) -> Iterator[str]:
    saved = cast("dict[str, list[dict[str, Any]]]", json.loads(text))
    for field in ("articles", "results"):
        for entry in saved.get(field, []):
            yield str(entry.get("url", ""))


def _fetched(text: str) -> Iterator[str]:
    """The addresses in a page's front matter."""
    front_matter, _, _ = text[:_FRONT_MATTER_CHARS].partition("\n---\n")
    for line in front_matter.splitlines():
        field, _, url = line.partition(": ")
        if field in _FIELDS:
            yield url.strip("'\"")
