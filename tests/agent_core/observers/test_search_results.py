"""Search results as files, in every shape that they arrive in."""

import json
import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.messages import JsonObject
from agent_core.observers import SearchResultObserver, ToolObserved
from agent_core.observers.executions import cleaned_results, executions, parse_relative_date
from tests.agent_core.observers.observed import FINISHED, enveloped, names_in, observed, only_file

NEWS = "mcp__composio__COMPOSIO_SEARCH_NEWS"
WEB = "mcp__composio__COMPOSIO_SEARCH_WEB"
MULTI = "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL"
HIT: JsonObject = {
    "position": 1,
    "title": "Article Title",
    "link": "https://example.com/article",
    "source": "Example News",
    "date": "2 hours ago",
    "snippet": "Article snippet text",
    "thumbnail": "https://example.com/a.png",
}
CITATION: JsonObject = {
    "id": "c1",
    "url": "https://example.com/page",
    "title": "Page Title",
    "snippet": "Page description",
    "favicon": "x",
}


async def saved(of: ToolObserved) -> list[str]:
    return list(await SearchResultObserver().saw(of))


ORGANIC: JsonObject = {
    "position": 4,
    "title": "Organic Title",
    "link": "https://example.org/organic",
    "displayed_link": "example.org / organic",
    "source": "Example Org",
    "snippet": "Found on the web",
    "date": "3 days ago",
    "sitelinks": {"inline": [{"title": "More", "link": "https://example.org/more"}]},
}
NEWS_BESIDE_HITS: JsonObject = {
    "results": {"search_metadata": {"id": "x"}, "news_results": [HIT], "organic_results": [ORGANIC]}
}
CITED: JsonObject = {"answer": "Prose with a [link](https://example.org).", "citations": [CITATION]}
SAVED_HIT: JsonObject = {
    "position": 1,
    "title": "Article Title",
    "url": "https://example.com/article",
    "source": "Example News",
    "date": "2026-11-21",
    "snippet": "Article snippet text",
}
SAVED_ORGANIC: JsonObject = {
    "position": 4,
    "title": "Organic Title",
    "url": "https://example.org/organic",
    "snippet": "Found on the web",
}
SAVED_CITATION: JsonObject = {
    "position": 1,
    "title": "Page Title",
    "url": "https://example.com/page",
    "snippet": "Page description",
}


@pytest.mark.proves(
    "search.news.type",
    "search.news.timestamp",
    "search.news.tool",
    "search.news.articles",
    "search.news.source",
    "search.news.date",
    "search.news_results",
    "search.file_name",
    "search.organic_results",
    "search.web.type",
    "search.web.timestamp",
    "search.web.tool",
    "search.web.results",
)
@pytest.mark.parametrize(
    ("tool", "answer", "content"),
    [
        (NEWS, {"news_results": [HIT]}, {"type": "news", "articles": [SAVED_HIT]}),
        (WEB, NEWS_BESIDE_HITS, {"type": "web", "results": [SAVED_ORGANIC]}),
        (WEB, CITED, {"type": "web", "results": [SAVED_CITATION]}),
    ],
)
async def test_a_search_is_saved_field_by_field(
    tmp_path: Path, tool: str, answer: JsonObject, content: JsonObject
) -> None:
    [path] = await saved(observed(tmp_path, tool, enveloped(answer)))

    slug = tool.removeprefix("mcp__composio__")
    head = {"timestamp": "2026-11-21T14:31:15.123456", "tool": slug}
    assert only_file(tmp_path, "search_results") == {**head, **content}
    assert path.startswith(f"search_results/{slug}_20261121_143115_123456_")
    assert (tmp_path / path).is_file()


NESTINGS: dict[str, Any] = {
    "bare": {"news_results": [HIT]},
    "in data": enveloped({"news_results": [HIT]}),
    "one level deeper": enveloped({"results": {"news_results": [HIT]}}),
    "data in data": enveloped({"data": {"news_results": [HIT]}}),
    "typed content": [{"type": "text", "text": json.dumps(enveloped({"news_results": [HIT]}))}],
    "content object": {"content": [{"type": "text", "text": json.dumps({"news_results": [HIT]})}]},
    "data as a string": {"data": json.dumps({"news_results": [HIT]}), "successful": True},
    "a string of json": json.dumps(json.dumps({"news_results": [HIT]})),
    "articles": enveloped({"articles": [HIT]}),
    "organic": enveloped({"results": {"organic_results": [HIT]}}),
    "plain results": {"results": [HIT]},
    "preview of a huge one": enveloped({"response": {"data_preview": {"news_results": [HIT]}}}),
    "text after it": json.dumps({"news_results": [HIT]}) + "\n\n[Only the first bytes were kept.]",
}


