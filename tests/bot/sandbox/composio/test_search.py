"""The two search tools: their shapes, their ranking, and that any query is safe."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.composio import ComposioStandIn, Faults
from bot.sandbox.composio.engine import NewsArguments, SearchEngine, WebArguments
from bot.sandbox.composio.index import SearchIndex
from bot.sandbox.composio.sessions import SessionRequest, open_session
from bot.sandbox.web import Page, SmallWeb
from tests.bot.sandbox.composio.world import NOW, PAGES, call, connect

INDEX = SearchIndex(PAGES)


async def load() -> tuple[Page, ...]:
    return PAGES


def make_engine() -> SearchEngine:
    return SearchEngine(load, lambda: NOW, Faults())


async def search_news(**arguments: Any) -> list[dict[str, Any]]:
    found = await make_engine().search_news(NewsArguments(**arguments))
    return found["news_results"]


async def test_web_results_are_an_answer_and_its_citations() -> None:
    found = await make_engine().search_web(WebArguments(query="idempotency key for retries"))
    assert set(found) == {"answer", "citations"}
    first = found["citations"][0]
    assert first == {
        "id": "http://a.test/retries",
        "url": "http://a.test/retries",
        "title": "Retries without harm",
        "snippet": "Jan 23, 2026 · Retries need a key. A stable idempotency key makes a second "
        "attempt harmless.",
    }
    assert "A stable idempotency key makes a second attempt harmless." in found["answer"]
    assert "([Retries without harm](http://a.test/retries))" in found["answer"]


async def test_web_results_can_have_the_older_nesting() -> None:
    engine = SearchEngine(load, lambda: NOW, Faults(web_shape="organic"))
    found = await engine.search_web(WebArguments(query="coffee"))
    [result] = found["results"]["organic_results"]
    assert result == {
        "position": 1,
        "title": "The café report",
        "link": "http://b.test/cafe",
        "source": "b.test",
        "snippet": "The Café Zähringer sold 410 cups of coffee on Monday.",
    }


async def test_news_results_say_when_in_words_or_as_a_date() -> None:
    fresh, old = await search_news(query="outage of the chat platform")
    assert fresh == {
        "position": 1,
        "title": "Retry storm prolongs outage",
        "link": "http://n.test/outage",
        "source": "The Daily",
        "snippet": "A retry storm kept the chat platform down for two hours on Wednesday.",
        "date": "2 hours ago",
    }
    assert (old["position"], old["date"]) == (2, "Jan 23, 2026")


async def test_news_holds_only_news_and_keeps_to_its_time_range() -> None:
    assert {item["link"] for item in await search_news(query="retry")} == {"http://n.test/outage"}
    links = [item["link"] for item in await search_news(query="outage", when="d")]
    assert links == ["http://n.test/outage"]
    assert await search_news(query="outage", when="h") == []
    assert len(await search_news(query="outage", when="y")) == 2


async def test_a_search_without_hits_is_an_empty_list() -> None:
    found = await make_engine().search_web(WebArguments(query="xylophone"))
    assert found == {"answer": "", "citations": []}
    assert await search_news(query="xylophone") == []


async def test_the_number_of_results_can_be_chosen() -> None:
    assert len(await search_news(query="outage", num_results=1)) == 1


@pytest.mark.parametrize("query", ["retry", "RETRIES", "retrying?", "cafe", "CAFÉ", "Zahringer"])
def test_word_forms_case_and_accents_do_not_matter(query: str) -> None:
    assert INDEX.search(query, limit=3)


def test_a_page_with_all_words_comes_before_one_with_some() -> None:
    hits = INDEX.search("retry storm chat platform key", limit=10)
    assert hits[0].page.url == "http://n.test/outage"
    assert "http://a.test/retries" in {hit.page.url for hit in hits}


def test_words_in_the_title_count_more() -> None:
    pages = [
        make_page("http://x.test/1", "Other things", "Ferries and trains. The ferry left."),
        make_page("http://x.test/2", "The ferry", "It left at nine. Nothing more is known of it."),
    ]
    assert SearchIndex(pages).search("ferry", limit=2)[0].page.url == "http://x.test/2"


def make_page(url: str, title: str, text: str) -> Page:
    return Page(url=url, title=title, text=text, date=None, source="x", kind="web")


TORTURE = (
    'café "unclosed', "a AND", "NOT", "NEAR(a b, 3)", "title:x OR text:y", "^retry*", "{a b}: c",
    "-retry +storm", "'; DROP TABLE pages; --", "🦆🦆", "retry\x00storm", "(((", '""', "*", " ",
    "a" * 2000, "word " * 400, "\ud800 retry", "½ ² ﷽ 東京", "what is the", "1.5e9", "a_b-c.d",
)  # fmt: skip


@pytest.mark.parametrize("query", TORTURE)
def test_no_query_is_read_as_an_operator(query: str) -> None:
    assert all(hit.page in PAGES for hit in INDEX.search(query, limit=10))


@given(st.text(max_size=300))
def test_any_text_can_be_searched_for(query: str) -> None:
    assert len(INDEX.search(query, limit=10)) <= len(PAGES)


@given(
    st.lists(st.sampled_from(['"', "*", "(", ")", "AND", "OR", "NOT", "NEAR", ":", "^", "retry"]))
)
def test_operators_alone_and_in_any_order_are_only_words(parts: list[str]) -> None:
    hits = INDEX.search(" ".join(parts), limit=10)
    assert bool(hits) or "retry" not in parts


async def test_torture_passes_over_mcp_too(standin: ComposioStandIn) -> None:
    session = open_session(SessionRequest(user_id="T1:U1"))
    standin.sessions[session.id] = session
    async with connect(standin, session) as client:
        for query in ('"" OR (', "🦆", "x" * 2000):
            answer = await call(client, "COMPOSIO_SEARCH_WEB", {"query": query})
            assert answer["successful"] is True
        answer = await call(client, "COMPOSIO_SEARCH_NEWS", {"query": "outage", "when": "soon"})
    assert len(answer["data"]["news_results"]) == 2


async def test_the_index_waits_for_pages_that_are_still_being_read() -> None:
    read = asyncio.Event()

    async def load_late() -> tuple[Page, ...]:
        await read.wait()
        return PAGES

    engine = SearchEngine(load_late, lambda: NOW, Faults())
    async with asyncio.TaskGroup() as group:
        search = group.create_task(engine.search_web(WebArguments(query="coffee")))
        await asyncio.wait([search], timeout=0.05)
        assert not search.done()
        read.set()
    assert len(search.result()["citations"]) == 1
    await engine.close()


async def test_closing_does_not_wait_for_pages_that_never_come() -> None:
    async def load_never() -> tuple[Page, ...]:
        await asyncio.Event().wait()
        return PAGES

    engine = SearchEngine(load_never, lambda: NOW, Faults())
    search = asyncio.ensure_future(engine.search_web(WebArguments(query="coffee")))
    await asyncio.wait([search], timeout=0.05)
    async with asyncio.timeout(5):
        await engine.close()
        await asyncio.wait([search])
    assert search.cancelled()


async def test_the_built_in_web_answers_what_its_users_ask() -> None:
    async with SmallWeb.builtin(pace=0, clock=lambda: NOW) as web:
        index = SearchIndex(await web.ready())
    urls = {
        question: [hit.page.url for hit in index.search(question, limit=10)]
        for question in (
            "keeping chat bots reliable",
            "retries and idempotency",
            "battery storage in the grid",
            "SQLite or Postgres for a small team",
            "heat pumps in old houses",
        )
    }
    assert len(urls["keeping chat bots reliable"]) == 10
    reliable = json.dumps(urls["keeping chat bots reliable"])
    assert not any(word in reliable for word in ("heat-pumps", "batteries", "lumen", "sqlite"))
    assert "retries-that-do-no-harm" in urls["retries and idempotency"][0]
    assert "batteries-in-the-grid" in urls["battery storage in the grid"][0]
    assert "sqlite-or-postgres" in urls["SQLite or Postgres for a small team"][0]
    assert "heat-pumps" in urls["heat pumps in old houses"][0]
