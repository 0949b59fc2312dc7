"""Which pages a session has read, with their titles and, where a search told it, their dates."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from agent_core.schedules.pages import PageRead
from agent_core.workspaces.layout import EXTRACTED_ARTICLES, SEARCH_RESULTS

MAX_PAGES = 200


def pages_read(workspace: Path) -> tuple[PageRead, ...]:
    """The session's pages in the order of reading, each once; damaged files are left out."""
    dates = {found["url"]: str(found["date"]) for found in _found(workspace) if found.get("date")}
    pages: dict[str, PageRead] = {}
    for saved in _objects(workspace / EXTRACTED_ARTICLES):
        url = str(saved.get("source_url") or "")
        if url and saved.get("extraction_success"):
            title = " ".join(str(saved.get("title") or "").split())
            pages.setdefault(url, PageRead(url=url, title=title, date=dates.get(url, "")))
    return tuple(pages.values())[:MAX_PAGES]


def _found(workspace: Path) -> Iterator[dict[str, Any]]:
    for saved in _objects(workspace / SEARCH_RESULTS):
        for field in ("results", "articles"):
            entries = saved.get(field)
            for entry in cast("list[Any]", entries) if isinstance(entries, list) else []:
                if isinstance(entry, dict) and "url" in entry:
                    yield cast("dict[str, Any]", entry)


def _objects(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            saved = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(saved, dict):
            yield cast("dict[str, Any]", saved)
