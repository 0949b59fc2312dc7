"""crawl_parallel as a client of the server sees it, against a loopback site."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client
from mcp.types import TextContent

from mcp_local.server import build_server
from mcp_local.settings import Settings
from mcp_local.sources import read_sources
from mcp_local.workspace import Workspace
from tests.attached import pdf
from tests.browser import chromium_path
from tests.mcp_local.fetch.world import Site, article, serving

pytestmark = pytest.mark.process("pages are read in a process of its own")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A session of a running server and the site that it may read."""

    client: Client
    site: Site
    session: Path

    async def crawl(self, *urls: str, **options: Any) -> dict[str, Any]:
        text = await self.text({"urls": list(urls)}, **options)
        return json.loads(text)

    async def text(
        self, arguments: dict[str, Any], blocked: Sequence[str] = (), **options: Any
    ) -> str:
        meta: Any = {"session_dir": str(self.session), "blocked": blocked}
        result = await self.client.call_tool("crawl_parallel", arguments, meta=meta, **options)
        content = result.content[0]
        assert isinstance(content, TextContent)
        return content.text

    @property
    def files(self) -> list[str]:
        return sorted(path.name for path in (self.session / "search_results").glob("*"))


@asynccontextmanager
async def working_in(root: Path, browser: str = "off") -> AsyncGenerator[Desk]:
    """Not a fixture: the client must be closed by the task that opened it."""
    session = root / "session_20251222_143052"
    session.mkdir()
    async with serving() as site:
        settings = Settings(
            workspaces_root=root,
            crawl_allow="*.test",
            crawl_connect=f"*.test=127.0.0.1:{site.port}",
            crawl_browser=browser,
        )
        async with Client(build_server(settings)) as client:
            yield Desk(client=client, site=site, session=session)


@pytest.mark.proves("crawl.saved")
async def test_pages_are_saved_and_told_as_a_table_without_bodies(tmp_path: Path) -> None:
    async with working_in(tmp_path) as desk:
        desk.site.html("/a/Long story.html", article("On robots"))
        desk.site.html("/b", article("On spiders"))
        answer = await desk.crawl("http://news.test/a/Long%20story.html", "http://other.test/b")
        assert answer["success"] is True
        assert (answer["successful"], answer["failed"]) == (2, 0)
        assert [page["title"] for page in answer["pages"]] == ["On robots", "On spiders"]
        assert "Paragraph" not in json.dumps(answer)
        for page in answer["pages"]:
            assert set(page) == {"url", "title", "words", "path", "status"}
            assert page["status"] == "success"
            assert page["words"] > 100
            assert (desk.session / page["path"]).is_file()


@pytest.mark.proves("crawl.pdf")
async def test_a_pdf_of_the_web_is_read_as_a_page_and_an_amp_form_as_the_page_it_is_of(
    tmp_path: Path,
) -> None:
    async with working_in(tmp_path) as desk:
        paper = pdf(
            "Der Bericht nennt die Zahlen von dem Jahr und der Region.",
            about="/Title (Annual report) /Author (Ada) /CreationDate (D:20260302120000Z)",
        )
        desk.site.raw("/paper", paper, Content_Type="text/html")
        amp = article().replace("<head>", "<head><link rel=canonical href=/story>", 1)
        desk.site.html("/amp", amp)
        desk.site.html("/story", article())
        urls = [f"http://news.test/{name}" for name in ("paper", "amp", "story")]
        pages = (await desk.crawl(*urls))["pages"]
        assert pages[0]["title"] == "Annual report"
        head = (desk.session / pages[0]["path"]).read_text("utf-8").split("---\n")[1]
        facts = yaml.safe_load(head)
        assert (facts["author"], facts["language"]) == ("Ada", "de")
        assert facts["published"] == "2026-03-02"
        listed = read_sources(Workspace(desk.session))
        assert len(listed) == 2


@pytest.mark.proves("crawl.saved")
async def test_a_file_starts_with_the_facts_of_its_page(tmp_path: Path) -> None:
    async with working_in(tmp_path) as desk:
        desk.site.redirect("/old", "/new")
        desk.site.html("/new", article("Title: with 'signs' --- and more"))
        row = (await desk.crawl("http://news.test/old"))["pages"][0]
        assert row["path"].startswith("search_results/crawl_news-test_old_")
        text = (desk.session / row["path"]).read_text("utf-8")
        _, head, body = text.split("---\n", 2)
        facts = yaml.safe_load(head)
        assert list(facts) == [
            "url",
            "final_url",
            "title",
            "description",
            "fetched_at",
            "status",
            "words",
            "http_status",
            "language",
        ]
        assert facts["url"] == "http://news.test/old"
        assert facts["final_url"] == "http://news.test/new"
        assert facts["title"] == "Title: with 'signs' --- and more"
        assert (facts["status"], facts["http_status"]) == ("success", 200)
        assert "the value number 3 was 122 on the day of the test." in body


