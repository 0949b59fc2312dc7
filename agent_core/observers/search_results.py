"""Saves what searches found, cleaned, as search_results/*.json: snippets that reports may cite."""

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from dateutil.parser import ParserError, parse
from dateutil.relativedelta import relativedelta
from pydantic_core import from_json

from agent_core.consent import name_of_record
from agent_core.json_values import find_object, is_list, text_in
from agent_core.messages import JsonObject
from agent_core.observers.observing import Execution, ToolObserved, executions, may_run
from agent_core.tools import prefix_of
from agent_core.workspaces.layout import SEARCH_RESULTS, timestamp, write_json

_SEARCH = re.compile(
    r"(?:COMPOSIO|RUBE)_SEARCH_(?!TOOLS$|FETCH_)\w+"
    r"|(?:\w+_)?(?:SEARCH_NEWS|NEWS_SEARCH|SEARCH_WEB|WEB_SEARCH|SCHOLAR\w*|DUCK_DUCK_GO\w*)"
    r"|(?:EXA|TAVILY|LINKUP|SERPAPI|PERPLEXITYAI)_\w*SEARCH\w*"
)
_NEWS_LIST = "news_results"
_LISTS = ("organic_results", "articles", "citations", "results")
_WEB = ("http://", "https://")
_DEPTH = 4


class SearchResultObserver:
    """One file for each search of a call that found something."""

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        if not may_run(observed, _SEARCH):
            return ()
        return await asyncio.to_thread(_save, observed)


def _save(observed: ToolObserved) -> list[str]:
    saved: list[str] = []
    for execution in executions(observed):
        if not _SEARCH.fullmatch(execution.slug):
            continue
        if cleaned := cleaned_results(execution, observed.at):
            made_by = name_of_record(prefix_of(observed.call.name), execution.slug)
            name = f"{made_by[:80]}_{observed.stamp(execution.position)}.json"
            path = f"{SEARCH_RESULTS}/{name}"
            write_json(observed.context.workspace / path, cleaned)
            saved.append(path)
    return saved


def cleaned_results(execution: Execution, at: datetime) -> JsonObject | None:
    """The file's content: of type `news` or `web`; None when nothing with an address was found."""
    wants_news = "NEWS" in execution.slug
    # A web search may bring a few news beside its hits.
    names = (_NEWS_LIST, *_LISTS) if wants_news else (*_LISTS, _NEWS_LIST)
    found = find_object(_begun(execution.payload), partial(_hits, names), _DEPTH)
    if found is None:
        return None
    under, hits = found
    is_news = wants_news or under == _NEWS_LIST
    clean = [
        _clean(
            item,
            place,
            at,
            is_news,
        )
        for place, item in enumerate(hits, start=1)
    ]
    return {
        "type": "news" if is_news else "web",
        "timestamp": timestamp(at),
        "tool": execution.slug,
        "articles" if is_news else "results": clean,
    }


def _begun(payload: object) -> object:
    """The result, or what is whole in its beginning where a service tells no more of it."""
    preview = find_object(payload, lambda value: text_in(value, "data_preview") or None, _DEPTH)
    try:
        return from_json(preview, allow_partial=True) if preview else payload
    except ValueError:
        return payload


def _hits(names: Sequence[str], value: JsonObject) -> tuple[str, list[JsonObject]] | None:
    """The first of the lists that holds something, with its name."""
    for name in names:
        listed = value.get(name)
        items = listed if is_list(listed) else []
        if hits := [one for one in items if text_in(one, "link", "url").startswith(_WEB)]:
            return name, hits
    return None


def _clean(item: JsonObject, place: int, at: datetime, is_news: bool) -> JsonObject:
    position = item.get("position")
    snippet = text_in(item, "snippet", "description", "summary")
    head: JsonObject = {
        "position": position if isinstance(position, int) else place,
        "title": text_in(item, "title"),
        "url": text_in(item, "link", "url"),
    }
    if not is_news:
        return {**head, "snippet": snippet}
    written = text_in(
        item,
        "date",
        "published_date",
        "published_at",
    )
    date = parse_relative_date(written, at) or written
    source = text_in(item.get("source"), "name", "title") or text_in(item, "source")
    return {**head, "source": source, "date": date, "snippet": snippet}


_UNITS = {
    "seconds": "s sec second",
    "minutes": "m min minute",
    "hours": "h hr hour",
    "days": "d day",
    "weeks": "w wk week",
    "months": "mo mon month",
    "years": "y yr year",
}
_UNIT_OF = {name: unit for unit, names in _UNITS.items() for name in names.split()}
_AGO = re.compile(r"(?:about |over )?(\d{1,6}|an?|one)\s*([a-z]{1,6}?)s?\.?(?: ago\b|$)")
_DAYS_BACK = {"now": 0, "just now": 0, "today": 0, "yesterday": 1}
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = re.compile(
    r"\d{4}-\d\d-\d\d(?!\d)|\d{1,2}/\d{1,2}/\d{4}(?!\d)"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? (\d{{4}}))?\b"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},?(?: (\d{{4}}))?\b"
)


def parse_relative_date(text: str, now: datetime) -> str | None:
    """The day that a search result means, as YYYY-MM-DD; None when it names none.

    Args:
        text: Such as "2 hours ago", "yesterday", "3d", "Jan 23, 2026", "23 January", or ISO.
        now: When the result came; relative dates count from it, in its time zone.
    """
    said = " ".join(text.split()).casefold()
    try:
        if said in _DAYS_BACK:
            day = now - relativedelta(days=_DAYS_BACK[said])
        elif (ago := _AGO.match(said)) and ago[2] in _UNIT_OF:
            count = int(ago[1]) if ago[1].isdecimal() else 1
            back: dict[str, Any] = {_UNIT_OF[ago[2]]: count}
            day = now - relativedelta(**back)
        elif written := _DAY.match(said):
            day = parse(written[0], default=now.replace(month=1, day=1))
            if day.date() > now.date() and not re.search(r"\d{4}", written[0]):
                # Without a year it is the latest such day that is not in the future.
                day = day.replace(year=now.year - 1)
        else:
            return None
    except (ParserError, ValueError, OverflowError):
        return None
    return f"{day:%Y-%m-%d}"
