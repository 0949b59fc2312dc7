"""Servers that send too much: what of it reaches the model, the disk and people."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ImageContent, TextContent

from agent_core.testing.tools import echo_server, ignore_progress, tool_call
from agent_core.tools import ToolContext, ToolOutput
from agent_core.tools.hub import McpHub
from agent_core.tools.registry import Registry
from agent_core.tools.servers import HttpServer, InProcessServer, ServerConfig
from tests.agent_core.tools.conftest import HubMaker
from tests.agent_core.tools.loopback import serve

IMAGE_BYTES = 12_000_000
"""About what a drawing of 8,000 by 8,000 pixels takes as PNG."""


def text(words: str) -> TextContent:
    return TextContent(type="text", text=words)


def image(size_bytes: int) -> ImageContent:
    return ImageContent(type="image", data="A" * (size_bytes * 4 // 3), mime_type="image/png")


def flooding_server() -> MCPServer:
    server = echo_server("near")

    async def items(count: int) -> CallToolResult:
        return CallToolResult(content=[text(f"item {n}") for n in range(count)])

    async def pictures(count: int) -> CallToolResult:
        return CallToolResult(content=[image(30) for _ in range(count)])

    async def picture(size_bytes: int) -> CallToolResult:
        return CallToolResult(content=[text("As drawn:"), image(size_bytes)])

    async def trace(lines: int) -> CallToolResult:
        told = "\n".join(f"  at frame {n}" for n in range(lines))
        return CallToolResult(content=[text(f"Failed.\n{told}\nValueError: cause")], is_error=True)

    async def texts(size_bytes: int) -> str:
        return "t" * size_bytes

    for each in (items, pictures, picture, trace, texts):
        server.add_tool(each)
    return server


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Calls one server's tools through a registry, as the loop does."""

    hub: McpHub
    context: ToolContext

    async def __call__(self, tool: str, **arguments: object) -> ToolOutput:
        call = tool_call(f"mcp__near__{tool}", arguments, call_id="toolu_1")
        return await Registry([self.hub]).run(call, self.context, ignore_progress)


@pytest.fixture
def caller(make_hub: HubMaker, context: ToolContext) -> Callable[[ServerConfig], Caller]:
    return lambda config: Caller(hub=make_hub(config), context=context)


def near() -> InProcessServer:
    return InProcessServer(name="near", server=flooding_server())


@pytest.mark.proves("hub.items")
async def test_10000_items_are_one_text_saved_whole_and_shown_in_part(
    caller: Callable[[ServerConfig], Caller], context: ToolContext
) -> None:
    output = await caller(near())("items", count=10_000)
    saved = (context.workspace / output.saved_path).read_text(encoding="utf-8")
    assert saved.splitlines() == [f"item {n}" for n in range(10_000)]
    assert len(output.text) < 10_000


@pytest.mark.proves("hub.picture")
async def test_a_giant_picture_reaches_neither_model_nor_memory(
    caller: Callable[[ServerConfig], Caller],
) -> None:
    async with serve(flooding_server().streamable_http_app()) as port:
        server = HttpServer(name="near", url=f"http://127.0.0.1:{port}/mcp")
        call = caller(server)
        output = await call("picture", size_bytes=IMAGE_BYTES)
        assert "only the beginning was kept" in output.text
        assert "As drawn:" in output.text
        assert len(output.text) < 1_000
        small = await call("picture", size_bytes=300_000)
        assert small.text == "As drawn:\n[image image/png, 300 KB]"
        await call.hub.close()


@pytest.mark.proves("hub.saved")
async def test_what_was_kept_of_a_giant_result_is_in_the_workspace(
    caller: Callable[[ServerConfig], Caller], context: ToolContext
) -> None:
    output = await caller(near())("texts", size_bytes=60_000_000)
    saved = context.workspace / output.saved_path
    assert 5_000_000 <= saved.stat().st_size < 5_001_000
    assert output.size_bytes == 60_000_000
    assert output.text.endswith("[Only the first 5,000,000 bytes were kept.]")
    assert len(output.text) < 10_000


@pytest.mark.proves("hub.long_error")
async def test_a_failure_with_a_huge_trace_is_short_to_the_model_and_whole_on_disk(
    caller: Callable[[ServerConfig], Caller], context: ToolContext
) -> None:
    output = await caller(near())("trace", lines=2_000)
    assert output.is_error
    assert output.text.startswith("Failed.")
    assert output.text.endswith("ValueError: cause")
    assert len(output.text) < 5_000
    saved = (context.workspace / output.saved_path).read_text(encoding="utf-8")
    assert "  at frame 1999\nValueError: cause" in saved


@pytest.mark.proves("hub.progress")
async def test_progress_for_ever_ends_at_the_limit_is_cancelled_and_told_seldom(
    make_hub: HubMaker, context: ToolContext
) -> None:
    cancelled = asyncio.Event()
    server = echo_server("near")

    async def report(ctx: Context[Any]) -> str:
        try:
            while True:
                await ctx.report_progress(1, None, "y" * 10_000)
                await asyncio.sleep(0)
        finally:
            cancelled.set()

    server.add_tool(report)
    told: list[str] = []

    async def note(words: str) -> None:
        told.append(words)

    hub = make_hub(InProcessServer(name="near", server=server, call_timeout_s=0.3))
    async with asyncio.timeout(2.3):
        output = await hub.run(tool_call("mcp__near__report"), context, note)
        await cancelled.wait()
    assert "did not answer within 0.3 s" in output.text
    assert output.may_have_happened
    assert 1 <= len(told) <= 25
    assert max(map(len, told)) <= 500
