"""The loop, driven from outside with a scripted model and tools made of functions."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from agent_core.errors import ModelUnavailable
from agent_core.events import (
    ArtifactSaved,
    HeadingWritten,
    StepRetried,
    TextDelta,
    ToolCallFinished,
    Usage,
)
from agent_core.loop.agent import AWAY_S, Agent, RunLimits
from agent_core.loop.calls import Headings
from agent_core.loop.run import GO_ON, PAUSED, RunResult, run_agent
from agent_core.messages import JsonObject, Message, Text, ToolResult, user_message
from agent_core.models import OUTAGE_S, CallDelta, Reply, RetryingModel
from agent_core.prompts import prompt
from agent_core.testing.models import ScriptedModel, ScriptLine, call, calls_reply, text_reply
from agent_core.testing.tools import FakeToolset
from agent_core.tools import Artifact, OnProgress, ToolContext, ToolOutput
from agent_core.words import CORE
from tests.scopes import SteppingClock, Surroundings


async def no_wait(_seconds: float) -> None:
    return None


def agent(
    script: list[ScriptLine], tools: FakeToolset | None = None, limits: RunLimits | None = None
) -> tuple[Agent, ScriptedModel]:
    model = ScriptedModel(script)
    made = Agent(
        name="tester",
        system="You test.",
        model=RetryingModel(model, sleep=no_wait),
        tools=tools or FakeToolset({}),
        limits=limits or RunLimits(),
    )
    return made, model


async def run(made: Agent, around: Surroundings) -> RunResult:
    opening = (user_message("do it"),)
    async with asyncio.timeout(5):
        return await run_agent(made, (), opening, around.scope(), parent=None, task="do it")


async def say_done(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    return "done"


@pytest.mark.proves("loop.ends")
async def test_a_reply_without_calls_ends_the_run(tmp_path: Path) -> None:
    around = Surroundings(workspace=tmp_path)
    made, _ = agent(["All good."])
    assert await run(made, around) == RunResult(outcome="answered", text="All good.")
    assert around.kinds == [
        "run_started",
        "step_started",
        "text_delta",
        "text_delta",
        "step_finished",
        "run_finished",
    ]


@pytest.mark.proves("loop.ends", "loop.results_return")
async def test_tool_calls_of_one_step_run_in_parallel(tmp_path: Path) -> None:
    met = asyncio.Barrier(2)

    async def meet(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        await met.wait()
        return "met"

    made, model = agent(
        [calls_reply(call("meet", id="a"), call("meet", id="b")), "Both met."],
        FakeToolset({"meet": meet}),
    )
    assert (await run(made, Surroundings(workspace=tmp_path))).text == "Both met."
    results = [
        part for part in model.requests[1].messages[-1].parts if isinstance(part, ToolResult)
    ]
    assert [(part.call_id, part.text) for part in results] == [("a", "met"), ("b", "met")]


@pytest.mark.proves("loop.error_is_a_result")
async def test_a_failing_tool_is_a_result_that_the_model_sees(tmp_path: Path) -> None:
    async def fail(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        raise ValueError("broken")

    around = Surroundings(workspace=tmp_path)
    made, model = agent([call("fail"), "It failed."], FakeToolset({"fail": fail}))
    await run(made, around)
    [result] = [p for p in model.requests[1].messages[-1].parts if isinstance(p, ToolResult)]
    assert result.is_error
    assert "broken" in result.text
    assert [e.is_error for e in around.events if isinstance(e, ToolCallFinished)] == [True]


async def test_the_step_limit_ends_the_run_with_what_it_has(tmp_path: Path) -> None:
    made, model = agent(
        [call("work", id="a"), call("work", id="b"), "So far: two pieces."],
        FakeToolset({"work": say_done}),
        RunLimits(max_steps=2),
    )
    result = await run(made, Surroundings(workspace=tmp_path))
    assert result == RunResult(outcome="limited", text="So far: two pieces.")
    last = model.requests[-1]
    assert not last.may_call_tools
    closing = last.messages[-1].parts[-1]
    assert isinstance(closing, Text)
    assert closing.text == prompt("wrap_up")


async def test_a_model_that_calls_tools_at_the_limit_is_not_obeyed(tmp_path: Path) -> None:
    tools = FakeToolset({"work": say_done})
    made, _ = agent([call("work", id="a"), call("work", id="b")], tools, RunLimits(max_steps=1))
    result = await run(made, Surroundings(workspace=tmp_path))
    assert result.outcome == "limited"
    assert [made_call.id for made_call in tools.calls] == ["a"]


@pytest.mark.parametrize("limits", [RunLimits(max_duration_s=60), RunLimits(max_tokens=2_000)])
async def test_time_and_tokens_end_the_run_cached_ones_counted_too(
    tmp_path: Path, limits: RunLimits
) -> None:
    around = Surroundings(workspace=tmp_path, clock=SteppingClock(step=timedelta(minutes=1)))
    costly = calls_reply(call("work"), usage=Usage(input_tokens=10, cache_read_tokens=2_000))
    made, _ = agent([costly, "Enough."], FakeToolset({"work": say_done}), limits)
    assert (await run(made, around)).outcome == "limited"


@pytest.mark.proves("model.away")
async def test_a_model_that_is_away_says_until_when_it_is_tried_on_the_askers_clock(
    tmp_path: Path,
) -> None:
    clock = SteppingClock(step=timedelta())
    around = Surroundings(workspace=tmp_path, clock=clock, zone="Asia/Tokyo")
    made, _ = agent([*[ModelUnavailable("gone")] * 6, "Here."])
    await run(made, around)
    retries = [event for event in around.events if isinstance(event, StepRetried)]
    ends = [event.given_up_at for event in retries]
    waited_s = [sum(each.wait_s for each in retries[: n + 1]) for n in range(len(retries))]
    assert [end is not None for end in ends] == [after >= AWAY_S for after in waited_s]
    last = ends[-1]
    assert last is not None
    assert last.utcoffset() == timedelta(hours=9)
    left_s = (last - clock.now).total_seconds()
    assert left_s == pytest.approx(OUTAGE_S - waited_s[-2], abs=1)


async def test_a_refusal_is_told_plainly(tmp_path: Path) -> None:
    whole = text_reply("")
    refusal = Reply(
        message=whole.message, stop_reason="refusal", usage=whole.usage, model=whole.model
    )
    made, _ = agent([refusal])
    assert (await run(made, Surroundings(workspace=tmp_path))).text == CORE.say(
        "en", "answer-declined"
    )


@pytest.mark.proves("events.artifact")
async def test_artifacts_are_announced_before_the_call_ends(tmp_path: Path) -> None:
    async def write(
        arguments: JsonObject, context: ToolContext, progress: OnProgress
    ) -> ToolOutput:
        made = Artifact(path="work_products/r.html", title="R", mimetype="text/html", size_bytes=3)
        return ToolOutput(text="written", artifacts=(made,))

    around = Surroundings(workspace=tmp_path)
    made, _ = agent([call("write"), "Here."], FakeToolset({"write": write}))
    await run(made, around)
    kinds = around.kinds
    assert kinds.index("artifact_saved") < kinds.index("tool_call_finished")
    [saved] = [e for e in around.events if isinstance(e, ArtifactSaved)]
    assert saved.path == "work_products/r.html"


@pytest.mark.proves("events.identity")
async def test_every_stored_event_has_an_identity_of_its_own(tmp_path: Path) -> None:
    around = Surroundings(workspace=tmp_path)
    calls = calls_reply(call("work", id="a"), call("work", id="b"))
    made, _ = agent([calls, call("work", id="c"), "Done."], FakeToolset({"work": say_done}))
    await run(made, around)
    stored = [e for e in around.events if not isinstance(e, TextDelta)]
    identities = [(e.run, e.step, e.attempt, e.n) for e in stored]
    assert len(set(identities)) == len(identities)


@pytest.mark.parametrize(("why", "told"), [("max_tokens", GO_ON), ("pause_turn", PAUSED)])
async def test_an_answer_that_is_not_whole_goes_on_where_it_stopped(
    tmp_path: Path, why: str, told: str
) -> None:
    cut = replace(text_reply("A long answer, cut"), stop_reason=why)
    made, model = agent([cut, " in two."])
    result = await run(made, Surroundings(workspace=tmp_path))
    assert result == RunResult(outcome="answered", text="A long answer, cut in two.")
    assert model.requests[1].messages[-1].text == told


async def test_an_answer_that_stays_cut_off_says_so(tmp_path: Path) -> None:
    cut = replace(text_reply("more"), stop_reason="max_tokens")
    made, _ = agent([cut] * 10)
    result = await run(made, Surroundings(workspace=tmp_path))
    assert result.outcome == "limited"
    assert CORE.say("en", "answer-cut-off") in result.text


async def test_ids_that_a_gateway_uses_again_in_each_turn_do_not_cost_results(
    tmp_path: Path,
) -> None:
    tools = FakeToolset({"work": say_done})
    earlier: list[Message] = []
    for _ in range(4):
        around = Surroundings(workspace=tmp_path)
        made, model = agent([call("work", id="call_0"), "Done."], tools)
        opening = (user_message("do it"),)
        await run_agent(made, earlier, opening, around.scope(), parent=None, task="do it")
        assert isinstance(model.requests[-1].messages[-1].parts[0], ToolResult)
        earlier += [message for _, message in sorted(around.messages.items())]
    ids = [made_call.id for message in earlier for made_call in message.tool_calls]
    assert len(set(ids)) == 4


@pytest.mark.parametrize("unseen", ["", " \n", "\u200b", "\0", "\u2060\ufeff \x7f"])
async def test_an_answer_that_nobody_can_see_is_asked_for_words(
    tmp_path: Path, unseen: str
) -> None:
    made, _ = agent([text_reply(unseen), "Here they are."])
    result = await run(made, Surroundings(workspace=tmp_path))
    assert result.text.strip(unseen) == "Here they are."


async def test_an_answer_that_stays_unseen_is_a_plain_sentence(tmp_path: Path) -> None:
    made, _ = agent([text_reply("\u200b")] * 10)
    assert (await run(made, Surroundings(workspace=tmp_path))).text == CORE.say(
        "en", "answer-no-words"
    )


MARKDOWN = """# Chat bots

