"""workbench_upload: in pieces, compared, and what may be sent where."""

import random

import pytest

from tests.mcp_local.workbench.cloud import SESSION, completed
from tests.mcp_local.workbench.desk import CloudDesk

BINARY = random.Random(7).randbytes(900_000)  # noqa: S311 - any bytes do
REMOTE = "/home/user/in/data.bin"


@pytest.mark.proves("workbench_upload.answer", "workbench_upload.remote_python")
async def test_a_file_arrives_and_the_answer_names_both_paths(desk: CloudDesk) -> None:
    desk.write("data/a.csv", b"a,b\n1,2\n")
    answer = await desk.call(
        "workbench_upload", local_path="data/a.csv", remote_path="/home/user/deep/er/a.csv"
    )
    assert answer.text == (
        f"Successfully uploaded {desk.directory}/data/a.csv to /home/user/deep/er/a.csv."
    )
    assert desk.cloud.file("/home/user/deep/er/a.csv").read_bytes() == b"a,b\n1,2\n"
    assert set(desk.cloud.executed) == {(SESSION, "COMPOSIO_REMOTE_WORKBENCH")}


async def test_no_call_is_larger_than_half_a_megabyte(desk: CloudDesk) -> None:
    desk.write("data.bin", BINARY)
    await desk.call("workbench_upload", local_path="data.bin", remote_path=REMOTE)
    assert desk.cloud.file(REMOTE).read_bytes() == BINARY
    assert len(desk.cloud.code) == 3 + 1
    assert max(len(code) for code in desk.cloud.code) < 500_000


async def test_a_file_that_is_there_is_replaced(desk: CloudDesk) -> None:
    desk.cloud.put_file(REMOTE, b"an older and longer content")
    desk.write("data.bin", b"new")
    await desk.call("workbench_upload", local_path="data.bin", remote_path=REMOTE)
    assert desk.cloud.file(REMOTE).read_bytes() == b"new"


@pytest.mark.parametrize("name", ["o'clock.txt", 'a "b".txt', "größe 日本.txt", "{x}.txt"])
async def test_a_name_is_only_a_name_over_there(desk: CloudDesk, name: str) -> None:
    desk.write("data.bin", b"x")
    remote = f"/mnt/files/{name}"
    await desk.call("workbench_upload", local_path="data.bin", remote_path=remote)
    assert desk.cloud.file(remote).read_bytes() == b"x"


@pytest.mark.proves("workbench_upload.compared")
async def test_what_arrives_damaged_is_an_error(desk: CloudDesk) -> None:
    def damage(code: str) -> None:
        if "sha256" in code:
            desk.cloud.put_file(REMOTE, b"nEw")

    desk.write("data.bin", b"new")
    desk.cloud.before_code = damage
    answer = await desk.call("workbench_upload", local_path="data.bin", remote_path=REMOTE)
    assert answer.failed
    assert "is not what was sent" in answer.text


async def test_a_workbench_that_says_nothing_of_the_file_is_an_error(desk: CloudDesk) -> None:
    desk.write("data.bin", b"new")
    desk.cloud.before_code = lambda code: completed({"stdout": ""}) if "sha256" in code else None
    answer = await desk.call("workbench_upload", local_path="data.bin", remote_path=REMOTE)
    assert answer.failed
    assert "does not say what arrived" in answer.text


async def test_a_file_that_is_too_large_is_not_sent(desk: CloudDesk) -> None:
    with (desk.directory / "data.bin").open("wb") as file:
        file.truncate(25_000_001)
    answer = await desk.call("workbench_upload", local_path="data.bin", remote_path=REMOTE)
    assert answer.failed
    assert desk.cloud.executed == []


@pytest.mark.parametrize("local", ["missing.bin", "../other/a", "/etc/passwd", "link", "."])
async def test_only_files_of_the_session_are_sent(desk: CloudDesk, local: str) -> None:
    (desk.directory / "link").symlink_to("/etc/passwd")
    answer = await desk.call("workbench_upload", local_path=local, remote_path=REMOTE)
    assert answer.failed
    assert desk.cloud.executed == []


@pytest.mark.proves("workbench.remote_paths")
@pytest.mark.parametrize(
    "remote",
    [
        "data.bin",
        "home/user/data.bin",
        "/home/user",
        "/home/user/",
        "/home/user/sub/",
        "/home/username/a",
        "/etc/cron.d/a",
        "/home/user/../../etc/passwd",
        "/mnt/files/..",
        "//home/user/a",
        "/home/user/a\nb",
        "/home/user/a\u202eb",
        "/home/user/a\\b",
        "C:/home/user/a",
        "/home/user/" + "a" * 1000,
        "https://example.com/home/user/a",
        "",
    ],
)
@pytest.mark.parametrize("tool", ["workbench_upload", "workbench_download"])
async def test_a_remote_path_stays_below_its_homes(desk: CloudDesk, tool: str, remote: str) -> None:
    desk.write("data.bin", b"x")
    answer = await desk.call(tool, local_path="data.bin", remote_path=remote)
    assert answer.failed
    assert desk.cloud.executed == []