@pytest.mark.proves("search.unwrapped", "search.organic_results")
@pytest.mark.parametrize("result", NESTINGS.values(), ids=NESTINGS.keys())
async def test_results_are_found_however_they_are_wrapped(tmp_path: Path, result: object) -> None:
    await saved(observed(tmp_path, NEWS, result))

    articles = only_file(tmp_path, "search_results")["articles"]
    assert [article["url"] for article in articles] == ["https://example.com/article"]


@pytest.mark.proves("search.tools_only")
@pytest.mark.parametrize(
    "tool",
    [
        "mcp__rube__RUBE_SEARCH_NEWS",
        "COMPOSIO_SEARCH_SCHOLAR",
        "mcp__composio__COMPOSIO_SEARCH_SEARCH",
        "mcp__composio__COMPOSIO_SEARCH_DUCK_DUCK_GO",
        "mcp__composio__COMPOSIO_SEARCH_GOOGLE_MAPS",
        "mcp__other__TAVILY_SEARCH",
        "mcp__local_toolkit__search_news",
    ],
)
async def test_every_search_tool_is_known(tmp_path: Path, tool: str) -> None:
    assert len(await saved(observed(tmp_path, tool, {"results": [HIT]}))) == 1


@pytest.mark.proves("search.tools_only")
@pytest.mark.parametrize(
    "tool",
    [
        "mcp__composio__COMPOSIO_SEARCH_TOOLS",
        "mcp__rube__RUBE_SEARCH_TOOLS",
        "mcp__composio__COMPOSIO_SEARCH_FETCH_URL_CONTENT",
        "mcp__composio__GMAIL_FETCH_EMAILS",
        "mcp__composio__SLACK_SEARCH_MESSAGES",
        "mcp__local_toolkit__search_corpus",
        "Task",
    ],
)
async def test_other_tools_are_left_alone(tmp_path: Path, tool: str) -> None:
    assert await saved(observed(tmp_path, tool, {"results": [HIT]})) == []
    assert names_in(tmp_path) == []


def multi(*results: JsonObject) -> JsonObject:
    return enveloped({"results": list(results), "total_count": len(results)})


ASKED: JsonObject = {
    "tools": [
        {"tool_slug": "GMAIL_FETCH_EMAILS", "arguments": {}},
        {"tool_slug": "COMPOSIO_SEARCH_NEWS", "arguments": {"query": "x"}},
        {"tool_slug": "COMPOSIO_SEARCH_WEB", "arguments": {"query": "y"}},
    ]
}
MAIL: JsonObject = {"response": {"successful": True, "data": {"messages": []}}}
FOUND_NEWS: JsonObject = {"response": {"successful": True, "data": {"news_results": [HIT]}}}
FOUND_WEB: JsonObject = {"response": {"successful": True, "data": {"citations": [CITATION]}}}


def by_tool(workspace: Path) -> dict[str, JsonObject]:
    files = (workspace / "search_results").iterdir()
    contents = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return {content["tool"]: content for content in contents}


@pytest.mark.proves("search.multi_execute")
@pytest.mark.parametrize("tool", [MULTI, "mcp__rube__RUBE_MULTI_EXECUTE_TOOL"])
async def test_searches_inside_a_multi_execute_become_a_file_each(
    tmp_path: Path, tool: str
) -> None:
    slugs = [one["tool_slug"] for one in ASKED["tools"]]
    results: list[JsonObject] = [
        {"index": index, "tool_slug": slug, "error": None, **result}
        for index, (slug, result) in enumerate(
            zip(slugs, (MAIL, FOUND_NEWS, FOUND_WEB), strict=True)
        )
    ]
    await saved(observed(tmp_path, tool, multi(*results), arguments=ASKED))

    files = by_tool(tmp_path)
    assert {slug: content["type"] for slug, content in files.items()} == {
        "COMPOSIO_SEARCH_NEWS": "news",
        "COMPOSIO_SEARCH_WEB": "web",
    }


