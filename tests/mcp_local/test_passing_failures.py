"""Failures that pass are no reason to leave a domain alone."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from mcp_local.blacklist import Blacklist
from mcp_local.crawling import Crawler
from mcp_local.extract.reader import Readers
from mcp_local.fetch.client import Limits
from mcp_local.fetch.manners import Manners
from mcp_local.workspace import Workspace
from tests.mcp_local.fetch.world import PUBLIC, Handler, Names, Site, client_for, serving

pytestmark = pytest.mark.process("pages are read in a process of its own")

HOST = "busy.example"


@asynccontextmanager
async def crawling(root: Path, limits: Limits) -> AsyncGenerator[tuple[Crawler, Site]]:
    async with serving() as site, Readers(count=1) as readers:
        names = Names({HOST: [[PUBLIC]]})
        yield (
            Crawler(
                open_client=lambda: client_for(site, names=names, limits=limits),
                readers=readers,
                blacklist=Blacklist(root),
                manners=Manners(lambda: 0.0),
            ),
            site,
        )


async def no_progress(done: int, total: int) -> None:
    del done, total


async def four_pages(root: Path, handler: Handler, limits: Limits) -> list[str]:
    """What became of four pages of a host that answers each of them with `handler`."""
    (root / "session_1").mkdir()
    async with crawling(root, limits) as (crawler, site):
        site.pages |= {f"/{n}": handler for n in range(4)}
        urls = [f"http://{HOST}/{n}" for n in range(4)]
        rows = await crawler.crawl(Workspace(root / "session_1"), urls, no_progress)
    return [row.status for row in rows]


@pytest.mark.proves("blacklist.passing_faults")
async def test_a_site_that_is_slow_is_not_counted_against_its_domain(tmp_path: Path) -> None:
    leaving = asyncio.Event()

    async def stall(request: web.Request) -> web.StreamResponse:
        await leaving.wait()
        return web.Response()

    statuses = await four_pages(tmp_path, stall, Limits(total_s=0.2))
    leaving.set()
    assert set(statuses) == {"failed: too slow"}
    assert not (tmp_path / "webReader_blacklist.json").exists()


@pytest.mark.proves("blacklist.passing_faults")
async def test_a_site_that_has_an_error_is_not_counted_against_its_domain(tmp_path: Path) -> None:
    async def fail(request: web.Request) -> web.StreamResponse:
        return web.Response(status=503)

    statuses = await four_pages(tmp_path, fail, Limits(total_s=10.0))
    assert set(statuses) == {"failed: the site has an error (503)"}
    assert not (tmp_path / "webReader_blacklist.json").exists()
