"""write_report as a client calls it: the file, the answer, and what is refused."""

import asyncio
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from PIL import Image
from pypdfium2 import PdfDocument

from mcp_local.prints import PREVIEW_WIDTH
from mcp_local.report.compose import compose_report, write_new_version
from tests.browser import chromium_path
from tests.mcp_local.report.reading import read_html, source
from tests.mcp_local.sessions import Session

A = "https://a.test/one"
B = "https://b.test/two"
C = "https://c.test/three"
MONDAY = date(2026, 11, 23)
TUESDAY = date(2026, 11, 24)


@pytest.fixture
async def researched(session: Session) -> Session:
    session.add_page(A, "The tower is 324 metres high. It was built in 1889.", title="The tower")
    session.add_page(B, "The bridge carries 112,000 cars a day.", title="The bridge")
    await session.call("save_corpus", articles=[A, B, C])
    return session


def products(session: Session) -> list[str]:
    """All that lies in the folder of reports."""
    home = session.directory / "work_products"
    return sorted(f"work_products/{file.name}" for file in home.iterdir())


def dated(day: date) -> str:
    """A page of one sentence as it is composed on a day."""
    return compose_report([source(1)], day, title="Towers", markdown="It is. [1]").html


def name(stem: str, version: str = "") -> str:
    now = datetime.now(UTC)
    return f"work_products/{stem}_{now:%B_%Y}".lower() + f"{version}.html"


@pytest.mark.proves("time.toolkit")
@pytest.mark.parametrize(
    ("now", "stem", "day"),
    [
        ("2027-01-01T00:30:00+01:00", "towers_january_2027", "January 1, 2027"),
        ("2026-12-31T15:30:00-08:00", "towers_december_2026", "December 31, 2026"),
    ],
)
async def test_a_report_is_dated_and_named_by_the_clock_of_who_asked(
    researched: Session, now: str, stem: str, day: str
) -> None:
    researched.now = now
    answer = await researched.call("write_report", title="Towers", markdown="It is. [1]")
    path = answer.json()["path"]
    assert path == f"work_products/{stem}.html"
    assert day in researched.read(path)


@pytest.mark.proves("work_products.name", "work_products.place", "report.html", "report.cited")
async def test_a_report_is_written_and_described(researched: Session) -> None:
    answer = await researched.call(
        "write_report",
        title="Towers and bridges",
        markdown="## Towers\n\nThe tower is 324 metres high. [1]\n\n## Bridges\n\nIt is busy. [2]",
        summary="The tower is 324 metres high. [1]",
    )
    described = answer.json()
    assert described == {
        "success": True,
        "path": name("towers_and_bridges"),
        "title": "Towers and bridges",
        "citations": 3,
        "sources": [
            {"n": 1, "url": A, "title": "The tower"},
            {"n": 2, "url": B, "title": "The bridge"},
        ],
        "words": described["words"],
        "claims": {"claims": 2, "found": 2, "derived": 0, "unfound": 0},
        "warnings": [],
    }
    assert answer.meta["artifacts"] == [
        {
            "path": name("towers_and_bridges"),
            "title": "Towers and bridges",
            "mimetype": "text/html",
            "citations": [A, B],
            "follow_ups": [],
            "checked": "2 claims, all found in their sources",
        }
    ]
    tree = read_html(researched.read(described["path"]))
    assert tree.one(id="source-2").one("a").attrs["href"] == B


async def test_what_a_reader_may_ask_next_goes_with_the_report(researched: Session) -> None:
    asked = ["How old\n is it?", "", "x" * 76, "Who built it?", "And why?", "And when?"]
    answer = await researched.call(
        "write_report", title="Towers", markdown="It is high. [1]", follow_ups=asked
    )
    [report] = answer.meta["artifacts"]
    assert report["follow_ups"] == ["How old is it?", "Who built it?", "And why?"]


