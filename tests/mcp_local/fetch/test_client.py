"""Attack group D and the plain cases: what a page may cost and be, and what robots.txt forbids."""

import asyncio
import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import brotli
import pytest
from aiohttp import web
from yarl import URL

from mcp_local.errors import FetchDenied, FetchFailed
from mcp_local.fetch.client import USER_AGENT, Limits, Manners
from tests.mcp_local.fetch.world import Names, Site, article, client_for, paragraphs

PAGE = "http://news.example/page"
compress_brotli = cast("Callable[[bytes], bytes]", brotli.compress)  # pyright: ignore[reportUnknownMemberType]
SMALL = Limits(max_bytes=1_000_000, total_s=10.0)


async def read(site: Site, limits: Limits | None = None) -> str:
    async with client_for(site, limits=limits) as client:
        return str((await client.page(PAGE)).content)


async def test_a_site_is_told_who_asks(site: Site) -> None:
    agents: list[str] = []

    async def note(request: web.Request) -> web.StreamResponse:
        agents.append(request.headers["User-Agent"])
        return web.Response(text=article(), content_type="text/html")

    site.pages["/page"] = note
    await read(site)
    assert agents == [USER_AGENT]
    assert "UniversalAgentBot" in USER_AGENT


@pytest.mark.parametrize(
    ("status", "reason", "permanent"),
    [
        (404, "not found (404)", True),
        (410, "gone (410)", True),
        (403, "the site does not show it to us (403)", False),
        (429, "the site asks to come back later (429)", False),
        (500, "the site has an error (500)", False),
        (503, "the site has an error (503)", False),
        (204, "the site gave no page (204)", False),
        (304, "the site gave no page (304)", False),
    ],
)
async def test_a_status_is_told_in_plain_words(
    site: Site, status: int, reason: str, permanent: bool
) -> None:
    site.answer("/page", lambda: web.Response(status=status))
    with pytest.raises(FetchFailed) as failed:
        await read(site)
    assert str(failed.value) == reason
    assert failed.value.permanent is permanent


async def test_a_host_without_a_name_is_a_permanent_failure() -> None:
    async with client_for(names=Names({})) as client:
        with pytest.raises(FetchFailed, match="no such host") as failed:
            await client.page(PAGE)
    assert failed.value.permanent


