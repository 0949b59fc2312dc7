"""The toolkit as a process of its own, as any MCP host starts it."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from tests.mcp_local.fetch.world import article, serving

pytestmark = pytest.mark.process("the toolkit as the bot starts it")


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