## Limits — “new”
They are *low*.

### Not a section
## 2. Costs
Is C# dear? ## no heading
## A\\B
End."""


@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_sections_are_read_whatever_pieces_they_come_in(size: int) -> None:
    written = json.dumps({"title": "Bots", "markdown": MARKDOWN})
    pieces = [written[at : at + size] for at in range(0, len(written), size)]
    reader = Headings()
    read = [reader.newest(CallDelta(tool="write_report", text=piece)) for piece in pieces]
    expected = ["1 Limits — “new”", "2. Costs", "3 A\\B"]
    assert [each for each in read if each] == (expected if size < 1_000 else expected[-1:])


@pytest.mark.proves("thread.section")
async def test_a_run_says_which_section_it_writes_before_the_call_is_whole(tmp_path: Path) -> None:
    around = Surroundings(workspace=tmp_path)
    report = call("write_report", {"markdown": MARKDOWN})
    made, _ = agent([report, "Done."], FakeToolset({"write_report": say_done}))
    await run(made, around)
    kinds = [event.kind for event in around.events]
    headings = [event.heading for event in around.events if isinstance(event, HeadingWritten)]
    assert headings == ["1 Limits — “new”", "2. Costs", "3 A\\B"]
    assert kinds.index("heading_written") < kinds.index("tool_call_started")
