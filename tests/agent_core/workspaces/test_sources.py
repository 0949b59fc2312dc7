"""Which addresses a session came by."""

import json
from pathlib import Path

from agent_core.workspaces import known_sources


def test_search_results_and_fetched_pages_are_known_and_damaged_files_do_no_harm(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "search_results"
    folder.mkdir()
    web = {"type": "web", "results": [{"url": "https://a.test/1"}, {"url": "https://a.test/2"}]}
    (folder / "WEB.json").write_text(json.dumps(web), encoding="utf-8")
    (folder / "broken.json").write_text("{", encoding="utf-8")
    page = (
        "---\nurl: https://b.test/\nfinal_url: 'https://www.b.test/'\n---\n\nurl: https://no.test/"
    )
    (folder / "crawl_b.md").write_text(page, encoding="utf-8")
    assert set(known_sources(tmp_path)) == {
        "https://a.test/1",
        "https://a.test/2",
        "https://b.test/",
        "https://www.b.test/",
    }


def test_a_workspace_without_searches_knows_nothing(tmp_path: Path) -> None:
    assert known_sources(tmp_path) == ()
