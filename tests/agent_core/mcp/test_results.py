"""What a server's answer comes to for model, disk and people, however much or odd it is."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import (
    CallToolResult,
    ImageContent,
    InputRequiredResult,
    ListRootsRequest,
    TextContent,
)

from agent_core.events import Source
from agent_core.ids import ToolCallId
from agent_core.mcp import McpHub, StdioServer
from agent_core.mcp.wire import MAX_MESSAGE_BYTES, TOO_LARGE, LineCutter
from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import OnProgress, Registry, ToolContext, ToolOutput, fit, sources_in
from agent_core.tools.actions import MAX_SOURCES
from tests.agent_core.mcp.conftest import QUICK, Start
from tests.agent_core.mcp.loopback import served
from tests.tool_calls import echo_server

GROWING = Path(__file__).parent / "servers" / "growing.py"


def text(words: str) -> TextContent:
    return TextContent(type="text", text=words)


class Server:
    """Tools that answer too much or oddly, and what became of them."""

    def __init__(self) -> None:
        self.entries = 0
        self.cancelled = asyncio.Event()
        self.mcp: MCPServer = echo_server("near")
        tools = (self.items, self.picture, self.want, self.progress, self.write)
        for each in (*tools, self.report_for_ever):
            self.mcp.add_tool(each)

    async def items(self, count: int) -> CallToolResult:
        return CallToolResult(content=[text(f"item {n}") for n in range(count)])

    async def picture(self, size_bytes: int) -> CallToolResult:
        data = "A" * (size_bytes * 4 // 3)
        image = ImageContent(type="image", data=data, mime_type="image/png")
        return CallToolResult(content=[text("As drawn:"), image])

    async def want(self, ctx: Context) -> str | InputRequiredResult:
        self.entries += 1
        if ctx.input_responses:
            return f"got {ctx.input_responses}"
        return InputRequiredResult(input_requests={"it": ListRootsRequest()})

    async def progress(self, ctx: Context[Any]) -> str:
        await ctx.report_progress(3, 8)
        await ctx.report_progress(8, 8, "Read all pages")
        return "done"

    async def report_for_ever(self, ctx: Context[Any]) -> str:
        try:
            while True:
                await ctx.report_progress(1, None, "y" * 10_000)
                await asyncio.sleep(0)
        finally:
            self.cancelled.set()

    async def write(self, path: str, ctx: Context[Any]) -> CallToolResult:
        home = str((ctx.request_context.meta or {}).get("session_dir", "untold"))
        artifact = {"path": path, "title": "T", "mimetype": "text/html", "citations": ["u"]}
        artifact |= {"follow_ups": ["And then?"]}
        return CallToolResult(content=[text(home)], _meta={"artifacts": [artifact]})


@pytest.fixture
def server() -> Server:
    return Server()


class Caller:
    """Calls the server's tools through a registry, as the loop does."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context

    async def __call__(
        self,
        server: Server,
        tool: str,
        arguments: dict[str, object] | None = None,
        *,
        progress: OnProgress = ignore_progress,
        **config: Any,
    ) -> ToolOutput:
        call = tool_call(f"mcp__near__{tool}", arguments, id="toolu_1")
        async with served(server.mcp, **config) as near:
            hub = McpHub([near], limits=QUICK)
            output = await Registry(hub).run(call, self._context, progress)
            await hub.close()
        return output


@pytest.fixture
def call(context: ToolContext) -> Caller:
    return Caller(context)


@pytest.mark.proves("tools.schemas")
async def test_descriptions_and_schemas_reach_the_model(server: Server, start: Start) -> None:
    async with served(server.mcp) as near:
        client = start(near)
        echo = (await client.specs())["echo"]
        await client.hub.close()
    assert echo.description == "Says it back."
    assert echo.input_schema["required"] == ["text"]


