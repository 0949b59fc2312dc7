"""Servers of the fleet start at their first use, for those who may use them, where they should."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.errors import ToolServerError
from agent_core.ids import SessionId, UserId
from agent_core.sessions.pins import ToolPins
from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import ToolContext, ToolOutput
from agent_core.tools.fleet import Access, FleetServer, FleetTools
from agent_core.tools.fleet.servers import FleetLimits
from agent_core.tools.hub import McpHub
from agent_core.tools.pins import Pins
from agent_core.tools.servers import StdioServer
from tests.agent_core.tools.conftest import QUICK
from tests.agent_core.tools.fleet.world import Told, defined

pytestmark = pytest.mark.process("a stdio server is a process")

LIMIT_S = 10
needs_pidfd = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="watches a foreign process")
MakeTools = Callable[..., FleetTools]


@pytest.fixture
async def make(store: ToolPins) -> AsyncGenerator[MakeTools, None]:
    made: list[FleetTools] = []

    def tools(server: FleetServer, limits: FleetLimits | None = None) -> FleetTools:
        made.append(FleetTools(server, hub_limits=QUICK, limits=limits, pins=Pins(store)))
        return made[-1]

    yield tools
    for each in made:
        await each.close()


@pytest.fixture
def other(context: ToolContext, tmp_path: Path) -> ToolContext:
    """Another session."""
    workspace = tmp_path / "other"
    workspace.mkdir()
    return replace(context, session=SessionId("T1:C2:1.000001"), workspace=workspace)


async def call(tools: FleetTools, context: ToolContext, tool: str) -> ToolOutput:
    return await tools.run(tool_call(f"mcp__told__{tool}"), context, ignore_progress)


async def place(tools: FleetTools, context: ToolContext) -> dict[str, object]:
    return json.loads((await call(tools, context, "where")).text)


async def ended(pid: int) -> None:
    """Wait until a process, which may be no child of ours any more, has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    async with asyncio.timeout(LIMIT_S):
        gone = asyncio.Event()
        asyncio.get_running_loop().add_reader(handle, gone.set)
        try:
            await gone.wait()
        finally:
            asyncio.get_running_loop().remove_reader(handle)
            os.close(handle)


async def test_all_sessions_share_a_servers_process(
    make: MakeTools, told: Told, context: ToolContext, other: ToolContext
) -> None:
    tools = make(told.server())
    assert (await place(tools, context))["pid"] == (await place(tools, other))["pid"]
    assert len(told.starts) == 1


@pytest.mark.proves("fleet.workspace")
async def test_a_sessions_process_works_in_the_sessions_directory(
    make: MakeTools, told: Told, context: ToolContext, other: ToolContext
) -> None:
    tools = make(told.server(scope="session"))
    first, second = await place(tools, context), await place(tools, other)
    assert (first["cwd"], second["cwd"]) == (str(context.workspace), str(other.workspace))
    assert first["pid"] != second["pid"]
    assert (await place(tools, context))["pid"] == first["pid"]


@pytest.mark.proves("fleet.file")
async def test_the_workspace_is_filled_in_and_nothing_else_of_our_environment(
    make: MakeTools, told: Told, context: ToolContext
) -> None:
    server = told.server(scope="session")
    assert isinstance(server.config, StdioServer)
    config = replace(server.config, env={"FILES": "${WORKSPACE}/media"})
    environment = (await place(make(replace(server, config=config)), context))["env"]
    assert isinstance(environment, dict)
    assert environment["FILES"] == f"{context.workspace}/media"
    assert "PYTEST_CURRENT_TEST" not in environment


@pytest.mark.proves("fleet.workspace")
@needs_pidfd
async def test_an_idle_sessions_process_ends_and_comes_back(
    make: MakeTools, told: Told, context: ToolContext
) -> None:
    tools = make(told.server(scope="session"), FleetLimits(idle_after_s=0.01))
    await place(tools, context)
    [pid] = told.starts
    await ended(pid)
    await place(tools, context)
    assert len(told.starts) == 2


