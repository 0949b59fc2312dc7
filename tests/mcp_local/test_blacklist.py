import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mcp_local.crawling import Blacklist

MOMENT = datetime(2025, 12, 22, 14, 30, tzinfo=UTC)


def blacklist(root: Path) -> Blacklist:
    return Blacklist(root, lambda: MOMENT)


@pytest.mark.proves("blacklist.failures", "blacklist.last_failure", "blacklist.threshold")
def test_the_file_has_the_described_shape(tmp_path: Path) -> None:
    blacklist(tmp_path / "runs").record("https://bad.example/a")
    stored = json.loads((tmp_path / "runs" / "webReader_blacklist.json").read_text("utf-8"))
    assert stored == {
        "domains": {
            "bad.example": {"failures": 1, "last_failure": "2025-12-22T14:30:00.000000"},
        },
        "threshold": 3,
    }


@pytest.mark.proves("blacklist.threshold")
def test_a_domain_is_blocked_after_three_different_pages_failed(tmp_path: Path) -> None:
    kept = blacklist(tmp_path)
    for n in range(2):
        kept.record(f"https://bad.example/{n}")
    assert not kept.blocks("https://bad.example/new")
    kept.record("https://bad.example/2")
    assert kept.blocks("https://BAD.example/new")
    assert not kept.blocks("https://other.example/")


def test_a_domain_that_reaches_the_threshold_is_named_in_the_log_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = blacklist(tmp_path)
    for n in range(5):
        kept.record(f"https://bad.example/{n}")
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert "bad.example" in record.getMessage()


def test_the_same_page_counts_once(tmp_path: Path) -> None:
    kept = blacklist(tmp_path)
    for _ in range(5):
        kept.record("https://bad.example/same")
    assert not kept.blocks("https://bad.example/same")


def test_failures_recorded_in_several_threads_are_all_counted(tmp_path: Path) -> None:
    kept = blacklist(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(kept.record, [f"https://bad.example/{n}" for n in range(40)]))
    stored = json.loads((tmp_path / "webReader_blacklist.json").read_text("utf-8"))
    assert stored["domains"]["bad.example"]["failures"] == 40


@pytest.mark.proves("blacklist.across_sessions")
def test_another_process_sees_the_count(tmp_path: Path) -> None:
    for n in range(3):
        blacklist(tmp_path).record(f"https://bad.example/{n}")
    assert blacklist(tmp_path).blocks("https://bad.example/x")


@pytest.mark.proves("blacklist.threshold")
def test_the_threshold_of_the_file_holds(tmp_path: Path) -> None:
    record = {"failures": 1, "last_failure": "2025-12-22T14:30:00.000000"}
    content = {"domains": {"bad.example": record}, "threshold": 1}
    (tmp_path / "webReader_blacklist.json").write_text(json.dumps(content), "utf-8")
    assert blacklist(tmp_path).blocks("http://bad.example/")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"domains": 3}', "\x00"])
def test_a_damaged_file_blocks_nothing_and_is_written_anew(tmp_path: Path, content: str) -> None:
    (tmp_path / "webReader_blacklist.json").write_text(content, "utf-8")
    kept = blacklist(tmp_path)
    assert not kept.blocks("https://bad.example/")
    kept.record("https://bad.example/a")
    stored = json.loads((tmp_path / "webReader_blacklist.json").read_text("utf-8"))
    assert stored["domains"]["bad.example"]["failures"] == 1
