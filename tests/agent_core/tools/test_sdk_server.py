"""A real server of the SDK over stdio: what reaches it, what comes back. One process for all."""

import os
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import ToolContext, ToolOutput
from agent_core.tools.hub import McpHub
from tests.agent_core.tools.conftest import QUICK
from tests.agent_core.tools.scripts import plain

pytestmark = [
    pytest.mark.process("a stdio server is a process"),
    pytest.mark.asyncio(loop_scope="module"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hub() -> AsyncGenerator[McpHub, None]:
    os_canary = "PARENT_SECRET"
    os.environ[os_canary] = "sk-canary"  # noqa: TID251 - the parent's environment is the point
    hub = McpHub(
        [plain(trusted=True, env={"GIVEN": "yes"})], limits=replace(QUICK, connect_timeout_s=40)
    )
    await hub.warm_up()
    yield hub
    await hub.close()
    del os.environ[os_canary]  # noqa: TID251


def scatter_files(workspace: Path) -> None:
    """Files beside the directory of artifacts, and a link in it that leads out."""
    outside = workspace.parent / "outside.html"
    for file in (outside, workspace / "run.log"):
        file.write_text("x", encoding="utf-8")
    (workspace / "work_products").mkdir()
    (workspace / "work_products" / "link.html").symlink_to(outside)


async def call(hub: McpHub, context: ToolContext, tool: str, **arguments: object) -> ToolOutput:
    return await hub.run(tool_call(f"mcp__plain__{tool}", arguments), context, ignore_progress)


@pytest.mark.proves("tools.names", "tools.schemas")
async def test_descriptions_and_schemas_reach_the_model(hub: McpHub, context: ToolContext) -> None:
    echo = next(spec for spec in await hub.specs(context) if spec.name == "mcp__plain__echo")
    assert echo.description == "Says it back."
    assert echo.input_schema["required"] == ["text"]


async def test_the_environment_is_an_allow_list(hub: McpHub, context: ToolContext) -> None:
    told = (await call(hub, context, "environment")).text
    assert "canary" not in told
    assert '"GIVEN": "yes"' in told
    assert '"PATH"' in told


async def test_an_exception_of_the_tool_is_an_error_without_its_insides(
    hub: McpHub, context: ToolContext
) -> None:
    output = await call(hub, context, "fail")
    assert output.is_error
    assert "secret detail" not in output.text


async def test_progress_is_told_in_words_and_only_until_the_call_ends(
    hub: McpHub, context: ToolContext
) -> None:
    told: list[str] = []

    async def note(text: str) -> None:
        told.append(text)

    output = await hub.run(tool_call("mcp__plain__progress"), context, note)
    assert output.text == "done"
    assert told == ["3 of 8", "Read all pages"]


async def test_a_trusted_server_is_told_the_sessions_directory(
    hub: McpHub, context: ToolContext
) -> None:
    assert (await call(hub, context, "where")).text == str(context.workspace)


async def test_pictures_are_named_and_not_carried(hub: McpHub, context: ToolContext) -> None:
    output = await call(hub, context, "picture")
    assert output.text == "Look:\n[image image/png, 12 KB]"


async def test_a_trusted_servers_artifact_is_believed(hub: McpHub, context: ToolContext) -> None:
    home = context.workspace / "work_products"
    home.mkdir()
    (home / "report.html").write_text("<p>hello</p>", encoding="utf-8")
    (artifact,) = (await call(hub, context, "report", path="work_products/report.html")).artifacts
    assert (artifact.path, artifact.title) == ("work_products/report.html", "T")
    assert (artifact.mimetype, artifact.size_bytes) == ("text/html", 12)


@pytest.mark.parametrize(
    "path", ["work_products/missing.html", "../outside.html", "run.log", "work_products/link.html"]
)
async def test_an_artifact_outside_its_directory_is_not_believed(
    hub: McpHub, context: ToolContext, path: str
) -> None:
    scatter_files(context.workspace)
    output = await call(hub, context, "report", path=path)
    assert (output.text, output.artifacts) == ("written", ())
