"""A folder of the user's own pages, however odd."""

import gzip
import os
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import aiohttp
import pytest
from yarl import URL

from bot.sandbox.web import NoPagesError, SmallWeb

ARTICLE = (
    "<html><head><title>{0}</title></head><body><nav>Menu</nav><p>{0} has a text.</p></body></html>"
)


def write_pages(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


async def fetch(web: SmallWeb, url: str, **headers: str) -> tuple[int, bytes, Mapping[str, str]]:
    parts = urlsplit(url)
    target = URL(f"http://127.0.0.1:{web.port}{parts.path}", encoded=True)
    timeout = aiohttp.ClientTimeout(total=10)
    async with (
        aiohttp.ClientSession(timeout=timeout, auto_decompress=False) as client,
        client.get(target, headers={"Host": parts.hostname or "", **headers}) as response,
    ):
        return response.status, await response.read(), response.headers


async def test_each_url_ends_in_the_name_of_its_file(tmp_path: Path) -> None:
    names = ["a.html", "B.HTM", "deep/er/c.html", "notes/Ünïcode ☂ größe.html", "50% off? #1.html"]
    write_pages(tmp_path, {name: ARTICLE.format(name).encode() for name in names})
    async with SmallWeb.folder(tmp_path) as web:
        pages = await web.ready()
        assert web.hosts == ("pages.test",)
        assert len(pages) == len(names)
        for page in pages:
            assert urlsplit(page.url).hostname == "pages.test"
            status, body, _ = await fetch(web, page.url)
            assert status == 200
            assert body.decode() == ARTICLE.format(page.title)


async def test_packed_pages_arrive_as_html(tmp_path: Path) -> None:
    html = ARTICLE.format("Packed").encode()
    write_pages(tmp_path, {"p.html.gz": gzip.compress(html)})
    async with SmallWeb.folder(tmp_path) as web:
        [page] = await web.ready()
        assert page.title == "Packed"
        status, packed, headers = await fetch(web, page.url, **{"Accept-Encoding": "gzip"})
        assert status == 200
        assert headers["Content-Encoding"] == "gzip"
        assert headers["Content-Type"] == "text/html"
        assert gzip.decompress(packed) == html
        _, plain, headers = await fetch(web, page.url, **{"Accept-Encoding": "identity"})
        assert plain == html
        assert "Content-Encoding" not in headers


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


@pytest.mark.parametrize("missing", ["nothing-here", "file.html"])
def test_a_folder_that_is_none_is_named(tmp_path: Path, missing: str) -> None:
    (tmp_path / "file.html").write_text("<p>x", encoding="utf-8")
    with pytest.raises(NoPagesError, match="is not a folder"):
        SmallWeb.folder(tmp_path / missing)


def test_a_folder_without_pages_is_named(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("no page", encoding="utf-8")
    with pytest.raises(NoPagesError, match="holds no page"):
        SmallWeb.folder(tmp_path)


async def test_closing_does_not_wait_for_the_rest_of_the_pages(tmp_path: Path) -> None:
    big = b"<p>" + b"word " * 200_000
    write_pages(tmp_path, {f"{number}.html": big for number in range(100)})
    begin = monotonic()
    async with SmallWeb.folder(tmp_path):
        pass
    assert monotonic() - begin < 5
