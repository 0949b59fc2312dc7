from typing import Any

import pytest

from bot.presenter.tools import describe
from bot.words import BOT

WORDS = BOT.of("en")
URLS = [f"https://a.test/{number}" for number in range(8)]


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("COMPOSIO_SEARCH_WEB", {"query": "solid state"}, "Searching the web for “solid state”"),
        ("mcp__composio__RUBE_SEARCH_NEWS", {"query": "x"}, "Searching the news for “x”"),
        ("COMPOSIO_SEARCH_TOOLS", {"queries": []}, "Looking for the right tools"),
        ("mcp__local_toolkit__crawl_parallel", {"urls": URLS}, "Reading 8 pages"),
        ("mcp__local_toolkit__crawl_parallel", {"urls": URLS[:1]}, "Reading `a.test`"),
        ("mcp__local_toolkit__save_corpus", {"urls": URLS}, "Saving the sources"),
        ("mcp__local_toolkit__search_corpus", {"query": "q"}, "Searching the sources for “q”"),
        ("mcp__local_toolkit__write_report", {"title": "T"}, "Writing the report"),
        ("mcp__local_toolkit__read_local_file", {"path": "work/a.md"}, "Reading `a.md`"),
        ("mcp__local_toolkit__list_local_files", {}, "Looking through the files"),
        ("Task", {"subagent_type": "report-creation-expert"}, "Asking the report expert"),
        ("Task", {"subagent_type": "data-analyst"}, "Asking the data analyst"),
        ("run_python", {"code": "print(1)"}, "Working with the data"),
        ("mcp__composio__GMAIL_SEND_EMAIL", {"to": "a"}, "Gmail send email"),
        ("mcp__x__y_z", {"query": "secret {json}"}, "Y z"),
    ],
)
def test_a_call_is_told_in_peoples_words(tool: str, arguments: dict[str, Any], line: str) -> None:
    assert describe(tool, arguments, WORDS) == line


def test_calls_carried_by_a_call_are_told_by_the_first() -> None:
    tools = [{"tool_slug": "COMPOSIO_SEARCH_WEB", "arguments": {"query": query}} for query in "abc"]

    line = describe("mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL", {"tools": tools}, WORDS)
    assert line == "Searching the web for “a” and 2 more"


@pytest.mark.parametrize(
    "arguments",
    [{}, {"tools": None}, {"tools": "x"}, {"tools": [1]}, {"urls": 3}, {"query": ["a"]}],
)
@pytest.mark.parametrize(
    "tool", ["COMPOSIO_MULTI_EXECUTE_TOOL", "crawl_parallel", "search_web", "Task", "", "___"]
)
def test_arguments_of_any_shape_are_told_somehow(tool: str, arguments: dict[str, Any]) -> None:
    assert describe(tool, arguments, WORDS)


def test_a_foreign_query_rings_nobody_and_stays_short() -> None:
    line = describe("search_web", {"query": "<!channel> @here " + "x" * 500}, WORDS)

    assert "<!channel>" not in line
    assert "@here" not in line
    assert len(line) < 120
