"""Faults of HTTP servers end the call, not the hub, and never the task that made the call."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from mcp.server.mcpserver import MCPServer
from starlette.types import Receive, Scope, Send

from agent_core.testing.tools import echo_server, ignore_progress, tool_call
from agent_core.tools import ToolContext, ToolOutput
from agent_core.tools.hub import McpHub
from agent_core.tools.servers import HttpServer
from tests.agent_core.tools.conftest import QUICK, HubMaker
from tests.agent_core.tools.http_world import Recording, World
from tests.agent_core.tools.loopback import Relay, serve


@pytest.fixture
async def world() -> AsyncGenerator[World, None]:
    async with World().open() as world:
        yield world


async def call(hub: McpHub, context: ToolContext, tool: str, **arguments: object) -> ToolOutput:
    return await hub.run(tool_call(f"mcp__far__{tool}", arguments), context, ignore_progress)


@pytest.mark.proves("composio.http")
async def test_calls_carry_the_configured_headers(
    world: World, make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(world.server())
    assert (await call(hub, context, "echo", text="far away")).text == "far away"
    assert {headers["x-api-key"] for headers in world.app.headers} == {"key"}
    await hub.close()


@pytest.mark.proves("hub.dead_far")
async def test_a_server_that_dies_during_a_call_ends_the_call_and_is_connected_again(
    world: World, make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(world.server())
    running = asyncio.create_task(call(hub, context, "wait"))
    async with asyncio.timeout(10):
        await world.entered.wait()
        world.relay.cut()
        output = await running
    assert output.is_error
    assert "may or may not have run" in output.text
    assert world.entries == 1
    assert (await call(hub, context, "echo", text="back")).text == "back"
    await hub.close()


async def test_a_read_only_call_is_made_again_when_the_server_died(
    world: World, make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(world.server())
    running = asyncio.create_task(call(hub, context, "look"))
    async with asyncio.timeout(10):
        await world.entered.wait()
        world.is_held = False
        world.relay.cut()
        output = await running
    assert (output.text, output.is_error, world.entries) == ("done", False, 2)
    await hub.close()


async def test_a_forgotten_session_is_told_and_made_anew_once_the_server_takes_one(
    world: World, make_hub: HubMaker, context: ToolContext
) -> None:
    hub = make_hub(world.server(), limits=replace(QUICK, retry_after_s=0))
    assert not (await call(hub, context, "echo", text="x")).is_error
    world.app.status = 404
    output = await call(hub, context, "echo", text="x")
    assert output.is_error
    assert "does not know our session" in output.text
    world.app.status = None
    assert (await call(hub, context, "echo", text="again")).text == "again"
    await hub.close()


@pytest.mark.parametrize("status", [401, 405, 500, 503])
async def test_a_server_that_refuses_costs_only_its_own_tools(
    world: World, make_hub: HubMaker, context: ToolContext, status: int
) -> None:
    world.app.status = status
    hub = make_hub(world.server())
    assert list(await hub.specs(context)) == []
    assert "far" in hub.failures
    await hub.close()


@pytest.mark.proves("hub.redirect")
async def test_a_redirect_to_another_host_is_not_followed(
    make_hub: HubMaker, context: ToolContext
) -> None:
    class Redirecting:
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                headers = [(b"location", f"http://127.0.0.1:{far.port}/mcp".encode())]
                await send({"type": "http.response.start", "status": 307, "headers": headers})
                await send({"type": "http.response.body", "body": b""})

    mcp: MCPServer = echo_server()
    recording = Recording(mcp.streamable_http_app())
    async with serve(recording) as target, Relay(target) as far, serve(Redirecting()) as port:
        server = HttpServer(
            name="far", url=f"http://127.0.0.1:{port}/mcp", headers={"x-api-key": "key"}
        )
        hub = make_hub(server)
        assert list(await hub.specs(context)) == []
        assert recording.headers == []
        await hub.close()


@pytest.mark.proves("hub.giant")
@pytest.mark.parametrize("reports", [True, False], ids=["as an event", "as a body"])
async def test_a_giant_result_is_cut_while_it_arrives(
    world: World, make_hub: HubMaker, context: ToolContext, reports: bool
) -> None:
    hub = make_hub(world.server())
    output = await call(hub, context, "giant", reports=reports)
    assert not output.is_error
    assert "only the beginning was kept" in output.text
    assert len(output.text) < 5_000_100
    assert (await call(hub, context, "echo", text="next")).text == "next"
    await hub.close()