async def test_results_without_index_are_paired_by_place_and_a_failed_one_costs_no_other(
    tmp_path: Path,
) -> None:
    failed: JsonObject = {"response": None, "error": "No active connected account"}
    result = {**multi(MAIL, failed, FOUND_WEB), "successful": False, "error": "1 out of 3 failed"}
    await saved(observed(tmp_path, MULTI, result, arguments=ASKED))

    assert set(by_tool(tmp_path)) == {"COMPOSIO_SEARCH_WEB"}


@pytest.mark.proves("search.unique")
async def test_two_searches_of_one_kind_in_a_call_are_two_files(tmp_path: Path) -> None:
    asked = {"tools": [{"tool_slug": "COMPOSIO_SEARCH_NEWS"}] * 2}
    paths = await saved(observed(tmp_path, MULTI, multi(FOUND_NEWS, FOUND_NEWS), arguments=asked))

    assert len(set(paths)) == 2


async def test_a_result_that_was_cut_for_the_model_is_read_whole(tmp_path: Path) -> None:
    hits = [{**HIT, "link": f"https://example.com/{n}"} for n in range(500)]
    (tmp_path / "tool_results").mkdir()
    whole = tmp_path / "tool_results" / "toolu_1.txt"
    whole.write_text(json.dumps({"news_results": hits}), encoding="utf-8")
    cut = observed(tmp_path, NEWS, '{"news_results": [{"pos [... left out ...]')
    output = type(cut.output)(
        text=cut.output.text,
        saved_path="tool_results/toolu_1.txt",
        finished_at=cut.output.finished_at,
    )
    await saved(ToolObserved(call=cut.call, output=output, context=cut.context))

    assert len(only_file(tmp_path, "search_results")["articles"]) == 500


async def test_a_source_may_be_an_object_and_fields_may_lack(tmp_path: Path) -> None:
    bare = {"url": "https://example.com/b"}
    hits = [{**HIT, "source": {"name": "The Paper"}, "date": "soon", "position": None}, bare]
    await saved(observed(tmp_path, NEWS, {"news_results": hits}))

    first, second = only_file(tmp_path, "search_results")["articles"]
    assert (first["source"], first["date"], first["position"]) == ("The Paper", "soon", 1)
    assert second == {
        "position": 2,
        "title": "",
        "url": "https://example.com/b",
        "source": "",
        "date": "",
        "snippet": "",
    }


@pytest.mark.parametrize(
    "result",
    [
        {"news_results": []},
        {"no_results": True},
        {"news_results": [{"title": "no address"}, {"link": "javascript:alert(1)"}, "text", None]},
        "The tool did not answer within 120 s.",
        '{"news_results": [{"link": "https://exa',
        "",
        "[]",
        "null",
        "[" * 100_000,
        '"' * 3,
    ],
)
async def test_nothing_found_leaves_no_file(tmp_path: Path, result: object) -> None:
    assert await saved(observed(tmp_path, NEWS, result)) == []
    assert names_in(tmp_path) == []