@pytest.mark.process("a browser prints the report")
@pytest.mark.proves("report.print_late")
@pytest.mark.parametrize("dies", [False, True])
async def test_a_report_does_not_wait_for_its_pdf_which_is_there_for_whoever_asks(
    tmp_path: Path, *, dies: bool
) -> None:
    session = Session(tmp_path, browser=chromium_path() if not dies else "off")
    session.add_search("SEARCH", [{"url": A, "title": "The tower", "snippet": "324 metres."}])
    async with session.process(str(session.directory)) as call:
        answer = await call("write_report", title="Towers", markdown="It is high. [1]")
        [report] = answer.meta["artifacts"]
        if not dies:  # else the process that began to print is gone
            pdf = answer.json()["pdf"]
            assert not (session.directory / pdf).exists()
            listed = await call("list_local_files", path="work_products")
            assert pdf in [file["path"] for file in listed.json()["files"]]
    session.settings = session.settings.model_copy(update={"crawl_browser": chromium_path()})
    answer = await session.call("print_report", path=report["path"], title="Towers")
    files = {each["mimetype"]: Path(each["path"]) for each in answer.meta["artifacts"]}
    assert list(files) == ["application/pdf", "image/png"]
    assert {path.stem for path in files.values()} == {Path(name("towers")).stem}
    pdf = PdfDocument(session.directory / files["application/pdf"])
    assert "It is high." in pdf[0].get_textpage().get_text_range()
    with Image.open(session.directory / files["image/png"]) as picture:
        assert picture.width == PREVIEW_WIDTH < picture.height


@pytest.mark.process("a browser that would print")
async def test_only_a_page_with_the_policy_of_ours_is_printed(tmp_path: Path) -> None:
    session = Session(tmp_path, browser=chromium_path())
    page = session.workspace.write_text("work_products/x.html", "<iframe src='file:///etc/passwd'>")
    assert (await session.call("print_report", path=str(page), title="A page")).meta[
        "artifacts"
    ] == []


@pytest.mark.process("a browser that ends at once")
async def test_a_browser_that_does_not_work_costs_the_pdf_alone(tmp_path: Path) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    session = Session(tmp_path, browser=str(broken))
    session.add_search("SEARCH", [{"url": A, "title": "The tower", "snippet": "324 metres."}])
    async with session.process(str(session.directory)) as call:
        await call("write_report", title="Towers", markdown="It is high. [1]")
        await call("list_local_files")
    assert products(session) == [name("towers")]


@pytest.mark.proves("work_products.versions")
async def test_each_report_on_a_topic_is_a_new_version(researched: Session) -> None:
    paths = [
        (await researched.call("write_report", title="Towers", markdown=f"Text {n}. [1]")).json()[
            "path"
        ]
        for n in range(3)
    ]
    assert paths == [name("towers"), name("towers", "_v2"), name("towers", "_v3")]
    assert "Text 0" in researched.read(paths[0])


@pytest.mark.proves("work_products.versions")
async def test_the_same_call_again_gives_the_same_file_and_the_same_result(
    researched: Session,
) -> None:
    draft = {"title": "Towers", "markdown": "The tower is 324 metres high. [1]"}
    first = await researched.call("write_report", **draft)
    await researched.call("write_report", title="Towers", markdown="Another text. [1]")
    again = await researched.call("write_report", **draft)
    assert (again.text, again.meta) == (first.text, first.meta)
    assert products(researched) == [name("towers"), name("towers", "_v2")]


async def test_a_further_source_makes_the_same_text_a_new_version(session: Session) -> None:
    draft = {"title": "Towers", "markdown": "The tower is 324 metres high. [1]"}
    session.add_search("SEARCH", [{"url": A, "title": "The tower", "snippet": "324 metres."}])
    await session.call("write_report", **draft)
    session.add_page(A, "The tower is 324 metres high.", title="The tower")
    await session.call("write_report", **draft)
    assert products(session) == [name("towers"), name("towers", "_v2")]


def test_the_same_page_on_another_day_of_the_month_is_the_same_version(session: Session) -> None:
    written = [
        write_new_version(session.workspace, "Towers", day, dated(day))[0]
        for day in (MONDAY, TUESDAY)
    ]
    assert written == ["work_products/towers_november_2026.html"] * 2
    assert session.read(written[0]) == dated(MONDAY)


@pytest.mark.proves("crashes.lost")
async def test_a_page_that_a_killed_process_had_only_begun_is_written_by_the_next(
    researched: Session,
) -> None:
    researched.workspace.write_text(name("towers"), "")
    answer = await researched.call("write_report", title="Towers", markdown="A text. [1]")
    assert answer.json()["path"] == name("towers")
    assert "A text." in researched.read(name("towers"))


