"""workbench_download: both answers of the file tool, pieces, checksums, and where files land."""

import base64
import random

import pytest
from aiohttp import web

from tests.mcp_local.workbench.cloud import SESSION, as_base64, completed, failed
from tests.mcp_local.workbench.desk import CloudDesk

REMOTE = "/home/user/out/table.csv"
BINARY = random.Random(6).randbytes(900_000)  # noqa: S311 - any bytes do


@pytest.mark.proves("workbench_download.answer", "workbench_download.content")
async def test_a_text_lands_in_downloads_and_the_answer_says_where(desk: CloudDesk) -> None:
    desk.cloud.put_file(REMOTE, "Stadt,Größe\nKöln,1\n".encode())
    answer = await desk.call("workbench_download", remote_path=REMOTE)
    local = desk.directory / "downloads/table.csv"
    assert answer.text == f"Successfully downloaded {REMOTE} to {local}. Local path: {local}"
    assert desk.read("downloads/table.csv") == "Stadt,Größe\nKöln,1\n"


@pytest.mark.proves("workbench.own_session")
async def test_it_runs_in_the_askers_own_session(desk: CloudDesk) -> None:
    desk.cloud.put_file(REMOTE, b"a,b\n")
    await desk.call("workbench_download", remote_path=REMOTE, session_id=SESSION)
    assert {session for session, _ in desk.cloud.executed} == {SESSION}
    assert (SESSION, "CODEINTERPRETER_GET_FILE_CMD") in desk.cloud.executed


async def test_content_in_base64_is_told_from_text_by_the_checksum(desk: CloudDesk) -> None:
    desk.cloud.put_file("/mnt/files/chart.png", BINARY)
    desk.cloud.answer_file = as_base64
    await desk.call("workbench_download", remote_path="/mnt/files/chart.png")
    assert desk.read_bytes("downloads/chart.png") == BINARY


async def test_a_text_that_happens_to_be_base64_stays_a_text(desk: CloudDesk) -> None:
    desk.cloud.put_file(REMOTE, b"Zm9v")
    await desk.call("workbench_download", remote_path=REMOTE)
    assert desk.read("downloads/table.csv") == "Zm9v"


@pytest.mark.proves("workbench_download.file")
@pytest.mark.parametrize("field", ["uri", "s3url"])
async def test_a_file_that_is_named_by_its_address_is_fetched(desk: CloudDesk, field: str) -> None:
    desk.cloud.put_file(REMOTE, BINARY)
    desk.cloud.stored["made/table.csv"] = BINARY
    uri = f"{desk.cloud.url}/s3/made/table.csv"
    desk.cloud.answer_file = lambda _: {"file": {field: uri, "file_downloaded": True}}
    await desk.call("workbench_download", remote_path=REMOTE)
    assert desk.read_bytes("downloads/table.csv") == BINARY
    assert len(desk.cloud.code) == 1, "nothing but the checksum was asked of the workbench"
    fetched = [headers for path, headers in desk.cloud.seen_headers if path.startswith("/s3/")]
    assert ["x-api-key" in headers for headers in fetched] == [False]


async def test_a_path_that_the_service_names_is_not_read(desk: CloudDesk) -> None:
    desk.cloud.put_file(REMOTE, b"mine")
    desk.cloud.answer_file = lambda _: {"file": {"uri": "/etc/passwd", "file_downloaded": True}}
    await desk.call("workbench_download", remote_path=REMOTE)
    assert desk.read("downloads/table.csv") == "mine"


@pytest.mark.proves("workbench_download.pieces")
async def test_what_the_file_tool_does_not_give_comes_in_pieces(desk: CloudDesk) -> None:
    desk.cloud.put_file("/home/user/model.bin", BINARY)
    await desk.call("workbench_download", remote_path="/home/user/model.bin")
    assert desk.read_bytes("downloads/model.bin") == BINARY
    assert len(desk.cloud.code) == 1 + 3


async def test_pieces_get_small_where_the_service_cuts_what_is_printed(desk: CloudDesk) -> None:
    desk.cloud.put_file("/home/user/model.bin", BINARY[:30_000])
    desk.cloud.printed_chars = 20_000
    await desk.call("workbench_download", remote_path="/home/user/model.bin")
    assert desk.read_bytes("downloads/model.bin") == BINARY[:30_000]


async def test_a_file_that_is_too_long_for_small_pieces_is_given_up(desk: CloudDesk) -> None:
    desk.cloud.put_file("/home/user/model.bin", bytes(1_850_000) + b"\xff")
    desk.cloud.printed_chars = 20_000
    answer = await desk.call("workbench_download", remote_path="/home/user/model.bin")
    assert "of 1850001 bytes of /home/user/model.bin came" in answer.text
    assert desk.files() == []


