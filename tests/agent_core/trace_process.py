"""A process with one turn in it, that prints the turn's spans as JSON.

    python trace_process.py ROOT SIMPLE|COMPLEX|FALLBACK|FAILED

A process of its own, because OpenTelemetry has one provider a process.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agent_core.errors import ModelRejected
from agent_core.events import AnyEvent
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime
from agent_core.testing.models import Line, ScriptedModel, call, calls_reply, text_reply
from agent_core.testing.runtimes import inbound, scripted_runtime
from agent_core.testing.tools import FakeToolset
from agent_core.tools import Progress, ToolContext

QUESTION = "What does QUESTIONMARKER cost?"
CHILD_PROMPT = "A comprehensive report on QUESTIONMARKER."

DELEGATION = call(
    "Task",
    {"description": "d", "prompt": CHILD_PROMPT, "subagent_type": "report-creation-expert"},
    id="delegate",
)
MAIN_SCRIPTS: dict[str, list[Line]] = {
    "SIMPLE": [],
    "COMPLEX": [
        calls_reply(
            call("look", {"for": "ARGUMENTMARKER"}, id="look"),
            DELEGATION,
            text="TEXTMARKER, looking.",
            thinking="THINKINGMARKER",
        ),
        "TEXTMARKER of the child.",
        text_reply("TEXTMARKER: ten."),
    ],
    "FALLBACK": ["TEXTMARKER: eleven."],
    "FAILED": [ModelRejected("the provider quotes QUESTIONMARKER")],
}
VERDICTS = {"SIMPLE": "SIMPLE", "COMPLEX": "COMPLEX", "FALLBACK": "SIMPLE", "FAILED": "COMPLEX"}
FAST_ANSWERS: dict[str, Line] = {
    "FALLBACK": call("use_tools", {"reason": "the price of QUESTIONMARKER"})
}


async def look(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
    return "RESULTMARKER"


async def main(root: Path, kind: str) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    runtime = scripted_runtime(
        root,
        model=ScriptedModel(MAIN_SCRIPTS[kind]),
        classifier=ScriptedModel([VERDICTS[kind]]),
        fast=ScriptedModel([FAST_ANSWERS.get(kind, "TEXTMARKER: nine.")]),
        tools=FakeToolset({"look": look}),
    )
    async with runtime:
        events = await turn_events(runtime)
        workspace = await runtime.workspace(inbound("").session, inbound("").received_at)
    recorded = json.loads((workspace / "trace.json").read_text(encoding="utf-8"))
    spans = [as_json(span) for span in exporter.get_finished_spans()]
    answer = {
        "spans": spans,
        "trace_id": recorded["trace_id"],
        "events": [event.kind for event in events],
    }
    sys.stdout.write(json.dumps(answer))


async def turn_events(runtime: Runtime) -> list[AnyEvent]:
    async with asyncio.timeout(30):
        turn = await runtime.handle(inbound(QUESTION))
        assert turn is not None
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
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