@needs_pidfd
async def test_beyond_the_limit_the_longest_idle_process_ends(
    make: MakeTools, told: Told, context: ToolContext, other: ToolContext
) -> None:
    tools = make(told.server(scope="session"), FleetLimits(max_processes=1))
    await place(tools, context)
    await place(tools, other)
    await ended(told.starts[0])
    assert len(told.starts) == 2


@pytest.mark.proves("fleet.first_use")
async def test_a_server_seen_before_is_offered_without_being_started(
    make: MakeTools, told: Told, context: ToolContext
) -> None:
    first = make(told.server())
    seen = await first.specs(context)
    await first.close()
    again = make(told.server())
    assert await again.specs(context) == seen
    assert len(told.starts) == 1
    assert (await call(again, context, "act")).text == "act ran"
    assert len(told.starts) == 2


async def test_what_changed_before_the_first_call_is_not_called(
    make: MakeTools, told: Told, context: ToolContext
) -> None:
    await make(told.server()).specs(context)
    told.lists(defined("where"), defined("act", "Changed."))
    again = make(told.server())
    assert len(await again.specs(context)) == 2
    assert "turned off" in (await call(again, context, "act")).text
    assert [spec.name for spec in await again.specs(context)] == ["mcp__told__where"]


async def test_a_definition_that_names_the_sessions_directory_is_the_same_in_every_session(
    make: MakeTools, told: Told, context: ToolContext, other: ToolContext
) -> None:
    told.lists(defined("act", "Writes to <HERE>."))
    tools = make(told.server(scope="session"))
    [first] = await tools.specs(context)
    [second] = await tools.specs(other)
    assert first.description == f"Writes to {context.workspace}."
    assert second.description == f"Writes to {other.workspace}."
    assert (await call(tools, other, "act")).text == "act ran"


async def test_a_slow_first_start_holds_up_nobody_for_long(
    store: ToolPins, context: ToolContext
) -> None:
    mute = FleetServer(
        name="mute",
        transport="stdio",
        config=StdioServer(name="mute", command="sleep", args=("60",)),
    )
    tools = FleetTools(
        mute, hub_limits=QUICK, limits=FleetLimits(first_list_wait_s=0.05), pins=Pins(store)
    )
    try:
        async with asyncio.timeout(LIMIT_S):
            with pytest.raises(ToolServerError, match="still being started"):
                await tools.specs(context)
    finally:
        await tools.close()


async def test_callers_who_ask_at_once_and_again_all_get_the_answer_to_their_own_question(
    make: MakeTools, context: ToolContext
) -> None:
    broken = FleetServer(
        name="broken",
        transport="stdio",
        config=StdioServer(name="broken", command="/no/such/program"),
    )
    tools = make(broken)

    async def ask_twice() -> None:
        for _ in range(2):
            with pytest.raises(ToolServerError):
                await tools.specs(context)

    async with asyncio.timeout(LIMIT_S), asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(ask_twice())


async def test_a_server_that_is_off_is_never_started(
    told: Told, store: ToolPins, context: ToolContext
) -> None:
    hub = McpHub([], fleet=[replace(told.server(), off="it is disabled.")], pins=Pins(store))
    try:
        await hub.warm_up()
        assert await hub.specs(context) == []
    finally:
        await hub.close()
    assert told.starts == []


@pytest.mark.proves("fleet.limits")
async def test_who_may_not_use_a_server_neither_sees_nor_calls_it(
    make: MakeTools, told: Told, context: ToolContext
) -> None:
    tools = make(told.server(access=Access(users=frozenset({"U2"}))))
    assert await tools.specs(context) == ()
    output = await call(tools, context, "act")
    assert (output.is_error, "no tool" in output.text) == (True, True)
    assert told.starts == []
    allowed = replace(context, asker=UserId("T1:U2"))
    assert len(await tools.specs(allowed)) == 2
