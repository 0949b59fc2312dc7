"""The small web: its own messy pages, and a folder of the user's own, however odd."""

import gzip
import os
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
from yarl import URL

from bot.sandbox.web import SmallWeb, WebPage

ARTICLE = (
    "<html><head><title>{0}</title></head><body><nav>Menu</nav><p>{0} has a text.</p></body></html>"
)


@pytest.fixture
async def web() -> AsyncGenerator[SmallWeb]:
    async with SmallWeb.builtin() as small_web:
        yield small_web


async def fetch(web: SmallWeb, url: str) -> tuple[int, bytes, Mapping[str, str]]:
    parts = urlsplit(url)
    target = URL(f"http://127.0.0.1:{web.port}{parts.path}", encoded=True)
    host, timeout = {"Host": parts.hostname or ""}, aiohttp.ClientTimeout(total=10)
    async with (
        aiohttp.ClientSession(timeout=timeout) as client,
        client.get(target, headers=host, allow_redirects=False) as response,
    ):
        return response.status, await response.read(), response.headers


async def find(web: SmallWeb, part: str) -> WebPage:
    return next(page for page in await web.ready() if part in page.url)


def write_pages(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


async def test_every_page_answers_and_the_index_knows_its_article_without_furniture(
    web: SmallWeb,
) -> None:
    pages = await web.ready()
    statuses = {page.url: (await fetch(web, page.url))[0] for page in pages}
    assert {url: status for url, status in statuses.items() if status != 200} == {
        "http://queuecraft.test/blog/durable-turns": 301,
        "http://archive.opsnotes.test/circuit-breakers-in-bots.html": 404,
    }
    assert len(pages) >= 20
    assert all(page.title and len(page.text) > 100 for page in pages)
    article = await find(web, "retries-that-do-no-harm")
    assert (article.title, article.source) == ("Retries that do no harm", "The Reliably Blog")
    assert "A retry is a bet that the same request will work the second time." in article.text
    assert "Subscribe" not in article.text


async def test_what_has_moved_is_forbidden_or_unknown_is_answered_so(web: SmallWeb) -> None:
    moved = await find(web, "durable-turns")
    _, _, headers = await fetch(web, moved.url)
    assert (await fetch(web, headers["Location"]))[0] == 200
    assert await find(web, "/internal/")
    _, robots, _ = await fetch(web, "http://docs.threadline.test/robots.txt")
    assert b"Disallow: /internal/" in robots
    assert (await fetch(web, "http://blog.reliably.test/robots.txt"))[0] == 404
    assert (await fetch(web, "http://elsewhere.test/"))[0] == 403


async def test_broken_and_empty_files_are_served_but_not_found(tmp_path: Path) -> None:
    write_pages(
        tmp_path,
        {
            "empty.html": b"",
            "blank.html": b" \n\x00\n ",
            "torn.html.gz": gzip.compress(os.urandom(4000))[:12],
            "not-gzip.html.gz": b"plainly not gzip",
            "noise.html": bytes(range(256)) * 20,
            "open-tags.html": b"<html><body><div><div><p>Still <b>readable <table><tr><td>text",
            "too-deep.html": b"<div>" * 9000 + b"too deep" + b"</div>" * 9000,
        },
    )
    async with SmallWeb.folder(tmp_path) as web:
        pages = {page.url.rpartition("/")[2]: page for page in await web.ready()}
        assert pages["open-tags.html"].text.startswith("Still readable")
        assert not {"empty.html", "blank.html", "torn.html.gz", "not-gzip.html.gz"} & set(pages)
        for name in ("empty.html", "torn.html.gz", "noise.html", "too-deep.html"):
            assert (await fetch(web, f"http://pages.test/{name}"))[0] == 200
