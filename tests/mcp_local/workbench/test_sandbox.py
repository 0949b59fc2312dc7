"""The tools against the sandbox's Composio, which knows nothing of them."""

import random
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Literal

import pytest
from aiohttp import ClientSession

from bot.sandbox.composio import ComposioStandIn
from tests.mcp_local.workbench.desk import Desk

ADA = "T1:U1"
BINARY = random.Random(8).randbytes(500_000)  # noqa: S311 - any bytes do


@pytest.fixture
async def standin() -> AsyncGenerator[ComposioStandIn]:
    async with ComposioStandIn(()) as running:
        yield running


@pytest.fixture
async def desk(tmp_path: Path, standin: ComposioStandIn) -> Desk:
    address = f"{standin.base_url}/api/v3.1/tool_router/session"
    async with (
        ClientSession(headers={"x-api-key": standin.api_key}) as client,
        client.post(address, json={"user_id": ADA}) as response,
    ):
        session = (await response.json())["session_id"]
    return Desk(tmp_path, key=standin.api_key, address=standin.base_url, composio_session=session)


@pytest.mark.parametrize("form", ["content", "file"])
async def test_a_file_goes_there_and_comes_back(
    desk: Desk, standin: ComposioStandIn, form: Literal["content", "file"]
) -> None:
    standin.apps.file_form = form
    desk.write("data.bin", BINARY)
    remote = "/home/user/deep/data.bin"
    sent = await desk.call("workbench_upload", local_path="data.bin", remote_path=remote)
    assert sent.text == f"Successfully uploaded {desk.directory}/data.bin to {remote}."
    assert standin.remote.local(ADA, remote).read_bytes() == BINARY
    brought = await desk.call("workbench_download", remote_path=remote)
    assert brought.text.endswith(f"Local path: {desk.directory}/downloads/data.bin")
    assert desk.read_bytes("downloads/data.bin") == BINARY


async def test_a_file_that_is_not_there_is_told(desk: Desk) -> None:
    answer = await desk.call("workbench_download", remote_path="/home/user/none.csv")
    assert "There is no file /home/user/none.csv" in answer.text


async def test_an_attachment_is_found_by_its_key(desk: Desk, standin: ComposioStandIn) -> None:
    desk.write("work_products/report.html", b"<h1>Report</h1>")
    answer = (await desk.call("upload_to_composio", path="work_products/report.html")).json()
    stored = standin.storage.find(key=answer["s3_key"])
    assert stored is not None
    assert (stored.data, stored.mimetype) == (b"<h1>Report</h1>", "text/html")
