"""What a runtime that was made from settings says of itself in its traces."""

import asyncio
import json
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_core.runtime import build_runtime
from agent_core.settings import CoreSettings
from agent_core.testing.runtimes import inbound

TIMEOUT_S = 30
NOBODY_LISTENS = "http://127.0.0.1:1"


def settings(root: Path, *, key: str, base_url: str) -> CoreSettings:
    return CoreSettings(
        anthropic_api_key=SecretStr("none"),
        anthropic_base_url=NOBODY_LISTENS,
        composio_api_key=SecretStr(key),
        composio_base_url=base_url,
        logfire_token=SecretStr(""),
        database_url="",
        workspaces_root=root,
    )


async def traced_url(core: CoreSettings) -> str:
    """The address in the trace of a turn that asks neither a model nor a tool."""
    async with asyncio.timeout(TIMEOUT_S), build_runtime(core) as runtime:
        turn = await runtime.handle(inbound(""))
        assert turn is not None
        async for _ in runtime.events(turn):
            continue
        workspace = await runtime.workspace(inbound("").session, inbound("").received_at)
    trace = json.loads((workspace / "trace.json").read_text(encoding="utf-8"))
    return trace["session_info"]["url"]


@pytest.mark.process("the runtime starts the toolkit's process")
@pytest.mark.parametrize(
    ("key", "base_url", "url"),
    [
        ("ak_1", "", "https://backend.composio.dev"),
        ("ak_1", NOBODY_LISTENS, NOBODY_LISTENS),
        ("", NOBODY_LISTENS, ""),
    ],
)
async def test_the_trace_names_the_address_where_composio_is_asked(
    tmp_path: Path, key: str, base_url: str, url: str
) -> None:
    assert await traced_url(settings(tmp_path, key=key, base_url=base_url)) == url
