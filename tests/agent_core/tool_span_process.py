"""A process with one turn in it that calls two tools over MCP; prints its spans as JSON.

    python tool_span_process.py ROOT

A process of its own, because OpenTelemetry has one provider a process.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agent_core.testing.models import ScriptedModel, call
from agent_core.testing.runtimes import inbound, scripted_runtime
from agent_core.tools.hub import McpHub
from agent_core.tools.servers import InProcessServer, StdioServer

TOOL = "COMPOSIO_SEARCH_NEWS"
FOUND = {"news_results": [{"title": "T", "link": "https://a.test/", "snippet": "S"}]}


def search() -> str:
    """Finds one article."""
    return json.dumps({"data": FOUND, "successful": True})


async def main(root: Path) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    server = MCPServer("composio", log_level="CRITICAL")
    server.add_tool(search, name=TOOL)
    toolkit = StdioServer(
        name="local_toolkit",
        command=sys.executable,
        args=("-m", "mcp_local"),
        env={"WORKSPACES_ROOT": str(root)},
        trusted=True,
    )
    hub = McpHub([InProcessServer(name="composio", server=server), toolkit])
    looking = call("mcp__local_toolkit__list_local_files", id="list")
    model = ScriptedModel([[call(f"mcp__composio__{TOOL}"), looking], "Found."])
    async with asyncio.timeout(30), scripted_runtime(root, model=model, tools=hub) as runtime:
        turn = await runtime.handle(inbound("continue"))
        assert turn is not None
        async for _ in runtime.events(turn):
            pass
    await hub.close()
    sys.stdout.write(json.dumps([as_json(span) for span in exporter.get_finished_spans()]))


def as_json(span: ReadableSpan) -> dict[str, Any]:
    context = span.get_span_context()
    assert context is not None
    return {
        "name": span.name,
        "attributes": dict(span.attributes or {}),
        "trace_id": format(context.trace_id, "032x"),
    }


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
