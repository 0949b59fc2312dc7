"""What a tool call is for, in words in which nobody finds a tool's or a file's name."""

import re
from typing import Any

import pytest

from agent_core.tools import slug_of
from bot.presenter.tools import describe, reading_title
from bot.words import BOT
from mcp_local.server import build_server
from mcp_local.settings import Settings
from tests.agent_core.tools.catalogue import catalogue

WORDS = BOT.of("en")
URLS = [f"https://www.a.test/{number}" for number in range(8)]
TITLES = {URLS[2]: "Grid storage in 2026"}
OWN = (
    *("run_python", "find_tools", "COMPOSIO_MULTI_EXECUTE_TOOL", "COMPOSIO_REMOTE_WORKBENCH"),
    *("COMPOSIO_MANAGE_CONNECTIONS", "mcp__composio__COMPOSIO_SOMETHING_NEW", "mcp__x__y_z"),
)


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("COMPOSIO_SEARCH_WEB", {"query": "solid state"}, "Searching the web for “solid state”"),
        ("mcp__composio__RUBE_SEARCH_NEWS", {"query": "x"}, "Searching the news for “x”"),
        ("COMPOSIO_SEARCH_TOOLS", {"queries": []}, "Finding the right apps"),
        (
            "mcp__local_toolkit__crawl_parallel",
            {"urls": URLS},
            "Reading “Grid storage in 2026” (a.test) and 7 more",
        ),
        ("mcp__local_toolkit__crawl_parallel", {"urls": URLS[:1]}, "Reading a.test"),
        ("mcp__reader__webReader", {"url": URLS[0]}, "Reading a.test"),
        ("mcp__local_toolkit__save_corpus", {"urls": URLS}, "Saving the sources"),
        ("mcp__local_toolkit__search_corpus", {"query": "q"}, "Searching the sources for “q”"),
        ("mcp__local_toolkit__write_report", {"title": "T"}, "Writing the report"),
        (
            "mcp__local_toolkit__read_local_file",
            {"path": "work/a.md"},
            "Reading through the material",
        ),
        ("mcp__local_toolkit__write_local_file", {"path": "work/a.md"}, "Writing it down"),
        ("run_python", {"code": "print(1)"}, "Working with the data"),
        ("mcp__composio__GMAIL_SEND_EMAIL", {"to": "a"}, "Working with Gmail"),
        ("mcp__edgartools__y_z", {"query": "secret {json}"}, "Working with Edgartools"),
        ("mcp__local_toolkit__something_new", {}, "Working on it"),
    ],
)
def test_a_call_is_told_in_peoples_words(tool: str, arguments: dict[str, Any], line: str) -> None:
    assert describe(tool, arguments, WORDS, TITLES) == line


async def test_no_tool_is_told_by_its_name_and_no_file_by_its() -> None:
    local = [
        f"mcp__local_toolkit__{tool.name}" for tool in await build_server(Settings()).list_tools()
    ]
    tools = [*local, *OWN, *(spec.name for spec in catalogue(520))]
    file = "search_results/iea_org_1a2b.md"
    arguments: dict[str, Any] = dict.fromkeys(
        ("path", "file_path", "filename", "name", "paths", "code"), file
    )
    for tool in tools:
        said = describe(tool, arguments, WORDS, {})
        assert slug_of(tool) not in said
        assert not re.search(r"_|\.md|/", said), said


def test_calls_carried_by_a_call_are_told_by_the_first() -> None:
    tools = [{"tool_slug": "COMPOSIO_SEARCH_WEB", "arguments": {"query": query}} for query in "abc"]

    line = describe("mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL", {"tools": tools}, WORDS, {})
    assert line == "Searching the web for “a” and 2 more"


@pytest.mark.parametrize(
    "arguments",
    [{}, {"tools": None}, {"tools": "x"}, {"tools": [1]}, {"urls": 3}, {"query": ["a"]}],
)
@pytest.mark.parametrize(
    "tool", ["COMPOSIO_MULTI_EXECUTE_TOOL", "crawl_parallel", "search_web", "Task", "", "___"]
)
def test_arguments_of_any_shape_are_told_somehow(tool: str, arguments: dict[str, Any]) -> None:
    assert describe(tool, arguments, WORDS, {})


def test_foreign_words_ring_nobody_and_stay_short() -> None:
    hostile = "<!channel> @here " + "x" * 500
    lines = [
        describe("search_web", {"query": hostile}, WORDS, {}),
        reading_title(URLS, WORDS, {URLS[0]: hostile}),
    ]
    for line in lines:
        assert "<!channel>" not in line
        assert "@here" not in line
        assert len(line) < 120
