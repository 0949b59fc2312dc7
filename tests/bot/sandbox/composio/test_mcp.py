"""The hosted MCP endpoint, through the real client."""

import json
from contextlib import AsyncExitStack
from time import monotonic
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from bot.sandbox.composio import ComposioStandIn, Session
from bot.sandbox.composio.sessions import SessionRequest, open_session
from tests.bot.sandbox.composio.world import PAGES, call, connect

META = [
    "COMPOSIO_SEARCH_TOOLS",
    "COMPOSIO_GET_TOOL_SCHEMAS",
    "COMPOSIO_MULTI_EXECUTE_TOOL",
    "COMPOSIO_MANAGE_CONNECTIONS",
    "COMPOSIO_REMOTE_WORKBENCH",
    "COMPOSIO_REMOTE_BASH_TOOL",
]
SEARCH = ["COMPOSIO_SEARCH_WEB", "COMPOSIO_SEARCH_NEWS"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_both_generations_of_the_protocol_list_and_call(
    standin: ComposioStandIn, session: Session, mode: Literal["auto", "legacy"]
) -> None:
    url = f"{standin.base_url}/v3/mcp/{session.id}"
    async with (
        httpx2.AsyncClient(headers={"x-api-key": standin.api_key}) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        tools = (await client.list_tools()).tools
        answer = await call(client, "COMPOSIO_SEARCH_WEB", {"query": "coffee"})
    assert [tool.name for tool in tools] == META + SEARCH
    assert answer["data"]["citations"][0]["url"] == "http://b.test/cafe"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_it_stops_quietly_while_a_client_is_connected(
    mode: Literal["auto", "legacy"], caplog: pytest.LogCaptureFixture
) -> None:
    async with AsyncExitStack() as outer:
        async with ComposioStandIn(PAGES) as standin:
            session = open_session(SessionRequest(user_id="T1:U1"))
            standin.sessions[session.id] = session
            headers = {"x-api-key": standin.api_key}
            http = await outer.enter_async_context(httpx2.AsyncClient(headers=headers))
            url = f"{standin.base_url}/v3/mcp/{session.id}"
            client = Client(streamable_http_client(url, http_client=http), mode=mode)
            await outer.enter_async_context(client)
            await client.list_tools()
            begin = monotonic()
        assert monotonic() - begin < 0.9
        assert not [record for record in caplog.records if record.name.startswith("uvicorn")]


async def test_tools_describe_themselves_to_a_model(
    standin: ComposioStandIn, session: Session
) -> None:
    async with connect(standin, session) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for tool in tools.values():
        assert len(tool.description or "") > 80
        assert tool.input_schema["type"] == "object"
        assert "$ref" not in json.dumps(tool.input_schema)
    reads = {name for name, tool in tools.items() if tool.annotations and _reads(tool.annotations)}
    assert reads == {*META[:2], *SEARCH}
    batch = tools["COMPOSIO_MULTI_EXECUTE_TOOL"].input_schema
    assert batch["required"] == ["tools", "sync_response_to_workbench"]
    assert batch["properties"]["tools"]["maxItems"] == 50


def _reads(annotations: Any) -> bool:
    return bool(annotations.read_only_hint)


@pytest.mark.parametrize("key", ["", "ak_wrong"])
async def test_a_wrong_key_is_refused(standin: ComposioStandIn, session: Session, key: str) -> None:
    async with httpx2.AsyncClient(headers={"x-api-key": key}) as http:
        answer = await http.post(f"{standin.base_url}/v3/mcp/{session.id}", json={})
    assert answer.status_code == 401
    assert answer.json()["error"]["slug"] == "HTTP_Unauthorized"


async def test_a_session_that_is_not_there_is_not_found(standin: ComposioStandIn) -> None:
    async with httpx2.AsyncClient(headers={"x-api-key": standin.api_key}) as http:
        answer = await http.post(f"{standin.base_url}/v3/mcp/trs_none", json={})
    assert answer.status_code == 404


async def test_tools_are_found_for_a_use_case_with_their_schemas(
    standin: ComposioStandIn, session: Session
) -> None:
    async with connect(standin, session) as client:
        answer = await call(
            client,
            "COMPOSIO_SEARCH_TOOLS",
            {
                "queries": [
                    {"use_case": "search the web for background on retries"},
                    {"use_case": "find the latest news headlines about outages"},
                ],
                "session": {"generate_id": True},
            },
        )
    data = answer["data"]
    assert answer["successful"] is True
    assert [result["index"] for result in data["results"]] == [1, 2]
    assert [result["primary_tool_slugs"] for result in data["results"]] == [
        ["COMPOSIO_SEARCH_WEB"],
        ["COMPOSIO_SEARCH_NEWS"],
    ]
    assert set(data["tool_schemas"]) == set(SEARCH)
    assert data["tool_schemas"]["COMPOSIO_SEARCH_WEB"]["input_schema"]["required"] == ["query"]
    assert data["toolkit_connection_statuses"][0]["has_active_connection"] is True
    assert data["time_info"]["current_time_utc"] == "2026-11-21T12:00:00.000Z"
    assert data["session"]["generate_id"] is True


@pytest.mark.parametrize(
    ("use_case", "toolkit"),
    [("send a mail with outlook", "outlook"), ("create an issue on linear", "linear")],
)
async def test_an_app_that_is_not_there_is_named(
    standin: ComposioStandIn, session: Session, use_case: str, toolkit: str
) -> None:
    async with connect(standin, session) as client:
        answer = await call(client, "COMPOSIO_SEARCH_TOOLS", {"queries": [{"use_case": use_case}]})
    [result] = answer["data"]["results"]
    assert result["primary_tool_slugs"] == []
    assert result["reasoning"].startswith("No tool")
    assert answer["data"]["tool_schemas"] == {}
    [status] = answer["data"]["toolkit_connection_statuses"]
    assert (status["toolkit"], status["has_active_connection"]) == (toolkit, False)


@pytest.mark.parametrize(
    "use_case",
    [
        "find best practices for Slack bots",
        "gather sources on keeping chat bots reliable",
        "search the web for how to send an email reliably",
        "latest news about GitHub outages",
    ],
)
async def test_an_app_as_a_topic_is_searched_for(
    standin: ComposioStandIn, session: Session, use_case: str
) -> None:
    async with connect(standin, session) as client:
        answer = await call(client, "COMPOSIO_SEARCH_TOOLS", {"queries": [{"use_case": use_case}]})
    [result] = answer["data"]["results"]
    assert {*result["primary_tool_slugs"], *result["related_tool_slugs"]} == set(SEARCH)


async def test_a_use_case_that_nothing_serves_gets_no_tool(
    standin: ComposioStandIn, session: Session
) -> None:
    async with connect(standin, session) as client:
        answer = await call(
            client, "COMPOSIO_SEARCH_TOOLS", {"queries": [{"use_case": "paint the fence"}]}
        )
    assert answer["data"]["results"][0]["primary_tool_slugs"] == []


async def test_schemas_of_unknown_tools_come_back_with_similar_names(
    standin: ComposioStandIn, session: Session
) -> None:
    async with connect(standin, session) as client:
        answer = await call(
            client,
            "COMPOSIO_GET_TOOL_SCHEMAS",
            {"tool_slugs": ["COMPOSIO_SEARCH_WEBB", "COMPOSIO_SEARCH_NEWS"]},
        )
    data = answer["data"]
    assert set(data["tool_schemas"]) == {"COMPOSIO_SEARCH_NEWS"}
    assert data["not_found"] == ["COMPOSIO_SEARCH_WEBB"]
    assert data["suggestions"]["COMPOSIO_SEARCH_WEBB"][0] == "COMPOSIO_SEARCH_WEB"


async def test_a_batch_keeps_its_order_and_each_item_its_own_error(
    standin: ComposioStandIn, session: Session
) -> None:
    tools = [
        {"tool_slug": "COMPOSIO_SEARCH_WEB", "arguments": {"query": "coffee"}},
        {"tool_slug": "GMAIL_SEND_EMAIL", "arguments": {"subject": "x"}},
        {"tool_slug": "COMPOSIO_SEARCH_NEWS", "arguments": {"q": "outage"}},
        {"tool_slug": "NO_SUCH_TOOL"},
        {"tool_slug": "COMPOSIO_SEARCH_TOOLS", "arguments": {"queries": [{"use_case": "x"}]}},
        {"tool_slug": "COMPOSIO_SEARCH_NEWS", "arguments": {"query": "outage"}},
    ]
    async with connect(standin, session) as client:
        answer = await call(
            client,
            "COMPOSIO_MULTI_EXECUTE_TOOL",
            {"tools": tools, "sync_response_to_workbench": False, "session_id": "abcd"},
        )
    data = answer["data"]
    assert answer["successful"] is False
    assert answer["error"] == "4 out of 6 tools failed"
    counts = (data["total_count"], data["success_count"], data["error_count"])
    assert counts == (6, 2, 4)
    assert [result["index"] for result in data["results"]] == list(range(6))
    assert [result["tool_slug"] for result in data["results"]] == [t["tool_slug"] for t in tools]
    web, mail, wrong, unknown, meta, news = data["results"]
    assert web["response"]["data"]["citations"][0]["url"] == "http://b.test/cafe"
    assert mail["error"] == "No active connected account found for toolkit: gmail"
    assert mail["response"] is None
    assert "query" in wrong["error"]
    assert "not found" in unknown["error"]
    assert "not found" in meta["error"]
    assert news["response"]["successful"] is True
    assert data["session"] == {"id": "abcd"}


@pytest.mark.parametrize("count", [0, 51])
async def test_a_batch_takes_one_to_fifty_tools(
    standin: ComposioStandIn, session: Session, count: int
) -> None:
    tools = [{"tool_slug": "COMPOSIO_SEARCH_WEB", "arguments": {"query": "x"}}] * count
    async with connect(standin, session) as client:
        answer = await call(
            client,
            "COMPOSIO_MULTI_EXECUTE_TOOL",
            {"tools": tools, "sync_response_to_workbench": False},
        )
    assert answer["successful"] is False
    assert "tools" in answer["error"]
    assert answer["data"] == {}


async def test_fifty_searches_run_in_one_batch(standin: ComposioStandIn, session: Session) -> None:
    tools = [
        {"tool_slug": "COMPOSIO_SEARCH_WEB", "arguments": {"query": "coffee"}} for _ in range(50)
    ]
    async with connect(standin, session) as client:
        answer = await call(
            client,
            "COMPOSIO_MULTI_EXECUTE_TOOL",
            {"tools": tools, "sync_response_to_workbench": False},
        )
    assert answer["successful"] is True
    assert answer["data"]["success_count"] == 50


async def test_an_unknown_tool_is_an_error_result(
    standin: ComposioStandIn, session: Session
) -> None:
    async with connect(standin, session) as client:
        result = await client.call_tool("COMPOSIO_PAINT_FENCE", {})
    [block] = result.content
    assert result.is_error
    assert isinstance(block, TextContent)
    assert "COMPOSIO_PAINT_FENCE" in block.text


async def test_every_call_is_recorded_with_its_person(
    standin: ComposioStandIn, session: Session
) -> None:
    async with connect(standin, session) as client:
        await call(client, "COMPOSIO_SEARCH_WEB", {"query": "coffee"})
    [recorded] = standin.calls
    assert recorded.session_id == session.id
    assert recorded.user_id == "T1:U1"
    assert recorded.tool == "COMPOSIO_SEARCH_WEB"
    assert recorded.arguments == {"query": "coffee"}
