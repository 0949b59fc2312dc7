"""A huge result is kept whole on disk, and the model gets head, tail and the way to the rest."""

import pytest

from agent_core.ids import ToolCallId
from agent_core.tools import ToolContext, ToolOutput
from agent_core.tools.registry import ResultLimits, fit

LIMITS = ResultLimits(max_chars=1_000, head_chars=60, tail_chars=20)


async def fitted(output: ToolOutput, context: ToolContext, call: str = "toolu_1") -> ToolOutput:
    return await fit(output, call=ToolCallId(call), workspace=context.workspace, limits=LIMITS)


@pytest.mark.proves("loop.long_results")
async def test_a_huge_result_is_saved_whole_and_shown_in_part(context: ToolContext) -> None:
    text = "".join(f"line {n}\r\n" for n in range(500))
    output = await fitted(ToolOutput(text=text, is_error=True), context)
    assert output.saved_path == "tool_results/toolu_1.txt"
    saved = context.workspace / output.saved_path
    assert saved.read_bytes().decode() == text
    assert [file.name for file in saved.parent.iterdir()] == ["toolu_1.txt"]
    assert output.text.startswith(text[:60])
    assert output.text.endswith(text[-20:])
    assert f"of {len(text):,} characters" in output.text
    assert "tool_results/toolu_1.txt" in output.text
    assert "read_local_file" in output.text
    assert (output.is_error, output.size_bytes) == (True, len(text))
    assert len(output.text) < 400


async def test_a_call_id_cannot_name_a_file_elsewhere(context: ToolContext) -> None:
    output = await fitted(ToolOutput(text="x" * 2_000), context, "../../etc/passwd")
    saved = (context.workspace / output.saved_path).resolve()
    assert saved.parent == context.workspace.resolve() / "tool_results"
    assert saved.read_text(encoding="utf-8") == "x" * 2_000


async def test_text_that_is_no_valid_unicode_is_saved_all_the_same(context: ToolContext) -> None:
    output = await fitted(ToolOutput(text="\ud800" * 2_000), context)
    assert (context.workspace / output.saved_path).read_text(encoding="utf-8") == "?" * 2_000


async def test_a_disk_that_refuses_costs_the_rest_but_not_the_result(context: ToolContext) -> None:
    (context.workspace / "tool_results").write_text("in the way", encoding="utf-8")
    output = await fitted(ToolOutput(text="y" * 2_000), context)
    assert output.saved_path == ""
    assert output.text.startswith("y" * 60)
    assert "could not be saved" in output.text
