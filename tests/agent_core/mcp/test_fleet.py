"""Servers of the fleet start at their first use, for those who may use them, where they should."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.ids import SessionId, UserId
from agent_core.mcp import FleetServer, HubLimits, McpHub, Pins, StdioServer
from agent_core.mcp.config import ServerAccess
from agent_core.sessions import ToolPins
from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import ToolContext, ToolOutput
from agent_core.workspaces.layout import MAX_SESSION_BYTES
from tests.agent_core.mcp.conftest import QUICK, HubMaker
from tests.agent_core.mcp.world import Told, defined, needs_pidfd, watched
from tests.tool_calls import tool_context

process = pytest.mark.process("a stdio server is a process")
LIMIT_S = 10
CONTEXT = replace(tool_context(Path(), asker="T1:U1"), places=("C1", "T1:C1"))


Fleet = Callable[..., McpHub]


@pytest.fixture
def make(make_hub: HubMaker, store: ToolPins) -> Fleet:
    """Makes hubs of one server each, which remember what they saw in one database."""

    def make(server: FleetServer, limits: HubLimits = QUICK) -> McpHub:
        return make_hub(fleet=[server], pins=Pins(store), limits=limits)

    return make


@pytest.fixture
def other(context: ToolContext, tmp_path: Path) -> ToolContext:
    """Another session."""
    workspace = tmp_path / "other"
    workspace.mkdir()
    return replace(context, session=SessionId("T1:C2:1.000001"), workspace=workspace)


async def call(hub: McpHub, context: ToolContext, tool: str, **arguments: object) -> ToolOutput:
    return await hub.run(tool_call(f"mcp__told__{tool}", arguments), context, ignore_progress)


async def place(hub: McpHub, context: ToolContext) -> dict[str, object]:
    return json.loads((await call(hub, context, "where")).text)


async def ended(pid: int) -> None:
    with watched(pid) as gone:
        async with asyncio.timeout(LIMIT_S):
            await gone.wait()


@process
async def test_all_sessions_share_a_servers_process(
    make: Fleet, told: Told, context: ToolContext, other: ToolContext
) -> None:
    hub = make(told.server())
    assert (await place(hub, context))["pid"] == (await place(hub, other))["pid"]
    assert len(told.starts) == 1


@process
@pytest.mark.proves("fleet.workspace", "fleet.file")
async def test_a_sessions_process_works_in_its_directory_without_our_environment(
    make: Fleet, told: Told, context: ToolContext, other: ToolContext
) -> None:
    server = told.server(scope="session")
    assert isinstance(server.config, StdioServer)
    config = replace(server.config, env={"FILES": "${WORKSPACE}/media"})
    hub = make(replace(server, config=config))
    first, second = await place(hub, context), await place(hub, other)
    assert (first["cwd"], second["cwd"]) == (str(context.workspace), str(other.workspace))
    assert first["pid"] != second["pid"]
    assert (await place(hub, context))["pid"] == first["pid"]
    environment = first["env"]
    assert isinstance(environment, dict)
    assert environment["FILES"] == f"{context.workspace}/media"
    assert "PYTEST_CURRENT_TEST" not in environment


@process
@pytest.mark.proves("fleet.files")
async def test_a_sessions_server_gets_the_files_of_its_session_alone_and_no_more_than_there_is_room(
    make: Fleet, told: Told, context: ToolContext, other: ToolContext
) -> None:
    (context.workspace / "link").symlink_to(other.workspace)
    hub = make(told.server(scope="session"))
    own = f"{context.workspace}/work_products/film.mp4"
    for path in (own, "downloads/film.mp4", "The film\nat /etc, please.", "https://x.test/a"):
        assert (await call(hub, context, "act", paths=[path])).text == "act ran"
    foreign = (f"{other.workspace}/film.mp4", "../other/film.mp4", "~/film.mp4", "link/film.mp4")
    for path in (*foreign, f"file://{other.workspace}/film.mp4"):
        refused = await call(hub, context, "act", paths=[path])
        assert refused.is_error
        assert "no file of this session" in refused.text
    with (context.workspace / "film.mp4").open("wb") as film:
        film.truncate(MAX_SESSION_BYTES + 1)
    full = await call(hub, context, "act")
    assert full.is_error
    assert "limit reached" in full.text
    assert json.loads((await call(hub, other, "where")).text)["largest"] == MAX_SESSION_BYTES


@process
@pytest.mark.proves("fleet.workspace")
@needs_pidfd
async def test_an_idle_sessions_process_ends_and_comes_back(
    make: Fleet, told: Told, context: ToolContext
) -> None:
    hub = make(told.server(scope="session"), replace(QUICK, idle_after_s=0.01))
    await place(hub, context)
    [pid] = told.starts
    await ended(pid)
    await place(hub, context)
    assert len(told.starts) == 2


@process
@needs_pidfd
async def test_beyond_the_limit_the_longest_idle_process_ends(
    make: Fleet, told: Told, context: ToolContext, other: ToolContext
) -> None:
    hub = make(told.server(scope="session"), replace(QUICK, max_connections=1))
    await place(hub, context)
    await place(hub, other)
    await ended(told.starts[0])
    assert len(told.starts) == 2


@process
@pytest.mark.proves("fleet.first_use")
async def test_a_server_seen_before_is_offered_without_being_started(
    make: Fleet, told: Told, context: ToolContext
) -> None:
    first = make(told.server())
    seen = await first.specs(context)
    await first.close()
    again = make(told.server())
    assert await again.specs(context) == seen
    assert len(told.starts) == 1
    assert (await call(again, context, "act")).text == "act ran"
    assert len(told.starts) == 2


@process
async def test_what_changed_before_the_first_call_is_not_called(
    make: Fleet, told: Told, context: ToolContext
) -> None:
    await make(told.server()).specs(context)
    told.lists(defined("where"), defined("act", "Changed."))
    again = make(told.server())
    assert len(await again.specs(context)) == 2
    assert "turned off" in (await call(again, context, "act")).text
    assert [spec.name for spec in await again.specs(context)] == ["mcp__told__where"]


@process
async def test_a_definition_that_names_the_sessions_directory_is_the_same_in_every_session(
    make: Fleet, told: Told, context: ToolContext, other: ToolContext
) -> None:
    told.lists(defined("act", "Writes to <HERE>."))
    hub = make(told.server(scope="session"))
    [first] = await hub.specs(context)
    [second] = await hub.specs(other)
    assert first.description == f"Writes to {context.workspace}."
    assert second.description == f"Writes to {other.workspace}."
    assert (await call(hub, other, "act")).text == "act ran"


@process
@pytest.mark.parametrize(
    ("command", "reason"),
    [(("sleep", "60"), "still being started"), (("/no/such/program",), "could not be started")],
)
async def test_a_slow_or_broken_start_holds_up_nobody_for_long(
    make: Fleet, context: ToolContext, command: tuple[str, ...], reason: str
) -> None:
    config = StdioServer(name="odd", command=command[0], args=command[1:])
    server = FleetServer(name="odd", transport="stdio", config=config)
    hub = make(server, replace(QUICK, list_patience_s=0.05 if command[1:] else LIMIT_S))
    async with asyncio.timeout(LIMIT_S), asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(hub.specs(context))
    assert await hub.specs(context) == []
    assert reason in hub.failures["odd"]


async def test_a_server_that_is_off_is_never_started(
    make: Fleet, told: Told, context: ToolContext
) -> None:
    hub = make(replace(told.server(), off="it is disabled."))
    await hub.warm_up()
    assert await hub.specs(context) == []
    assert told.starts == []


@process
@pytest.mark.proves("fleet.limits")
async def test_who_may_not_use_a_server_neither_sees_nor_calls_it(
    make: Fleet, told: Told, context: ToolContext
) -> None:
    hub = make(told.server(access=ServerAccess(users=frozenset({"U2"}))))
    assert await hub.specs(context) == []
    output = await call(hub, context, "act")
    assert (output.is_error, "no tool" in output.text) == (True, True)
    assert told.starts == []
    allowed = replace(context, asker=UserId("T1:U2"))
    assert len(await hub.specs(allowed)) == 2


@pytest.mark.parametrize(
    ("access", "is_admitted"),
    [
        (ServerAccess(), True),
        (ServerAccess(channels=frozenset({"C1"})), True),
        (ServerAccess(channels=frozenset({"T1:C1"})), True),
        (ServerAccess(channels=frozenset({"T2:C1", "C2"})), False),
        (ServerAccess(channels=frozenset()), False),
        (ServerAccess(users=frozenset({"U1"})), True),
        (ServerAccess(users=frozenset({"T1:U1"})), True),
        (ServerAccess(users=frozenset({"T2:U1", "U2"})), False),
        (ServerAccess(users=frozenset({"*"})), True),
        (ServerAccess(users=frozenset({"U1"}), channels=frozenset({"C2"})), False),
        (ServerAccess(agents=frozenset({"film-expert"})), False),
        (ServerAccess(agents=frozenset()), False),
        (ServerAccess(agents=frozenset({"*"})), True),
    ],
)
def test_every_limit_has_to_admit(access: ServerAccess, is_admitted: bool) -> None:
    assert access.admits(CONTEXT) is is_admitted


def test_without_a_word_on_agents_or_a_known_place_nobody_else_is_admitted() -> None:
    assert not ServerAccess().admits(replace(CONTEXT, agent="film-expert"))
    assert not ServerAccess(channels=frozenset({"C1"})).admits(replace(CONTEXT, places=()))
