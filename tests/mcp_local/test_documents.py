"""Attached files: what they are by their bytes, their text with marks, and what is told instead."""

import asyncio
import io
import signal
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from PIL import Image

from mcp_local.documents import MAX_SEARCHED, Documents
from mcp_local.errors import UnreadableFile
from mcp_local.extract.documents import (
    MAX_CHARS,
    MAX_PICTURE_BYTES,
    MAX_SIDE_PX,
    Document,
    kind_of,
    read_document,
    read_text,
)
from mcp_local.extract.reader import Readers
from mcp_local.report.compose import compose_report
from mcp_local.sources import NumberedSource
from mcp_local.workspace import Workspace
from tests import attached
from tests.mcp_local.sessions import Session

IN_A_WORKER = pytest.mark.process("files are read in worker processes")


def read(data: bytes) -> Document:
    kind = kind_of(data)
    return read_text(data) if kind == "text" else read_document(data, kind)


def fault_of(data: bytes) -> str:
    with pytest.raises(UnreadableFile) as caught:
        read(data)
    assert str(caught.value).endswith(".")
    return caught.value.fault


def picture(kind: str, size: tuple[int, int] = (40, 30), *, frames: int = 1) -> bytes:
    written = io.BytesIO()
    more = [Image.new("RGB", size, (n * 40, 0, 0)) for n in range(1, frames)]
    Image.new("RGB", size).save(
        written, kind, **({"append_images": more, "save_all": True} if more else {})
    )
    return written.getvalue()


@pytest.mark.proves("files_in.marks")
def test_each_page_of_a_pdf_stands_below_its_mark() -> None:
    document = read(attached.pdf("Twelve arches.", "", "# Toll"))
    assert document.text == "## Page 1\n\nTwelve arches.\n\n## Page 3\n\n\\# Toll\n"
    assert document.note == "It has 3 pages. No text on page 2: pictures, perhaps."


@pytest.mark.proves("files_in.marks")
def test_a_word_file_keeps_headings_of_any_language_paragraphs_and_tables() -> None:
    data = attached.docx("Marta & Jo.", "# not a heading", heading="Staff", table=[["a", "b"]])
    assert read(data).text == "# Staff\n\nMarta & Jo.\n\n\\# not a heading\n\na | b\n"


@pytest.mark.proves("files_in.marks", "files_in.not_run")
def test_a_sheet_gives_values_says_that_it_is_hidden_and_runs_nothing() -> None:
    first = attached.rows(["Region", "Total"], ["North", 12.5], ["South", 3])
    second = (
        '<sheetData><row r="7"><c r="A7" s="1"><v>45000.5</v></c><c r="C7"><f>1+1</f><v>2</v></c>'
        '<c r="D7"><f>WEBSERVICE("http://x")</f></c><c r="F7" t="b"><v>1</v></c></row></sheetData>'
    )
    book = attached.xlsx({"Sales": first, "Costs": second}, hidden=["Costs"])
    assert read(book).text.split("\n") == [
        "",
        "## Sheet Sales",
        "",
        "1: Region | Total",
        "2: North | 12.5",
        "3: South | 3",
        "",
        "## Sheet Costs (hidden)",
        "",
        "7: 2023-03-15 12:00:00 |  | 2 |  |  | TRUE",
        'Formulas: C7 =1+1 · D7 =WEBSERVICE("http://x")',
    ]


@pytest.mark.proves("report.read_again")
def test_a_report_of_ours_is_read_as_markdown_with_the_numbers_of_its_sources() -> None:
    known = NumberedSource(n=1, url="", title="", kind="page", ok=True, text="x", path="x")
    sources = [replace(known, n=n, url=f"https://x{n}.org/a", title=f"Page {n}") for n in (1, 2, 3)]
    written = (
        "## Costs\n\nThey cost **a lot**. [3]\n\n- hot\n- cold\n\n| A | B |\n|---|---|\n| x | 1 |\n"
        "\n> [!NOTE] Mind\n> this\n\n```\ndef f():\n    pass\n```"
    )
    page = compose_report(
        sources, date(2026, 11, 28), title="Heat & cold", markdown=written, summary="Short [1]."
    ).html.encode()
    document = read(page)
    lines = [line.rstrip() for line in document.text.splitlines() if line.strip()]
    assert lines == [
        "Research report", "# Heat & cold", "November 28, 2026 2 sources 2 publishers 1 min read",
        "## Executive summary", "Short[1].", "## Costs", "They cost a lot.[2]", "- hot", "- cold",
        "|  A |  B |", "|  x |  1 |", "Mind", "this", "```", "def f():", "    pass",
        "```", "## Sources", "1.  [Page 1](https://x1.org/a) x1.org",
        "2.  [Page 3](https://x3.org/a) x3.org",
    ]  # fmt: skip
    assert len(document.text) < len(page) / 10
    assert fault_of(b"<!DOCTYPE html><style>p {}</style>") == "no_text"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("a;ä".encode(), "a;ä"),
        ("a;ä".encode("utf-8-sig"), "a;ä"),
        ("a;ä".encode("utf-16"), "a;ä"),
        ("a;ä".encode("cp1252"), "a;ä"),
    ],
)
def test_a_text_is_read_in_any_common_encoding(data: bytes, text: str) -> None:
    assert read(data).text == text


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
@pytest.mark.proves("files_in.pictures")
def test_a_picture_is_made_small_and_written_anew(kind: str) -> None:
    document = read(picture(kind, (4000, 300)))
    assert document.note == "A picture of 4000 x 300 pixels; of a moving one, its first frame."
    shown = Image.open(io.BytesIO(document.picture))
    assert shown.size == (MAX_SIDE_PX, 118)
    assert document.media_type == Image.MIME[shown.format or ""]
    assert shown.format == ("JPEG" if kind == "JPEG" else "PNG")


