"""A report run that read pages saves them as a corpus."""

import json
from pathlib import Path

import pytest

from agent_core.observers.compliance import correction

CRAWL = "mcp__local_toolkit__crawl_parallel"
SAVE = "mcp__local_toolkit__save_corpus"
REPORT = "mcp__local_toolkit__write_report"


def corpus(workspace: Path, *statuses: str) -> None:
    articles = [{"url": f"https://e.org/{n}", "status": s} for n, s in enumerate(statuses)]
    text = json.dumps({"total_articles": len(articles), "articles": articles})
    (workspace / "expanded_corpus.json").write_text(text, encoding="utf-8")


def test_a_run_that_saved_what_it_read_is_left_alone(tmp_path: Path) -> None:
    corpus(tmp_path, "failed", "success")

    assert correction("A comprehensive report", [CRAWL, SAVE, REPORT], tmp_path) is None


@pytest.mark.proves("compliance.simple_is_free")
def test_a_simple_report_needs_no_corpus(tmp_path: Path) -> None:
    assert correction("A short summary of the news", [REPORT], tmp_path) is None


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


@pytest.mark.parametrize("task", ["a brief, not detailed, note", "no detailed analysis"])
def test_work_that_shall_not_be_detailed_needs_no_corpus(tmp_path: Path, task: str) -> None:
    assert correction(task, [REPORT], tmp_path) is None


@pytest.mark.proves("compliance.not_saved")
def test_reading_without_saving_is_corrected_whatever_was_asked(tmp_path: Path) -> None:
    told = correction("A report", [CRAWL, REPORT], tmp_path)

    assert told is not None
    assert "never called save_corpus" in told


def test_an_earlier_corpus_does_not_excuse_what_was_read_now(tmp_path: Path) -> None:
    corpus(tmp_path, "success")

    assert correction("A report", [CRAWL, REPORT], tmp_path) is not None


def test_in_depth_work_may_build_on_an_earlier_corpus(tmp_path: Path) -> None:
    corpus(tmp_path, "success")

    assert correction("Extend the detailed report", [REPORT], tmp_path) is None


@pytest.mark.proves("compliance.nothing_read")
@pytest.mark.parametrize("statuses", [(), ("failed", "failed")])
def test_a_corpus_without_one_page_is_corrected(tmp_path: Path, statuses: tuple[str, ...]) -> None:
    corpus(tmp_path, *statuses)
    told = correction("A report", [CRAWL, SAVE], tmp_path)

    assert told is not None
    assert "other sources" in told


@pytest.mark.parametrize("content", ["", "[]", '{"articles": 3}', "{", '{"articles": [1, null]}'])
def test_a_damaged_corpus_is_no_corpus(tmp_path: Path, content: str) -> None:
    (tmp_path / "expanded_corpus.json").write_text(content, encoding="utf-8")

    assert correction("A report", [CRAWL, SAVE], tmp_path) is not None