NOW = datetime(2026, 11, 21, 1, 30, tzinfo=UTC)
MOMENTS = st.datetimes(
    min_value=datetime(1990, 1, 1),  # noqa: DTZ001 (hypothesis adds the zone)
    max_value=datetime(2090, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


@pytest.mark.proves("search.relative_dates")
@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2 hours ago", "2026-11-20"),
        ("1 hour ago", "2026-11-21"),
        ("an hour ago", "2026-11-21"),
        ("45 mins ago", "2026-11-21"),
        ("just now", "2026-11-21"),
        ("Today", "2026-11-21"),
        ("yesterday", "2026-11-20"),
        ("3 days ago", "2026-11-18"),
        ("a week ago", "2026-11-14"),
        ("2 weeks ago", "2026-11-07"),
        ("1 month ago", "2026-10-21"),
        ("9 months ago", "2026-02-21"),
        ("2 years ago", "2024-11-21"),
        ("2 hours ago - Reuters", "2026-11-20"),
        ("vor 3 Tagen", "2026-11-18"),
        ("vor einer Woche", "2026-11-14"),
        ("gestern", "2026-11-20"),
        ("il y a 2 mois", "2026-09-21"),
        ("hace 2 años", "2024-11-21"),
        ("hace 3 semanas", "2026-10-31"),
        ("3d", "2026-11-18"),
        ("2h", "2026-11-20"),
        ("Jan 23, 2026", "2026-01-23"),
        ("January 23rd, 2026", "2026-01-23"),
        ("Sept. 3, 2025", "2025-09-03"),
        ("23 Jan 2026", "2026-01-23"),
        ("Jan 23, 2026 · Some words", "2026-01-23"),
        ("Nov 30", "2025-11-30"),
        ("Nov 20", "2026-11-20"),
        ("2025-12-22", "2025-12-22"),
        ("2025-12-22T23:30:00-05:00", "2025-12-22"),
        ("12/22/2025, 08:00 AM, +0000 UTC", "2025-12-22"),
        ("  2  HOURS   AGO ", "2026-11-20"),
    ],
)
def test_a_date_as_written_becomes_a_day(text: str, day: str) -> None:
    assert parse_relative_date(text, NOW) == day


@pytest.mark.parametrize(
    "text",
    [
        "5 minute read", "Sat 5", "", "soon", "5 parsecs ago", "2025-13-40", "Foo 12, 2026",
        "999999 years ago", "Feb 30, 2026",
    ],
)  # fmt: skip
def test_what_names_no_day_is_none(text: str) -> None:
    assert parse_relative_date(text, NOW) is None


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2090, 1, 1)), MOMENTS)
def test_a_full_date_is_itself_whenever_it_is_read(day: date, now: datetime) -> None:
    for written in (f"{day:%b %d, %Y}", f"{day:%d %B %Y}", day.isoformat(), f"{day:%m/%d/%Y}"):
        assert parse_relative_date(written, now) == day.isoformat()


@given(st.text(max_size=30) | st.from_regex(r"\d{1,6} ?[a-z]{1,6}s?( ago)?"), MOMENTS)
def test_any_text_is_a_day_or_none(text: str, now: datetime) -> None:
    day = parse_relative_date(text, now)

    assert day is None or re.fullmatch(r"\d{4}-\d{2}-\d{2}", day)


KEYS = st.sampled_from(
    ["data", "results", "response", "tool_slug", "index", "news_results", "link", "title", "tools"]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False)
    | st.sampled_from(["https://e.org/a", "COMPOSIO_SEARCH_WEB", "{", '{"data": []}', "text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)
TOOLS = st.sampled_from(
    ["mcp__c__COMPOSIO_SEARCH_NEWS", "mcp__c__COMPOSIO_MULTI_EXECUTE_TOOL", "x"]
)


@given(TOOLS, JSON, st.dictionaries(KEYS, JSON, max_size=2))
def test_any_json_is_read_without_failing(tool: str, result: object, asked: JsonObject) -> None:
    for execution in executions(observed(Path(), tool, result, arguments=asked)):
        cleaned = cleaned_results(execution, FINISHED)
        if cleaned is not None:
            listed = cleaned["articles" if cleaned["type"] == "news" else "results"]
            assert all(item["url"].startswith("https://") for item in listed)
            json.dumps(cleaned)


@pytest.mark.proves("large.search")
async def test_of_results_that_stayed_elsewhere_what_is_told_whole_is_recorded(
    tmp_path: Path,
) -> None:
    hits = [{"url": f"https://e.org/{n}", "title": "T", "snippet": "S"} for n in range(3)]
    told = json.dumps({"citations": hits})
    cut = told[: told.index("e.org/2") + 5]
    result: JsonObject = {"index": 0, "response": {"successful": True, "data_preview": cut}}
    asked: JsonObject = {"tools": [{"tool_slug": "COMPOSIO_SEARCH_WEB"}]}
    await saved(observed(tmp_path, MULTI, {"data": {"results": [result]}}, arguments=asked))
    [record] = by_tool(tmp_path).values()
    assert [each["url"] for each in record["results"]] == ["https://e.org/0", "https://e.org/1"]
