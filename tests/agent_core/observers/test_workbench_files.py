"""A file that was read in a remote sandbox lands in downloads/."""

import base64
from pathlib import Path

import pytest

from agent_core.messages import JsonObject
from agent_core.observers import ToolObserved, WorkbenchObserver
from tests.agent_core.observers.observed import enveloped, names_in, observed

GET_FILE = "mcp__composio__CODEINTERPRETER_GET_FILE_CMD"


def read_file(
    workspace: Path, content: str, file_path: str = "/home/user/out/table.csv", **more: str
) -> ToolObserved:
    result = enveloped({"content": content, **more})
    return observed(workspace, GET_FILE, result, arguments={"file_path": file_path})


async def saved(of: ToolObserved) -> list[str]:
    """What was saved beside the record of the execution."""
    record, *files = await WorkbenchObserver().saw(of)
    assert record.startswith("workbench_activity/")
    return files


@pytest.mark.proves("workbench.downloads")
async def test_a_text_is_kept_under_its_name(tmp_path: Path) -> None:
    assert await saved(read_file(tmp_path, "Köln,1\n")) == ["downloads/table.csv"]
    assert (tmp_path / "downloads/table.csv").read_text(encoding="utf-8") == "Köln,1\n"


async def test_bytes_are_kept_as_bytes(tmp_path: Path) -> None:
    data = bytes(range(256))
    content = base64.b64encode(data).decode()
    await saved(read_file(tmp_path, content, "/mnt/files/a.png", encoding="base64"))
    assert (tmp_path / "downloads/a.png").read_bytes() == data


async def test_a_file_read_inside_a_multi_execute_is_kept(tmp_path: Path) -> None:
    arguments: JsonObject = {
        "tools": [
            {
                "tool_slug": "CODEINTERPRETER_GET_FILE_CMD",
                "arguments": {"file_path": "/home/user/a.txt"},
            }
        ]
    }
    inner = [{"response": enveloped({"content": "text"})}]
    tool = "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL"
    result = enveloped({"results": inner})
    await WorkbenchObserver().saw(observed(tmp_path, tool, result, arguments=arguments))
    assert (tmp_path / "downloads/a.txt").read_text(encoding="utf-8") == "text"


async def test_a_file_of_a_person_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "downloads").mkdir()
    (tmp_path / "downloads/table.csv").write_text("sent", encoding="utf-8")
    assert await saved(read_file(tmp_path, "read")) == ["downloads/table_2.csv"]
    assert (tmp_path / "downloads/table.csv").read_text(encoding="utf-8") == "sent"


async def test_seeing_it_twice_writes_one_file(tmp_path: Path) -> None:
    one = read_file(tmp_path, "read")
    assert await saved(one) == await saved(one)
    assert names_in(tmp_path / "downloads") == ["table.csv"]


@pytest.mark.parametrize(
    ("file_path", "name"),
    [
        ("../../trace.json", "trace.json"),
        ("/home/user/..", "file"),
        ("/home/user/", "file"),
        ("", "file"),
        ("/home/user/.bashrc", "bashrc"),
        ("/home/user/-rf", "rf"),
        ("/home/user/a\x00b\\c:d.csv", "a_b_c_d.csv"),
        ("/home/user/" + "x" * 300 + ".csv", "x" * 76 + ".csv"),
    ],
)
async def test_a_name_leads_nowhere_else(tmp_path: Path, file_path: str, name: str) -> None:
    assert await saved(read_file(tmp_path, "x", file_path)) == [f"downloads/{name}"]


@pytest.mark.parametrize(
    "data",
    [
        {"file": {"uri": "/etc/passwd", "file_downloaded": True}},
        {"content": "no base64!", "encoding": "base64"},
        {"content": None},
        {},
    ],
)
async def test_without_content_there_is_no_file(tmp_path: Path, data: JsonObject) -> None:
    of = observed(tmp_path, GET_FILE, enveloped(data), arguments={"file_path": "/home/user/a"})
    assert await saved(of) == []