async def test_an_answer_wrapped_into_json_is_read(desk: CloudDesk) -> None:
    desk.cloud.put_file("/home/user/model.bin", BINARY[:5_000])

    def wrapped(code: str) -> web.Response | None:
        text = base64.b64encode(BINARY[:5_000]).decode()
        if "piece" not in code:
            return None
        printed = f'{{\\"stdout\\": \\"<<piece offset=0 data={text}>>\\\\n\\"}}'
        return completed({"results": [{"response": {"data": printed}}]})

    desk.cloud.before_code = wrapped
    await desk.call("workbench_download", remote_path="/home/user/model.bin")
    assert desk.read_bytes("downloads/model.bin") == BINARY[:5_000]


@pytest.mark.proves("workbench_download.pieces")
async def test_content_of_another_file_is_not_believed(desk: CloudDesk) -> None:
    desk.cloud.put_file(REMOTE, b"right")
    desk.cloud.answer_file = lambda _: {"content": "wrong"}
    await desk.call("workbench_download", remote_path=REMOTE)
    assert desk.read("downloads/table.csv") == "right"


async def test_a_file_that_changes_while_it_is_read_is_not_kept(desk: CloudDesk) -> None:
    desk.cloud.put_file("/home/user/model.bin", BINARY)

    def change(code: str) -> None:
        if "seek(360000)" in code:
            desk.cloud.put_file("/home/user/model.bin", BINARY[::-1])

    desk.cloud.before_code = change
    answer = await desk.call("workbench_download", remote_path="/home/user/model.bin")
    assert answer.failed
    assert "changed while it was read" in answer.text
    assert desk.files() == []


async def test_a_file_that_is_not_there_is_a_plain_error(desk: CloudDesk) -> None:
    answer = await desk.call("workbench_download", remote_path=REMOTE)
    assert answer.failed
    assert answer.text.endswith(f"There is no file {REMOTE} in the remote workbench.")


async def test_a_file_that_is_too_large_is_refused_before_it_is_moved(desk: CloudDesk) -> None:
    desk.cloud.put_file(REMOTE, b"")
    with desk.cloud.file(REMOTE).open("wb") as file:
        file.truncate(25_000_001)
    answer = await desk.call("workbench_download", remote_path=REMOTE)
    assert "25000001 bytes, more than the 25000000" in answer.text
    assert [slug for _, slug in desk.cloud.executed] == ["COMPOSIO_REMOTE_WORKBENCH"]


async def test_without_a_workbench_nothing_can_be_compared_and_nothing_is_kept(
    desk: CloudDesk,
) -> None:
    desk.cloud.put_file(REMOTE, b"a,b\n")
    desk.cloud.before_code = lambda _: failed("The sandbox is turned off")
    answer = await desk.call("workbench_download", remote_path=REMOTE)
    assert answer.text.endswith("The sandbox is turned off")
    assert desk.files() == []


@pytest.mark.proves("workbench.downloads_kept")
async def test_a_name_that_is_taken_in_downloads_gets_a_number(desk: CloudDesk) -> None:
    desk.write("downloads/table.csv", b"sent by a person")
    desk.cloud.put_file(REMOTE, b"new")
    answer = await desk.call(
        "workbench_download", remote_path=REMOTE, local_path="Downloads/table.csv"
    )
    assert answer.text.endswith(f"Local path: {desk.directory}/downloads/table_2.csv")
    assert desk.read("downloads/table.csv") == "sent by a person"
    assert desk.read("downloads/table_2.csv") == "new"


async def test_a_file_in_work_products_is_handed_to_the_person(desk: CloudDesk) -> None:
    desk.cloud.put_file("/home/user/chart.png", BINARY[:500])
    path = "work_products/chart.png"
    answer = await desk.call(
        "workbench_download", remote_path="/home/user/chart.png", local_path=path
    )
    assert answer.meta["artifacts"] == [
        {"path": path, "title": "chart.png", "mimetype": "image/png"}
    ]


@pytest.mark.parametrize(
    "local",
    [
        "trace.json", "search_results/crawl_a.md", "expanded_corpus.json", "../other/table.csv",
        "/etc/passwd", "downloads", "downloads/../trace.json", "downloads/-rf",
    ],
)  # fmt: skip
async def test_a_bad_target_is_refused_before_anything_is_asked(
    desk: CloudDesk, local: str
) -> None:
    desk.cloud.put_file(REMOTE, b"invented evidence")
    answer = await desk.call("workbench_download", remote_path=REMOTE, local_path=local)
    assert answer.failed
    assert desk.cloud.executed == []
    assert desk.files() == []


async def test_a_finished_page_is_not_replaced(desk: CloudDesk) -> None:
    desk.write("work_products/report.html", b"<p>ours</p>")
    desk.cloud.put_file("/home/user/report.html", b"<p>theirs</p>")
    answer = await desk.call(
        "workbench_download",
        remote_path="/home/user/report.html",
        local_path="work_products/report.html",
    )
    assert answer.failed
    assert desk.read("work_products/report.html") == "<p>ours</p>"
