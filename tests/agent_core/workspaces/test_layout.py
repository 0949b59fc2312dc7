"""The session directory, and what turns leave in it: trace files, summary.txt, run.log."""

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from agent_core.errors import SettingsError
from agent_core.ids import SessionId
from agent_core.json_values import digest_of_json
from agent_core.messages import JsonObject
from agent_core.workspaces import (
    RunLogs,
    append_summary,
    build_trace,
    cited_in,
    create_workspace,
    known_sources,
    renewal,
    safe_products,
    without_paths,
    write_trace,
)
from tests.agent_core.turn_events import SESSION, START, at, made, turn_with_a_child


def trace(turn: str = "turn-1", **changed: object) -> JsonObject:
    built = build_trace(
        turn_with_a_child(),
        url="",
        asker="T1:U1",
        asked_at=START,
        trace_id="a" * 32,
        logfire_enabled=False,
        finished_at=at(20.5),
    )
    return {**built, "turn_id": turn, **changed}


def digest(turn: str) -> str:
    return digest_of_json(turn)[:8]


def turns_in(workspace: Path) -> dict[str, str]:
    files = sorted(workspace.rglob("trace*.json"))
    return {
        file.relative_to(workspace).as_posix(): json.loads(file.read_text("utf-8"))["turn_id"]
        for file in files
    }


@pytest.mark.proves("trace.one_a_turn")
def test_the_last_turn_is_trace_json_and_earlier_ones_are_numbered(tmp_path: Path) -> None:
    for turn in ("one", "two", "three"):
        write_trace(tmp_path, trace(turn))

    assert turns_in(tmp_path) == {
        "trace.json": "three",
        f"traces/trace_001_{digest('one')}.json": "one",
        f"traces/trace_002_{digest('two')}.json": "two",
    }


def test_writing_a_turn_again_replaces_it_where_it_lies(tmp_path: Path) -> None:
    write_trace(tmp_path, trace("one"))
    write_trace(tmp_path, trace("two"))
    write_trace(tmp_path, trace("two", query="mended"))
    write_trace(tmp_path, trace("one", query="mended too"))

    archived = f"traces/trace_001_{digest('one')}.json"
    assert turns_in(tmp_path) == {"trace.json": "two", archived: "one"}
    queries = [
        json.loads((tmp_path / name).read_text("utf-8"))["query"] for name in turns_in(tmp_path)
    ]
    assert queries == ["mended", "mended too"]


