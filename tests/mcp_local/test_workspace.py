"""The session directory: nothing outside it is read or written, whatever the path says."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_local.errors import PathDenied, SessionFull
from mcp_local.workspace import MAX_SESSION_BYTES, FileMissing, Workspace, split_path
from tests.mcp_local.sessions import Session

HOME = Path("/srv/workspaces/session_1")

LEADING_OUT = [
    "../x", "../../x", "a/../../x", "work_products/../trace.json", "..", "/etc/x", "/etc/passwd",
    "//etc/passwd", "/srv/workspaces/session_2/notes.md", "/srv/workspaces/session_10/notes.md",
    "/srv/workspaces/session_1/../session_2/notes.md", "C:\\x", "C:/x", "a\\..\\..\\x",
    "\\\\server\\share",
]  # fmt: skip
UNSAFE_NAMES = [
    "a/\0b",
    "a\nb",
    "-rf",
    "work_products/-rf",
    "x" * 300,
    "é" * 150,
    "/".join(["deep"] * 300),
    "name.",
    " name",
    "report\u202elmth.exe",
    "zero\u200bwidth",
    "\ud800",
]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text("CANARY", encoding="utf-8")
    return path


@pytest.mark.parametrize("path", LEADING_OUT + UNSAFE_NAMES)
def test_a_denied_path_writes_nothing_anywhere(session: Session, path: str) -> None:
    before = sorted(session.root.parent.rglob("*"))
    with pytest.raises(PathDenied):
        session.workspace.write_text(path, "x")
    assert sorted(session.root.parent.rglob("*")) == before


@given(st.text(max_size=40) | st.from_regex(r"(/|\.|\.\.|a|\\|-){0,12}", fullmatch=True))
@example("/srv/workspaces/session_1/a")
@example("./a//b/")
def test_an_accepted_path_always_stays_below_its_home(text: str) -> None:
    try:
        parts = split_path(text, HOME)
    except PathDenied:
        return
    joined = Path(os.path.normpath(HOME.joinpath(*parts)))
    assert joined.is_relative_to(HOME)
    assert not any("/" in part or part in ("..", ".") for part in parts)


def test_a_relative_and_an_absolute_path_name_the_same_file(session: Session) -> None:
    written = session.workspace.write_text("notes/a.md", "text")
    assert written == session.directory / "notes" / "a.md"
    assert session.workspace.read_bytes(str(written)) == b"text"


def test_a_symlink_to_a_file_outside_is_not_read(session: Session, secret: Path) -> None:
    (session.directory / "link.txt").symlink_to(secret)
    with pytest.raises(PathDenied):
        session.workspace.read_bytes("link.txt")


def test_a_symlinked_directory_is_neither_read_nor_written_through(
    session: Session, secret: Path
) -> None:
    (session.directory / "away").symlink_to(secret.parent, target_is_directory=True)
    with pytest.raises(PathDenied):
        session.workspace.read_bytes("away/secret.txt")
    with pytest.raises(PathDenied):
        session.workspace.write_text("away/new.txt", "x")
    with pytest.raises(PathDenied):
        session.workspace.write_text("away/folder/new.txt", "x")
    assert not (secret.parent / "new.txt").exists()
    assert not (secret.parent / "folder").exists()


def test_writing_over_a_symlink_leaves_its_target_alone(session: Session, secret: Path) -> None:
    (session.directory / "link.txt").symlink_to(secret)
    session.workspace.write_text("link.txt", "mine")
    assert secret.read_text(encoding="utf-8") == "CANARY"
    assert session.workspace.read_bytes("link.txt") == b"mine"


def test_a_hard_link_is_not_read(session: Session, secret: Path) -> None:
    (session.directory / "hard.txt").hardlink_to(secret)
    with pytest.raises(PathDenied, match="hard link"):
        session.workspace.read_bytes("hard.txt")


def test_a_pipe_is_refused_without_waiting_for_a_writer(session: Session) -> None:
    os.mkfifo(session.directory / "pipe")
    with pytest.raises(PathDenied, match="not a plain file"):
        session.workspace.read_bytes("pipe")


def test_a_directory_is_not_a_file(session: Session) -> None:
    session.workspace.write_text("notes/a.md", "x")
    with pytest.raises(PathDenied):
        session.workspace.read_bytes("notes")
    with pytest.raises(PathDenied):
        session.workspace.write_text("notes", "x")
    with pytest.raises(PathDenied):
        session.workspace.read_bytes("")


def test_a_file_larger_than_allowed_is_refused(session: Session) -> None:
    session.workspace.write_text("big.txt", "x" * 100)
    with pytest.raises(PathDenied, match="100 bytes"):
        session.workspace.read_bytes("big.txt", max_bytes=99)
    assert len(session.workspace.read_bytes("big.txt", max_bytes=100)) == 100


def test_a_missing_file_is_named(session: Session) -> None:
    with pytest.raises(FileMissing, match=r"There is no nothing\.md"):
        session.workspace.read_bytes("nothing.md")


def test_text_that_is_no_valid_unicode_is_still_written(session: Session) -> None:
    session.workspace.write_text("a.txt", "half an emoji: \ud83d")
    assert session.workspace.read_bytes("a.txt") == b"half an emoji: ?"


def test_files_are_listed_by_path_without_links(session: Session, secret: Path) -> None:
    session.workspace.write_text("b/two.md", "22")
    session.workspace.write_text("a.md", "1")
    (session.directory / "link").symlink_to(secret)
    (session.directory / "away").symlink_to(secret.parent, target_is_directory=True)
    assert [(file.path, file.bytes) for file in session.workspace.files()] == [
        ("a.md", 1),
        ("b/two.md", 2),
    ]
    assert [file.path for file in session.workspace.files("b")] == ["b/two.md"]
    assert session.workspace.files("not/there") == []


def test_only_plain_files_exist(session: Session, secret: Path) -> None:
    session.workspace.write_text("b/two.md", "22")
    (session.directory / "link").symlink_to(secret)
    assert session.workspace.exists("b/two.md")
    assert not session.workspace.exists("b")
    assert not session.workspace.exists("link")
    assert not session.workspace.exists("b/three.md")


def test_the_directory_as_the_caller_spelled_it_is_accepted(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    alias = tmp_path / "alias"
    alias.symlink_to(real, target_is_directory=True)
    workspace = Workspace(real.resolve(), alias)
    workspace.write_text(str(alias / "a.md"), "x")
    assert workspace.read_bytes(str(real.resolve() / "a.md")) == b"x"


@pytest.mark.proves("write_local_file.answer")
async def test_the_session_in_the_meta_is_the_one_written_to(session: Session) -> None:
    answer = await session.call("write_local_file", path="notes.md", content="12345")
    assert answer.text == f"Successfully wrote 5 chars to {session.directory / 'notes.md'}"
    assert session.read("notes.md") == "12345"


@pytest.mark.proves("files.own_session")
async def test_another_sessions_file_is_out_of_reach(session: Session) -> None:
    other = session.root / "session_20261121_120001"
    other.mkdir()
    (other / "notes.md").write_text("CANARY", encoding="utf-8")
    for path in (str(other / "notes.md"), "../session_20261121_120001/notes.md"):
        read = await session.call("read_local_file", path=path)
        assert read.failed
        assert "CANARY" not in read.text
        assert (await session.call("write_local_file", path=path, content="x")).failed
    assert (other / "notes.md").read_text(encoding="utf-8") == "CANARY"


@pytest.mark.proves("files.own_directory")
async def test_a_directory_argument_must_be_the_calls_own_session(session: Session) -> None:
    session.add_page("https://a.test/", "Some text.")
    (session.root / "session_other").mkdir()
    for own in ("", str(session.directory), session.directory.name, f"{session.directory}/", "."):
        assert not (await session.call("save_corpus", workspace_path=own)).failed
    for foreign in (str(session.root / "session_other"), "/tmp", "/", "\0", "session_other"):  # noqa: S108
        assert (await session.call("save_corpus", workspace_path=foreign)).failed


@pytest.mark.parametrize(
    "where", ["", "/etc", "/", "relative", "{root}", "{root}/../else", "{link}"]
)
async def test_a_call_whose_session_is_not_below_the_root_is_refused(
    session: Session, tmp_path: Path, where: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = session.root / "session_link"
    link.symlink_to(outside, target_is_directory=True)
    named = where.format(root=session.root, link=link)
    for tool, arguments in (
        ("save_corpus", {}),
        ("write_local_file", {"path": "a", "content": ""}),
    ):
        answer = await session.call_in(named, tool, **arguments)
        assert answer.failed
        assert "Traceback" not in answer.text
    assert list(outside.iterdir()) == []


@pytest.mark.proves("files.session_bound")
def test_above_the_bound_of_a_session_nothing_is_written(session: Session) -> None:
    with (session.directory / "large.bin").open("wb") as file:
        file.truncate(MAX_SESSION_BYTES - 5)  # takes no disk
    session.workspace.write_text("a.txt", "12345")
    with pytest.raises(SessionFull, match="a new thread has room"):
        session.workspace.write_text("b.txt", "1")
    assert not session.workspace.exists("b.txt")
