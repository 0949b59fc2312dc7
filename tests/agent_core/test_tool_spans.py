"""What a trace shows of a tool call beneath the loop, and what never leaves the process."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

PROGRAM = Path(__file__).with_name("tool_span_process.py")
TIMEOUT_S = 60
SECRET = "xoxb-1111-canary"
EXPORTING = f"""
import logfire
from agent_core import tracing
tracing.configure(token='')
with tracing.turn_trace(turn='t', quoted='it said {SECRET} aloud'):
    pass
logfire.force_flush()
"""

pytestmark = pytest.mark.process("tracing is set up once a process")

Span = dict[str, Any]


async def run(*arguments: str, env: dict[str, str] | None = None) -> bytes:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, env=env, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(TIMEOUT_S):
        out, _ = await process.communicate()
    assert process.returncode == 0
    return out


@pytest.fixture(scope="module")
def spans(tmp_path_factory: pytest.TempPathFactory) -> list[Span]:
    """The spans of a turn that searched, and listed its files, over MCP."""
    root = tmp_path_factory.mktemp("searched")
    return json.loads(asyncio.run(run(str(PROGRAM), str(root))))


@pytest.mark.proves("spans.mcp")
def test_an_mcp_request_has_a_span_of_the_turn_that_names_the_tool(spans: list[Span]) -> None:
    [request] = [span for span in spans if "tools/call list_local_files" in span["name"]]
    [root] = [span for span in spans if span["name"] == "standalone_composio_test"]
    assert request["attributes"]["mcp.method.name"] == "tools/call"
    assert request["trace_id"] == root["trace_id"]


@pytest.mark.proves("spans.observer_artifact_saved")
def test_an_artifact_of_an_observer_has_a_span_with_path_kind_and_size(spans: list[Span]) -> None:
    [saved] = [span["attributes"] for span in spans if span["name"] == "observer_artifact_saved"]
    assert saved["path"].startswith("search_results/COMPOSIO_SEARCH_NEWS_")
    assert saved["type"] == "search_results"
    assert saved["size"] > 0


@pytest.mark.proves("spans.scrubbed")
async def test_a_secret_of_a_known_shape_is_scrubbed_before_it_is_sent() -> None:
    sent: list[bytes] = []

    async def take(request: web.Request) -> web.Response:
        sent.append(await request.read())
        return web.Response()

    collector = web.Application()
    collector.router.add_post("/v1/traces", take)
    runner = web.AppRunner(collector, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    await run("-c", EXPORTING, env={"OTEL_EXPORTER_OTLP_ENDPOINT": address})
    await runner.cleanup()
    received = b"".join(sent)
    assert b"standalone_composio_test" in received
    assert SECRET.encode() not in received
    assert b"Scrubbed" in received
