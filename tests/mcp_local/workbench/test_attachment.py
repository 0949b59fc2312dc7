"""upload_to_composio: a place is asked for, the file is put there, the key comes back."""

import hashlib

import pytest

from tests.mcp_local.workbench.cloud import KEY
from tests.mcp_local.workbench.desk import CloudDesk

PAGE = b"<h1>Report</h1>"


@pytest.mark.proves("upload_to_composio.answer", "upload_to_composio.attachment")
async def test_a_report_becomes_an_s3_key_of_a_mail(desk: CloudDesk) -> None:
    desk.write("work_products/report.html", PAGE)
    answer = (await desk.call("upload_to_composio", path="work_products/report.html")).json()
    key = "projects/p/GMAIL_SEND_EMAIL/report.html"
    assert answer == {
        "s3_key": key,
        "s3_url": f"{desk.cloud.url}/s3/{key}",
        "local_path": str(desk.directory / "work_products/report.html"),
        "sha256": hashlib.sha256(PAGE).hexdigest(),
    }
    assert desk.cloud.stored == {key: PAGE}
    assert desk.cloud.requests == [
        {
            "md5": hashlib.md5(PAGE, usedforsecurity=False).hexdigest(),
            "filename": "report.html",
            "mimetype": "text/html",
            "tool_slug": "GMAIL_SEND_EMAIL",
            "toolkit_slug": "gmail",
        }
    ]


async def test_another_tool_and_type_are_passed_on(desk: CloudDesk) -> None:
    desk.write("a.bin", b"x")
    await desk.call(
        "upload_to_composio",
        path="a.bin",
        mime_type="application/pdf",
        tool_slug="GOOGLEDRIVE_UPLOAD_FILE",
        toolkit_slug="googledrive",
    )
    [asked] = desk.cloud.requests
    assert (asked["tool_slug"], asked["toolkit_slug"]) == ("GOOGLEDRIVE_UPLOAD_FILE", "googledrive")
    assert asked["mimetype"] == "application/pdf"
    assert desk.cloud.seen_headers[-1][1]["content-type"] == "application/pdf"


@pytest.mark.proves("workbench.key_unseen")
async def test_the_key_does_not_go_to_the_storage_and_the_signature_goes_as_it_came(
    desk: CloudDesk,
) -> None:
    desk.write("a.txt", b"x")
    await desk.call("upload_to_composio", path="a.txt")
    path, headers = desk.cloud.seen_headers[-1]
    assert path.endswith("/a.txt?X-Amz-Signature=a%2Fb%3D")
    assert KEY not in str(headers)
    assert "x-ms-blob-type" not in headers


async def test_azure_is_told_what_kind_of_blob_it_is(desk: CloudDesk) -> None:
    desk.write("a.txt", b"x")
    desk.cloud.backend = "azure_blob_storage"
    await desk.call("upload_to_composio", path="a.txt")
    assert desk.cloud.seen_headers[-1][1]["x-ms-blob-type"] == "BlockBlob"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://storage.example/a", "without https"),
        ("http://127.0.0.1:9/a", "not public"),
        ("https://127.0.0.1:9/a", "not public"),
        ("https://169.254.169.254/latest/meta-data", "not public"),
        ("https://metadata.internal/a", "not public"),
        ("https://user:pw@storage.example/a", "user name"),
        ("file:///etc/passwd", "only http and https"),
        ("ftp://storage.example/a", "only http and https"),
        ("nonsense", "only http and https"),
    ],
)
async def test_a_file_goes_to_no_address_that_is_not_safe(
    desk: CloudDesk, url: str, reason: str
) -> None:
    desk.write("a.txt", b"x")
    desk.cloud.put_url = url
    answer = await desk.call("upload_to_composio", path="a.txt")
    assert answer.failed
    assert reason in answer.text


async def test_a_redirect_of_the_storage_is_not_followed(desk: CloudDesk) -> None:
    desk.write("a.txt", b"x")
    desk.cloud.put_status = 307
    answer = await desk.call("upload_to_composio", path="a.txt")
    assert answer.failed
    assert "did not take the file (status 307)" in answer.text
    assert list(desk.cloud.stored) == ["projects/p/GMAIL_SEND_EMAIL/a.txt"]


@pytest.mark.parametrize("path", ["missing.txt", "../a", "/etc/passwd", "work_products"])
async def test_only_a_file_of_the_session_is_attached(desk: CloudDesk, path: str) -> None:
    desk.write("work_products/a.txt", b"x")
    assert (await desk.call("upload_to_composio", path=path)).failed
    assert desk.cloud.requests == []


async def test_an_empty_file_is_not_attached(desk: CloudDesk) -> None:
    desk.write("a.txt", b"")
    answer = await desk.call("upload_to_composio", path="a.txt")
    assert "is empty" in answer.text
    assert desk.cloud.requests == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"mime_type": "text/html\r\nx-api-key: a"},
        {"mime_type": "pdf"},
        {"tool_slug": "GMAIL/../SEND"},
        {"toolkit_slug": "Gmail?x=1"},
    ],
)
async def test_arguments_that_are_no_names_are_refused(
    desk: CloudDesk, arguments: dict[str, str]
) -> None:
    desk.write("a.txt", b"x")
    assert (await desk.call("upload_to_composio", path="a.txt", **arguments)).failed
    assert desk.cloud.requests == []


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
