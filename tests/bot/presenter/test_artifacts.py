import os
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.ids import RunId
from bot.presenter.answer import ArtifactRefused, file_name, handed_out, read_artifact
from bot.render import limits
from bot.threads import ThreadRef
from tests.bot.presenter.turns import Turn


@pytest.fixture
def turn() -> Turn:
    return Turn(ThreadRef(team="T1", channel="C1", root_ts="1783536983.783769"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    inside = tmp_path / "session" / "work_products" / "deep"
    inside.mkdir(parents=True)
    (inside / "report.html").write_text("<p>report</p>", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (tmp_path / "session" / "trace.json").write_text("{}", encoding="utf-8")
    return tmp_path / "session"


def test_a_work_product_is_read(workspace: Path) -> None:
    assert read_artifact(workspace, "work_products/deep/report.html") == b"<p>report</p>"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "work_products",
        "trace.json",
        "work_products/../trace.json",
        "work_products/deep/../../trace.json",
        "../secret.txt",
        "/etc/passwd",
        "work_products/missing.html",
        "work_products/deep",
        "work_products/deep/report.html/x",
    ],
)
def test_what_is_no_work_product_is_refused(workspace: Path, path: str) -> None:
    with pytest.raises(ArtifactRefused):
        read_artifact(workspace, path)


def test_a_link_does_not_lead_out(workspace: Path) -> None:
    products, secret = workspace / "work_products", workspace.parent / "secret.txt"
    (products / "soft.txt").symlink_to(secret)
    (products / "hard.txt").hardlink_to(secret)
    (products / "folder").symlink_to(workspace.parent)
    for path in ("soft.txt", "hard.txt", "folder/secret.txt"):
        with pytest.raises(ArtifactRefused):
            read_artifact(workspace, f"work_products/{path}")
    products.rename(workspace / "moved")
    products.symlink_to(workspace / "moved")
    with pytest.raises(ArtifactRefused):
        read_artifact(workspace, "work_products/deep/report.html")


def test_pipes_and_empty_files_are_refused(workspace: Path) -> None:
    os.mkfifo(workspace / "work_products" / "pipe")
    (workspace / "work_products" / "empty.txt").touch()
    for path in ("pipe", "empty.txt"):
        with pytest.raises(ArtifactRefused):
            read_artifact(workspace, f"work_products/{path}")


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("report.html", "report.html"),
        ("Übersicht 2026 (v2).html", "Übersicht 2026 (v2).html"),
        ("report\u202elmth.exe", "reportlmth.exe"),
        ("-rf", "rf"),
        ("a\nb.html", "a b.html"),
        ("../../etc/passwd", "_.._etc_passwd"),
        (".", "file"),
        ("", "file"),
        ("報告.pdf", "報告.pdf"),
        ("<!channel>.html", "_channel_.html"),
        ("é" * 300 + ".html", "é" * 57 + ".html"),
    ],
)
def test_names_are_made_safe(given: str, safe: str) -> None:
    assert file_name(given) == safe


@given(st.text())
def test_a_name_has_no_separator_control_or_direction_character(name: str) -> None:
    safe = file_name(name)
    assert 1 <= len(safe.encode()) <= limits.FILE_NAME_BYTES
    assert not set(safe) & set("/\\:\0")
    assert safe not in {".", ".."}
    assert not [each for each in safe if unicodedata.category(each) in {"Cc", "Cf", "Cs"}]


@pytest.mark.parametrize(
    ("saved", "given"),
    [
        ([("eels.html", "a"), ("eels_v2.html", "a")], ["eels_v2.html"]),
        ([("a.html", "a"), ("b.html", "b")], ["a.html", "b.html"]),
        ([("eels.csv", "a"), ("eels.html", "a")], ["eels.csv", "eels.html"]),
        (
            [(f"{name}.{kind}", "a") for name in ("eels", "eels_v2") for kind in ("html", "pdf")],
            ["eels_v2.html", "eels_v2.pdf"],
        ),
    ],
)
def test_of_a_runs_reports_the_last_one_is_handed_out(
    turn: Turn, saved: list[tuple[str, str]], given: list[str]
) -> None:
    kinds = {"html": "text/html", "csv": "text/csv", "pdf": "application/pdf"}
    events = [
        replace(turn.saved(path), run=RunId(run), mimetype=kinds[path.rpartition(".")[2]])
        for path, run in saved
    ]
    assert [artifact.path for artifact in handed_out(events)] == given
