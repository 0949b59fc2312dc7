"""The web search without Composio: what the tools answer, and what stands in for the engines."""

import pytest
from aiohttp import web
from ddgs.engines import ENGINES
from ddgs.engines.duckduckgo import Duckduckgo
from mcp.client import Client

from bot.sandbox.loopback import LOOPBACK, serve
from bot.sandbox.web import SmallWeb
from mcp_local.server import build_server
from mcp_local.settings import Settings
from tests.mcp_local.sessions import Answer

DUCK = """<div class="links_main links_deep result__body"><h2><a href="https://a.example/tower">
The tower</a></h2><a href="https://a.example/tower">It is <b>324</b> metres high.</a></div>"""


async def search(backend: str, tool: str = "search_web", query: str = "retries") -> Answer:
    async with Client(build_server(Settings(search_backend=backend))) as client:
        return Answer(await client.call_tool(tool, {"query": query}))


@pytest.mark.proves("search.keyless")
async def test_a_searxng_is_asked_for_pages_and_for_news() -> None:
    async with SmallWeb.builtin() as pages:
        address = pages.environment["SEARCH_BACKEND"]
        pages_hit = (await search(address)).json()
        news = (await search(address, "search_news")).json()["news_results"]
        nothing = (await search(address, query="qwxzvk")).json()
    assert "without Composio, through 127.0.0.1" in pages_hit["note"]
    first = pages_hit["results"][0]
    assert "retr" in f"{first['title']} {first['snippet']}".casefold()
    assert {"title", "url", "snippet", "source", "date"} <= news[0].keys()
    assert nothing == {"results": [], "note": "Nothing was found. Try other words."}


@pytest.mark.proves("search.keyless")
async def test_search_engines_are_asked_through_ddgs() -> None:
    async def answer(request: web.Request) -> web.Response:
        text = DUCK if (await request.post()).get("q") == "tower" else "<html></html>"
        return web.Response(text=text, content_type="text/html")

    app = web.Application()
    app.router.add_post("/html/", answer)
    async with serve(app) as port:

        class Loopback(Duckduckgo):
            """One more engine of the library, which is asked here and read as the real one is."""

            name = "loopback"
            search_url = f"http://{LOOPBACK}:{port}/html/"

        ENGINES["text"][Loopback.name] = Loopback
        tower = (await search(Loopback.name, query="tower")).json()
        nothing = (await search(Loopback.name, query="else")).json()
        del ENGINES["text"][Loopback.name]
    assert tower["results"] == [
        {
            "title": "The tower",
            "url": "https://a.example/tower",
            "snippet": "It is 324 metres high.",
        }
    ]
    assert nothing["results"] == []


@pytest.mark.proves("search.spread")
async def test_no_publisher_takes_all_places_and_a_hit_that_says_nothing_comes_last() -> None:
    urls = [f"https://{n}.a.co.uk/" for n in range(4)] + ["https://b.co.uk/", "https://c.example/"]
    hits = [{"title": "T", "url": url, "content": "Words."} for url in urls]
    hits.insert(0, {"title": "T", "url": "https://d.example/", "content": " "})

    async def answer(_: web.Request) -> web.Response:
        return web.json_response({"results": hits})

    app = web.Application()
    app.router.add_get("/search", answer)
    async with serve(app) as port:
        rows = (await search(f"http://{LOOPBACK}:{port}")).json()["results"]
    letters = [row["url"].split(".")[-3 if "co.uk" in row["url"] else 0][-1] for row in rows]
    assert letters == ["a", "a", "b", "c", "d", "a", "a"]


@pytest.mark.parametrize("status", [500, 200])
async def test_a_search_that_does_not_answer_is_a_plain_error(status: int) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text="<html>no JSON, and a secret</html>")

    app = web.Application()
    app.router.add_get("/search", answer)
    async with serve(app) as port:
        answered = await search(f"http://{LOOPBACK}:{port}")
    assert answered.failed
    assert "did not answer" in answered.text
    assert "secret" not in answered.text


@pytest.mark.parametrize("given", [{"search_backend": "off"}, {"composio_api_key": "ak_1"}])
async def test_the_search_is_offered_where_nothing_else_is(given: dict[str, str]) -> None:
    async with Client(build_server(Settings.model_validate(given))) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert names.isdisjoint({"search_web", "search_news"})
