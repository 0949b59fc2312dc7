"""save_app_file: a file that a result names by address lands in downloads/."""

import pytest

from tests.mcp_local.workbench.cloud import KEY
from tests.mcp_local.workbench.desk import CloudDesk

PDF = b"%PDF-1.7 \x00\xff of somebody"


def stored(desk: CloudDesk, key: str, data: bytes = PDF) -> str:
    """The address of a file in the storage."""
    desk.cloud.stored[key] = data
    return f"{desk.cloud.url}/s3/{key}"


@pytest.mark.proves("app_files.tool")
async def test_a_file_lands_in_downloads_and_the_answer_says_where(desk: CloudDesk) -> None:
    url = stored(desk, "made/invoice.pdf")
    answer = await desk.call("save_app_file", s3url=url, name="Invoice May.pdf")
    local = desk.directory / "downloads/Invoice May.pdf"
    assert answer.text == f"Saved Invoice May.pdf ({len(PDF)} bytes). Local path: {local}"
    assert local.read_bytes() == PDF
    assert KEY not in str(desk.cloud.seen_headers)


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("", "invoice.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("a\nb\u202e<b>.pdf", "a_b__b_.pdf"),
        ("…", "_"),
        ("..", "file"),
        ("-rf.txt", "rf.txt"),
        ("漢" * 400 + ".pdf", "漢" * 56 + ".pdf"),
    ],
)
async def test_whatever_a_service_calls_it_the_file_has_a_plain_name_there(
    desk: CloudDesk, name: str, saved: str
) -> None:
    await desk.call("save_app_file", s3url=stored(desk, "made/invoice.pdf"), name=name)
    assert desk.files() == [f"downloads/{saved}"]


@pytest.mark.proves("workbench.downloads_kept")
async def test_another_file_of_that_name_is_kept_and_the_same_one_is_not_written_twice(
    desk: CloudDesk,
) -> None:
    desk.write("downloads/invoice.pdf", b"what a person posted")
    url = stored(desk, "made/invoice.pdf")
    answers = [(await desk.call("save_app_file", s3url=url)).text for _ in range(2)]
    assert answers[0] == answers[1]
    assert desk.files() == ["downloads/invoice.pdf", "downloads/invoice_2.pdf"]
    assert desk.read("downloads/invoice.pdf") == "what a person posted"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://169.254.169.254/latest/meta-data", "not allowed: address is not public."),
        ("https://10.0.0.1/x", "not allowed: address is not public."),
        ("file:///etc/passwd", "not allowed: only http and https pages"),
        ("nonsense", "not allowed: only http and https pages"),
    ],
)
async def test_an_address_inside_our_network_is_not_dialled(
    desk: CloudDesk, url: str, reason: str
) -> None:
    answer = await desk.call("save_app_file", s3url=url, name="x.txt")
    assert answer.failed
    assert f"Composio named a storage address that is {reason}" in answer.text
    assert desk.files() == []


async def test_a_file_that_the_storage_does_not_give_is_said(desk: CloudDesk) -> None:
    answer = await desk.call("save_app_file", s3url=f"{desk.cloud.url}/s3/gone.pdf")
    assert answer.failed
    assert answer.text.endswith("Composio's storage did not give the file (status 404).")
