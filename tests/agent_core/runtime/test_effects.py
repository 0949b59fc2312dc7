"""A call whose result a crash took away: made again where that is harmless, told of where not."""

import asyncio
from pathlib import Path

import pytest

from agent_core.consent.policy import read_policy
from agent_core.events import ToolCallFinished
from agent_core.messages import JsonObject
from agent_core.testing.models import ScriptedModel, call
from agent_core.testing.runtimes import inbound, scripted_runtime
from agent_core.testing.tools import FakeTool, FakeToolset
from agent_core.tools import Progress, ToolContext, ToolOutput
from agent_core.tools.actions import LOST
from tests.agent_core.runtime.threads import begin, end_of, events_of, told


@pytest.mark.parametrize("is_repeatable", [True, False])
async def test_a_call_that_was_under_way_when_the_process_ended(
    tmp_path: Path, is_repeatable: bool
) -> None:
    under_way, made = asyncio.Event(), 0

    async def send(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
        nonlocal made
        made += 1
        under_way.set()
        if made == 1:
            await asyncio.Event().wait()
        return "sent"

    tools = FakeToolset({"send": FakeTool(run=send, is_repeatable=is_repeatable)})
    first = ScriptedModel([call("send")])
    async with scripted_runtime(tmp_path, model=first, tools=tools) as runtime:
        turn = await begin(runtime, inbound("continue"))
        await under_way.wait()
    again = ScriptedModel(["Done."])
    async with scripted_runtime(tmp_path, model=again, tools=tools) as runtime:
        answer = (await end_of(runtime, turn)).answer
        [finished] = [e for e in await events_of(runtime, turn) if isinstance(e, ToolCallFinished)]
    assert made == (2 if is_repeatable else 1)
    assert (LOST in told(again.requests[0])) == (not is_repeatable)
    assert finished.may_have_happened == (not is_repeatable)
    told_person = "What may or may not have happened: `send`. Please look before it is done again."
    assert answer == ("Done." if is_repeatable else f"{told_person}\n\nDone.")


async def test_a_call_that_only_reads_leaves_nobody_wondering_what_has_happened(
    tmp_path: Path,
) -> None:
    async def be_late(
        arguments: JsonObject, context: ToolContext, progress: Progress
    ) -> ToolOutput:
        return ToolOutput(text="Too late.", is_error=True, may_have_happened=True)

    tools = FakeToolset({"mcp__notes__get_note": be_late})
    model = ScriptedModel([call("mcp__notes__get_note"), "Done."])
    policy = read_policy()
    async with scripted_runtime(tmp_path, model=model, tools=tools, policy=policy) as runtime:
        answer = (await end_of(runtime, await begin(runtime, inbound("continue")))).answer
    assert answer == "Done."
