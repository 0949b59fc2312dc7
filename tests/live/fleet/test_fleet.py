"""Every shipped server, installed in an environment of its own and called through the hub.

Fetches packages: `RUN_FLEET=1 uv run pytest tests/live/fleet -n0 -s`. `video_audio` wants
ffmpeg and ffprobe, `youtube` ffmpeg, `zai_vision` Node.
"""

import base64
import json
import shutil
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from agent_core.mcp import HubLimits, McpHub, read_fleet
from agent_core.settings import named_variables
from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import ToolContext, ToolOutput
from agent_core.workspaces import products_of
from tests.agent_core.mcp.loopback import serve
from tests.live.settings import may_install
from tests.tool_calls import tool_context

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not may_install(), reason="needs RUN_FLEET=1: it installs packages"),
]

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
ENVIRONMENT = {
    **named_variables(),
    "EDGAR_IDENTITY": "Jane Doe jane@example.com",
    "Z_AI_API_KEY": "z1abc",
}


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    workspace = tmp_path / "session"
    workspace.mkdir()
    return tool_context(workspace)


@asynccontextmanager
async def hub_with(directory: Path, name: str, entry: dict[str, Any]) -> AsyncGenerator[McpHub]:
    """The hub with one shipped server, as the operator's entry changes it."""
    file = directory / "servers.json"
    file.write_text(json.dumps({"mcpServers": {name: entry}}), encoding="utf-8")
    fleet = read_fleet(file, ENVIRONMENT)
    [server] = [each for each in fleet if each.name == name]
    assert server.is_on, server.off
    hub = McpHub([], fleet=[server], limits=replace(HubLimits(), list_timeout_s=60))
    try:
        yield hub
    finally:
        await hub.close()


async def call(hub: McpHub, context: ToolContext, tool: str, **arguments: object) -> ToolOutput:
    output = await hub.run(tool_call(tool, arguments), context, ignore_progress)
    print(f"\n{tool} {arguments}\n-> error={output.is_error}: {output.text[:600]}")  # noqa: T201
    return output


async def test_video_audio_cuts_a_clip_in_the_sessions_workspace(
    tmp_path: Path, context: ToolContext
) -> None:
    make_clip(context.workspace / "clip.mp4", seconds=3)
    async with hub_with(tmp_path, "video_audio", {}) as hub:
        output = await call(
            hub,
            context,
            "mcp__video_audio__ffmpeg_trim",
            file_path="clip.mp4",
            start_time="0",
            end_time="1",
        )
    assert not output.is_error
    assert [path for path, _ in products_of(context.workspace)] == [
        "work_products/clip_trimmed.mp4"
    ]
    assert seconds_of(context.workspace / "work_products/clip_trimmed.mp4") < 3


async def test_zai_vision_describes_a_picture_of_the_workspace(
    tmp_path: Path, context: ToolContext
) -> None:
    (context.workspace / "dot.png").write_bytes(PIXEL)
    asked: list[dict[str, Any]] = []

    async def complete(request: Request) -> JSONResponse:
        asked.append({"key": request.headers["authorization"], **await request.json()})
        message = {"role": "assistant", "content": "A single dot."}
        return JSONResponse({"choices": [{"index": 0, "message": message}]})

    app = Starlette(routes=[Route("/chat/completions", complete, methods=["POST"])])
    async with serve(app) as port:
        # Z_AI_MODE would overrule the address.
        own = {"Z_AI_MODE": "", "Z_AI_BASE_URL": f"http://127.0.0.1:{port}/"}
        async with hub_with(tmp_path, "zai_vision", {"env": own}) as hub:
            output = await call(
                hub,
                context,
                "mcp__zai_vision__analyze_image",
                image_source=str(context.workspace / "dot.png"),
                prompt="What is it?",
            )
    assert (output.is_error, output.text) == (False, "A single dot.")
    assert asked[0]["key"] == "Bearer z1abc"


@pytest.mark.parametrize(
    ("name", "tool", "arguments"),
    [
        ("edgartools", "edgar_company", {"identifier": "AAPL"}),
        ("youtube", "download_audio", {"video_id": "dQw4w9WgXcQ", "format": "m4a"}),
    ],
)
async def test_a_server_of_the_open_web_answers_or_says_why_not(
    tmp_path: Path, context: ToolContext, name: str, tool: str, arguments: dict[str, object]
) -> None:
    """Without the internet the server's own error is the answer."""
    async with hub_with(tmp_path, name, {}) as hub:
        output = await call(hub, context, f"mcp__{name}__{tool}", **arguments)
    assert output.text
    assert not output.may_have_happened
    assert "could not be started" not in output.text


def make_clip(path: Path, *, seconds: int) -> None:
    source = f"testsrc=duration={seconds}:size=128x96:rate=10"
    run("ffmpeg", "-f", "lavfi", "-i", source, "-pix_fmt", "yuv420p", str(path))


def seconds_of(path: Path) -> float:
    return float(run("ffprobe", "-show_entries", "format=duration", "-of", "csv=p=0", str(path)))


def run(program: str, *arguments: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"needs {program}")
    quiet = ("-v", "error")
    return subprocess.run(
        [found, *quiet, *arguments], check=True, capture_output=True, text=True, timeout=60
    ).stdout
