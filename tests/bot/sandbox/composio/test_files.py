"""Uploads for attachments, mounts, and the code interpreter's two ways to hand over a file."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from composio_client import AsyncComposio, BadRequestError, NotFoundError

from bot.sandbox.composio import ComposioStandIn, Session
from tests.bot.sandbox.composio.world import run_batch

REPORT = b"<h1>Report</h1>"
BODY: dict[str, Any] = {
    "md5": hashlib.md5(REPORT, usedforsecurity=False).hexdigest(),
    "filename": "report.html",
    "mimetype": "text/html",
    "tool_slug": "GMAIL_SEND_EMAIL",
    "toolkit_slug": "gmail",
}


async def announce(
    standin: ComposioStandIn, browser: httpx2.AsyncClient, version: str = "v3.1"
) -> dict[str, Any]:
    headers = {"x-api-key": standin.api_key}
    path = f"/api/{version}/files/upload/request"
    answer = await browser.post(path, json=BODY, headers=headers)
    assert answer.status_code == 201
    return answer.json()


@pytest.mark.parametrize("version", ["v3", "v3.1"])
async def test_an_uploaded_file_is_attached_by_its_key(
    standin: ComposioStandIn,
    api: AsyncComposio,
    session: Session,
    browser: httpx2.AsyncClient,
    version: str,
) -> None:
    place = await announce(standin, browser, version)
    assert place["new_presigned_url"] == place["newPresignedUrl"]
    assert (await browser.put(place["new_presigned_url"], content=REPORT)).status_code == 200
    standin.connect("T1:U1", "gmail")
    attachment = {"name": "Report.html", "mimetype": "text/html", "s3key": place["key"]}
    mail = {"recipient_email": "bob@example.com", "subject": "Report", "attachment": attachment}
    await run_batch(api, session, ("GMAIL_SEND_EMAIL", mail))
    [file] = standin.mailbox("T1:U1").sent[0].draft.attachments
    assert (file.filename, file.mimetype, file.data) == ("Report.html", "text/html", REPORT)
    download = await browser.get(place["new_presigned_url"])
    assert download.content == REPORT
    assert download.headers["content-disposition"] == "attachment"


async def test_the_client_finds_all_that_it_expects_of_an_upload(api: AsyncComposio) -> None:
    place = await api.files.create_presigned_url(**BODY)
    assert place.key.endswith("/report.html")
    assert place.metadata.storage_backend == "s3"


async def test_a_key_without_content_is_no_attachment(
    standin: ComposioStandIn, browser: httpx2.AsyncClient
) -> None:
    place = await announce(standin, browser)
    assert standin.storage.find(place["key"]) is None
    assert (await browser.get(place["new_presigned_url"])).status_code == 403


async def test_content_with_another_checksum_is_refused(
    standin: ComposioStandIn, browser: httpx2.AsyncClient
) -> None:
    place = await announce(standin, browser)
    assert (await browser.put(place["new_presigned_url"], content=b"other")).status_code == 400
    assert standin.storage.find(place["key"]) is None


async def test_an_address_that_nobody_gave_out_takes_nothing(browser: httpx2.AsyncClient) -> None:
    for path in ("/s3/nobody/file.txt", "/s3/mounts/nobody"):
        assert (await browser.put(path, content=b"x")).status_code == 403


async def test_a_mount_takes_gives_and_lists_files(
    standin: ComposioStandIn, api: AsyncComposio, session: Session, browser: httpx2.AsyncClient
) -> None:
    files = api.tool_router.session.files
    place: dict[str, Any] = {"session_id": session.id, "mount_relative_path": "in/data.csv"}
    with pytest.raises(NotFoundError):
        await files.create_download_url("files", **place)
    up = await files.create_upload_url("files", **place, mimetype="text/csv")
    assert (await browser.put(up.upload_url, content=b"a,b")).status_code == 200
    assert standin.remote_files("T1:U1").read("/mnt/files/in/data.csv") == b"a,b"
    down = await files.create_download_url("files", **place)
    assert (await browser.get(down.download_url)).content == b"a,b"
    [item] = (await files.list("files", session_id=session.id)).items
    assert (item.mount_relative_path, item.size) == ("in/data.csv", 3)


@pytest.mark.parametrize("path", ["/etc/passwd", "../up.txt", "a/../../up.txt"])
async def test_a_path_stays_in_its_mount(api: AsyncComposio, session: Session, path: str) -> None:
    with pytest.raises(BadRequestError, match="mount"):
        await api.tool_router.session.files.create_upload_url(
            "files", session_id=session.id, mount_relative_path=path, mimetype="text/plain"
        )


async def test_the_code_interpreter_writes_and_hands_over_text_or_base64(
    standin: ComposioStandIn, api: AsyncComposio
) -> None:
    path = {"file_path": "/home/user/out/note.txt"}
    written = await api.tools.execute(
        "CODEINTERPRETER_WRITE_FILE_CMD", user_id="T1:U1", arguments={**path, "content": "Grüße"}
    )
    assert written.successful
    got = await api.tools.execute(
        "CODEINTERPRETER_GET_FILE_CMD", user_id="T1:U1", arguments={**path}
    )
    assert got.data == {"content": "Grüße"}
    tree = standin.remote_files("T1:U1")
    tree.put("/home/user/out/image.bin", b"\xff\x00", standin.accounts.clock())
    got = await api.tools.execute(
        "CODEINTERPRETER_GET_FILE_CMD",
        user_id="T1:U1",
        arguments={"file_path": "/home/user/out/image.bin"},
    )
    assert got.data == {"content": "/wA=", "encoding": "base64"}


async def test_a_file_can_come_as_one_that_was_downloaded(
    standin: ComposioStandIn, api: AsyncComposio
) -> None:
    standin.faults.file_form = "file"
    standin.remote_files("T1:U1").put("/home/user/a.bin", b"\xff", standin.accounts.clock())
    arguments: dict[str, Any] = {"file_path": "/home/user/a.bin"}
    got = await api.tools.execute(
        "CODEINTERPRETER_GET_FILE_CMD", user_id="T1:U1", arguments=arguments
    )
    file = cast("dict[str, Any]", got.data["file"])
    assert file["file_downloaded"] is True
    assert await asyncio.to_thread(Path(file["uri"]).read_bytes) == b"\xff"
    lost = await api.tools.execute(
        "CODEINTERPRETER_GET_FILE_CMD", user_id="T1:U2", arguments=arguments
    )
    assert (lost.successful, lost.error) == (False, "File not found: /home/user/a.bin")
