"""The file tools: reading in parts, listing, writing, and what may not be written."""

import pytest

from mcp_local.extract.office import Package, excel_text
from tests.mcp_local.sessions import Session


async def test_a_long_file_is_read_in_parts_that_join_to_the_whole(session: Session) -> None:
    whole = "".join(f"línea {n}\n" for n in range(400))
    await session.call("write_local_file", path="long.txt", content=whole)
    parts: list[str] = []
    offset: int | None = 0
    while offset is not None:
        answer = (
            await session.call("read_local_file", path="long.txt", offset=offset, limit=1000)
        ).json()
        assert answer["total_chars"] == len(whole)
        parts.append(answer["text"])
        offset = answer["next_offset"]
    assert len(parts) == 4
    assert "".join(parts) == whole


async def test_reading_past_the_end_gives_nothing_and_says_how_long_the_file_is(
    session: Session,
) -> None:
    await session.call("write_local_file", path="a.txt", content="abc")
    answer = (await session.call("read_local_file", path="a.txt", offset=10)).json()
    assert answer["text"] == ""
    assert answer["next_offset"] is None
    assert answer["total_chars"] == 3


@pytest.mark.parametrize("arguments", [{"offset": -1}, {"limit": 0}, {"limit": 10_000_000}])
async def test_a_senseless_range_is_refused(session: Session, arguments: dict[str, int]) -> None:
    await session.call("write_local_file", path="a.txt", content="abc")
    assert (await session.call("read_local_file", path="a.txt", **arguments)).failed


async def test_a_missing_file_is_a_plain_error(session: Session) -> None:
    answer = await session.call("read_local_file", path="none.txt")
    assert answer.failed
    assert answer.text.endswith(
        "There is no none.txt in this session. list_local_files shows what there is."
    )


async def test_an_existing_file_of_the_models_own_is_replaced(session: Session) -> None:
    await session.call("write_local_file", path="work_products/notes.md", content="one")
    await session.call("write_local_file", path="work_products/notes.md", content="two")
    assert session.read("work_products/notes.md") == "two"


@pytest.mark.proves("files.workbook")
async def test_a_table_in_csv_becomes_an_excel_workbook_without_formulas(session: Session) -> None:
    table = 'Park,MW,Code\n"Hollow, North",120.5,007\n"=HYPERLINK(1)",-3,x\n'
    path = "work_products/parks.xlsx"
    written = await session.call("write_local_file", path=path, content=table)
    assert written.meta["artifacts"][0]["path"] == path
    workbook = (session.directory / path).read_bytes()
    rows = "\n".join(excel_text(Package(workbook), workbook))
    assert "1: Park | MW | Code\n2: Hollow, North | 120.5 | 007\n3: =HYPERLINK(1) | -3 | x" in rows


@pytest.mark.proves("files.records")
@pytest.mark.parametrize(
    "path",
    [
        "trace.json",
        "run.log",
        "summary.txt",
        "expanded_corpus.json",
        "search_results/crawl_a.md",
        "traces/1.json",
        "extracted_articles/a.json",
        "workbench_activity/a.json",
        "tool_results/toolu_1.txt",
        "downloads/F1_figures.csv",
        "Downloads/F1_figures.csv",
        "./trace.json",
        "Expanded_Corpus.JSON",
        "SEARCH_RESULTS/x.md",
        "ｔrace.json",  # noqa: RUF001
        "{session}/trace.json",
        "{session}//search_results/x.md",
        "search_results",
    ],
)
async def test_the_systems_own_records_cannot_be_written(session: Session, path: str) -> None:
    named = path.format(session=session.directory)
    answer = await session.call("write_local_file", path=named, content="invented evidence")
    assert answer.failed
    assert "records" in answer.text
    assert list(session.directory.iterdir()) == []


@pytest.mark.parametrize("name", ["report.html", "report.HTM", "sub/report.html"])
async def test_a_finished_page_is_never_overwritten(session: Session, name: str) -> None:
    path = f"work_products/{name}"
    assert not (await session.call("write_local_file", path=path, content="first")).failed
    answer = await session.call("write_local_file", path=path, content="second")
    assert answer.failed
    assert "never overwritten" in answer.text
    assert session.read(path) == "first"


async def test_writing_the_same_page_again_goes_as_the_first_time(session: Session) -> None:
    draft = {"path": "work_products/page.html", "content": "first"}
    first = await session.call("write_local_file", **draft)
    again = await session.call("write_local_file", **draft)
    assert not again.failed
    assert (again.text, again.meta) == (first.text, first.meta)


@pytest.mark.proves("write_local_file.paths")
@pytest.mark.parametrize(
    ("path", "mimetype"),
    [
        ("work_products/figures.csv", "text/csv"),
        ("work_products/Notes.MD", "text/markdown"),
        ("./work_products/sub/notes.txt", "text/plain"),
        ("{session}/work_products/data.json", "application/json"),
        ("work_products/picture.png", "image/png"),
    ],
)
async def test_a_finished_file_is_named_as_an_artifact(
    session: Session, path: str, mimetype: str
) -> None:
    named = path.format(session=session.directory)
    answer = await session.call("write_local_file", path=named, content="a,b")
    relative = named.removeprefix(f"{session.directory}/").removeprefix("./")
    assert answer.meta["artifacts"] == [
        {"path": relative, "title": relative.rpartition("/")[2], "mimetype": mimetype}
    ]
    assert answer.text == f"Successfully wrote 3 chars to {session.directory / relative}"


@pytest.mark.proves("write_local_file.html")
@pytest.mark.parametrize(
    "path",
    [
        "notes.csv", "notes/work_products/a.csv", "work_products/page.html",
        "work_products/page.XHTML", "work_products/picture.svg", "work_products/run.vbs",
        "work_products/plain", "work_products/.csv",
    ],
)  # fmt: skip
async def test_notes_pages_and_unknown_kinds_are_no_artifacts(session: Session, path: str) -> None:
    answer = await session.call("write_local_file", path=path, content="x")
    assert not answer.failed
    assert answer.meta.get("artifacts", []) == []


async def test_files_are_listed_with_size_and_time(session: Session) -> None:
    await session.call("write_local_file", path="notes/b.md", content="12")
    await session.call("write_local_file", path="a.md", content="1")
    listing = (await session.call("list_local_files")).json()
    assert [(file["path"], file["bytes"]) for file in listing["files"]] == [
        ("a.md", 1),
        ("notes/b.md", 2),
    ]
    assert all(file["modified_at"].endswith("Z") for file in listing["files"])
    assert (await session.call("list_local_files", path="notes")).json()["total"] == 1


async def test_a_long_listing_is_cut_and_says_so(session: Session) -> None:
    for n in range(501):
        session.workspace.write_text(f"notes/{n:04}.md", "x")
    listing = (await session.call("list_local_files")).json()
    assert len(listing["files"]) == 500
    assert listing["total"] == 501
    assert "Only the first 500" in listing["note"]
