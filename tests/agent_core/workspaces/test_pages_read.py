"""A session's pages, told by their titles and dates."""

import json
from pathlib import Path
from typing import Any

from agent_core.schedules.pages import PageRead
from agent_core.workspaces import pages_read


def save(workspace: Path, path: str, content: dict[str, Any] | str) -> None:
    file = workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    file.write_text(text, encoding="utf-8")


def article(url: str, title: str, *, is_read: bool = True) -> dict[str, Any]:
    return {"source_url": url, "title": title, "extraction_success": is_read}


def test_a_page_has_its_title_and_the_date_that_any_search_knew(tmp_path: Path) -> None:
    url = "https://a.example/1"
    save(tmp_path, "extracted_articles/1.json", article(url, "A\nplant  opens"))
    save(tmp_path, "search_results/1.json", {"articles": [{"url": url, "date": "2026-03-20"}]})
    save(tmp_path, "search_results/2.json", {"results": [{"url": url, "date": None}, "odd", {}]})

    assert pages_read(tmp_path) == (PageRead(url=url, title="A plant opens", date="2026-03-20"),)


def test_a_page_is_told_once_and_one_that_could_not_be_read_is_none(tmp_path: Path) -> None:
    save(tmp_path, "extracted_articles/1.json", article("https://a.example", "A"))
    save(tmp_path, "extracted_articles/2.json", article("https://a.example", "A again"))
    save(tmp_path, "extracted_articles/3.json", article("https://b.example", "B", is_read=False))

    assert [page.title for page in pages_read(tmp_path)] == ["A"]


def test_damaged_files_are_left_out(tmp_path: Path) -> None:
    save(tmp_path, "extracted_articles/1.json", "{not JSON")
    save(tmp_path, "extracted_articles/2.json", "[1, 2]")
    save(tmp_path, "search_results/1.json", {"results": "many"})

    assert pages_read(tmp_path) == ()
    assert pages_read(tmp_path / "nothing") == ()
