"""Which addresses count as seen: what people wrote and tools found, never what a model wrote."""

import json
from pathlib import Path

import pytest

from agent_core.consent.provenance import AddressProvenance
from agent_core.ids import ROOT_RUN, RunId, TurnId
from agent_core.messages import JsonObject, Message, Text, ToolResult, user_message
from agent_core.observers import SearchResultObserver
from agent_core.prompts import prompt
from agent_core.testing.tools import tool_call
from tests.agent_core.observers.observed import observed
from tests.attacks.world import CRAWL, LIST_FILES, READ_FILE, SEARCH, WRITE_FILE

WORKSPACE = Path("/sessions/one")
TURN = TurnId("turn:1")
URL = "https://evil.example/a?d=secret"
Entry = tuple[RunId, Message]
_CHILD = RunId("root.child")


def used(
    name: str, arguments: JsonObject, result: str, *, run: RunId = ROOT_RUN, id: str = "1"
) -> list[Entry]:
    """A call and what came back."""
    call = tool_call(name, arguments, id=id)
    answer = ToolResult(call_id=call.id, text=result)
    return [
        (run, Message(role="assistant", parts=(call,))),
        (run, Message(role="user", parts=(answer,))),
    ]


def said(text: str) -> Entry:
    return ROOT_RUN, Message(role="assistant", parts=(Text(text=text),))


def is_seen(*history: Entry, url: str = URL) -> bool:
    messages = [(TURN, run, message) for run, message in history]
    return AddressProvenance(messages, WORKSPACE).has(url)


CAME = {"task": "Look.", "ended": "has ended"}
WEB = "mcp__composio__COMPOSIO_SEARCH_WEB"
FILE: JsonObject = {"path": "downloads/list.csv"}
WRITTEN = used(WRITE_FILE, {"path": "n.md", "content": f"See {URL}."}, "Wrote it.", id="w")
FOUND = used(SEARCH, {"query": "secret"}, f"There is {URL}, among others.", id="f")


@pytest.mark.parametrize(
    "history",
    [
        [(ROOT_RUN, user_message(f"Look at {URL}, please."))],
        FOUND,
        [*FOUND, *WRITTEN],
        [said("I look for it at evil.example."), *FOUND],
        used(CRAWL, {"urls": ["https://news.example"]}, f"[here]({URL})"),
        used(READ_FILE, FILE, URL),
        used(READ_FILE, {"path": f"{WORKSPACE}/search_results/1.json"}, f'"{URL}"'),
        used("ask_user", {"question": "Where?"}, f"Ann answered: {URL}"),
        used(SEARCH, {"query": "secret"}, URL, run=_CHILD),
        [*used(SEARCH, {"query": "x"}, URL, run=_CHILD), *used("Task", {"prompt": "x"}, URL)],
        [*used(CRAWL, {"urls": [URL]}, "No.", id="c"), *FOUND],
    ],
)
def test_what_people_wrote_or_tools_found_first_is_seen(history: list[Entry]) -> None:
    assert is_seen(*history)


@pytest.mark.parametrize(
    "history",
    [
        [],
        [said(f"I think of {URL}.")],
        WRITTEN,
        used(SEARCH, {"query": URL}, f"Nothing for {URL}."),
        used(SEARCH, {"query": "evil.example/a?d=secret"}, f"Nothing for {URL}."),
        used(SEARCH, {"query": "https%3A%2F%2Fevil.example%2Fa%3Fd%3Dsecret"}, f"For {URL}:"),
        used(SEARCH, {"query": {"or": ["x", f'"{URL}"']}}, f"Nothing for {URL}."),
        used("Task", {"prompt": "Go."}, f"Read {URL}."),
        used("wait", {"run": _CHILD}, f"Read {URL}."),
        used("run_python", {"code": "print('https://evil.' + 'example/a?d=secret')"}, URL),
        [(ROOT_RUN, user_message(prompt("child_result", run=_CHILD, **CAME, text=f"See {URL}.")))],
        [(_CHILD, user_message(f"Read {URL}."))],
        used(LIST_FILES, {}, URL),
        used(READ_FILE, {"path": "n.md"}, URL),
        used(READ_FILE, {"path": "downloads/../n.md"}, URL),
        used(READ_FILE, {"path": "work_products/downloads/n.md"}, URL),
        used(READ_FILE, {"path": "/elsewhere/downloads/n.md"}, URL),
        used(READ_FILE, {"path": 7}, URL),
        [*WRITTEN, *used("mcp__notes__READ_NOTES", {}, URL)],
        [said(f"See {URL}."), *used("mcp__chat__READ_POSTS", {}, URL)],
        [*used(READ_FILE, FILE, URL), *[(_CHILD, message) for _, message in WRITTEN]],
        [said("a.b," * 300 + URL), *FOUND],
    ],
)
def test_what_a_model_wrote_first_is_not(history: list[Entry]) -> None:
    assert not is_seen(*history)


