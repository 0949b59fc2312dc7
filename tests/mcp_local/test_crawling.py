"""How a batch is read: how much at once, how many pages each."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from mcp_local.browser import Browsers
from mcp_local.crawling import MAX_PAGES_PER_SESSION, Crawler
from mcp_local.fetch.client import Limits
from mcp_local.settings import Settings
from mcp_local.sources import page_path
from mcp_local.workspace import Workspace
from tests.mcp_local.fetch.world import PUBLIC, Names, Site, article, client_for, serving

IN_A_PROCESS = pytest.mark.process("pages are read in a process of its own")

HOSTS = [f"{letter}.example" for letter in "abcdef"]
THREE_HOSTS = HOSTS[:3]
"""Of ten pages at once, three of each host would be too few."""


@asynccontextmanager
async def crawling(
    root: Path, limits: Limits | None = None, browsers: Browsers | None = None
) -> AsyncGenerator[tuple[Crawler, Site]]:
    async with serving() as site:
        names = Names({host: [[PUBLIC]] for host in HOSTS})
        browsers = browsers or Browsers(Settings())
        yield Crawler(lambda: client_for(site, names=names, limits=limits), browsers), site


def session(root: Path, name: str = "session_1") -> Workspace:
    (root / name).mkdir()
    return Workspace(root / name)


async def no_progress(done: int, total: int) -> None:
    del done, total


class Doors:
    """A handler that holds its visitors until it is opened, and counts them by host."""

    def __init__(self, text: str = "") -> None:
        self._text = text or article()
        self.inside: list[str] = []
        self._changed = asyncio.Condition()
        self._open = asyncio.Event()

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        async with self._changed:
            self.inside.append(request.host)
            self._changed.notify_all()
        await self._open.wait()
        return web.Response(text=self._text, content_type="text/html")

    async def filled(self, count: int) -> None:
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: len(self.inside) >= count)

    def open(self) -> None:
        self._open.set()


@IN_A_PROCESS
@pytest.mark.proves("crawl.parallel")
async def test_ten_pages_are_asked_for_at_once_and_four_of_a_host(tmp_path: Path) -> None:
    doors = Doors()
    urls = [f"http://{host}/held?{n}" for host in THREE_HOSTS for n in range(6)]
    async with crawling(tmp_path) as (crawler, site):
        site.pages["/held"] = doors
        batch = asyncio.create_task(crawler.crawl(session(tmp_path), urls, no_progress))
        await doors.filled(10)
        held = list(doors.inside)
        doors.open()
        rows = await batch
    assert len(held) == 10
    assert max(held.count(host) for host in THREE_HOSTS) == 4
    assert all(row.ok for row in rows)
    assert [row.url for row in rows] == urls


@IN_A_PROCESS
async def test_a_held_host_does_not_hold_the_others(tmp_path: Path) -> None:
    doors = Doors()
    urls = [f"http://a.example/held?{n}" for n in range(8)]
    async with crawling(tmp_path) as (crawler, site):
        site.pages["/held"] = doors
        site.html("/free", article())
        workspace = session(tmp_path)
        batch = asyncio.create_task(crawler.crawl(workspace, urls, no_progress))
        await doors.filled(4)
        async with asyncio.timeout(20):
            other = await crawler.crawl(workspace, ["http://b.example/free"], no_progress)
        assert other[0].ok
        assert doors.inside == ["a.example"] * 4
        doors.open()
        await batch


@IN_A_PROCESS
@pytest.mark.proves("attacks.reader_fairness")
async def test_pages_that_wait_for_a_browser_hold_no_other_persons_page(tmp_path: Path) -> None:
    """The browser hangs here: rows of script pages come when it is given up, and not before."""
    hanging = tmp_path / "chromium"
    hanging.write_text("#!/bin/sh\nexec sleep 600\n")
    hanging.chmod(0o700)
    browsers = Browsers(Settings(crawl_browser=str(hanging)), limit_s=30.0)
    doors = Doors("<div id=root></div><script>start()</script>")
    done: list[str] = []

    async def crawl(name: str, urls: list[str]) -> None:
        async def progress(_: int, __: int) -> None:
            done.append(name)

        await crawler.crawl(session(tmp_path, name), urls, progress)

    async with crawling(tmp_path, browsers=browsers) as (crawler, site):
        site.pages["/held"] = doors
        site.html("/plain", article())
        script_pages = [f"http://{host}/held?{n}" for host in HOSTS[:5] for n in range(2)]
        hers = [asyncio.create_task(crawl(f"hers_{n}", script_pages)) for n in range(2)]
        await doors.filled(20)
        doors.open()
        await crawl("his", ["http://f.example/plain"])
        assert done == ["his"]
        for task in hers:
            task.cancel()
        await asyncio.wait(hers)


@IN_A_PROCESS
async def test_a_session_has_a_last_page(tmp_path: Path) -> None:
    workspace = session(tmp_path)
    for n in range(MAX_PAGES_PER_SESSION):
        path = workspace.root / page_path(f"http://old.example/{n}")
        path.parent.mkdir(exist_ok=True)
        path.touch()
    async with crawling(tmp_path) as (crawler, site):
        site.html("/page", article())
        urls = ["http://a.example/page"]
        rows = await crawler.crawl(workspace, urls, no_progress)
        fresh = await crawler.crawl(session(tmp_path, "session_2"), urls, no_progress)
    assert {row.status for row in rows} == {"failed: this session has used its 2,000 pages"}
    assert all(row.ok for row in fresh)


@IN_A_PROCESS
@pytest.mark.proves("blacklist.passing_faults")
@pytest.mark.parametrize(
    ("status", "row"),
    [(None, "failed: too slow"), (503, "failed: the site has an error (503)")],
    ids=["slow", "failing"],
)
async def test_failures_that_pass_are_not_counted_against_a_domain(
    tmp_path: Path, status: int | None, row: str
) -> None:
    leaving = asyncio.Event()

    async def fail(_: web.Request) -> web.StreamResponse:
        if status is None:
            await leaving.wait()
        return web.Response(status=status or 200)

    async with crawling(tmp_path, Limits(total_s=10.0 if status else 0.2)) as (crawler, site):
        site.pages |= {f"/{n}": fail for n in range(4)}
        urls = [f"http://a.example/{n}" for n in range(4)]
        rows = await crawler.crawl(session(tmp_path), urls, no_progress)
        leaving.set()
    assert {(each.status, each.gone) for each in rows} == {(row, "")}


@IN_A_PROCESS
@pytest.mark.parametrize(
    ("headers", "asked_again", "is_kept"),
    [
        ({"ETag": '"v1"'}, "If-None-Match", True),
        ({"Last-Modified": "Fri, 20 Nov 2026 08:00:00 GMT"}, "If-Modified-Since", True),
        ({"ETag": '"v1"', "Cache-Control": "private"}, "If-None-Match", False),
        ({"ETag": '"v1"', "Cache-Control": "max-age=60, no-store"}, "If-None-Match", False),
        ({"ETag": '"v1"', "Set-Cookie": "who=her"}, "If-None-Match", False),
        ({"ETag": '"v1"', "Vary": "Accept, Cookie"}, "If-None-Match", False),
    ],
)
async def test_a_public_page_that_has_not_changed_is_sent_once_for_all_sessions(
    tmp_path: Path, headers: dict[str, str], asked_again: str, is_kept: bool
) -> None:
    asked: list[str | None] = []

    async def page(request: web.Request) -> web.StreamResponse:
        condition = request.headers.get(asked_again)
        asked.append(condition)
        if condition:
            return web.Response(status=304)
        return web.Response(text=article("On robots"), content_type="text/html", headers=headers)

    async with crawling(tmp_path) as (crawler, site):
        site.pages["/page"] = page
        url = "http://a.example/page"
        workspaces = [session(tmp_path, name) for name in ("session_1", "session_2", "session_3")]
        for workspace in workspaces:
            (row,) = await crawler.crawl(workspace, [url], no_progress)
            assert (row.ok, row.title) == (True, "On robots")
    again = next(iter(headers.values())) if is_kept else None
    assert asked == [None, again, again]
    texts = [(each.root / page_path(url)).read_text("utf-8").split("---")[2] for each in workspaces]
    assert len(set(texts)) == 1
