"""A process with a turn of each kind in it, that prints by kind the turn's spans as JSON.

    python trace_process.py ROOT [with content]

With content the operator has asked for words in the traces.

A process of its own, because OpenTelemetry has one provider a process.
"""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

from mcp.server.mcpserver import MCPServer
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agent_core import trace_export
from agent_core.errors import ModelRejected
from agent_core.events import AnyEvent, Usage
from agent_core.ids import turn_of
from agent_core.mcp import McpHub, StdioServer
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime
from agent_core.testing.models import ScriptedModel, ScriptLine, call, calls_reply, text_reply
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from bot.console.metrics import Metrics
from tests.agent_core.mcp.loopback import served
from tests.agent_core.runtime.threads import begin, waiting
from tests.attacks.planted import ALL, PLANTED
from tests.runtimes import inbound, scripted_runtime

QUESTION = "What does QUESTIONMARKER cost?"
CHILD_PROMPT = "A comprehensive report on QUESTIONMARKER."

DELEGATION = call(
    "Task",
    {"description": "d", "prompt": CHILD_PROMPT, "subagent_type": "report-creation-expert"},
    id="delegate",
)
PAID = Usage(input_tokens=7, output_tokens=5, cache_read_tokens=90, cost_usd=0.25)
MAIN_SCRIPTS: dict[str, list[ScriptLine]] = {
    "SIMPLE": [],
    "COMPLEX": [
        calls_reply(
            call("look", {"for": "ARGUMENTMARKER", "with": ALL}, id="look"),
            DELEGATION,
            text="TEXTMARKER, looking.",
            thinking="THINKINGMARKER",
        ),
        "TEXTMARKER of the child.",
        text_reply(f"TEXTMARKER: ten. {ALL}", usage=PAID),
    ],
    "FALLBACK": ["TEXTMARKER: eleven."],
    "FAILED": [ModelRejected(f"the provider quotes QUESTIONMARKER and {ALL}")],
    "RESTARTED": [call("ask_user", {"question": "Which one?"}, id="ask"), "TEXTMARKER: the blue."],
    "SEARCHED": [
        [
            call("mcp__composio__COMPOSIO_SEARCH_NEWS"),
            call("mcp__local_toolkit__list_local_files", id="list"),
        ],
        "Found.",
    ],
}
FAST = ("SIMPLE", "FALLBACK")
FAST_ANSWERS: dict[str, ScriptLine] = {
    "FALLBACK": call("use_tools", {"reason": "the price of QUESTIONMARKER"})
}


async def look(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    return f"RESULTMARKER {PLANTED['github']} {ALL}"


def search() -> str:
    """Finds one article."""
    found = {"news_results": [{"title": "T", "link": "https://a.test/", "snippet": "S"}]}
    return json.dumps({"data": found, "successful": True})


@asynccontextmanager
async def hub_in(root: Path) -> AsyncGenerator[McpHub]:
    """Tools that are searched and listed over MCP, one of them in its own process."""
    server = MCPServer("composio", log_level="CRITICAL")
    server.add_tool(search, name="COMPOSIO_SEARCH_NEWS")
    toolkit = StdioServer(
        name="local_toolkit",
        command=sys.executable,
        args=("-m", "mcp_local"),
        env={"WORKSPACES_ROOT": str(root)},
        trusted=True,
    )
    async with served(server) as composio:
        hub = McpHub([composio, toolkit])
        yield hub
        await hub.close()


async def main(root: Path, *, with_content: bool) -> None:
    exporter = InMemorySpanExporter()
    if with_content:
        trace_export.configure(token="", with_content=True)
        provider = cast("TracerProvider", trace.get_tracer_provider())
    else:
        provider = TracerProvider(shutdown_on_exit=False, id_generator=trace_export.TurnIds())
        trace.set_tracer_provider(provider)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    told: JsonObject = {}
    for kind in MAIN_SCRIPTS:
        exporter.clear()
        told[kind] = await run(root / kind, kind)
        told[kind]["spans"] = [as_json(span) for span in exporter.get_finished_spans()]
    sys.stdout.write(json.dumps(told))


async def run(root: Path, kind: str) -> JsonObject:
    looking = FakeToolset({"look": look})
    async with hub_in(root) if kind == "SEARCHED" else nullcontext(looking) as tools:
        runtime = scripted_runtime(
            root,
            model=ScriptedModel(MAIN_SCRIPTS[kind]),
            classifier=ScriptedModel(["SIMPLE" if kind in FAST else "COMPLEX"]),
            fast=ScriptedModel([FAST_ANSWERS.get(kind, "TEXTMARKER: nine.")]),
            tools=tools,
        )
        if kind == "RESTARTED":
            async with runtime:
                await waiting(runtime, inbound(QUESTION))
            runtime = scripted_runtime(root, model=ScriptedModel(MAIN_SCRIPTS[kind][1:]))
        metrics = Metrics(runtime, {})
        runtime.watch(metrics.note)
        async with runtime:
            events = await turn_events(runtime, kind)
            scraped = (await metrics.text()).decode()
            workspace = await runtime.workspace(inbound("").session, inbound("").received_at)
    recorded = json.loads((workspace / "trace.json").read_text(encoding="utf-8"))
    return {
        "trace_id": recorded["trace_id"],
        "events": [event.kind for event in events],
        "recorded": recorded,
        "files": [
            (workspace / name).read_text(encoding="utf-8")
            for name in ("run.log", "trace.json", "summary.txt")
        ],
        "metrics": scraped,
    }


async def turn_events(runtime: Runtime, kind: str) -> list[AnyEvent]:
    async with asyncio.timeout(30):
        if kind == "RESTARTED":
            await runtime.handle(inbound("The blue one", number=2), is_answer=True)
            turn = turn_of(inbound(QUESTION).key)
        else:
            turn = await begin(runtime, inbound(QUESTION))
        return [event async for _, event in runtime.events(turn)]


def as_json(span: ReadableSpan) -> dict[str, Any]:
    context = span.get_span_context()
    assert context is not None
    return {
        "name": span.name,
        "id": format(context.span_id, "016x"),
        "parent": format(span.parent.span_id, "016x") if span.parent else None,
        "trace_id": format(context.trace_id, "032x"),
        "attributes": plain(span.attributes),
        "events": [
            {"name": event.name, "attributes": plain(event.attributes)} for event in span.events
        ],
    }


def plain(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    return dict(attributes or {})


if __name__ == "__main__":
    for kind in MAIN_SCRIPTS:
        (Path(sys.argv[1]) / kind).mkdir()
    asyncio.run(main(Path(sys.argv[1]), with_content=bool(sys.argv[2:])))