@pytest.mark.proves("pins.live")
@pytest.mark.process("a stdio server is a process")
async def test_a_change_that_a_server_announces_is_listed_before_the_next_call(
    start: Start,
) -> None:
    client = start(StdioServer(name="near", command=sys.executable, args=(str(GROWING),)))
    assert await client.names() == ["grow"]
    await client.call("grow")
    async with asyncio.timeout(10):
        while "grown" not in await client.names():
            await client.call("nothing")


@pytest.mark.proves("hub.items", "hub.saved")
async def test_10000_items_are_one_text_saved_whole_and_shown_in_part(
    server: Server, call: Caller, context: ToolContext
) -> None:
    output = await call(server, "items", {"count": 10_000})
    saved = (context.workspace / output.saved_path).read_text(encoding="utf-8")
    assert saved.splitlines() == [f"item {n}" for n in range(10_000)]
    assert output.size_bytes == len(saved)
    assert len(output.text) < 10_000


@pytest.mark.proves("hub.picture")
async def test_a_giant_picture_reaches_neither_model_nor_memory(
    server: Server, call: Caller
) -> None:
    giant = await call(server, "picture", {"size_bytes": 12_000_000})
    assert "larger than can be taken" in giant.text
    small = await call(server, "picture", {"size_bytes": 300_000})
    assert small.text == "As drawn:\n[image image/png, 300 kB]"


async def test_progress_is_told_in_words(server: Server, call: Caller) -> None:
    told: list[str] = []

    async def note(words: str) -> None:
        told.append(words)

    assert (await call(server, "progress", progress=note)).text == "done"
    assert told == ["3 of 8", "Read all pages"]


@pytest.mark.proves("hub.progress")
async def test_progress_for_ever_ends_at_the_limit_is_cancelled_and_told_seldom(
    server: Server, call: Caller
) -> None:
    told: list[str] = []

    async def note(words: str) -> None:
        told.append(words)

    async with asyncio.timeout(2.3):
        output = await call(server, "report_for_ever", progress=note, call_timeout_s=0.3)
        await server.cancelled.wait()
    assert "did not answer within 0.3 s" in output.text
    assert output.may_have_happened
    assert 1 <= len(told) <= 25
    assert max(map(len, told)) <= 500


@pytest.mark.proves("hub.asks_nothing")
async def test_a_result_that_asks_for_input_is_refused_and_the_call_not_made_again(
    server: Server, call: Caller
) -> None:
    """Since 2026 a server asks by its result, and expects the call once more with the answer."""
    output = await call(server, "want")
    assert output.is_error
    assert "The tool refused the call" in output.text
    assert server.entries == 1


@pytest.mark.parametrize(
    ("path", "is_believed"),
    [
        ("work_products/report.html", True),
        ("work_products/missing.html", False),
        ("../outside.html", False),
        ("run.log", False),
        ("work_products/link.html", False),
    ],
)
async def test_only_our_own_server_knows_the_directory_and_is_believed_of_artifacts_in_it(
    server: Server, call: Caller, context: ToolContext, path: str, is_believed: bool
) -> None:
    scatter_files(context.workspace)
    output = await call(server, "write", {"path": path}, trusted=True)
    assert output.text == str(context.workspace)
    found = [
        (each.path, each.title, each.mimetype, each.size_bytes, *each.citations, *each.follow_ups)
        for each in output.artifacts
    ]
    assert found == ([(path, "T", "text/html", 12, "u", "And then?")] if is_believed else [])
    foreign = await call(server, "write", {"path": path})
    assert (foreign.text, foreign.artifacts) == ("untold", ())


def scatter_files(workspace: Path) -> None:
    """Files in the directory of artifacts and beside it, and a link in it that leads out."""
    home = workspace / "work_products"
    home.mkdir()
    for file in (workspace.parent / "outside.html", workspace / "run.log", home / "report.html"):
        file.write_text("<p>hello</p>", encoding="utf-8")
    (home / "link.html").symlink_to(workspace.parent / "outside.html")