@pytest.mark.parametrize("there", ["a folder", "a link"])
def test_a_name_that_something_else_has_is_passed_over(session: Session, there: str) -> None:
    taken = session.directory / "work_products" / "towers_november_2026.html"
    taken.parent.mkdir()
    if there == "a folder":
        taken.mkdir()
    else:
        taken.symlink_to(session.root / "elsewhere.html")
    written, _ = write_new_version(session.workspace, "Towers", MONDAY, dated(MONDAY))
    assert written == "work_products/towers_november_2026_v2.html"
    assert not (session.root / "elsewhere.html").exists()


async def test_reports_at_once_do_not_overwrite_each_other_and_the_same_one_is_one_file(
    researched: Session,
) -> None:
    texts = [f"Text {n}. [1]" for n in range(4)] * 2
    async with asyncio.TaskGroup() as group:
        writing = (researched.call("write_report", title="Towers", markdown=text) for text in texts)
        calls = [group.create_task(each) for each in writing]
    paths = [call.result().json()["path"] for call in calls]
    assert products(researched) == sorted(set(paths))
    assert len(set(paths)) == 4
    for path, text in zip(paths, texts, strict=True):
        assert text.removesuffix(" [1]") in researched.read(path)


@pytest.mark.proves("report.checked")
@pytest.mark.parametrize(
    ("markdown", "reason"),
    [
        ("Fine. [1] Not fine. [9]", "source [9] does not exist"),
        ("Failed. [3]", "source [3] could not be fetched"),
        ("From memory.", "cites nothing"),
        (" ", "empty"),
    ],
)
async def test_a_report_that_cannot_be_vouched_for_is_refused_and_not_written(
    researched: Session, markdown: str, reason: str
) -> None:
    answer = await researched.call("write_report", title="Towers", markdown=markdown)
    assert answer.failed
    assert reason in answer.text
    assert "Traceback" not in answer.text
    assert not (researched.directory / "work_products").exists()


async def test_with_nothing_retrieved_there_is_no_report(session: Session) -> None:
    answer = await session.call("write_report", title="Towers", markdown="Surely. [1]")
    assert answer.failed
    assert "Nothing was retrieved" in answer.text


@pytest.mark.proves("report.says_what_its_sources_say")
async def test_figures_that_stand_nowhere_come_back_as_warnings(researched: Session) -> None:
    answer = await researched.call(
        "write_report", title="Towers", markdown="## S\n\nIt is 342 metres high. [1]", summary="x"
    )
    (warning,) = answer.json()["warnings"]
    assert warning.startswith("The figure 342 metres does not stand on source [1]")


@pytest.mark.proves("report.snippets")
async def test_a_report_from_search_results_alone_marks_them(session: Session) -> None:
    session.add_search("SEARCH", [{"url": A, "title": "The tower", "snippet": "324 metres."}])
    answer = await session.call("write_report", title="Towers", markdown="324 metres. [1]")
    tree = read_html(session.read(answer.json()["path"]))
    assert tree.one(id="source-1").one(class_="snippet").text == "search result, not read in full"


@pytest.mark.proves("report.versions")
async def test_a_new_version_says_what_is_new_in_answer_cover_and_title(
    researched: Session,
) -> None:
    about = {"title": "Towers", "summary": "It is high. [1]"}
    first = "## Height\n\nIt is high. [1]\n\n"
    added = f"{first}## Queues & <lifts> [2]\n\nIt is busy. [2]"
    await researched.call("write_report", markdown=first, **about)
    second = await researched.call("write_report", markdown=added, **about)
    line = "Version 2: new section “Queues & <lifts>”"
    assert second.json()["version"] == line
    assert second.json()["path"].endswith("_v2.html")
    assert second.meta["artifacts"][0]["title"] == f"Towers · {line}"
    page = researched.read(second.json()["path"])
    numbers = [item.attrs["data-n"] for item in read_html(page).one(id="sources").all("li")]
    assert numbers == ["1", "2"]
    cover = read_html(page).one("header")
    assert cover.one("p", class_="version").text == line
    again = await researched.call("write_report", markdown=added, **about)
    assert (again.json()["path"], again.json()["version"]) == (second.json()["path"], line)
    shorter = await researched.call("write_report", markdown=f"{first}\n\nMore. [2]", **about)
    assert shorter.json()["version"] == "Version 3"
