"""The web search without a key, offered where there is no Composio.

Public search engines are asked through ddgs, an instance of SearXNG through the fetch guard.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import urlencode, urlsplit

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field
from pydantic_core import from_json

from mcp_local.errors import FetchError, ToolkitError
from mcp_local.settings import Settings
from mcp_local.sources import site_of
from mcp_local.tools import LOOKS_UP, local_tool, text_result

SearchKind = Literal["web", "news"]
OFF = "off"
_TIMEOUT_S = 10
_MOST_OF_A_PUBLISHER = 2
_UNANSWERED = (
    "The web search did not answer. Try once more in other words; if it fails again, say in your "
    "answer that the search could not be used."
)
_NOTE = (
    "Searched without Composio, through {}. Results are snippets: read the pages that matter with "
    "crawl_parallel."
)

SearchQuery = Annotated[
    str,
    Field(
        min_length=1,
        description="A few telling words, in the language of the pages that are looked for.",
    ),
]
Region = Annotated[
    str,
    Field(
        pattern="^[a-z]{2}-[a-z]{2}$",
        description="Country and language of the results, such as us-en, de-de or es-es.",
    ),
]
HitCount = Annotated[int, Field(ge=1, le=20, description="How many results at most.")]


def register(server: MCPServer, settings: Settings) -> None:
    """Add the tools to the server. Raises ValueError where SEARCH_BACKEND cannot be read."""
    backend = settings.search_backend
    is_address = "://" in backend
    if is_address and not backend.startswith(("http://", "https://")):
        raise ValueError(f"SEARCH_BACKEND must be an http or https address, not {backend!r}")
    ask = partial(_ask_searxng, settings) if is_address else partial(_ask_ddgs, backend)
    name = (urlsplit(backend).hostname or backend) if is_address else "public search engines"

    async def search(kind: SearchKind, query: str, region: str, count: int) -> CallToolResult:
        hits = _spread([_row(hit) for hit in await ask(kind, query, region, count)])[:count]
        listed = "news_results" if kind == "news" else "results"
        note = _NOTE.format(name) if hits else "Nothing was found. Try other words."
        return text_result({listed: hits, "note": note})

    @local_tool(server, "Search the web", LOOKS_UP)
    async def search_web(
        query: SearchQuery, region: Region = "us-en", num_results: HitCount = 10
    ) -> CallToolResult:
        """Search the web: pages with title, address and a snippet, the best first.

        Use it for background, documentation, official figures and comparisons, with one query for
        each sub-question and angle, also in the language in which a subject's own sources write.
        """
        return await search("web", query, region, num_results)

    @local_tool(server, "Search the news", LOOKS_UP)
    async def search_news(
        query: SearchQuery, region: Region = "us-en", num_results: HitCount = 10
    ) -> CallToolResult:
        """Search recent news: articles with title, address, publisher, date and a snippet."""
        return await search("news", query, region, num_results)


_FIELDS = {
    "title": ("title",),
    "url": ("url", "href"),
    "source": ("source",),
    "date": ("date", "publishedDate"),
    "snippet": ("body", "content"),
}
"""What a result has here, and what the backends call it."""


def _row(hit: Mapping[str, Any]) -> dict[str, str]:
    row: dict[str, str] = {}
    for name, keys in _FIELDS.items():
        values = (str(hit.get(key) or "").strip() for key in keys)
        if value := next(filter(None, values), ""):
            row[name] = value
    return row


def _spread(hits: Iterable[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """The best hits first, but a few of each publisher before more of the same.

    One without a snippet is no source yet, and comes last.
    """
    uses: Counter[str] = Counter()

    def comes_late(hit: Mapping[str, str]) -> bool:
        publisher = site_of(hit.get("url", ""))
        uses[publisher] += 1
        return uses[publisher] > _MOST_OF_A_PUBLISHER or "snippet" not in hit

    return sorted(hits, key=comes_late)


async def _ask_ddgs(
    backend: str, kind: SearchKind, query: str, region: str, count: int
) -> Iterable[Mapping[str, Any]]:
    """The library ddgs chooses the addresses itself: only the query is ours, nothing to guard."""
    # Imported by the first search: its HTTP client takes 15 MB.
    from ddgs.ddgs import DDGS
    from ddgs.exceptions import DDGSException

    engines = DDGS(timeout=_TIMEOUT_S)
    search = engines.news if kind == "news" else engines.text
    try:
        return await asyncio.to_thread(
            search, query, region=region, max_results=count, backend=backend
        )
    except DDGSException as error:
        if "No results" in str(error):
            return []
        raise ToolkitError(_UNANSWERED) from error


async def _ask_searxng(
    settings: Settings, kind: SearchKind, query: str, region: str, count: int
) -> Iterable[Mapping[str, Any]]:
    """The operator's own instance, which need not be public; it has to allow the format json."""
    from mcp_local.fetch.client import Client, Limits
    from mcp_local.fetch.urls import Allowance

    base = settings.search_backend.rstrip("/")
    host = urlsplit(base).netloc
    allowance = Allowance.from_settings(settings.model_copy(update={"crawl_allow": host}))
    parameters = {
        "q": query,
        "format": "json",
        "categories": "news" if kind == "news" else "general",
        "language": region.partition("-")[2],
    }
    try:
        async with Client(allowance) as client:
            answer = await client.get(
                f"{base}/search?{urlencode(parameters)}",
                limits=Limits(max_bytes=2_000_000, total_s=_TIMEOUT_S),
            )
        return from_json(answer.body)["results"]
    except (FetchError, ValueError, KeyError) as error:
        raise ToolkitError(_UNANSWERED) from error