async def test_a_site_that_cannot_be_reached_is_not_a_permanent_failure() -> None:
    async with client_for() as client:
        with pytest.raises(FetchFailed, match="could not be reached") as failed:
            await client.page(PAGE)
    assert not failed.value.permanent


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(article().encode())),
        ("deflate", zlib.compress(article().encode())),
        ("deflate", zlib.compress(article().encode(), wbits=-15)),
        ("br", compress_brotli(article().encode())),
        ("identity", article().encode()),
    ],
)
async def test_a_packed_page_is_unpacked(site: Site, encoding: str, packed: bytes) -> None:
    site.raw("/page", packed, Content_Type="text/html", Content_Encoding=encoding)
    assert await read(site) == article()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("br", compress_brotli)],
)
async def test_a_bomb_is_cut_at_the_limit(
    site: Site, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    bomb = pack(bytes(60_000_000))
    site.raw("/page", bomb, Content_Type="text/html", Content_Encoding=encoding)
    with pytest.raises(FetchFailed, match=r"too large \(over 1 MB\)"):
        await read(site, SMALL)


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate"])
async def test_a_damaged_page_is_a_plain_failure(site: Site, encoding: str) -> None:
    site.raw("/page", b"no such packing", Content_Type="text/html", Content_Encoding=encoding)
    with pytest.raises(FetchFailed, match="damaged"):
        await read(site)


@pytest.mark.parametrize("encoding", ["gzip, gzip", "compress"])
async def test_an_unknown_packing_is_refused(site: Site, encoding: str) -> None:
    body = gzip.compress(gzip.compress(b"x"))
    site.raw("/page", body, Content_Type="text/html", Content_Encoding=encoding)
    with pytest.raises(FetchFailed, match="not a text page"):
        await read(site)


async def test_an_endless_page_is_cut(site: Site) -> None:
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        while True:
            await response.write(b"<p>more</p>" * 1000)
            sent += 11_000
        return response

    site.pages["/page"] = endless
    with pytest.raises(FetchFailed, match="too large"):
        await read(site, SMALL)
    assert sent < 30_000_000


@pytest.mark.parametrize("trickle", [True, False], ids=["a byte at a time", "no answer at all"])
async def test_a_slow_page_is_given_up(site: Site, trickle: bool) -> None:
    leaving = asyncio.Event()

    async def slow(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        if trickle:
            await response.prepare(request)
            await response.write(b"<")
        await leaving.wait()
        return response

    site.pages["/page"] = slow
    with pytest.raises(FetchFailed, match="too slow") as failed:
        await read(site, Limits(total_s=0.2))
    leaving.set()
    assert not failed.value.permanent


async def test_a_flood_of_headers_is_refused(site: Site) -> None:
    headers = {f"X-Filler-{n}": "x" for n in range(20_000)}
    site.answer("/page", lambda: web.Response(text=article(), headers=headers))
    with pytest.raises(FetchFailed, match="proper HTTP"):
        await read(site)


@pytest.mark.parametrize(
    "body",
    [
        b"PK\x03\x04 a zip file",
        b"MZ\x90\x00 a program",
        b"\x7fELF\x02",
        b"\x89PNG\r\n\x1a\n\x00",
        b"GIF89a\x01\x00",
        b"\xff\xd8\xff\xe0\x00\x10JFIF",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>",
        b"<?xml version='1.0'?><!-- drawn --><svg><text>x</text></svg>",
        b"text with \x00 in it",
    ],
)
@pytest.mark.parametrize("declared", ["text/html", "text/plain"])
async def test_a_file_that_is_called_a_page_is_told_by_its_bytes(
    site: Site, body: bytes, declared: str
) -> None:
    site.raw("/page", body, Content_Type=declared)
    with pytest.raises(FetchFailed, match="not a text page") as failed:
        await read(site)
    assert not failed.value.permanent


@pytest.mark.parametrize("declared", ["image/png", "application/json", "text/css"])
async def test_other_types_are_not_text_pages(site: Site, declared: str) -> None:
    site.raw("/page", b"plain bytes", Content_Type=declared)
    with pytest.raises(FetchFailed, match=declared):
        await read(site)


@pytest.mark.parametrize(
    ("body", "declared", "kind"),
    [
        (article().encode(), "application/octet-stream", "html"),
        (article().encode(), "application/xhtml+xml", "html"),
        (b"\xef\xbb\xbf" + article().encode(), "text/html", "html"),
        (b"# Notes\n\nplain words", "text/markdown", "text"),
        (b"plain words", "text/plain; charset=utf-8", "text"),
        (b"%PDF-1.7 a document", "text/plain", "pdf"),
    ],
)
async def test_pages_of_text_are_read(site: Site, body: bytes, declared: str, kind: str) -> None:
    site.raw("/page", body, Content_Type=declared)
    async with client_for(site) as client:
        assert (await client.page(PAGE)).kind == kind


WORDS = "Größe, façade, naïve"


@pytest.mark.parametrize(
    ("body", "declared"),
    [
        (WORDS.encode(), "text/plain; charset=utf-8"),
        (WORDS.encode("latin-1"), "text/plain; charset=ISO-8859-1"),
        (b"\xef\xbb\xbf" + WORDS.encode(), "text/plain; charset=ascii"),
        (WORDS.encode("utf-16"), "text/plain"),
        (WORDS.encode(), "text/plain; charset=no-such-set"),
        (WORDS.encode(), "text/plain; charset=zip"),
        (WORDS.encode(), "text/plain; charset=unicode_escape"),
        (WORDS.encode(), "text/plain; charset=utf-7"),
        (WORDS.encode(), "text/plain"),
    ],
)
async def test_a_text_is_read_in_its_own_character_set(
    site: Site, body: bytes, declared: str
) -> None:
    site.raw("/page", body, Content_Type=declared)
    assert await read(site) == WORDS


async def test_a_text_in_16_bits_may_be_in_any_script(site: Site) -> None:
    site.raw("/page", "Привет, Ελλάδα".encode("utf-16"), Content_Type="text/plain")
    assert await read(site) == "Привет, Ελλάδα"


async def test_a_meta_element_names_the_character_set(site: Site) -> None:
    body = f'<html><head><meta charset="windows-1251"></head><body>{paragraphs(3)}Привет</body>'
    site.raw("/page", body.encode("cp1251"), Content_Type="text/html")
    assert "Привет" in await read(site)


PRIVATE = URL("http://news.example/private/page")
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
            await manners.require(PRIVATE, client)
    assert site.hits == ["/robots.txt"]


async def test_the_answer_is_asked_for_again_after_an_hour(site: Site) -> None:
    site.html("/robots.txt", "", content_type="text/plain")
    clock = Clock()
    manners = Manners(clock)
    async with client_for(site) as client:
        await manners.require(PRIVATE, client)
        clock.now_s = 3601.0
        site.html("/robots.txt", REFUSING, content_type="text/plain")
        with pytest.raises(FetchDenied):
            await manners.require(PRIVATE, client)


@pytest.mark.parametrize("status", [302, 404, 403, 500])
async def test_a_robots_that_is_missing_fails_or_leads_inwards_forbids_nothing(
    site: Site, status: int
) -> None:
    headers = {"Location": "http://127.0.0.1/robots.txt"}
    site.answer("/robots.txt", lambda: web.Response(status=status, text=REFUSING, headers=headers))
    async with client_for(site) as client:
        await Manners(Clock()).require(PRIVATE, client)
    assert site.hits == ["/robots.txt"]
