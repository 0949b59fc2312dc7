"""What the reader service does not find counts against its domain, in the crawler's own file."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent_core.observers.corpus import BLACKLIST, ReaderBlacklist
from agent_core.observers.observing import ToolObserved
from mcp_local.crawling import Blacklist
from tests.agent_core.observers.observed import observed

READER = "mcp__web_reader__webReader"


def failed(root: Path, code: str, url: str = "https://Gone.test/a") -> ToolObserved:
    error = {"error": {"code": code, "message": "no"}}
    return observed(root / "s", READER, error, arguments={"url": url}, is_error=True)


def stored(root: Path) -> dict[str, Any]:
    return json.loads((root / BLACKLIST).read_text(encoding="utf-8"))


@pytest.mark.proves("fleet.blacklist")
async def test_the_crawler_skips_a_domain_whose_pages_were_not_there(tmp_path: Path) -> None:
    blacklist = ReaderBlacklist(tmp_path)
    for page in range(2):
        await blacklist.saw(failed(tmp_path, "1214", f"https://gone.test/{page}"))
    assert not Blacklist(tmp_path).blocks("https://gone.test/x")
    await blacklist.saw(failed(tmp_path, "1214"))
    assert Blacklist(tmp_path).blocks("https://gone.test/x")
    assert stored(tmp_path) == {
        "domains": {"gone.test": {"failures": 3, "last_failure": "2026-11-21T14:31:15.123456"}},
        "threshold": 3,
    }


async def test_it_counts_on_where_the_crawler_stopped(tmp_path: Path) -> None:
    Blacklist(tmp_path).record("https://gone.test/b")
    Blacklist(tmp_path).record("https://other.test/")
    await ReaderBlacklist(tmp_path).saw(failed(tmp_path, "1214"))
    domains = stored(tmp_path)["domains"]
    assert {name: record["failures"] for name, record in domains.items()} == {
        "gone.test": 2,
        "other.test": 1,
    }


@pytest.mark.proves("fleet.reader_timeout")
async def test_what_may_pass_is_not_counted_and_a_time_out_is_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blacklist = ReaderBlacklist(tmp_path)
    await blacklist.saw(failed(tmp_path, "1234"))
    [told] = caplog.records
    assert told.levelname == "WARNING"
    assert told.getMessage().startswith("gone.test was not reached in time (1234)")
    await blacklist.saw(observed(tmp_path, READER, {"content": "text"}))
    await blacklist.saw(observed(tmp_path, "mcp__other__tool", {"code": "1214"}))
    await blacklist.saw(failed(tmp_path, "1214", "no address"))
    assert not (tmp_path / BLACKLIST).exists()


async def test_a_damaged_file_is_begun_anew(tmp_path: Path) -> None:
    for damage in ("{", "[]", '{"domains": []}', '{"domains": {"gone.test": 7}}'):
        (tmp_path / BLACKLIST).write_text(damage, encoding="utf-8")
        await ReaderBlacklist(tmp_path).saw(failed(tmp_path, "1214"))
        assert stored(tmp_path)["domains"]["gone.test"]["failures"] == 1
