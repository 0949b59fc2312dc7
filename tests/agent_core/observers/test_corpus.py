"""Extracted articles as files; what the reader does not find counts against its domain."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_core.messages import JsonObject
from agent_core.observers import ArticleObserver, ToolObserved, keep_read_page
from agent_core.observers.blacklist import BLACKLIST, Blacklist
from agent_core.observers.corpus import correction
from agent_core.testing.tools import ignore_progress
from agent_core.workspaces import known_sources
from mcp_local.sources import read_sources, save_corpus
from mcp_local.workspace import Workspace
from tests.agent_core.observers.observed import FINISHED, names_in, observed, only_file

CRAWL = "mcp__local_toolkit__crawl_parallel"
READER = "mcp__web_reader__webReader"
PAGE = """---
url: https://www.example.com/article
final_url: https://www.example.com/article
title: 'Article: Title'
description: Meta description
fetched_at: '2026-11-21T14:32:10.123456+00:00'
status: success
words: 3
http_status: 200
---

Full text here.
"""


def stored(workspace: Path, name: str, text: str) -> str:
    path = workspace / "search_results" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return f"search_results/{name}"


def crawled(workspace: Path, *rows: JsonObject) -> ToolObserved:
    pages = [{"title": "T", "words": 3, "status": "success", **row} for row in rows]
    return observed(workspace, CRAWL, {"success": True, "pages": pages, "successful": len(pages)})


async def saved(of: ToolObserved) -> list[str]:
    return list(await ArticleObserver().saw(of))


@pytest.mark.proves(
    "articles.timestamp",
    "articles.source_url",
    "articles.title",
    "articles.description",
    "articles.file_name",
    "articles.crawled",
    "articles.extraction_success",
)
async def test_a_crawled_page_is_saved_field_by_field(tmp_path: Path) -> None:
    path = stored(tmp_path, "crawl_a.md", PAGE)
    paths = await saved(crawled(tmp_path, {"url": "https://www.example.com/article", "path": path}))

    assert only_file(tmp_path, "extracted_articles") == {
        "timestamp": "2026-11-21T14:32:10.123456",
        "source_url": "https://www.example.com/article",
        "title": "Article: Title",
        "description": "Meta description",
        "content": "Full text here.\n",
        "extraction_success": True,
    }
    assert paths[0].startswith("extracted_articles/example.com_20261121_143210_123456_")


async def test_a_page_crawled_before_writes_the_same_file_again(tmp_path: Path) -> None:
    row: JsonObject = {"url": "https://www.example.com/article"}
    row["path"] = stored(tmp_path, "crawl_a.md", PAGE)

    assert await saved(crawled(tmp_path, row)) == await saved(crawled(tmp_path, row))
    assert len(list((tmp_path / "extracted_articles").iterdir())) == 1


@pytest.mark.proves("articles.content")
async def test_content_is_the_first_10_000_characters(tmp_path: Path) -> None:
    path = stored(tmp_path, "crawl_a.md", PAGE + "ä" * 30_000)
    await saved(crawled(tmp_path, {"url": "https://www.example.com/article", "path": path}))

    content = only_file(tmp_path, "extracted_articles")["content"]
    assert len(content) == 10_000
    assert content.startswith("Full text here.")


@pytest.mark.proves("articles.crawled")
async def test_pages_that_failed_leave_no_file(tmp_path: Path) -> None:
    row: JsonObject = {
        "url": "https://example.com/gone",
        "status": "failed: not found (404)",
        "path": "",
    }
    assert await saved(crawled(tmp_path, row)) == []


@pytest.mark.parametrize(
    "path",
    ["../outside.md", "/etc/hostname", "search_results/none.md", "search_results", "a\0b.md"],
)
async def test_a_path_that_leads_out_or_nowhere_is_not_read(tmp_path: Path, path: str) -> None:
    workspace = tmp_path / "session"
    stored(tmp_path, "any.md", PAGE)
    (workspace / "search_results").mkdir(parents=True)
    (tmp_path / "outside.md").write_text(PAGE, encoding="utf-8")

    assert await saved(crawled(workspace, {"url": "https://example.com", "path": path})) == []


@pytest.mark.parametrize("text", ["Just text.", "---\n: [broken\n---\n\nJust text."])
async def test_a_page_without_readable_facts_keeps_its_text(tmp_path: Path, text: str) -> None:
    path = stored(tmp_path, "crawl_a.md", text)
    await saved(crawled(tmp_path, {"url": "https://example.com/b", "path": path}))

    article = only_file(tmp_path, "extracted_articles")
    assert article["content"] == "Just text."
    assert article["source_url"] == "https://example.com/b"
    assert article["timestamp"] == "2026-11-21T14:31:15.123456"


async def test_a_real_crawl_row_gives_what_the_page_lacks(tmp_path: Path) -> None:
    """A page that redirected and has neither title nor description, fetched in another zone."""
    page = (
        "---\nurl: http://example.com/a?b=1\nfinal_url: https://example.com/c\ntitle: ''\n"
        "description: ''\nfetched_at: '2026-01-01T00:30:00+02:00'\nstatus: success\nwords: 2\n"
        "http_status: 200\n---\n\n---\nTwo *words*\n---\n"
    )
    path = stored(tmp_path, "crawl_example-com_a_0123456789.md", page)
    row: JsonObject = {"url": "http://example.com/a?b=1", "title": "From the row", "path": path}
    paths = await saved(crawled(tmp_path, row))

    assert only_file(tmp_path, "extracted_articles") == {
        "timestamp": "2025-12-31T22:30:00.000000",
        "source_url": "http://example.com/a?b=1",
        "title": "From the row",
        "description": "",
        "content": "---\nTwo *words*\n---\n",
        "extraction_success": True,
    }
    assert paths[0].startswith("extracted_articles/example.com_20251231_223000_000000_")


READ: JsonObject = {
    "title": "Read Title",
    "url": "https://news.example.org/a",
    "content": "Read text.",
    "description": "Said briefly",
}


@pytest.mark.proves("articles.reader")
@pytest.mark.parametrize("result", [READ, {"reader_result": READ}, json.dumps(json.dumps(READ))])
async def test_a_page_from_the_reader_is_saved(tmp_path: Path, result: object) -> None:
    await saved(observed(tmp_path, READER, result, arguments={"url": "https://asked.example"}))

    assert only_file(tmp_path, "extracted_articles") == {
        "timestamp": "2026-11-21T14:31:15.123456",
        "source_url": "https://news.example.org/a",
        "title": "Read Title",
        "description": "Said briefly",
        "content": "Read text.",
        "extraction_success": True,
    }


@pytest.mark.proves("articles.extraction_success")
async def test_an_empty_page_from_the_reader_is_no_success(tmp_path: Path) -> None:
    result = {"title": "T", "content": " "}
    await saved(observed(tmp_path, READER, result, arguments={"url": "https://asked.example/x"}))

    article = only_file(tmp_path, "extracted_articles")
    assert article["extraction_success"] is False
    assert article["source_url"] == "https://asked.example/x"


@pytest.mark.proves("articles.reader_errors")
@pytest.mark.parametrize(
    "text",
    [
        'MCP error -500: {"error":{"code":"1214","message":"Not found"}}',
        'MCP error -500: {"error": {"code": "1234", "message": "Network"}}',
        "The tool did not answer within 120 s.",
    ],
)
async def test_a_reader_error_leaves_no_file(tmp_path: Path, text: str) -> None:
    assert await saved(observed(tmp_path, READER, text, is_error=True)) == []
    assert names_in(tmp_path) == []


def failed(root: Path, code: str, url: str = "https://Gone.test/a") -> ToolObserved:
    error = {"error": {"code": code, "message": "no"}}
    return observed(root / "s", READER, error, arguments={"url": url}, is_error=True)


def counted(root: Path) -> dict[str, Any]:
    return json.loads((root / BLACKLIST).read_text(encoding="utf-8"))


def row(url: str, gone: str = "") -> JsonObject:
    """A page of a crawl: gone, or not to be had this time."""
    return {"url": url, "status": "failed: x", "path": ""} | ({"gone": gone} if gone else {})


async def blocked(blacklist: Blacklist, *urls: str) -> list[str]:
    call = observed(Path(), CRAWL, {}, arguments={"urls": list(urls)}).call
    return await blacklist.blocked(call)


@pytest.mark.proves(
    "fleet.blacklist", "blacklist.reader", "blacklist.place", "blacklist.failures",
    "blacklist.last_failure", "blacklist.threshold",
)  # fmt: skip
async def test_a_page_that_was_not_there_is_read_neither_by_the_crawler_nor_by_the_reader(
    tmp_path: Path,
) -> None:
    blacklist = Blacklist(tmp_path, lambda: FINISHED)
    page = "https://gone.test/a"
    call = failed(tmp_path, "1214", page).call
    for seen in (failed(tmp_path, "1214", page), *[crawled(tmp_path / "s", row(page, "page"))] * 2):
        assert await blacklist.refuse(call) is None
        assert await blocked(blacklist, page) == []
        await blacklist.saw(seen)
    assert await blocked(blacklist, page, "https://gone.test/b") == [page]
    refused = await blacklist.refuse(call)
    assert refused is not None
    assert refused.is_error
    assert await blacklist.refuse(failed(tmp_path, "1214", "https://gone.test/b").call) is None
    assert counted(tmp_path) == {
        "domains": {"gone.test/a": {"failures": 3, "last_failure": "2026-11-21T14:31:15.123456"}},
        "threshold": 3,
    }


@pytest.mark.proves(
    "blacklist.by_page", "blacklist.not_found_counts", "blacklist.across_sessions",
    "blacklist.passing_faults",
)  # fmt: skip
async def test_dead_links_block_their_pages_and_a_gone_host_all_of_its_own(tmp_path: Path) -> None:
    """Each crawl is of another session, and of another process."""
    each_time = [
        row("https://News.test/a?page=2", "page"),
        row("https://lost.test/b", "host"),
        row("https://slow.test/"),
    ]
    for n in range(3):
        crawl = crawled(
            tmp_path / f"session_{n}", row(f"https://news.test/{n}", "page"), *each_time
        )
        await Blacklist(tmp_path).saw(crawl)
    blacklist = Blacklist(tmp_path, lambda: FINISHED)
    pages = ["https://news.test/a?page=2", "https://LOST.test/new"]
    free = ["https://news.test/a", "https://news.test/", "https://slow.test/"]
    assert await blocked(blacklist, *pages, *free) == pages


@pytest.mark.proves("blacklist.forgotten", "blacklist.threshold")
async def test_a_failure_is_forgotten_each_day(tmp_path: Path) -> None:
    now = FINISHED
    blacklist = Blacklist(tmp_path, lambda: now)
    page = "https://news.test/b"
    await blacklist.saw(crawled(tmp_path / "s", *[row(page, "page")] * 4))
    now += timedelta(days=1)
    assert await blocked(blacklist, page) == [page]
    now += timedelta(days=1)
    assert await blocked(blacklist, page) == []
    stored = counted(tmp_path) | {"threshold": 1}
    (tmp_path / BLACKLIST).write_text(json.dumps(stored), "utf-8")
    assert await blocked(blacklist, page) == [page]


@pytest.mark.proves("fleet.reader_cited")
async def test_a_page_of_the_reader_service_is_saved_in_the_corpus_and_cited(
    tmp_path: Path,
) -> None:
    url = "https://news.test/heat?page=2"
    text = "x" * 20_000
    page = {
        "title": "Heat\npumps",
        "description": "d",
        "url": "https://other.test/",
        "content": text,
    }
    read = observed(tmp_path, READER, {"reader_result": page}, arguments={"url": url})
    output = await keep_read_page(read.output, read.call, read.context, ignore_progress)
    assert "save_corpus takes its address" in output.text
    workspace = Workspace(tmp_path)
    assert save_corpus(workspace, [url], FINISHED).successful == 1
    [source] = read_sources(workspace)
    assert (source.url, source.title, source.kind) == (url, "Heat pumps", "page")
    assert source.text == text
    assert url in known_sources(tmp_path)


async def test_an_error_of_the_reader_service_is_no_page(tmp_path: Path) -> None:
    gone = failed(tmp_path, "1214")
    assert (
        await keep_read_page(gone.output, gone.call, gone.context, ignore_progress) == gone.output
    )
    assert not (tmp_path / "s").exists()


@pytest.mark.proves("blacklist.forgotten")
async def test_a_page_that_the_reader_brought_is_forgotten(tmp_path: Path) -> None:
    blacklist = Blacklist(tmp_path, lambda: FINISHED)
    await blacklist.saw(failed(tmp_path, "1214", "https://gone.test/a"))
    here = observed(tmp_path, READER, {"content": "x"}, arguments={"url": "https://gone.test/a"})
    await blacklist.saw(here)
    assert blacklist.entries() == []


@pytest.mark.proves("blacklist.command")
async def test_a_site_is_cleared_with_its_pages_and_a_page_alone(tmp_path: Path) -> None:
    blacklist = Blacklist(tmp_path, lambda: FINISHED)
    for path in ("a", "b", "c"):
        await blacklist.saw(failed(tmp_path, "1214", f"https://gone.test/{path}"))
    await blacklist.saw(failed(tmp_path, "1214", "https://other.test/a"))
    assert blacklist.clear("https://gone.test/a") == 1
    assert blacklist.clear("gone.test") == 2
    assert [entry.name for entry in blacklist.entries()] == ["other.test/a"]
    assert blacklist.clear("") == 1


@pytest.mark.proves("fleet.reader_timeout")
async def test_what_may_pass_is_not_counted_and_a_time_out_is_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blacklist = Blacklist(tmp_path)
    await blacklist.saw(failed(tmp_path, "1234"))
    [told] = caplog.records
    assert told.levelname == "WARNING"
    assert told.getMessage().startswith("gone.test was not reached in time (1234)")
    await blacklist.saw(observed(tmp_path, READER, {"content": "text"}))
    await blacklist.saw(observed(tmp_path, "mcp__other__tool", {"code": "1214"}))
    await blacklist.saw(failed(tmp_path, "1214", "no address"))
    assert not (tmp_path / BLACKLIST).exists()


async def test_a_damaged_file_is_begun_anew(tmp_path: Path) -> None:
    for damage in ("{", "[]", '{"domains": []}', '{"domains": {"gone.test": 7}}'):
        (tmp_path / BLACKLIST).write_text(damage, encoding="utf-8")
        await Blacklist(tmp_path).saw(failed(tmp_path, "1214"))
        assert counted(tmp_path)["domains"]["gone.test/a"]["failures"] == 1


SAVE = "mcp__local_toolkit__save_corpus"
REPORT = "mcp__local_toolkit__write_report"


def corpus(workspace: Path, *statuses: str) -> None:
    articles = [{"url": f"https://e.org/{n}", "status": s} for n, s in enumerate(statuses)]
    text = json.dumps({"total_articles": len(articles), "articles": articles})
    (workspace / "expanded_corpus.json").write_text(text, encoding="utf-8")


@pytest.mark.proves("compliance.simple_is_free")
@pytest.mark.parametrize(
    ("task", "called", "pages"),
    [
        ("A comprehensive report", [CRAWL, SAVE, REPORT], ("failed", "success")),
        ("Extend the detailed report", [REPORT], ("success",)),
        ("A short summary of the news", [REPORT], None),
        ("a brief, not detailed, note", [REPORT], None),
        ("no detailed analysis", [REPORT], None),
    ],
)
def test_who_kept_the_rule_or_needs_no_corpus_is_left_alone(
    tmp_path: Path, task: str, called: list[str], pages: tuple[str, ...] | None
) -> None:
    if pages is not None:
        corpus(tmp_path, *pages)
    assert correction(task, called, tmp_path) is None


@pytest.mark.proves("compliance.no_corpus", "compliance.remedy")
@pytest.mark.parametrize(
    "task",
    [
        "Write a comprehensive report",
        "an in-depth look",
        "In depth, please",
        "A DETAILED analysis",
        "Ein ausführlicher Bericht",
        "un rapport détaillé",
        "un informe detallado",
    ],
)
def test_in_depth_work_without_reading_is_corrected(tmp_path: Path, task: str) -> None:
    told = correction(task, [REPORT], tmp_path)
    assert told is not None
    assert "crawl_parallel" in told
    assert "save_corpus" in told


@pytest.mark.proves("compliance.not_saved", "compliance.nothing_read")
@pytest.mark.parametrize(
    ("called", "pages", "words"),
    [
        ([CRAWL, REPORT], None, "never called save_corpus"),
        ([CRAWL, REPORT], ("success",), "never called save_corpus"),
        ([CRAWL, SAVE], (), "other sources"),
        ([CRAWL, SAVE], ("failed", "failed"), "other sources"),
    ],
)
def test_what_was_read_now_must_be_saved_now_whatever_was_asked(
    tmp_path: Path, called: list[str], pages: tuple[str, ...] | None, words: str
) -> None:
    if pages is not None:
        corpus(tmp_path, *pages)
    told = correction("A report", called, tmp_path)
    assert told is not None
    assert words in told


@pytest.mark.parametrize("content", ["", "[]", '{"articles": 3}', "{", '{"articles": [1, null]}'])
def test_a_damaged_corpus_is_no_corpus(tmp_path: Path, content: str) -> None:
    (tmp_path / "expanded_corpus.json").write_text(content, encoding="utf-8")
    assert correction("A report", [CRAWL, SAVE], tmp_path) is not None
