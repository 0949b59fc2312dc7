"""A report run that read pages saves them as a corpus."""

import json
from pathlib import Path

import pytest

from agent_core.observers.corpus import correction

CRAWL = "mcp__local_toolkit__crawl_parallel"
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
