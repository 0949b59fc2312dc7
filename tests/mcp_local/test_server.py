"""The toolkit's server: what it offers, what a wrong setting does, and how a host starts it."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent
from pydantic import SecretStr

from mcp_local.server import build_server
from mcp_local.settings import Settings
from tests.mcp_local.fetch.world import article, serving

AS_A_PROCESS = pytest.mark.process("the toolkit as the bot starts it")
COMPOSIO = {"workbench_download", "workbench_upload", "upload_to_composio", "save_app_file"}


@pytest.mark.proves("workbench.key")
async def test_without_a_key_the_tools_for_composio_are_not_offered(tmp_path: Path) -> None:
    async with Client(build_server(Settings(workspaces_root=tmp_path))) as client:
        tools = (await client.list_tools()).tools
    assert COMPOSIO.isdisjoint({tool.name for tool in tools})


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


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"crawl_allow": "a.test", "crawl_connect": "a.test=nowhere"}, "CRAWL_CONNECT"),
        *(
            ({"composio_api_key": "ak_1", "composio_base_url": address}, "COMPOSIO_BASE_URL")
            for address in ("ftp://a.example", "backend.composio.dev", "http://", "x")
        ),
    ],
)
def test_a_setting_that_cannot_be_read_stops_the_start(values: dict[str, str], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        build_server(Settings.model_validate(values))


@pytest.mark.process("what a start loads is a matter of a process")
def test_starting_the_server_loads_no_heavy_library() -> None:
    heavy = {"aiohttp", "babel", "fluent", "jinja2", "lxml", "markdown_it", "nh3", "trafilatura"}
    script = f"import sys, mcp_local.server; print(sorted(set(sys.modules) & {heavy!r}))"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.strip() == "[]"


@AS_A_PROCESS
@pytest.mark.proves("toolkit.stdio")
async def test_a_page_is_read_by_the_process(tmp_path: Path) -> None:
    session = tmp_path / "session_1"
    session.mkdir()
    async with serving() as site:
        site.html("/page", article())
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "mcp_local"],
            env={
                "WORKSPACES_ROOT": str(tmp_path),
                "CRAWL_ALLOW": "*.test",
                "CRAWL_CONNECT": f"*.test=127.0.0.1:{site.port}",
            },
        )
        async with Client(parameters) as client:
            result = await client.call_tool(
                "crawl_parallel",
                {"urls": ["http://news.test/page"]},
                meta={"session_dir": str(session)},
                read_timeout_seconds=60,
            )
    content = result.content[0]
    assert isinstance(content, TextContent)
    assert json.loads(content.text)["successful"] == 1


@AS_A_PROCESS
async def test_the_process_ends_when_its_input_closes(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "mcp_local",
        cwd=Path.cwd(),
        env={"WORKSPACES_ROOT": str(tmp_path)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(30):
        output, errors = await process.communicate(b"")
    assert process.returncode == 0
    assert (output, errors) == (b"", b"")
