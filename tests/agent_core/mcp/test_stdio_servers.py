"""Faults of stdio servers stay with the server that has them."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, use_span

from agent_core.mcp import StdioServer
from tests.agent_core.mcp.conftest import QUICK, Start
from tests.agent_core.mcp.world import needs_pidfd, raw, watched

pytestmark = pytest.mark.process("a stdio server is a process")


@pytest.mark.proves("hub.names")
async def test_names_fit_the_providers_and_a_collision_is_refused(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    bot = start(raw("names"))
    plain, long = await bot.names()
    assert plain == "a_b"
    assert len(long) == 128 - len("mcp__raw__")
    for twin in ("a_b", "A.b"):
        assert f"'{twin}' is left out: its name looks like that of a.b" in caplog.text


@pytest.mark.proves("hub.noise")
async def test_log_lines_on_stdout_are_ignored(start: Start) -> None:
    bot = start(raw("noise"))
    assert (await bot.call("echo", text="heard")).text == "heard"


@pytest.mark.proves("hub.stderr")
async def test_a_flood_on_stderr_does_not_block_the_server(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    bot = start(raw("flood"))
    assert (await bot.call("echo", text="through")).text == "through"
    await bot.call("exit")
    assert "the end" in caplog.text
    assert len(caplog.text) < 10_000


@pytest.mark.proves("hub.dead")
async def test_a_dead_server_is_started_again_and_the_call_is_told_as_uncertain(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    bot = start(raw())
    output = await bot.call("exit")
    assert output.is_error
    assert "may or may not have run" in output.text
    assert "about to leave" in caplog.text
    assert (await bot.call("echo", text="back")).text == "back"


@pytest.mark.proves("hub.dead")
async def test_a_call_that_reads_by_its_name_is_made_again_after_the_servers_death(
    start: Start, tmp_path: Path
) -> None:
    bot = start(raw())
    output = await bot.call("read_unless_new", marker=str(tmp_path / "marker"))
    assert (output.text, output.is_error) == ("survived", False)
    output = await bot.call("exit_unless", marker=str(tmp_path / "another"))
    assert "may or may not have run" in output.text  # it reads by its server's word alone


@pytest.mark.proves("hub.dead", "hub.restarts")
async def test_a_server_that_keeps_dying_is_left_alone_for_the_rest_of_the_minute(
    start: Start,
) -> None:
    now = [1_000.0]
    bot = start(raw(), clock=lambda: now[0])
    for _ in range(4):
        assert "may or may not have run" in (await bot.call("exit")).text
    now[0] += 20
    assert "stopped too often; it is tried again in 40 s" in (await bot.call("echo", text="x")).text
    now[0] += 41
    assert (await bot.call("echo", text="x")).text == "x"


@pytest.mark.proves("hub.hang", "hub.local")
async def test_a_failing_server_costs_only_its_own_tools_and_its_reason_is_kept(
    start: Start,
) -> None:
    missing = StdioServer(name="missing", command="/no/such/command")
    limits = replace(QUICK, connect_timeout_s=4, list_timeout_s=1.5)
    bot = start(
        missing, raw("mute", name="mute"), raw("hang_list", name="slow"), raw(), limits=limits
    )
    assert "echo" in await bot.names()
    assert not any(name.startswith("mcp__") for name in await bot.names())
    assert "could not be started" in bot.hub.failures["missing"]
    assert "did not answer within 4 s" in bot.hub.failures["mute"]
    assert "did not list its tools in 1.5 s" in bot.hub.failures["slow"]
    assert (await start(missing).call("x")).is_error


async def test_a_failed_start_is_tried_again_only_after_a_while(
    start: Start, tmp_path: Path
) -> None:
    now = [0.0]
    received = tmp_path / "received"
    limits = replace(QUICK, list_timeout_s=0.3, retry_after_s=30)
    bot = start(raw("hang_list", received=received), limits=limits, clock=lambda: now[0])

    def starts() -> int:
        return received.read_text(encoding="utf-8").count('"initialize"')

    await bot.hub.warm_up()
    await bot.hub.warm_up()
    assert starts() == 1
    now[0] += 31
    await bot.hub.warm_up()
    assert starts() == 2


@pytest.mark.proves("hub.hang")
async def test_a_late_call_ends_at_its_limit_and_the_server_is_told(
    start: Start, tmp_path: Path
) -> None:
    received = tmp_path / "received"
    bot = start(raw(received=received, call_timeout_s=0.3))
    output = await bot.call("hang")
    assert output.is_error
    assert "did not answer within 0.3 s" in output.text
    assert (await bot.call("echo", text="still here")).text == "still here"
    sent = received.read_text(encoding="utf-8")
    assert "notifications/cancelled" in sent
    assert sent.count('"initialize"') == 1


@pytest.mark.proves("hub.hang")
async def test_a_server_that_hangs_as_a_whole_is_replaced(start: Start) -> None:
    bot = start(raw(call_timeout_s=0.3), limits=replace(QUICK, list_timeout_s=1))
    assert (await bot.call("hang_all")).is_error
    assert (await bot.call("echo", text="new one")).text == "new one"


@pytest.mark.proves("hub.giant")
async def test_a_giant_result_is_cut_while_it_arrives_and_ends_its_call(start: Start) -> None:
    bot = start(raw())
    output = await bot.call("giant", size_mb=60)
    assert output.is_error
    assert output.text.startswith("The tool's answer was larger than can be taken")
    assert (await bot.call("echo", text="next")).text == "next"


@pytest.mark.proves("hub.asks_nothing")
@pytest.mark.parametrize(
    "method", ["sampling/createMessage", "elicitation/create", "roots/list", "nonsense/ask"]
)
async def test_a_server_that_asks_us_for_something_is_refused(start: Start, method: str) -> None:
    bot = start(raw())
    assert (await bot.call("ask", method=method)).text == "refused"
    assert (await bot.call("echo", text="next")).text == "next"


async def test_a_call_carries_the_trace_of_its_caller_and_the_servers_start_that_of_nobody(
    start: Start, tmp_path: Path
) -> None:
    received = tmp_path / "received"
    bot = start(raw(received=received))
    for trace in (0xA1, 0xB2):
        span = SpanContext(trace, 1, is_remote=False, trace_flags=TraceFlags(1))
        with use_span(NonRecordingSpan(span)):
            await bot.call("echo", text="traced")
    sent = [json.loads(line) for line in received.read_text(encoding="utf-8").splitlines()]
    (opening,) = [message for message in sent if message["method"] == "initialize"]
    began = opening["params"].get("_meta", {}).get("traceparent", "")
    assert not any(f"{trace:032x}" in began for trace in (0xA1, 0xB2)), "it serves more than one"
    calls = [message for message in sent if message["method"] == "tools/call"]
    assert [message["params"]["_meta"]["traceparent"].split("-")[1] for message in calls] == [
        f"{0xA1:032x}",
        f"{0xB2:032x}",
    ]


async def test_all_pages_of_a_list_are_read(start: Start) -> None:
    bot = start(raw("pages"))
    assert await bot.names() == [f"tool_{n}" for n in range(3)]


@pytest.mark.proves("hub.list_storm")
@pytest.mark.parametrize(("tool", "times"), [("grow", 5), ("storm", 1)])
async def test_announcements_cost_one_listing_at_the_next_need_and_the_server_stays(
    start: Start, tmp_path: Path, tool: str, times: int
) -> None:
    received = tmp_path / "received"
    bot = start(raw(received=received))
    assert "grown" not in await bot.names()
    for _ in range(times):
        assert not (await bot.call(tool)).is_error
    for _ in range(3):
        assert ("grown" in await bot.names()) == (tool == "grow")
    sent = received.read_text(encoding="utf-8")
    assert (sent.count('"tools/list"'), sent.count('"initialize"')) == (2, 1)


@pytest.mark.proves("hub.group")
@needs_pidfd
@pytest.mark.parametrize("leaves", [True, False], ids=["on its own", "by our end"])
async def test_a_server_leaves_no_descendant_behind(start: Start, leaves: bool) -> None:
    bot = start(raw())
    with watched(int((await bot.call("child")).text)) as gone:
        assert not gone.is_set()
        if leaves:
            assert "stopped during the call" in (await bot.call("exit")).text
        else:
            await bot.hub.close()
            assert "shut down" in (await bot.call("echo", text="x")).text
        async with asyncio.timeout(5):
            await gone.wait()
