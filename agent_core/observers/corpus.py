"""Saves the articles that a call extracted, one extracted_articles/*.json each."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from agent_core.messages import JsonObject
from agent_core.observers.executions import slug_of
from agent_core.observers.observing import ToolObserved, full_text
from agent_core.tools.payloads import is_list, is_object, parse, search, text_in
from agent_core.workspaces.files import timestamp, write_json
from agent_core.workspaces.layout import EXTRACTED_ARTICLES

logger = logging.getLogger(__name__)

CONTENT_CHARS = 10_000
_HEAD_CHARS = 20_000
_DEPTH = 3
_FENCE = "---\n"
_READER_ERRORS = {"1214": "page not found", "1234": "time-out, may pass"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Article:
    url: str
    title: str
    description: str
    content: str
    fetched_at: datetime


class ArticleObserver:
    """Knows the results of `crawl_parallel`, whose pages are files already, and of `webReader`."""

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        match slug_of(observed.call.name):
            case "crawl_parallel":
                return await asyncio.to_thread(_save_all, observed, _crawled)
            case "webReader":
                return await asyncio.to_thread(_save_all, observed, _read)
            case _:
                return ()


def _save_all(
    observed: ToolObserved, articles: Callable[[ToolObserved], Iterator[_Article]]
) -> list[str]:
    return [_save(article, observed.context.workspace) for article in articles(observed)]


def _save(article: _Article, workspace: Path) -> str:
    path = f"{EXTRACTED_ARTICLES}/{_file_name(article)}"
    record: JsonObject = {
        "timestamp": timestamp(article.fetched_at),
        "source_url": article.url,
        "title": article.title,
        "description": article.description,
        "content": article.content[:CONTENT_CHARS],
        "extraction_success": bool(article.content.strip()),
    }
    write_json(workspace / path, record)
    return path


def _file_name(article: _Article) -> str:
    """The same for the same fetch of the same page."""
    domain = (urlsplit(article.url).hostname or "unknown").removeprefix("www.")
    digest = hashlib.sha256(article.url.encode("utf-8", "replace")).hexdigest()[:6]
    fetched = article.fetched_at.astimezone(UTC)
    return f"{domain[:100]}_{fetched:%Y%m%d_%H%M%S_%f}_{digest}.json"


def _crawled(observed: ToolObserved) -> Iterator[_Article]:
    """The pages that a crawl could read; it names their files and leaves the text there."""
    pages = search(parse(full_text(observed)), _pages, _DEPTH) or []
    for page in pages:
        if not is_object(page):
            continue
        path = text_in(page, "path")
        if path and text_in(page, "status") == "success":
            article = _stored(observed, path, page)
            if article is not None:
                yield article


def _pages(value: JsonObject) -> list[object] | None:
    pages = value.get("pages")
    return pages if is_list(pages) else None


def _stored(observed: ToolObserved, path: str, row: JsonObject) -> _Article | None:
    """A page from its Markdown file; None for a path that leads out of the workspace or nowhere.

    What the file's facts lack is taken from the crawl's row.
    """
    workspace = observed.context.workspace.resolve()
    try:
        file = (workspace / path).resolve()
        if not file.is_relative_to(workspace):
            return None
        with file.open(encoding="utf-8", errors="replace") as opened:
            text = opened.read(_HEAD_CHARS + CONTENT_CHARS)
    except (OSError, ValueError):  # a path with NUL in it is a ValueError
        return None
    facts, content = _front_matter(text)
    return _Article(
        url=text_in(facts, "url") or text_in(row, "url"),
        title=text_in(facts, "title") or text_in(row, "title"),
        description=text_in(facts, "description"),
        content=content,
        fetched_at=_moment(facts.get("fetched_at")) or observed.at,
    )


def _front_matter(text: str) -> tuple[JsonObject, str]:
    head, fence, content = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
    if not (text.startswith(_FENCE) and fence):
        return {}, text
    content = content.removeprefix("\n")
    try:
        facts: object = yaml.safe_load(head)
    except yaml.YAMLError:
        return {}, content
    return (facts if is_object(facts) else {}), content


def _moment(value: object) -> datetime | None:
    if not isinstance(value, datetime):
        try:
            value = datetime.fromisoformat(str(value))
        except ValueError:
            return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _read(observed: ToolObserved) -> Iterator[_Article]:
    """The one page that a reader service returned."""
    text = full_text(observed)
    for code, meaning in _READER_ERRORS.items():
        if f'"code":"{code}"' in text.replace(" ", ""):
            logger.info("webReader: %s (%s)", meaning, code)
            return
    page = search(parse(text), _reader_page, _DEPTH)
    if observed.output.is_error or page is None:
        return
    yield _Article(
        url=text_in(page, "url") or text_in(observed.call.arguments, "url"),
        title=text_in(page, "title"),
        description=text_in(page, "description"),
        content=text_in(page, "content"),
        fetched_at=observed.at,
    )


def _reader_page(value: JsonObject) -> JsonObject | None:
    return value if isinstance(value.get("content"), str) else None
