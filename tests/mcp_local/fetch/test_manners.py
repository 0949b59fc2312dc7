import asyncio
from dataclasses import dataclass

import pytest
from aiohttp import web
from yarl import URL

from mcp_local.errors import FetchDenied
from mcp_local.fetch.client import Manners
from tests.mcp_local.fetch.world import Names, Site, client_for

PAGE = URL("http://news.example/private/page")
REFUSING = "User-agent: *\nDisallow: /private/"


@dataclass
class Clock:
    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


async def test_a_refused_path_is_denied_and_robots_is_asked_once(site: Site) -> None:
    site.html("/robots.txt", REFUSING, content_type="text/plain")
    manners = Manners(Clock())
    async with client_for(site) as client:
        async with asyncio.TaskGroup() as group:
            for n in range(8):
                group.create_task(manners.require(URL(f"http://news.example/open/{n}"), client))
        with pytest.raises(FetchDenied, match=r"robots\.txt refuses"):
            await manners.require(PAGE, client)
    assert site.hits == ["/robots.txt"]


async def test_the_answer_is_asked_for_again_after_an_hour(site: Site) -> None:
    site.html("/robots.txt", "", content_type="text/plain")
    clock = Clock()
    manners = Manners(clock)
    async with client_for(site) as client:
        await manners.require(PAGE, client)
        clock.now_s = 3601.0
        site.html("/robots.txt", REFUSING, content_type="text/plain")
        with pytest.raises(FetchDenied):
            await manners.require(PAGE, client)


@pytest.mark.parametrize("status", [404, 403, 500])
async def test_a_missing_or_failing_robots_forbids_nothing(site: Site, status: int) -> None:
    site.answer("/robots.txt", lambda: web.Response(status=status, text=REFUSING))
    async with client_for(site) as client:
        await Manners(Clock()).require(PAGE, client)
    assert site.hits == ["/robots.txt"]


async def test_a_robots_that_leads_inwards_is_not_followed(site: Site) -> None:
    site.redirect("/robots.txt", "http://127.0.0.1/robots.txt")
    async with client_for(site, names=Names({"news.example": [["1.1.1.1"]]})) as client:
        await Manners(Clock()).require(PAGE, client)
    assert site.hits == ["/robots.txt"]
