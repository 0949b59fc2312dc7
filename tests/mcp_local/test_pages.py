from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_local.sources import (
    StoredPage,
    count_words,
    find_page,
    page_files,
    page_path,
    read_pages,
    save_page,
)
from mcp_local.workspace import Workspace

MOMENT = datetime(2025, 12, 22, 14, 30, tzinfo=UTC)


def page(
    url: str, markdown: str = "Some words.", title: str = "Title", minute: int = 0
) -> StoredPage:
    return StoredPage(
        url=url,
        final_url=url,
        title=title,
        description="",
        fetched_at=MOMENT + timedelta(minutes=minute),
        words=count_words(markdown),
        path=page_path(url),
        markdown=markdown,
    )


PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=60)


@settings(max_examples=60)
@given(title=PLAIN.map(lambda text: " ".join(text.split())), markdown=PLAIN)
def test_a_stored_page_is_read_as_it_was_saved(tmp_path: Path, title: str, markdown: str) -> None:
    workspace = Workspace(tmp_path)
    saved = page("http://a.example/", markdown, title)
    save_page(workspace, saved)
    assert find_page(workspace, "http://a.example/") == saved


def test_pages_come_in_the_order_in_which_they_were_fetched(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    for name, minute in (("b", 2), ("a", 3), ("c", 1)):
        save_page(workspace, page(f"http://{name}.example/", minute=minute))
    assert [stored.url[7] for stored in read_pages(workspace)] == ["c", "b", "a"]


def test_a_damaged_file_and_a_foreign_one_are_no_pages(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    save_page(workspace, page("http://a.example/"))
    folder = tmp_path / "search_results"
    (folder / "crawl_b-example_x_0.md").write_text("no front matter", "utf-8")
    (folder / "crawl_c-example_x_0.md").write_text("---\n{broken: [\n---\n", "utf-8")
    (folder / "news_1.json").write_text("{}", "utf-8")
    assert [stored.url for stored in read_pages(workspace)] == ["http://a.example/"]
    assert len(page_files(workspace)) == 3


@given(st.text(max_size=80))
def test_any_text_makes_a_safe_file_name(text: str) -> None:
    folder, _, name = page_path(text).partition("/")
    assert folder == "search_results"
    assert all(sign in "abcdefghijklmnopqrstuvwxyz0123456789-_." for sign in name)


def test_addresses_that_differ_have_different_files_and_fragments_do_not_count() -> None:
    assert page_path("http://a.example/?a=1") != page_path("http://a.example/?a=2")
    assert page_path("http://a.example/#x") == page_path("HTTP://A.example")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("two words", 2), ("# One,  two\n- three", 5), ("機械学習の基礎", 4)],
)
def test_words_are_counted_as_a_reader_would(text: str, expected: int) -> None:
    assert count_words(text) == expected
