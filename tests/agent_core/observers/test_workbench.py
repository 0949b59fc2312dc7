"""Remote code executions as files; a file that was read there lands in downloads/."""

import base64
from pathlib import Path

import pytest

from agent_core.messages import JsonObject
from agent_core.observers import ToolObserved, WorkbenchObserver
from tests.agent_core.observers.observed import enveloped, names_in, observed, only_file

WORKBENCH = "mcp__composio__COMPOSIO_REMOTE_WORKBENCH"
ARGUMENTS: JsonObject = {
    "code_to_execute": "print('hello')",
    "session_id": "sess_abc123",
    "current_step": "Step 1",
    "thought": "Running analysis script",
}
STREAMS: JsonObject = {"results": "", "stdout": "hello\n", "stderr": "1 warning", "error": None}


async def saved(of: ToolObserved) -> list[str]:
    return list(await WorkbenchObserver().saw(of))


@pytest.mark.proves(
    "workbench.timestamp",
    "workbench.tool",
    "workbench.input.code",
    "workbench.input.session_id",
    "workbench.input.current_step",
    "workbench.input.thought",
    "workbench.output.stdout",
    "workbench.output.stderr",
    "workbench.output.successful",
    "workbench.file_name",
)
async def test_an_execution_is_saved_field_by_field(tmp_path: Path) -> None:
    paths = await saved(observed(tmp_path, WORKBENCH, enveloped(STREAMS), arguments=ARGUMENTS))

    assert only_file(tmp_path, "workbench_activity") == {
        "timestamp": "2026-11-21T14:31:15.123456",
        "tool": "COMPOSIO_REMOTE_WORKBENCH",
        "input": {
            "code": "print('hello')",
            "session_id": "sess_abc123",
            "current_step": "Step 1",
            "thought": "Running analysis script",
        },
        "output": {"stdout": "hello\n", "stderr": "1 warning", "results": "", "successful": True},
    }
    assert paths[0].startswith("workbench_activity/workbench_20261121_143115_123456_")


@pytest.mark.proves("workbench.tools_only")
@pytest.mark.parametrize(
    "tool",
    [
        "mcp__rube__RUBE_REMOTE_WORKBENCH",
        "mcp__composio__COMPOSIO_REMOTE_BASH_TOOL",
        "CODEINTERPRETER_EXECUTE_CODE",
        "mcp__composio__CODEINTERPRETER_RUN_TERMINAL_CMD",
    ],
)
async def test_every_way_to_run_code_is_known(tmp_path: Path, tool: str) -> None:
    await saved(observed(tmp_path, tool, enveloped(STREAMS), arguments={"command": "ls"}))

    record = only_file(tmp_path, "workbench_activity")
    assert record["input"]["code"] == "ls"
    assert record["output"]["stdout"] == "hello\n"


@pytest.mark.proves("workbench.output.results", "workbench.output.successful")
async def test_a_failure_keeps_what_was_said_of_it(tmp_path: Path) -> None:
    streams = {**STREAMS, "stdout": "", "stderr": "", "error": "NameError: x", "results": {"n": 1}}
    result = {"data": streams, "error": "1 cell failed", "successful": False}
    await saved(observed(tmp_path, WORKBENCH, result))

    output = only_file(tmp_path, "workbench_activity")["output"]
    assert output["successful"] is False
    assert output["stderr"] == "NameError: x"
    assert output["results"] == '{"n": 1}'


async def test_code_inside_a_multi_execute_is_saved_too(tmp_path: Path) -> None:
    arguments: JsonObject = {
        "tools": [
            {"tool_slug": "GMAIL_FETCH_EMAILS", "arguments": {}},
            {"tool_slug": "CODEINTERPRETER_EXECUTE_CODE", "arguments": {"code": "1 + 1"}},
        ]
    }
    inner = [{"response": enveloped({})}, {"response": enveloped({**STREAMS, "results": "2"})}]
    tool = "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL"
    await saved(observed(tmp_path, tool, enveloped({"results": inner}), arguments=arguments))

    record = only_file(tmp_path, "workbench_activity")
    assert record["input"]["code"] == "1 + 1"
    assert record["output"]["results"] == "2"


async def test_a_result_that_is_only_text_is_kept_as_text(tmp_path: Path) -> None:
    text = "The tool did not answer within 180 s."
    await saved(observed(tmp_path, WORKBENCH, text, arguments=ARGUMENTS, is_error=True))

    output = only_file(tmp_path, "workbench_activity")["output"]
    assert (output["stdout"], output["successful"]) == (text, False)


@pytest.mark.proves("large.activity")
async def test_a_file_that_was_fetched_from_the_workbench_has_its_record(tmp_path: Path) -> None:
    remote, said = "/mnt/files/.composio/output/r.json", "Successfully downloaded r.json."
    arguments: JsonObject = {"remote_path": remote, "local_path": "downloads/r.json"}
    tool = "mcp__local_toolkit__workbench_download"
    await saved(observed(tmp_path, tool, said, arguments=arguments))
    record = only_file(tmp_path, "workbench_activity")
    assert record["tool"] == "workbench_download"
    assert record["input"]["code"] == remote
    assert record["output"] == {"stdout": said, "stderr": "", "results": "", "successful": True}


GET_FILE = "mcp__composio__CODEINTERPRETER_GET_FILE_CMD"


def read_file(
    workspace: Path, content: str, file_path: str = "/home/user/out/table.csv", **more: str
) -> ToolObserved:
    result = enveloped({"content": content, **more})
    return observed(workspace, GET_FILE, result, arguments={"file_path": file_path})


async def downloads(of: ToolObserved) -> list[str]:
    """What was saved beside the record of the execution."""
    record, *files = await saved(of)
    assert record.startswith("workbench_activity/")
    return files


@pytest.mark.proves("workbench.downloads")
async def test_a_text_is_kept_under_its_name(tmp_path: Path) -> None:
    assert await downloads(read_file(tmp_path, "Köln,1\n")) == ["downloads/table.csv"]
    assert (tmp_path / "downloads/table.csv").read_text(encoding="utf-8") == "Köln,1\n"


async def test_bytes_are_kept_as_bytes(tmp_path: Path) -> None:
    data = bytes(range(256))
    content = base64.b64encode(data).decode()
    await downloads(read_file(tmp_path, content, "/mnt/files/a.png", encoding="base64"))
    assert (tmp_path / "downloads/a.png").read_bytes() == data


async def test_a_file_of_a_person_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "downloads").mkdir()
    (tmp_path / "downloads/table.csv").write_text("sent", encoding="utf-8")
    assert await downloads(read_file(tmp_path, "read")) == ["downloads/table_2.csv"]
    assert (tmp_path / "downloads/table.csv").read_text(encoding="utf-8") == "sent"


async def test_seeing_it_twice_writes_one_file(tmp_path: Path) -> None:
    one = read_file(tmp_path, "read")
    assert await downloads(one) == await downloads(one)
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
    assert await downloads(read_file(tmp_path, "x", file_path)) == [f"downloads/{name}"]


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
    assert await downloads(of) == []