def test_a_grey_picture_of_16_bits_keeps_its_greys() -> None:
    written = io.BytesIO()
    Image.new("I;16", (MAX_SIDE_PX + 1, 4), 30_000).save(written, "PNG")
    shown = Image.open(io.BytesIO(read(written.getvalue()).picture))
    assert shown.convert("L").getpixel((1, 1)) == 30_000 // 256


def test_a_picture_that_stays_big_becomes_a_jpeg() -> None:
    written = io.BytesIO()
    Image.effect_noise((1500, 1500), 90).save(written, "PNG")
    document = read(written.getvalue())
    assert document.media_type == "image/jpeg"
    assert len(document.picture) < 2 * MAX_PICTURE_BYTES


def test_of_an_animation_the_first_frame_is_shown_and_that_is_said() -> None:
    assert "its first frame" in read(picture("GIF", frames=3)).note


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "empty"),
        (attached.pdf("x", is_locked=True), "encrypted"),
        (b"%PDF-1.7 and nothing", "broken"),
        (attached.pdf(""), "no_text"),
        (attached.docx(), "no_text"),
        (attached.docx("x" * 3000)[:-30], "broken"),
        (attached.packed({"a.txt": "x"}), "unknown"),
        (attached.png(300, 300)[:-40], "broken"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 10, "heic"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old_office"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (b"\x7fELF\0\xff\xfe\x80", "unknown"),
    ],
)
@pytest.mark.proves("files_in.faults")
def test_what_cannot_be_read_is_told_in_a_sentence(data: bytes, fault: str) -> None:
    assert fault_of(data) == fault


def test_a_file_that_is_damaged_in_its_middle_gives_what_stands_before() -> None:
    document = read(attached.xlsx({"A": attached.rows([4711]), "B": "<sheetData><row r='x'/>"}))
    assert "4711" in document.text
    assert "damaged" in document.note


def test_a_long_file_gives_its_beginning_and_says_so() -> None:
    document = read(attached.docx(*["word " * 1000] * 250))
    assert len(document.text) <= MAX_CHARS
    assert "only its beginning" in document.note


@IN_A_WORKER
@pytest.mark.proves("files_in.limits")
async def test_a_session_of_files_is_read_once_also_what_cannot_be(tmp_path: Path) -> None:
    readers = Readers(count=1, patience_s=0.01)
    documents, workspace = Documents(readers), Workspace(tmp_path)
    (tmp_path / "downloads").mkdir()
    for n in range(MAX_SEARCHED):
        data = attached.pdf(f"Bridge {n}.") if n else b"%PDF-1.7 and nothing"
        (tmp_path / f"downloads/{n}.pdf").write_bytes(data)
    first = await documents.attached(workspace)
    assert sum(source.ok for source in first) == MAX_SEARCHED - 1
    held = asyncio.create_task(readers.run(signal.pause, session="another"))
    await asyncio.sleep(0)
    assert await documents.attached(workspace) == first
    assert (await documents.read(workspace, "downloads/0.pdf")).fault == "broken"
    (tmp_path / "downloads/new.pdf").write_bytes(attached.pdf("New."))
    assert (await documents.read(workspace, "downloads/new.pdf")).fault == "busy"
    held.cancel()
    await asyncio.wait([held])
    assert "New." in (await documents.read(workspace, "downloads/new.pdf")).text


def put(session: Session, name: str, data: bytes) -> str:
    path = f"downloads/{name}"
    session.workspace.write_bytes(path, data)
    return path


@IN_A_WORKER
@pytest.mark.proves("files_in.tools")
async def test_the_tools_read_a_file_by_its_bytes_in_parts_and_find_its_passages(
    session: Session,
) -> None:
    path = put(session, "F1_bill.txt", attached.pdf("Twelve arches.", "The toll was 4 pence."))
    part = (await session.call("read_local_file", path=path, offset=3, limit=6)).json()
    assert part["text"] == "Page 1"
    assert part["next_offset"] == 9
    assert part["note"] == "It has 2 pages."
    [passage] = (await session.call("search_corpus", query="toll pence")).json()["passages"]
    assert passage["heading"] == "Page 2"
    assert passage["title"] == "F1_bill.txt"
    assert (passage["n"], passage["kind"], passage["url"]) == (None, "file", path)


@IN_A_WORKER
@pytest.mark.proves("files_in.pictures")
async def test_a_picture_that_is_read_lies_beside_the_files_and_cannot_be_written_over(
    session: Session,
) -> None:
    path = put(session, "F2_red.pdf", attached.png())
    answer = await session.call("read_local_file", path=path)
    shown = answer.meta["picture"]
    assert (session.directory / shown).read_bytes().startswith(b"\x89PNG")
    assert (await session.call("write_local_file", path=shown, content="x")).failed
    (session.directory / shown).unlink()
    await session.call("read_local_file", path=path)
    assert (session.directory / shown).exists()


@IN_A_WORKER
@pytest.mark.proves("files_in.faults")
async def test_a_file_that_cannot_be_read_costs_no_other(session: Session) -> None:
    locked = put(session, "F3_secret.pdf", attached.pdf("x", is_locked=True))
    put(session, "F4_open.csv", b"Region;Total\nNorth;4711")
    told = (await session.call("read_local_file", path=locked)).json()
    assert told["fault"] == "encrypted"
    assert told["note"].startswith("It is protected by a password.")
    [passage] = (await session.call("search_corpus", query="north")).json()["passages"]
    assert "4711" in passage["text"]