@pytest.mark.proves("crawl.failures", "browser.missing")
async def test_a_failed_page_has_a_row_and_no_file(tmp_path: Path) -> None:
    async with working_in(tmp_path) as desk:
        desk.site.html("/good", article())
        desk.site.raw("/paper", b"\x89PNG", Content_Type="image/png")
        desk.site.html("/app", "<div id=root></div><script>start()</script>")
        answer = await desk.crawl(
            "http://news.test/good",
            "http://news.test/missing",
            "http://news.test/paper",
            "http://news.test/app",
            "http://127.0.0.1/",
            "not a url",
            "http://[::1/",
        )
        assert [page["status"] for page in answer["pages"]] == [
            "success",
            "failed: not found (404)",
            "failed: not a text page (image/png)",
            "failed: needs a browser, and none is set up here; `bot check` says how to get one",
            "failed: not allowed: address is not public",
            "failed: not allowed: not a proper URL",
            "failed: not allowed: not a proper URL",
        ]
        assert (answer["successful"], answer["failed"]) == (1, 6)
        assert len(desk.files) == 1


@pytest.mark.proves("browser.reads")
async def test_a_page_whose_text_is_made_by_scripts_is_read_in_a_browser(tmp_path: Path) -> None:
    async with working_in(tmp_path, browser=chromium_path()) as desk:
        desk.site.html("/app", "<div id=root></div><script src=/app.js></script>")
        desk.site.html("/none", "<div id=root></div><script>1</script>")
        script = "fetch('/data').then(r => r.text()).then(t => document.body.innerHTML = t)"
        desk.site.html("/app.js", script, content_type="text/javascript")
        desk.site.html("/data", article("On scripts"))
        answer = await desk.crawl("http://news.test/app", "http://news.test/none")
        read, empty = answer["pages"]
        assert (read["status"], read["title"]) == ("success", "On scripts")
        text = (desk.session / read["path"]).read_text("utf-8")
        assert "the value number 3 was 122 on the day of the test." in text
        assert empty["status"] == "failed: no text on the page, in a browser neither"


@pytest.mark.proves("crawl.saved")
async def test_what_is_left_out_of_a_page_is_told_with_it(tmp_path: Path) -> None:
    async with working_in(tmp_path) as desk:
        desk.site.html("/long", article().replace("</article>", "<br>" * 30_000))
        [row] = (await desk.crawl("http://news.test/long"))["pages"]
        [again] = (await desk.crawl("http://news.test/long"))["pages"]
        assert row["note"] == again["note"]
        assert row["note"] in (desk.session / row["path"]).read_text("utf-8").split("---")[1]


async def test_a_page_read_before_is_not_asked_for_again(tmp_path: Path) -> None:
    async with working_in(tmp_path) as desk:
        desk.site.html("/page", article())
        first = await desk.crawl("http://news.test/page")
        second = await desk.crawl("http://news.test/page", "http://news.test/page#section")
        assert second["pages"] == first["pages"]
        assert desk.site.hits.count("/page") == 1


async def test_robots_is_obeyed_after_a_redirect_too(tmp_path: Path) -> None:
    async with working_in(tmp_path) as desk:
        desk.site.html(
            "/robots.txt", "User-agent: *\nDisallow: /private", content_type="text/plain"
        )
        desk.site.html("/private/x", article())
        desk.site.redirect("/open", "/private/x")
        answer = await desk.crawl("http://news.test/private/x", "http://news.test/open")
        assert {page["status"] for page in answer["pages"]} == {"failed: robots.txt refuses"}
        assert "/private/x" not in desk.site.hits
        assert desk.site.hits.count("/robots.txt") == 1


@pytest.mark.proves("blacklist.blocks")
async def test_a_page_that_is_gone_is_named_and_a_blocked_one_is_left_alone(tmp_path: Path) -> None:
    async with working_in(tmp_path) as desk:
        desk.site.html("/good", article())
        answer = await desk.crawl("http://bad.test/gone", blocked=["http://bad.test/good"])
        assert [page["gone"] for page in answer["pages"]] == ["page"]
        answer = await desk.crawl("http://bad.test/good", blocked=["http://bad.test/good"])
        assert [page["status"] for page in answer["pages"]] == [
            "failed: blocked by earlier failures"
        ]
        assert "/good" not in desk.site.hits


async def test_progress_counts_the_pages(tmp_path: Path) -> None:
    async with working_in(tmp_path) as desk:
        desk.site.html("/page", article())
        told: list[tuple[float, float | None, str | None]] = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total, message))

        await desk.crawl(*(f"http://news.test/page?{n}" for n in range(3)), progress_callback=note)
        assert told == [(n, 3, f"Reading {n} of 3 pages") for n in (1, 2, 3)]


@pytest.mark.parametrize("count", [0, 51])
async def test_too_few_or_too_many_urls_are_an_error(tmp_path: Path, count: int) -> None:
    async with working_in(tmp_path) as desk:
        text = await desk.text({"urls": [f"http://news.test/{n}" for n in range(count)]})
        assert "between 1 and 50 URLs" in text
