"""Faults of stdio servers stay with the server that has them."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, use_span

from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import ToolContext, ToolOutput
from agent_core.tools.hub import McpHub
from agent_core.tools.servers import StdioServer
from tests.agent_core.tools.conftest import QUICK, HubMaker
from tests.agent_core.tools.world import needs_pidfd, raw, watched

pytestmark = pytest.mark.process("a stdio server is a process")


async def call(hub: McpHub, context: ToolContext, tool: str, **arguments: object) -> ToolOutput:
    return await hub.run(tool_call(f"mcp__raw__{tool}", arguments), context, ignore_progress)


async def names(hub: McpHub, context: ToolContext) -> list[str]:
    return [spec.name for spec in await hub.specs(context)]


async def test_a_result_is_shown_even_if_it_breaks_the_tools_output_schema(
    make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(raw())
    await hub.warm_up()
    assert not (await call(hub, context, "echo", text="kept")).is_error


@pytest.mark.proves("hub.malformed")
async def test_malformed_tools_do_not_cost_the_good_ones(
    make_hub: HubMaker, context: ToolContext, caplog: pytest.LogCaptureFixture
) -> None:
    hub = make_hub(raw("malformed"))
    assert await names(hub, context) == ["mcp__raw__first", "mcp__raw__last"]
    for bad in ("bad_required", "bad_type", "bad_parameter", "bad_schema", "only_as_a_task"):
        assert bad in caplog.text


@pytest.mark.proves("hub.names")
async def test_of_two_tools_with_one_name_the_first_is_taken(
    make_hub: HubMaker, context: ToolContext, caplog: pytest.LogCaptureFixture
) -> None:
    hub = make_hub(raw("duplicates"))
    specs = {spec.name: spec for spec in await hub.specs(context)}
    assert sorted(specs) == ["mcp__raw__other", "mcp__raw__twin"]
    assert specs["mcp__raw__twin"].input_schema["required"] == ["text"]
    assert "twin" in caplog.text


@pytest.mark.proves("hub.names")
async def test_names_fit_the_providers_and_a_collision_is_refused(
    make_hub: HubMaker, context: ToolContext, caplog: pytest.LogCaptureFixture
) -> None:
    hub = make_hub(raw("names"))
    plain, long = await names(hub, context)
    assert plain == "mcp__raw__a_b"
    assert len(long) == 128
    for reason in ("a_b is left out: its name is taken", "A.b is left out: its name is taken"):
        assert reason in caplog.text
    assert "gm\u0430il is left out: its name has signs" in caplog.text


async def test_half_a_sign_in_a_result_costs_only_itself(
    make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(raw())
    assert (await call(hub, context, "half")).text == "whole \U0001f600, half \ufffd and \ufffd."


@pytest.mark.proves("hub.noise")
async def test_log_lines_on_stdout_are_ignored(make_hub: HubMaker, context: ToolContext) -> None:
    hub = make_hub(raw("noise"))
    assert (await call(hub, context, "echo", text="heard")).text == "heard"


@pytest.mark.proves("hub.stderr")
async def test_a_flood_on_stderr_does_not_block_the_server(
    make_hub: HubMaker, context: ToolContext, caplog: pytest.LogCaptureFixture
) -> None:
    hub = make_hub(raw("flood"))
    assert (await call(hub, context, "echo", text="through")).text == "through"
    await call(hub, context, "exit")
    assert "the end" in caplog.text
    assert len(caplog.text) < 10_000


@pytest.mark.proves("hub.dead")
async def test_a_dead_server_is_started_again_and_the_call_is_told_as_uncertain(
    make_hub: HubMaker, context: ToolContext, caplog: pytest.LogCaptureFixture
) -> None:
    hub = make_hub(raw())
    output = await call(hub, context, "exit")
    assert output.is_error
    assert "may or may not have run" in output.text
    assert "about to leave" in caplog.text
    assert (await call(hub, context, "echo", text="back")).text == "back"


@pytest.mark.proves("hub.dead")
async def test_a_read_only_call_is_made_again_after_the_servers_death(
    make_hub: HubMaker, context: ToolContext, tmp_path: Path
) -> None:
    hub = make_hub(raw())
    output = await call(hub, context, "exit_unless", marker=str(tmp_path / "marker"))
    assert (output.text, output.is_error) == ("survived", False)


@pytest.mark.proves("hub.restarts")
async def test_a_server_that_keeps_dying_is_left_alone_for_the_rest_of_the_minute(
    make_hub: HubMaker, context: ToolContext
) -> None:
    now = [1_000.0]
    hub = make_hub(raw(), limits=replace(QUICK, max_restarts=1), clock=lambda: now[0])
    for _ in range(2):
        assert "may or may not have run" in (await call(hub, context, "exit")).text
    refused = await call(hub, context, "echo", text="x")
    assert refused.is_error
    assert "stopped too often; it is tried again in 60 s" in refused.text
    now[0] += 61
    assert (await call(hub, context, "echo", text="x")).text == "x"


@pytest.mark.proves("hub.hang", "hub.local")
async def test_a_failing_server_costs_only_its_own_tools_and_its_reason_is_kept(
    make_hub: HubMaker, context: ToolContext
) -> None:
    missing = StdioServer(name="missing", command="/no/such/command")
    limits = replace(QUICK, connect_timeout_s=4, list_timeout_s=1.5)
    hub = make_hub(
        missing, raw("mute", name="mute"), raw("hang_list", name="slow"), raw(), limits=limits
    )
    assert "mcp__raw__echo" in await names(hub, context)
    assert all(name.startswith("mcp__raw__") for name in await names(hub, context))
    assert "could not be started" in hub.failures["missing"]
    assert "did not answer within 4 s" in hub.failures["mute"]
    assert "did not list its tools in 1.5 s" in hub.failures["slow"]
    output = await hub.run(tool_call("mcp__missing__x"), context, ignore_progress)
    assert output.is_error


async def test_a_failed_start_is_tried_again_only_after_a_while(
    make_hub: HubMaker, context: ToolContext, tmp_path: Path
) -> None:
    now = [0.0]
    received = tmp_path / "received"
    limits = replace(QUICK, list_timeout_s=0.3, retry_after_s=30)
    hub = make_hub(raw("hang_list", received=received), limits=limits, clock=lambda: now[0])

    def starts() -> int:
        return received.read_text(encoding="utf-8").count('"initialize"')

    await hub.warm_up()
    await hub.warm_up()
    assert starts() == 1
    now[0] += 31
    await hub.warm_up()
    assert starts() == 2


@pytest.mark.proves("hub.hang")
async def test_a_late_call_ends_at_its_limit_and_the_server_is_told(
    make_hub: HubMaker, context: ToolContext, tmp_path: Path
) -> None:
    received = tmp_path / "received"
    hub = make_hub(raw(received=received, call_timeout_s=0.3))
    output = await call(hub, context, "hang")
    assert output.is_error
    assert "did not answer within 0.3 s" in output.text
    assert (await call(hub, context, "echo", text="still here")).text == "still here"
    sent = received.read_text(encoding="utf-8")
    assert "notifications/cancelled" in sent
    assert sent.count('"initialize"') == 1


@pytest.mark.proves("hub.hang")
async def test_a_server_that_hangs_as_a_whole_is_replaced(
    make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(raw(call_timeout_s=0.3), limits=replace(QUICK, list_timeout_s=1))
    assert (await call(hub, context, "hang_all")).is_error
    assert (await call(hub, context, "echo", text="new one")).text == "new one"


@pytest.mark.proves("hub.giant")
@pytest.mark.parametrize("id_first", [True, False])
async def test_a_giant_result_is_cut_and_says_so(
    make_hub: HubMaker, context: ToolContext, id_first: bool
) -> None:
    hub = make_hub(raw())
    output = await call(hub, context, "giant", size_mb=60, id_first=id_first)
    assert not output.is_error
    assert "sent 60,0" in output.text
    assert output.text.endswith("[Only the first 5,000,000 bytes were kept.]")
    assert len(output.text) < 5_000_100
    assert (await call(hub, context, "echo", text="next")).text == "next"


async def test_an_answer_that_is_not_mcp_is_a_value(
    make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(raw())
    output = await call(hub, context, "nonsense")
    assert output.text == (
        "The tool's answer was not valid MCP. "
        "The call may or may not have run: check its effect before you make it again."
    )
    assert (output.is_error, output.may_have_happened) == (True, True)


@pytest.mark.proves("hub.list_storm")
async def test_a_changed_list_is_read_again_at_the_next_need(
    make_hub: HubMaker, context: ToolContext, tmp_path: Path
) -> None:
    received = tmp_path / "received"
    hub = make_hub(raw(received=received))
    assert "mcp__raw__grown" not in await names(hub, context)
    for _ in range(5):
        await call(hub, context, "grow")
    assert "mcp__raw__grown" in await names(hub, context)
    assert received.read_text(encoding="utf-8").count('"tools/list"') == 2


@pytest.mark.proves("hub.list_storm")
async def test_a_storm_of_announcements_costs_one_listing_and_the_server_stays(
    make_hub: HubMaker, context: ToolContext, tmp_path: Path
) -> None:
    received = tmp_path / "received"
    hub = make_hub(raw(received=received))
    assert (await call(hub, context, "storm")).text == "calm again"
    for _ in range(3):
        assert "mcp__raw__echo" in await names(hub, context)
    sent = received.read_text(encoding="utf-8")
    assert (sent.count('"tools/list"'), sent.count('"initialize"')) == (2, 1)


@pytest.mark.proves("hub.asks_nothing")
@pytest.mark.parametrize(
    "method", ["sampling/createMessage", "elicitation/create", "roots/list", "nonsense/ask"]
)
async def test_a_server_that_asks_us_for_something_is_refused(
    make_hub: HubMaker, context: ToolContext, method: str
) -> None:
    hub = make_hub(raw())
    assert (await call(hub, context, "ask", method=method)).text == "refused"
    assert (await call(hub, context, "echo", text="next")).text == "next"


@pytest.mark.proves("hub.group")
@needs_pidfd
async def test_closing_leaves_no_descendant_behind(
    make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(raw())
    with watched(int((await call(hub, context, "child")).text)) as gone:
        assert not gone.is_set()
        await hub.close()
        async with asyncio.timeout(5):
            await gone.wait()


@needs_pidfd
async def test_a_server_that_left_on_its_own_leaves_no_descendant_behind(
    make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(raw())
    with watched(int((await call(hub, context, "child")).text)) as gone:
        assert "stopped during the call" in (await call(hub, context, "exit")).text
        async with asyncio.timeout(5):
            await gone.wait()


async def test_a_closed_hub_answers_that_it_is_closed(
    make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(raw())
    await hub.warm_up()
    await hub.close()
    output = await call(hub, context, "echo", text="x")
    assert output.is_error
    assert "shut down" in output.text


async def test_a_call_carries_the_trace_of_its_caller_and_the_servers_start_that_of_nobody(
    make_hub: HubMaker, context: ToolContext, tmp_path: Path
) -> None:
    received = tmp_path / "received"
    hub = make_hub(raw(received=received))
    for trace in (0xA1, 0xB2):
        span = SpanContext(trace, 1, is_remote=False, trace_flags=TraceFlags(1))
        with use_span(NonRecordingSpan(span)):
            await call(hub, context, "echo", text="traced")
    sent = [json.loads(line) for line in received.read_text(encoding="utf-8").splitlines()]
    (start,) = [message for message in sent if message["method"] == "initialize"]
    began = start["params"].get("_meta", {}).get("traceparent", "")
    assert not any(f"{trace:032x}" in began for trace in (0xA1, 0xB2)), "it serves more than one"
    calls = [message for message in sent if message["method"] == "tools/call"]
    assert [message["params"]["_meta"]["traceparent"].split("-")[1] for message in calls] == [
        f"{0xA1:032x}",
        f"{0xB2:032x}",
    ]


async def test_an_untrusted_server_is_not_told_the_sessions_directory(
    make_hub: HubMaker, context: ToolContext, tmp_path: Path
) -> None:
    received = tmp_path / "received"
    hub = make_hub(raw(received=received))
    await call(hub, context, "echo", text="x")
    assert "session_dir" not in received.read_text(encoding="utf-8")


async def test_all_pages_of_a_list_are_read(make_hub: HubMaker, context: ToolContext) -> None:
    hub = make_hub(raw("pages"))
    assert await names(hub, context) == [f"mcp__raw__tool_{n}" for n in range(3)]
