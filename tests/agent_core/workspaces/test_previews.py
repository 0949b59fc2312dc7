"""How much of a long result a trace shows."""

import pytest

from agent_core.workspaces import SessionInfo, build_trace
from tests.agent_core.workspaces.turns import SEARCH, START, at, place, tool_finished, turn_started


@pytest.mark.proves("trace.tool_results.content_preview", "trace.tool_results.content_size_bytes")
def test_a_result_s_preview_is_cut_and_its_size_is_that_of_the_whole() -> None:
    long = tool_finished(place(2, 1, 3), "toolu_1", SEARCH, preview="x" * 5_000)
    trace = build_trace(
        [turn_started(), long],
        info=SessionInfo(url="", user_id="T1:U1", timestamp=START),
        trace_id="a" * 32,
        logfire_enabled=False,
        finished_at=at(3),
    )
    [result] = trace["tool_results"]
    assert result["content_preview"] == "x" * 1_000
    assert result["content_size_bytes"] == 15_234
