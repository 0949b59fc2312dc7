"""The built-in pages: each behaves over HTTP as its entry in the catalogue says."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from urllib.parse import urlsplit

import aiohttp
import pytest

from bot.sandbox.web import Page, SmallWeb

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
async def web() -> AsyncGenerator[SmallWeb]:
    async with SmallWeb.builtin(pace=0.02, clock=lambda: NOW) as small_web:
        yield small_web


@pytest.fixture
async def client() -> AsyncGenerator[aiohttp.ClientSession]:
    timeout = aiohttp.ClientTimeout(total=10)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        yield session


async def fetch(client: aiohttp.ClientSession, web: SmallWeb, url: str) -> tuple[int, bytes]:
    parts = urlsplit(url)
    async with client.get(
        f"http://127.0.0.1:{web.port}{parts.path}",
        headers={"Host": parts.hostname or ""},
        allow_redirects=False,
    ) as response:
        return response.status, await response.read()


async def find(web: SmallWeb, part: str) -> Page:
    return next(page for page in await web.ready() if part in page.url)


async def test_every_page_answers_and_the_index_knows_its_text(
    web: SmallWeb, client: aiohttp.ClientSession
) -> None:
    pages = await web.ready()
    statuses = {page.url: (await fetch(client, web, page.url))[0] for page in pages}
    others = {url: status for url, status in statuses.items() if status != 200}
    assert others == {
        "http://queuecraft.test/blog/durable-turns": 301,
        "http://archive.opsnotes.test/circuit-breakers-in-bots.html": 404,
    }
    assert all(page.title and len(page.text) > 100 for page in pages)
    assert len(pages) >= 20


async def test_the_index_holds_the_article_and_not_its_furniture(web: SmallWeb) -> None:
    page = await find(web, "retries-that-do-no-harm")
    assert "A retry is a bet that the same request will work the second time." in page.text
    assert "cookies" not in page.text
    assert "Subscribe" not in page.text
    assert "dataLayer" not in page.text
    assert page.title == "Retries that do no harm"
    assert page.source == "The Reliably Blog"


async def test_a_page_that_needs_javascript_has_no_text_but_is_known_to_search(
    web: SmallWeb, client: aiohttp.ClientSession
) -> None:
    page = await find(web, "state-of-bots-2026")
    status, body = await fetch(client, web, page.url)
    assert status == 200
    assert b'<div id="root"></div>' in body
    assert "18,000 chat bots" in page.text
    assert b"18,000 chat bots" not in body


async def test_search_knows_the_old_address_of_a_page_that_has_moved(
    web: SmallWeb, client: aiohttp.ClientSession
) -> None:
    page = await find(web, "durable-turns")
    async with client.get(
        f"http://127.0.0.1:{web.port}/blog/durable-turns",
        headers={"Host": "queuecraft.test"},
        allow_redirects=False,
    ) as response:
        target = response.headers["Location"]
    assert page.url == "http://queuecraft.test/blog/durable-turns"
    assert target == "http://www.queuecraft.test/learn/durable-turns.html"
    assert (await fetch(client, web, target))[0] == 200


async def test_one_page_is_slow_and_pace_shortens_the_wait(client: aiohttp.ClientSession) -> None:
    url = "http://slow.uptimejournal.test/essays/graceful-degradation"
    async with SmallWeb.builtin(pace=0) as quick, SmallWeb.builtin() as real:
        assert (await fetch(client, quick, url))[0] == 200
        with pytest.raises(TimeoutError):
            async with client.get(
                f"http://127.0.0.1:{real.port}/essays/graceful-degradation",
                headers={"Host": "slow.uptimejournal.test"},
                timeout=aiohttp.ClientTimeout(total=0.2),
            ):
                pass


async def test_one_page_is_latin_1_and_only_its_meta_tag_says_so(
    web: SmallWeb, client: aiohttp.ClientSession
) -> None:
    page = await find(web, "kaffeebytes")
    async with client.get(
        f"http://127.0.0.1:{web.port}/queues-for-chat-bots.html",
        headers={"Host": "blog.kaffeebytes.test"},
    ) as response:
        body = await response.read()
        assert response.headers["Content-Type"] == "text/html"
    with pytest.raises(UnicodeDecodeError):
        body.decode("utf-8")
    assert "Zürich" in body.decode("iso-8859-1")
    assert "Café Zähringer" in page.text


async def test_one_host_keeps_crawlers_from_a_path_that_search_lists(
    web: SmallWeb, client: aiohttp.ClientSession
) -> None:
    listed = await find(web, "/internal/")
    status, robots = await fetch(client, web, "http://docs.threadline.test/robots.txt")
    assert status == 200
    assert b"Disallow: /internal/" in robots
    assert urlsplit(listed.url).hostname == "docs.threadline.test"
    assert (await fetch(client, web, "http://blog.reliably.test/robots.txt"))[0] == 404


async def test_unknown_hosts_paths_and_methods_are_refused(
    web: SmallWeb, client: aiohttp.ClientSession
) -> None:
    assert (await fetch(client, web, "http://elsewhere.test/"))[0] == 421
    assert (await fetch(client, web, "http://blog.reliably.test/nothing-here"))[0] == 404
    async with client.post(
        f"http://127.0.0.1:{web.port}/guides/socket-mode.html",
        headers={"Host": "docs.threadline.test"},
    ) as response:
        assert response.status == 405


async def test_every_request_is_recorded(web: SmallWeb, client: aiohttp.ClientSession) -> None:
    await fetch(client, web, "http://blog.reliably.test/nothing-here")
    visit = web.requests[-1]
    assert (visit.host, visit.path, visit.status) == ("blog.reliably.test", "/nothing-here", 404)
    assert "aiohttp" in visit.user_agent