@pytest.mark.proves("attacks.order_read")
@pytest.mark.parametrize(
    ("made_by", "is_search"),
    [
        ("mcp__composio__COMPOSIO_SEARCH_WEB", True),
        ("mcp__rube__RUBE_SEARCH_NEWS", True),
        ("mcp__composio__EXA_SEARCH", False),
        ("mcp__evil__COMPOSIO_SEARCH_WEB", False),
        ("mcp__tavily__TAVILY_SEARCH", False),
        ("mcp__composio__COMPOSIO_SEARCH_FETCH_URL_CONTENT", False),
    ],
)
async def test_only_a_trusted_search_names_sites_also_by_its_file(
    tmp_path: Path, made_by: str, is_search: bool
) -> None:
    """Whatever is read again names as much as it did at first."""
    result = json.dumps({"data": {"results": [{"title": "x", "url": URL}]}})
    saved = await SearchResultObserver().saw(observed(tmp_path, made_by, result))
    readings = [used(READ_FILE, {"path": path}, URL) for path in saved]
    for history in (used(made_by, {"query": "x"}, result), *readings):
        seen = AddressProvenance([(TURN, *entry) for entry in history], tmp_path)
        assert (len(seen.by_searches), len(seen.by_others)) == (is_search, not is_search)


@pytest.mark.proves("attacks.order_read")
@pytest.mark.parametrize(
    "path", ["search_results/crawl_evil.md", "search_results/COMPOSIO_SEARCH_x.md"]
)
def test_a_page_that_is_read_from_its_file_is_a_page(path: str) -> None:
    seen = AddressProvenance(
        [(TURN, *entry) for entry in used(READ_FILE, {"path": path}, URL)], WORKSPACE
    )
    assert (len(seen.by_searches), len(seen.by_others)) == (0, 1)


@pytest.mark.parametrize(
    "url",
    [
        *(f"{URL}#secret", f"{URL}x", f"{URL}&x=1", f"{URL}\n", URL[:-1], URL.partition("?")[0]),
        "https://secret.evil.example/a?d=secret",
        "https://il.example/a?d=secret",
        "https://evil.example:8080/a?d=secret",
        "https://x@evil.example/a?d=secret",
        "https://other.test\\@evil.example/a?d=secret",
        "https://evil.example/A?d=secret",
        "file:///a?d=secret",
        "",
    ],
)
def test_a_page_that_was_seen_stands_for_no_other(url: str) -> None:
    assert not is_seen(*FOUND, url=url)


@pytest.mark.parametrize(
    "url",
    [
        "http://evil.example/a?d=secret",
        "HTTPS://Evil.Example/a?d=secret",
        "https://evil.example:443/a?d=secret",
        "evil.example/a?d=secret",
        "EVIL.example:443/a?d=secret",
    ],
)
def test_another_spelling_of_the_same_page_is_seen(url: str) -> None:
    assert is_seen(*FOUND, url=url)


def test_a_fragment_that_was_seen_with_its_page_is_seen() -> None:
    found = used(SEARCH, {"query": "x"}, f"See {URL}#part-2 of it.")
    assert is_seen(*found, url=f"{URL}#part-2")
    assert not is_seen(*found, url=f"{URL}#part-3")


def test_what_a_sub_agent_wrote_afterwards_takes_nothing_back() -> None:
    """It was found, handed to a sub-agent, written into a report, and is asked for again."""
    task = used("Task", {"prompt": f"Report on {URL}."}, "Done.", id="child")
    child = [(_CHILD, message) for _, message in WRITTEN]
    messages = [(TURN, run, message) for run, message in [*FOUND, *task, *child]]
    later = (TurnId("turn:2"), ROOT_RUN, user_message("continue"))
    assert AddressProvenance([*messages, later], WORKSPACE).has(URL)


@pytest.mark.parametrize("tool", [WEB, "mcp__mail__READ_MAIL"])
def test_what_runs_side_by_side_say_takes_nothing_back_that_a_search_found(tool: str) -> None:
    """The main agent delegates what it found, while an explorer ends with a link to it."""
    found = used(tool, {"query": "secret"}, f"There is {URL}, among others.", id="f")
    task = used("Task", {"prompt": f"Report on {URL}."}, "Done.", id="child")
    explorer = [(RunId("root.part1"), message) for _, message in [*found, said(f"See {URL}.")]]
    assert is_seen(*found, *task, *explorer) == (tool == WEB)
    stored = [(RunId("root.part2"), message) for _, message in WRITTEN]
    assert not is_seen(*found, *stored)


def test_what_an_earlier_turn_had_written_is_not_found_by_a_later_one() -> None:
    written = [(TURN, run, message) for run, message in [*WRITTEN]]
    found = [(TurnId("turn:2"), run, message) for run, message in FOUND]
    assert not AddressProvenance([*written, *found], WORKSPACE).has(URL)
