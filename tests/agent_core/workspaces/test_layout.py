"""A session's directory."""

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from agent_core.errors import SettingsError
from agent_core.ids import SessionId
from agent_core.workspaces import (
    cited_in,
    create_workspace,
    known_sources,
    renewal,
    without_paths,
)

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
