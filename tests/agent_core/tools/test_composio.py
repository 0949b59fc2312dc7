"""Every person works through a session of their own, and Composio's faults stay Composio's."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.ids import UserId
from agent_core.testing.tools import ignore_progress, tool_call, tool_context
from agent_core.tools import ToolContext, ToolOutput
from agent_core.tools.composio import ComposioTools
from agent_core.tools.composio_api import ComposioApi, origin
from tests.agent_core.tools.composio_world import API_KEY, ComposioWorld
from tests.agent_core.tools.conftest import QUICK

SEARCH = "mcp__composio__COMPOSIO_SEARCH_TOOLS"


@pytest.fixture
async def world() -> AsyncGenerator[ComposioWorld, None]:
    async with ComposioWorld().open() as world:
        yield world


@asynccontextmanager
async def open_tools(
    world: ComposioWorld,
    *,
    api_key: str = API_KEY,
    clock: Callable[[], float] | None = None,
    retry_after_s: float = 0,
    idle_after_s: float = 900,
) -> AsyncGenerator[ComposioTools, None]:
    sessions = ComposioApi(api_key=api_key, base_url=world.base_url)
    limits = replace(QUICK, retry_after_s=retry_after_s)
    tools = ComposioTools(
        sessions,
        api_key=api_key,
        limits=limits,
        clock=clock or time.monotonic,
        idle_after_s=idle_after_s,
    )
    try:
        yield tools
    finally:
        await tools.close()


async def names(tools: ComposioTools, context: ToolContext) -> list[str]:
    return [spec.name for spec in await tools.specs(context)]


async def search(tools: ComposioTools, context: ToolContext) -> ToolOutput:
    return await tools.run(tool_call(SEARCH, {"use_case": "mail"}), context, ignore_progress)


@pytest.mark.proves("composio.session_url", "composio.api_key")
async def test_a_persons_tools_come_from_a_session_of_that_person(
    world: ComposioWorld, context: ToolContext
) -> None:
    async with open_tools(world) as tools:
        assert await names(tools, context) == [SEARCH]
        assert (await search(tools, context)).text == "found for mail"
    (wish,) = world.wishes
    assert wish["user_id"] == "T1:U1"
    assert wish["manage_connections"] == {
        "enable": True,
        "enable_wait_for_connections": False,
        "enable_connection_removal": False,
    }
    assert wish["workbench"]["enable_tool_execution"] is False
    assert wish["workbench"]["enable_proxy_execution"] is False
    assert wish["proxy_execute"] == {"enable": False}
    assert set(world.used) == {"T1:U1"}


async def test_a_refusal_of_one_persons_session_costs_nobody_elses_tools(
    world: ComposioWorld, tmp_path: Path
) -> None:
    refused, served = (tool_context(tmp_path, asker=asker) for asker in ("T1:U1", "T1:U2"))
    world.refused.add("T1:U1")
    async with open_tools(world, clock=lambda: 100.0, retry_after_s=30) as tools:
        for _ in range(3):
            assert await names(tools, refused) == []
            assert await names(tools, served) == [SEARCH]
    assert len(world.wishes) == 2


@pytest.mark.proves("composio.per_person")
async def test_two_people_never_share_a_session(world: ComposioWorld, tmp_path: Path) -> None:
    people = [tool_context(tmp_path, asker=asker) for asker in ("T1:U1", "T1:U2")]
    async with open_tools(world) as tools, asyncio.TaskGroup() as group:
        for person in [*people, *people]:
            group.create_task(search(tools, person))
    assert sorted(world.users.values()) == ["T1:U1", "T1:U2"]
    assert len(world.wishes) == 2


@pytest.mark.proves("composio.no_shared_user")
@pytest.mark.parametrize("asker", ["", "default"])
async def test_nobodys_account_is_never_used(
    world: ComposioWorld, tmp_path: Path, asker: str
) -> None:
    nobody = replace(tool_context(tmp_path), asker=UserId(asker))
    async with open_tools(world) as tools:
        assert await names(tools, nobody) == []
        output = await search(tools, nobody)
    assert output.is_error
    assert world.wishes == []


async def test_a_session_that_is_gone_is_made_anew_and_the_call_goes_through(
    world: ComposioWorld, context: ToolContext
) -> None:
    async with open_tools(world) as tools:
        await search(tools, context)
        world.forget_sessions()
        output = await search(tools, context)
    assert (output.text, output.is_error) == ("found for mail", False)
    assert (len(world.wishes), world.runs) == (2, 2)


async def test_a_session_that_cannot_be_made_anew_costs_the_tools_and_not_the_turn(
    world: ComposioWorld, context: ToolContext
) -> None:
    async with open_tools(world, clock=lambda: 100.0, retry_after_s=30) as tools:
        await search(tools, context)
        world.forget_sessions()
        world.refused.add("T1:U1")
        for _ in range(3):
            output = await search(tools, context)
            assert output.is_error
            assert "user id not accepted" in output.text
            assert await names(tools, context) == []


async def test_an_mcp_address_of_another_origin_is_refused(
    world: ComposioWorld, context: ToolContext
) -> None:
    world.mcp_origin = "http://localhost:1"
    async with open_tools(world) as tools:
        assert await names(tools, context) == []
        output = await search(tools, context)
    assert output.is_error
    assert "another origin" in output.text


@pytest.mark.proves("composio.api_key")
async def test_a_wrong_key_means_no_tools(world: ComposioWorld, context: ToolContext) -> None:
    async with open_tools(world, api_key="wrong") as tools:
        assert await names(tools, context) == []
        output = await search(tools, context)
    assert output.is_error
    assert "Composio refused" in output.text


async def test_composio_is_asked_again_half_a_minute_after_a_failure(
    world: ComposioWorld, context: ToolContext
) -> None:
    now = [0.0]
    world.is_down = True
    async with open_tools(world, clock=lambda: now[0], retry_after_s=30) as tools:
        assert await names(tools, context) == []
        world.is_down = False
        assert await names(tools, context) == []
        now[0] = 31.0
        assert await names(tools, context) == [SEARCH]


async def test_who_was_long_idle_comes_back_to_the_same_session(
    world: ComposioWorld, tmp_path: Path
) -> None:
    async with open_tools(world, idle_after_s=0) as tools:
        for _ in range(3):
            assert not (await search(tools, tool_context(tmp_path, asker="T1:U1"))).is_error
    assert [wish["user_id"] for wish in world.wishes] == ["T1:U1"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.dev", "https://A.dev:443/v3/mcp", True),
        ("https://a.dev", "http://a.dev", False),
        ("https://a.dev", "https://a.dev.evil.test", False),
        ("https://a.dev", "https://a.dev@evil.test", False),
        ("http://127.0.0.1:80", "http://127.0.0.1", True),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8001", False),
        ("https://a.dev", "not a url", False),
    ],
)
def test_origins_are_compared_by_scheme_host_and_port(one: str, other: str, same: bool) -> None:
    assert (origin(one) == origin(other)) is same


async def test_an_answer_without_an_mcp_address_is_a_failure_that_the_model_sees(
    world: ComposioWorld, context: ToolContext
) -> None:
    world.speaks_otherwise = True
    async with open_tools(world) as tools:
        assert await names(tools, context) == []
        output = await search(tools, context)
    assert output.is_error
    assert "no MCP address" in output.text
