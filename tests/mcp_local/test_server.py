import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client
from pydantic import SecretStr

from mcp_local.server import build_server
from mcp_local.settings import Settings

NAMES = {
    "crawl_parallel",
    "save_corpus",
    "read_local_file",
    "list_local_files",
    "search_corpus",
    "list_sources",
    "write_local_file",
    "write_report",
}


async def test_every_tool_says_what_it_is_for_and_what_it_may_do(tmp_path: Path) -> None:
    async with Client(build_server(Settings(workspaces_root=tmp_path))) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == NAMES
    for tool in tools:
        assert "Use " in (tool.description or ""), tool.name
        assert "ctx" not in tool.input_schema["properties"]
        hints = tool.annotations
        assert hints is not None, tool.name
        assert hints.title
        assert None not in {
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        }, tool.name


@pytest.mark.proves("crashes.lost")
async def test_every_tool_may_be_called_again_when_a_crash_took_its_result_away(
    tmp_path: Path,
) -> None:
    settings = Settings(workspaces_root=tmp_path, composio_api_key=SecretStr("ak_1"))
    async with Client(build_server(settings)) as client:
        tools = (await client.list_tools()).tools
    hints = {tool.name: tool.annotations for tool in tools}
    assert {name for name, hint in hints.items() if hint and hint.idempotent_hint} == set(hints)


async def test_a_call_without_a_session_is_a_plain_error(tmp_path: Path) -> None:
    async with Client(build_server(Settings(workspaces_root=tmp_path))) as client:
        result = await client.call_tool("crawl_parallel", {"urls": ["http://a.example/"]})
    assert result.is_error
    assert "Traceback" not in str(result.content)


def test_a_setting_that_cannot_be_read_stops_the_start() -> None:
    settings = Settings(crawl_allow="a.test", crawl_connect="a.test=nowhere")
    with pytest.raises(ValueError, match="CRAWL_CONNECT"):
        build_server(settings)


@pytest.mark.process("what a start loads is a matter of a process")
def test_starting_the_server_loads_no_heavy_library() -> None:
    heavy = {"aiohttp", "babel", "fluent", "jinja2", "lxml", "markdown_it", "nh3", "trafilatura"}
    script = f"import sys, mcp_local.server; print(sorted(set(sys.modules) & {heavy!r}))"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.strip() == "[]"
