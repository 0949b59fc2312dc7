"""The corpus and the numbering of sources: evidence comes from what was fetched, numbers stay."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.models.citations import cite_natively
from mcp_local.sources import (
    StoredPage,
    find_page,
    page_files,
    page_path,
    read_pages,
    read_sources,
    save_page,
    url_key,
)
from mcp_local.workspace import Workspace
from tests.mcp_local.sessions import NOON, Session

A = "https://a.test/one"
B = "https://b.test/two"
C = "https://c.test/three"


@pytest.mark.proves(
    "corpus.extraction_timestamp",
    "corpus.total_articles",
    "corpus.successful",
    "corpus.failed",
    "corpus.articles",
    "corpus.content",
    "corpus.status",
    "save_corpus.answer.success",
    "save_corpus.answer.corpus_path",
    "save_corpus.answer.articles_saved",
    "save_corpus.answer.successful",
    "save_corpus.answer.total_content_bytes",
    "save_corpus.not_fetched",
)
async def test_the_file_has_the_described_shape(session: Session) -> None:
    text = "Ünïcode body. " * 5_000
    session.add_page(A, text, title="One")
    answer = (await session.call("save_corpus", articles=[A, B])).json()
    corpus = json.loads(session.read("expanded_corpus.json"))
    stamp = corpus.pop("extraction_timestamp")
    assert stamp.endswith("Z")
    assert len(stamp) == len("2025-12-22T14:35:00.000000Z")
    assert corpus == {
        "total_articles": 2,
        "successful": 1,
        "failed": 1,
        "articles": [
            {"url": A, "title": "One", "content": text, "status": "success"},
            {"url": B, "title": B, "content": "", "status": "failed"},
        ],
    }
    assert answer["success"] is True
    assert answer["corpus_path"] == str(session.directory / "expanded_corpus.json")
    assert (answer["articles_saved"], answer["successful"], answer["failed"]) == (2, 1, 1)
    assert answer["total_content_bytes"] == len(text.encode())
    assert [(row["n"], row["url"], row["status"]) for row in answer["sources"]] == [
        (1, A, "success"),
        (2, B, "failed"),
    ]
    assert answer["sources"][0]["words"] == 10_000
    assert session.workspace.exists(answer["sources"][0]["path"])


@pytest.mark.proves("save_corpus.articles", "save_corpus.evidence", "save_corpus.not_fetched")
async def test_what_the_caller_retypes_is_ignored(session: Session) -> None:
    session.add_page(A, "The page's own words.", title="Its own title")
    forged = {"url": A, "title": "Forged", "content": "Forged text.", "status": "success"}
    never = {"url": B, "title": "Never", "content": "Never fetched.", "status": "success"}
    await session.call("save_corpus", articles=[forged, never])
    articles = json.loads(session.read("expanded_corpus.json"))["articles"]
    assert articles[0]["content"] == "The page's own words."
    assert articles[0]["title"] == "Its own title"
    assert articles[1]["status"] == "failed"
    assert articles[1]["content"] == ""


async def test_a_list_sent_as_json_text_is_understood(session: Session) -> None:
    session.add_page(A, "Text.")
    answer = await session.call("save_corpus", articles=json.dumps([{"url": A}]))
    assert answer.json()["successful"] == 1


@pytest.mark.parametrize("arguments", [{}, {"articles": []}, {"articles": None}])
async def test_without_articles_every_fetched_page_is_saved_in_fetch_order(
    session: Session, arguments: dict[str, object]
) -> None:
    for url in (C, A, B):
        session.add_page(url, f"About {url}.")
    answer = (await session.call("save_corpus", **arguments)).json()
    assert [row["url"] for row in answer["sources"]] == [C, A, B]


async def test_saving_again_keeps_every_number_and_appends(session: Session) -> None:
    session.add_page(A, "A.")
    session.add_page(B, "B.")
    session.add_page(C, "C.")
    await session.call("save_corpus", articles=[C, A])
    answer = (await session.call("save_corpus", articles=[B, A])).json()
    assert [(row["n"], row["url"]) for row in answer["sources"]] == [(1, C), (2, A), (3, B)]


async def test_a_failed_article_is_filled_once_its_page_was_fetched(session: Session) -> None:
    session.add_page(B, "B.")
    await session.call("save_corpus", articles=[A, B])
    session.add_page(A, "A at last.")
    answer = (await session.call("save_corpus", articles=[A])).json()
    assert [(row["n"], row["url"], row["status"]) for row in answer["sources"]] == [
        (1, A, "success"),
        (2, B, "success"),
    ]


async def test_one_page_in_two_spellings_is_one_article(session: Session) -> None:
    session.add_page(A, "A.")
    spellings = [A, f"{A}/", f"{A}#part", A.replace("a.test", "A.TEST")]
    answer = (await session.call("save_corpus", articles=spellings)).json()
    assert answer["articles_saved"] == 1
    assert answer["successful"] == 1


@pytest.mark.proves("save_corpus.answer.success")
async def test_saving_nothing_fetched_is_no_success(session: Session) -> None:
    answer = (await session.call("save_corpus", articles=[A])).json()
    assert answer["success"] is False
    assert answer["failed"] == 1


async def test_a_damaged_corpus_is_said_and_not_overwritten(session: Session) -> None:
    session.workspace.write_text("expanded_corpus.json", "{broken")
    session.add_page(A, "A.")
    for tool in ("save_corpus", "list_sources"):
        answer = await session.call(tool)
        assert answer.failed
        assert "damaged" in answer.text
    assert session.read("expanded_corpus.json") == "{broken"


def test_snippets_continue_the_numbers_of_the_corpus(session: Session) -> None:
    session.workspace.write_text(
        "expanded_corpus.json",
        json.dumps(
            {
                "extraction_timestamp": "2026-11-21T12:00:00.000000Z",
                "total_articles": 2,
                "successful": 1,
                "failed": 1,
                "articles": [
                    {"url": A, "title": "A", "content": "Full text.", "status": "success"},
                    {"url": B, "title": "B", "content": "", "status": "failed"},
                ],
            }
        ),
    )
    hits = [{"position": 1, "title": "C", "url": C, "snippet": "About C."}, {"url": f"{A}/"}]
    session.add_search("SEARCH", hits)
    sources = read_sources(session.workspace)
    assert [(source.n, source.url, source.kind, source.ok) for source in sources] == [
        (1, A, "page", True),
        (2, B, "page", False),
        (3, C, "snippet", True),
    ]


def test_snippets_are_numbered_by_the_age_of_their_search(session: Session) -> None:
    hits = [{"url": url, "title": url, "snippet": "Words."} for url in (A, C, B)]
    session.add_search("A_LATER", hits[:1], at=NOON + timedelta(minutes=5))
    session.add_search("Z_FIRST", hits[1:])
    assert [source.url for source in read_sources(session.workspace)] == [C, B, A]


def test_news_results_are_read_too(session: Session) -> None:
    news = {
        "type": "news",
        "timestamp": NOON.isoformat(),
        "tool": "COMPOSIO_SEARCH_NEWS",
        "articles": [
            {"position": 1, "title": "T", "url": A, "source": "S", "date": "2026", "snippet": "N."}
        ],
    }
    session.workspace.write_text("search_results/news.json", json.dumps(news))
    assert [source.text for source in read_sources(session.workspace)] == ["N."]


def test_files_that_are_no_search_results_are_passed_over(session: Session) -> None:
    session.workspace.write_text("search_results/broken.json", "[1, 2")
    session.workspace.write_text("search_results/other.json", '{"results": "none"}')
    session.workspace.write_text("search_results/page.md", "text")
    hits = [{"url": "javascript:1", "snippet": "x"}, {"title": "no address", "snippet": "x"}]
    session.add_search("LINKS", [*hits, {"url": A, "title": "Nothing said", "snippet": " "}])
    assert read_sources(session.workspace) == []


def test_a_snippet_whose_page_was_fetched_counts_as_the_page(session: Session) -> None:
    hits = [{"url": A, "title": "A", "snippet": "Short."}, {"url": B, "snippet": "A part."}]
    session.add_search("SEARCH", hits)
    session.add_page(B, "The whole page.")
    session.add_page(C, "Found otherwise.")
    assert [(s.n, s.url, s.kind, s.text) for s in read_sources(session.workspace)] == [
        (1, A, "snippet", "Short."),
        (2, B, "page", "The whole page."),
        (3, C, "page", "Found otherwise."),
    ]


async def test_the_list_and_the_search_show_the_same_numbers(session: Session) -> None:
    session.add_search("SEARCH", [{"url": A, "title": "A", "snippet": "Octopuses have hearts."}])
    session.add_page(B, "An octopus has three hearts.")
    listed = (await session.call("list_sources")).json()["sources"]
    search = await session.call("search_corpus", query="octopus hearts")
    passages = search.json()["passages"]
    call = {"type": "tool_use", "id": "a", "name": "mcp__local_toolkit__search_corpus"}
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": "a", "content": search.text}
    cite_natively([{"content": [call]}, {"content": [result]}])
    assert [block["type"] for block in result["content"]] == ["search_result"] * 2 + ["text"]
    numbers = {row["url"]: (row["n"], row["kind"]) for row in listed}
    assert numbers == {A: (1, "snippet"), B: (2, "page")}
    assert {row["url"]: (row["n"], row["kind"]) for row in passages} == numbers


@pytest.mark.proves("corpus.bounded")
async def test_a_hundred_pages_stay_within_the_tokens_of_a_writer(session: Session) -> None:
    for n in range(100):
        sentences = (
            f"Storage {n}.{k} grew by {k} per cent in the year {1900 + n}." for k in range(400)
        )
        session.add_page(f"https://p{n}.example/a", "\n\n".join(sentences), title=f"Page {n}")
    listed = await session.call("list_sources")
    hits = await session.call("search_corpus", query="storage grew 1950", limit=50)
    passages = hits.json()["passages"]
    assert "Storage 50." in passages[0]["text"]
    number, _, part = passages[0]["id"].partition("#")
    assert int(number) == passages[0]["n"]
    assert int(part) > 0
    assert (len(listed.text) + len(hits.text)) / 3.5 < 35_000, "tokens, as roughly counted"
    cited = await session.call(
        "write_report",
        title="Storage",
        markdown=f"## S\n\n{passages[0]['text'].splitlines()[0]} [{passages[0]['id']}]",
    )
    assert cited.json()["claims"]["unfound"] == 0


async def test_searching_an_empty_session_says_what_to_do(session: Session) -> None:
    answer = (await session.call("search_corpus", query="anything")).json()
    assert answer["passages"] == []
    assert "Nothing was retrieved" in answer["note"]


@given(st.text(max_size=60) | st.from_regex(r"https?://[\[\]a-z:/@?#%.]{0,20}", fullmatch=True))
def test_no_text_is_too_odd_to_be_compared_as_a_url(text: str) -> None:
    assert url_key(text) == url_key(f" {text} ")


def page(url: str, markdown: str, title: str) -> StoredPage:
    return StoredPage(
        url=url,
        final_url=url,
        title=title,
        description="",
        fetched_at=NOON,
        words=len(markdown.split()),
        path=page_path(url),
        markdown=markdown,
    )


PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=60)


@settings(max_examples=60)
@given(title=PLAIN.map(lambda text: " ".join(text.split())), markdown=PLAIN)
def test_a_stored_page_is_read_as_it_was_saved(tmp_path: Path, title: str, markdown: str) -> None:
    workspace = Workspace(tmp_path)
    saved = page("http://a.example/", markdown, title)
    save_page(workspace, saved)
    assert find_page(workspace, "http://a.example/") == saved


def test_a_damaged_file_and_a_foreign_one_are_no_pages(session: Session) -> None:
    session.add_page("http://a.example/", "Some words.")
    folder = session.directory / "search_results"
    (folder / "crawl_b-example_x_0.md").write_text("no front matter", "utf-8")
    (folder / "crawl_c-example_x_0.md").write_text("---\n{broken: [\n---\n", "utf-8")
    (folder / "news_1.json").write_text("{}", "utf-8")
    assert [stored.url for stored in read_pages(session.workspace)] == ["http://a.example/"]
    assert len(page_files(session.workspace)) == 3


@given(st.text(max_size=80))
def test_any_text_makes_a_safe_file_name(text: str) -> None:
    folder, _, name = page_path(text).partition("/")
    assert folder == "search_results"
    assert all(sign in "abcdefghijklmnopqrstuvwxyz0123456789-_." for sign in name)


def test_addresses_that_differ_have_different_files_and_fragments_do_not_count() -> None:
    assert page_path("http://a.example/?a=1") != page_path("http://a.example/?a=2")
    assert page_path("http://a.example/#x") == page_path("HTTP://A.example")


def test_addresses_with_tracking_parameters_and_www_are_the_same_page() -> None:
    key = url_key("https://news.test/story?id=7")
    for address in (
        "https://www.news.test/story/?id=7&utm_source=mail&utm_medium=x#top",
        "https://NEWS.test/story?fbclid=abc&id=7",
        "https://news.test/story?id=7&srsltid=q",
        "https://amp.news.test/story?id=7",
    ):
        assert url_key(address) == key
    assert url_key("https://news.test/story?id=7&clid=1") != key
    assert url_key("https://m.news.test/story?id=7") != key
