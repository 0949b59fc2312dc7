"""What an execution printed, by the stream that it went to."""

from pathlib import Path

import pytest

from agent_core.observers import WorkbenchObserver
from tests.agent_core.observers.observed import enveloped, observed, only_file


@pytest.mark.proves("workbench.output.stdout", "workbench.output.stderr")
async def test_both_streams_of_an_execution_are_kept_apart(tmp_path: Path) -> None:
    streams = {"stdout": "3 rows\n", "stderr": "a column is empty\n", "results": None}
    tool = "mcp__composio__COMPOSIO_REMOTE_WORKBENCH"
    await WorkbenchObserver().saw(observed(tmp_path, tool, enveloped(streams)))
    output = only_file(tmp_path, "workbench_activity")["output"]
    assert (output["stdout"], output["stderr"]) == ("3 rows\n", "a column is empty\n")
