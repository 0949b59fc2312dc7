"""Saves what searches found, cleaned, as search_results/*.json: snippets that reports may cite."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from agent_core.messages import JsonObject
from agent_core.observers.dates import parse_relative_date
from agent_core.observers.executions import Execution, executions, may_run
from agent_core.observers.observing import ToolObserved
from agent_core.tools.payloads import is_list, is_object, search, text_in
from agent_core.workspaces.files import timestamp, write_json
from agent_core.workspaces.layout import SEARCH_RESULTS

_SEARCH = re.compile(
    r"(?:COMPOSIO|RUBE)_SEARCH_(?!TOOLS$|FETCH_)\w+"
    r"|(?:\w+_)?(?:SEARCH_NEWS|NEWS_SEARCH|SEARCH_WEB|WEB_SEARCH|SCHOLAR\w*|DUCK_DUCK_GO\w*)"
    r"|(?:EXA|TAVILY|LINKUP|SERPAPI|PERPLEXITYAI)_\w*SEARCH\w*"
)
_NEWS_LIST = "news_results"
_LISTS = ("organic_results", "articles", "citations", "results")
_DEPTH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hits:
    under: str
    """The name of the list that they came in."""
    items: tuple[JsonObject, ...]


class SearchResultObserver:
    """One file for each search of a call that found something."""

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        if not may_run(observed, _SEARCH):
            return ()
        return await asyncio.to_thread(_save, observed)


def _save(observed: ToolObserved) -> list[str]:
    saved: list[str] = []
    for execution in executions(observed):
        cleaned = (
            cleaned_results(execution, observed.at) if _SEARCH.fullmatch(execution.slug) else None
        )
        if cleaned is not None:
            name = f"{execution.slug[:80]}_{observed.stamp(execution.position)}.json"
            path = f"{SEARCH_RESULTS}/{name}"
            write_json(observed.context.workspace / path, cleaned)
            saved.append(path)
    return saved


def cleaned_results(execution: Execution, at: datetime) -> JsonObject | None:
    """The file's content: of type `news` or `web`; None when nothing with an address was found."""
    wants_news = "NEWS" in execution.slug
    # A web search may bring a few news beside its hits.
    names = (_NEWS_LIST, *_LISTS) if wants_news else (*_LISTS, _NEWS_LIST)
    hits = search(execution.payload, partial(_hits, names), _DEPTH)
    if hits is None:
        return None
    is_news = wants_news or hits.under == _NEWS_LIST
    clean = [_clean(item, place, at, is_news) for place, item in enumerate(hits.items, start=1)]
    return {
        "type": "news" if is_news else "web",
        "timestamp": timestamp(at),
        "tool": execution.slug,
        "articles" if is_news else "results": clean,
    }


def _hits(names: Sequence[str], value: JsonObject) -> _Hits | None:
    for name in names:
        listed = value.get(name)
        items = tuple(filter(_is_hit, listed)) if is_list(listed) else ()
        if items:
            return _Hits(under=name, items=items)
    return None


def _is_hit(item: object) -> bool:
    return text_in(item, "link", "url").startswith(("http://", "https://"))


def _clean(item: JsonObject, place: int, at: datetime, is_news: bool) -> JsonObject:
    position = item.get("position")
    head: JsonObject = {
        "position": position if isinstance(position, int) else place,
        "title": text_in(item, "title"),
        "url": text_in(item, "link", "url"),
    }
    if not is_news:
        return {**head, "snippet": _snippet(item)}
    written = text_in(item, "date", "published_date", "published_at")
    date = parse_relative_date(written, at) or written
    return {**head, "source": _source(item), "date": date, "snippet": _snippet(item)}


def _snippet(item: JsonObject) -> str:
    return text_in(item, "snippet", "description", "summary")


def _source(item: JsonObject) -> str:
    source = item.get("source")
    return text_in(source, "name", "title") if is_object(source) else text_in(item, "source")
