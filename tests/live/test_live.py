"""Checks 1 to 3 of the main job with the real model; Slack, Composio and the web are the stand-ins.

Runs only where ANTHROPIC_API_KEY is set: `uv run pytest tests/live -m live`.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.live.settings import has_model_key

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not has_model_key(), reason="needs ANTHROPIC_API_KEY"),
]


def sandbox(directory: Path, *asks: str) -> dict[str, Any]:
    options = [option for ask in asks for option in ("--ask", ask)]
    done = subprocess.run(
        [sys.executable, "-m", "bot", "sandbox", *options, "--out", str(directory), "--json"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_plain_question_is_answered_on_the_fast_path(tmp_path: Path) -> None:
    [turn] = sandbox(tmp_path, "What is the capital of France?")["turns"]
    assert turn["route"] == "SIMPLE"
    assert turn["tool_calls"] == []
    assert "Paris" in turn["answer"]


def test_a_report_is_researched_cited_and_extended(tmp_path: Path) -> None:
    result = sandbox(
        tmp_path,
        "Write a comprehensive report on keeping chat bots reliable",
        "continue: add a section on retries",
    )
    first, second = result["turns"]
    assert first["route"] == second["route"] == "COMPLEX"
    called = " ".join(first["tool_calls"])
    for tool in ("SEARCH", "Task", "crawl_parallel", "save_corpus", "write_report"):
        assert tool in called
    names = sorted(file["name"] for file in result["files"])
    assert len(names) == 2
    assert names[1].endswith("_v2.html")
    corpus = json.loads((Path(result["workspace"]) / "expanded_corpus.json").read_text("utf-8"))
    assert corpus["successful"] >= 5