async def fitted(output: ToolOutput, context: ToolContext, call: str = "toolu_1") -> ToolOutput:
    return await fit(output, ToolCallId(call), context)


@pytest.mark.proves("loop.long_results", "hub.long_error")
async def test_a_huge_result_is_saved_whole_and_shown_in_part(context: ToolContext) -> None:
    lines = "".join(f"line {n}\r\n" for n in range(1_000))
    output = await fitted(ToolOutput(text=lines, is_error=True), context)
    assert output.saved_path == "tool_results/toolu_1.txt"
    saved = context.workspace / output.saved_path
    assert saved.read_bytes().decode() == lines
    assert [file.name for file in saved.parent.iterdir()] == ["toolu_1.txt"]
    assert output.text.startswith(lines[:2_000])
    assert output.text.endswith(lines[-2_000:])
    for words in (f"of {len(lines):,} characters", "tool_results/toolu_1.txt", "read_local_file"):
        assert words in output.text
    assert (output.is_error, output.size_bytes) == (True, len(lines))
    assert len(output.text) < 4_400


@pytest.mark.parametrize(
    ("call_id", "whole", "saved_as"),
    [
        ("../../etc/passwd", "x" * 50_000, "x" * 50_000),
        ("toolu_1", "\ud800" * 50_000, "?" * 50_000),
    ],
    ids=["a name elsewhere", "no valid unicode"],
)
async def test_no_id_and_no_text_keeps_a_result_from_its_directory(
    context: ToolContext, call_id: str, whole: str, saved_as: str
) -> None:
    output = await fitted(ToolOutput(text=whole), context, call_id)
    saved = (context.workspace / output.saved_path).resolve()
    assert saved.parent == context.workspace.resolve() / "tool_results"
    assert saved.read_text(encoding="utf-8") == saved_as


async def test_a_disk_that_refuses_costs_the_rest_but_not_the_result(context: ToolContext) -> None:
    (context.workspace / "tool_results").write_text("in the way", encoding="utf-8")
    output = await fitted(ToolOutput(text="y" * 50_000), context)
    assert output.saved_path == ""
    assert output.text.startswith("y" * 6_000)
    assert "could not be saved" in output.text


@pytest.mark.parametrize("id_first", [True, False])
def test_a_cut_line_ends_the_call_of_the_id_at_either_end(id_first: bool) -> None:
    ident = {"id": "seven"}
    result = {
        "jsonrpc": "2.0",
        "result": {"content": [{"type": "text", "text": "y" * MAX_MESSAGE_BYTES}]},
    }
    message = json.dumps(ident | result if id_first else result | ident)
    [line] = LineCutter().feed(message.encode() + b"\n")
    answer = json.loads(line)
    assert (answer["id"], answer["error"]["message"]) == ("seven", TOO_LARGE)


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({"pages": [{"url": "https://a.test", "title": "A\n b", "status": "success"}]}, "A b"),
        ({"pages": [{"url": "https://a.test", "title": "", "status": "success"}]}, ""),
        ({"pages": [{"url": "https://a.test", "title": "A", "status": "failed: 404"}]}, None),
        ({"data": {"results": [{"response": {"data": '{"a": {"organic_results": '
          '[{"link": "https://a.test", "title": "A"}]}}'}}]}}, "A"),
        ({"url": "https://a.test"}, None),
        ({"url": "javascript:alert(1)", "title": "A"}, None),
        ("no JSON", None),
    ],
)  # fmt: skip
def test_a_result_says_which_pages_it_names(result: object, found: str | None) -> None:
    text = result if isinstance(result, str) else json.dumps(result)
    expected = () if found is None else (Source(url="https://a.test", title=found),)
    assert sources_in(text) == expected


def test_of_many_pages_the_first_are_told() -> None:
    many = [{"url": f"https://a.test/{n}", "title": "A"} for n in range(100)]
    assert len(sources_in(json.dumps(many))) == MAX_SOURCES
