"""The two search tools: their arguments, and results in the shape that Composio gives them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from bot.sandbox.composio.answers import write_answer
from bot.sandbox.composio.dates import describe_date, parse_when, write_date
from bot.sandbox.composio.faults import Faults
from bot.sandbox.composio.index import Hit, SearchIndex
from bot.sandbox.composio.outcome import Data
from bot.sandbox.web import Page


class WebArguments(BaseModel):
    """Arguments of COMPOSIO_SEARCH_WEB."""

    query: Annotated[
        str, Field(min_length=1, description="What to look for, in a few telling words.")
    ]
    num_results: Annotated[
        int, Field(ge=1, le=20, description="How many results to return at most.")
    ] = 10


class NewsArguments(WebArguments):
    """Arguments of COMPOSIO_SEARCH_NEWS."""

    when: Annotated[
        str | None,
        Field(
            description="Only news of this time range: h, d, w, m or y for the last hour, day, "
            "week, month or year, with a number for several (2d)."
        ),
    ] = None
    gl: Annotated[str | None, Field(description="Country to search from, as two letters (us).")] = (
        None
    )
    hl: Annotated[str | None, Field(description="Language of the results (en).")] = None


class SearchEngine:
    """Searches the pages that `load` brings; the index is built on first use, in a thread."""

    def __init__(
        self,
        load: Callable[[], Awaitable[Sequence[Page]]],
        clock: Callable[[], datetime],
        faults: Faults,
    ) -> None:
        self._load = load
        self._clock = clock
        self._faults = faults
        self._index: asyncio.Task[SearchIndex] | None = None

    async def search_web(self, arguments: WebArguments) -> Data:
        index = await self._get_index()
        query = arguments.query
        hits = await asyncio.to_thread(index.search, query, limit=arguments.num_results)
        if self._faults.web_shape == "organic":
            return {"results": {"organic_results": [_organic(n, hit) for n, hit in _count(hits)]}}
        answer = await asyncio.to_thread(write_answer, query, hits)
        return {"answer": answer, "citations": [_citation(hit) for hit in hits]}

    async def search_news(self, arguments: NewsArguments) -> Data:
        index = await self._get_index()
        now = self._clock()
        hits = await asyncio.to_thread(
            index.search,
            arguments.query,
            limit=arguments.num_results,
            kind="news",
            since=parse_when(arguments.when, now=now),
        )
        return {"news_results": [_news(number, hit, now) for number, hit in _count(hits)]}

    async def close(self) -> None:
        """Ends the building of the index, or drops it."""
        if self._index is None:
            return
        self._index.cancel()
        await asyncio.wait([self._index])
        if not self._index.cancelled() and self._index.exception() is None:
            self._index.result().close()

    async def _get_index(self) -> SearchIndex:
        if self._index is None:
            self._index = asyncio.create_task(self._build())
        return await asyncio.shield(self._index)

    async def _build(self) -> SearchIndex:
        return await asyncio.to_thread(SearchIndex, await self._load())


def _count(hits: list[Hit]) -> "enumerate[Hit]":
    return enumerate(hits, start=1)


def _citation(hit: Hit) -> Data:
    page = hit.page
    return {"id": page.url, "url": page.url, "title": page.title, "snippet": _date_snippet(hit)}


def _organic(position: int, hit: Hit) -> Data:
    page = hit.page
    return {
        "position": position,
        "title": page.title,
        "link": page.url,
        "source": page.source,
        "snippet": _date_snippet(hit),
    }


def _news(position: int, hit: Hit, now: datetime) -> Data:
    page = hit.page
    dated = {} if page.date is None else {"date": describe_date(page.date, now=now)}
    return {
        "position": position,
        "title": page.title,
        "link": page.url,
        "source": page.source,
        "snippet": hit.snippet,
        **dated,
    }


def _date_snippet(hit: Hit) -> str:
    """The snippet of a web result, which begins with the page's date where there is one."""
    date = hit.page.date
    return hit.snippet if date is None else f"{write_date(date)} · {hit.snippet}"