def test_a_damaged_trace_is_put_aside_and_not_lost(tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text('{"turn_id": "on', encoding="utf-8")

    write_trace(tmp_path, trace("two"))

    kept = tmp_path / "traces" / f"trace_001_{digest('')}.json"
    assert kept.read_text("utf-8") == '{"turn_id": "on'
    assert json.loads((tmp_path / "trace.json").read_text("utf-8"))["turn_id"] == "two"


@pytest.mark.proves("summary.figures", "summary.by_tool", "summary.trace")
def test_a_summary_says_what_a_turn_did(tmp_path: Path) -> None:
    append_summary(tmp_path, trace(), trace_url="https://logfire.example/t?q=1")

    summary = (tmp_path / "summary.txt").read_text("utf-8")
    assert "Request:     What is new in batteries?" in summary
    assert "Route:       COMPLEX" in summary
    assert "Duration:    20.5 s" in summary
    assert "Iterations:  2" in summary
    assert "3, 1 failed" in summary
    assert "mcp__local_toolkit__crawl_parallel 1" in summary
    assert "Artifacts:   work_products/batteries.html" in summary
    assert "Tokens:      3,367 in 4 model calls" in summary
    assert "Cost:        $0.0000" in summary
    assert f"Trace:       {'a' * 32}" in summary
    assert "Trace URL:   https://logfire.example/t?q=1" in summary


def test_summaries_append_and_a_turn_appears_once(tmp_path: Path) -> None:
    for turn in ("one", "two", "one"):
        append_summary(tmp_path, trace(turn), trace_url=None)

    lines = (tmp_path / "summary.txt").read_text("utf-8").splitlines()
    headings = [line for line in lines if line.startswith("==")]
    assert headings == [
        "== Execution summary of turn one ==",
        "== Execution summary of turn two ==",
    ]


def test_a_request_that_looks_like_a_heading_hides_no_turn(tmp_path: Path) -> None:
    forged = "Hello\n== Execution summary of turn two =="
    append_summary(tmp_path, trace("one", query=forged), trace_url=None)
    append_summary(tmp_path, trace("two"), trace_url=None)

    assert "turn two ==\nRequest:     What is new" in (tmp_path / "summary.txt").read_text("utf-8")


@pytest.mark.proves("run_log.times")
def test_the_run_log_has_a_time_before_each_entry(tmp_path: Path) -> None:
    logs = RunLogs()
    logs.follow(SESSION, tmp_path)
    logs.write(made("turn_started", text="first"))
    logs.write(made("turn_finished", 0.001, answer="with a line more"))

    assert (tmp_path / "run.log").read_text("utf-8").splitlines() == [
        "[14:30:52.123] turn turn-1 started on 2026-11-21 by Ann: first",
        "[14:30:52.124] turn turn-1 finished: answered",
        "               with a line more",
    ]


def test_a_log_that_cannot_be_written_costs_nothing_else(tmp_path: Path) -> None:
    logs = RunLogs()
    logs.follow(SESSION, tmp_path / "not there")
    logs.write(made("turn_started", text="lost"))
    (tmp_path / "not there").mkdir()
    logs.write(made("turn_started", text="kept \ud800"))

    assert (tmp_path / "not there" / "run.log").read_text("utf-8").endswith("Ann: kept ?\n")


@pytest.mark.proves("run_log.content")
def test_the_run_log_tells_a_turn_in_plain_words(tmp_path: Path) -> None:
    logs = RunLogs()
    logs.follow(SESSION, tmp_path)
    for event in turn_with_a_child():
        logs.write(event)

    text = (tmp_path / "run.log").read_text("utf-8")
    assert "turn turn-1 started on 2026-11-21 by Ann: What is new in batteries?" in text
    assert "route COMPLEX (classifier)" in text
    assert "tool mcp__composio__COMPOSIO_SEARCH_NEWS started (toolu_news)" in text
    assert "tool mcp__local_toolkit__crawl_parallel failed in 1.2 s" in text
    assert "artifact work_products/batteries.html" in text
    assert "turn turn-1 finished: answered" in text


NOW = datetime(2026, 11, 21, 14, 30, 52, tzinfo=UTC)
ONE, OTHER = SessionId("T1/C1/1.1"), SessionId("T1/C1/1.2")


@pytest.mark.proves(
    "workspace.name", "workspace.absolute", "workspace.directories", "workspace.isolated"
)
def test_a_workspace_is_one_sessions_own_with_every_described_subdirectory(tmp_path: Path) -> None:
    workspace = create_workspace(tmp_path / "root", now=NOW, session=ONE)

    assert re.fullmatch(r"session_20261121_143052_[0-9a-f]{6}", workspace.name)
    assert workspace.is_absolute()
    assert sorted(path.name for path in workspace.iterdir() if path.is_dir()) == [
        "downloads",
        "extracted_articles",
        "search_results",
        "traces",
        "work_products",
        "workbench_activity",
    ]
    assert create_workspace(tmp_path / "root", now=NOW, session=OTHER) != workspace


def test_the_same_session_and_time_is_the_same_directory_with_what_is_in_it(tmp_path: Path) -> None:
    workspace = create_workspace(tmp_path, now=NOW, session=ONE)
    (workspace / "downloads" / "kept.txt").write_text("kept", encoding="utf-8")
    (workspace / "traces").rmdir()

    elsewhere = NOW.astimezone(timezone(timedelta(hours=9)))
    assert create_workspace(tmp_path, now=elsewhere, session=ONE) == workspace
    assert (workspace / "downloads" / "kept.txt").exists()
    assert (workspace / "traces").is_dir()


def test_a_root_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    root = tmp_path / "taken"
    root.write_text("a file", encoding="utf-8")

    with pytest.raises(SettingsError, match="taken") as caught:
        create_workspace(root, now=NOW, session=ONE)
    assert "WORKSPACES_ROOT" in str(caught.value)


def test_the_mark_of_a_renewed_workspace_is_its_own_and_not_inside_of_it(tmp_path: Path) -> None:
    workspace = create_workspace(tmp_path, now=NOW, session=ONE)
    renewal(workspace).touch()
    assert not renewal(tmp_path / "session_other").exists()
    assert not list(workspace.glob("*renewed*"))


def test_addresses_of_searches_and_fetched_pages_are_known_and_damaged_files_do_no_harm(
    tmp_path: Path,
) -> None:
    assert known_sources(tmp_path) == ()
    folder = tmp_path / "search_results"
    folder.mkdir()
    web = '{"type": "web", "results": [{"url": "https://a.test/1"}, {"url": "https://a.test/2"}]}'
    (folder / "WEB.json").write_text(web, encoding="utf-8")
    (folder / "broken.json").write_text("{", encoding="utf-8")
    head = "url: https://b.test/\nfinal_url: 'https://www.b.test/'"
    (folder / "crawl_b.md").write_text(f"---\n{head}\n---\n\nurl: https://no.test/", "utf-8")
    found = {"https://a.test/1", "https://a.test/2", "https://b.test/", "https://www.b.test/"}
    assert set(known_sources(tmp_path)) == found


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("It is in `work_products/report.html`.", "It is in Batteries in 2026."),
        ("See [the report](work_products/report.html)!", "See the report!"),
        ("Yours: /ws/s_1/work_products/report.html", "Yours: Batteries in 2026"),
        ("I read `downloads/data.csv`, too.", "I read `data.csv`, too."),
        ("Notes: search_results/a_1.md.", "Notes: a_1.md."),
        ("1,200 downloads/week", "1,200 downloads/week"),
        ("https://x.org/downloads/a.html", "https://x.org/downloads/a.html"),
        ("All of it is below `/ws/s_1/`.", "All of it is below ``."),
    ],
)
def test_no_path_of_the_workspace_is_told_to_people(said: str, told: str) -> None:
    titles = {"work_products/report.html": "Batteries in 2026"}
    assert without_paths(said, Path("/ws/s_1"), titles) == told


@pytest.mark.parametrize(
    ("answer", "cited"),
    [
        ("Costs fell [1].", ("https://report.test",)),
        (
            "Costs fell [1].\n\n[1] A page: https://a.test/x.\n- [3]: <https://c.test>",
            ("https://a.test/x", "", "https://c.test"),
        ),
    ],
)
def test_an_answers_own_list_says_what_its_numbers_stand_for_before_the_report(
    answer: str, cited: tuple[str, ...]
) -> None:
    assert cited_in(answer, ("https://report.test",)) == cited


@pytest.mark.proves("files.no_formulas")
def test_a_table_that_a_server_left_holds_no_formula_when_it_is_posted(tmp_path: Path) -> None:
    products = tmp_path / "work_products"
    products.mkdir()
    (products / "a.csv").write_bytes(b"\xef\xbb\xbfName;Link\n=1+cmd;'x\n")
    (products / "b.txt").write_text("=1+cmd", encoding="utf-8")
    text = "\ufeffName;Link\n'=1+cmd;'x\n"
    assert safe_products(tmp_path) == [
        ("work_products/a.csv", len(text.encode())),
        ("work_products/b.txt", 6),
    ]
    assert (products / "a.csv").read_text(encoding="utf-8") == text
