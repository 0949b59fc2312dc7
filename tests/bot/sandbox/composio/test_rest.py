"""The REST side, through Composio's own clients."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import aiohttp
import httpx
import pytest
from composio import Composio
from composio_client import AsyncComposio, AuthenticationError, BadRequestError, NotFoundError
from composio_client import ProjectAuth as Auth

from bot.sandbox.composio import ComposioStandIn, Session
from tests.bot.sandbox.composio.world import NOW, PAGES


@contextmanager
def open_sdk(standin: ComposioStandIn) -> Generator[Composio[Any, Any]]:
    with httpx.Client() as http:
        yield Composio(
            api_key=standin.api_key,
            base_url=standin.base_url,
            allow_tracking=False,
            http_client=http,
        )


async def test_the_sync_sdk_opens_a_session_and_finds_it_again(standin: ComposioStandIn) -> None:
    def use_sdk() -> tuple[str, str, dict[str, str | None]]:
        with open_sdk(standin) as sdk:
            created = sdk.create(user_id="T1:U1", mcp=True)
            found = sdk.use(created.session_id, mcp=True)
            return created.session_id, found.mcp.url, dict(found.mcp.headers or {})

    session_id, url, headers = await asyncio.to_thread(use_sdk)
    assert standin.sessions[session_id].user_id == "T1:U1"
    assert url == f"{standin.base_url}/v3/mcp/{session_id}"
    assert headers == {"x-api-key": standin.api_key}


async def test_the_sync_sdk_searches_lists_toolkits_and_executes(standin: ComposioStandIn) -> None:
    def use_sdk() -> tuple[list[str], list[str], dict[str, object], str | None]:
        with open_sdk(standin) as sdk:
            session = sdk.create(user_id="T1:U1")
            toolkits = [item.slug for item in session.toolkits().items]
            found = session.search(query="search the web for sources")
            done = session.execute("COMPOSIO_SEARCH_WEB", arguments={"query": "coffee"})
            return toolkits, found.results[0].primary_tool_slugs, dict(done.data), done.error

    toolkits, slugs, data, error = await asyncio.to_thread(use_sdk)
    assert toolkits[:3] == ["composio_search", "gmail", "googlecalendar"]
    assert slugs == ["COMPOSIO_SEARCH_WEB"]
    assert error is None
    assert "410 cups of coffee" in str(data["answer"])


async def test_the_async_client_gets_the_same_session(
    standin: ComposioStandIn, api: AsyncComposio
) -> None:
    created = await api.tool_router.session.create(
        user_id="T1:U9", toolkits={"enable": ["composio_search"]}
    )
    found = await api.tool_router.session.retrieve(created.session_id)
    assert found.session_id == created.session_id
    assert found.config.user_id == "T1:U9"
    assert found.mcp.url.startswith(standin.base_url)
    assert "COMPOSIO_MULTI_EXECUTE_TOOL" in found.tool_router_tools


async def test_two_sessions_keep_their_users_apart(api: AsyncComposio) -> None:
    one = await api.tool_router.session.create(user_id="T1:U1")
    two = await api.tool_router.session.create(user_id="T1:U2")
    assert one.session_id != two.session_id
    assert (await api.tool_router.session.retrieve(one.session_id)).config.user_id == "T1:U1"


async def test_a_wrong_key_is_refused(standin: ComposioStandIn) -> None:
    async with AsyncComposio(
        auth=Auth("ak_wrong"), base_url=standin.base_url, max_retries=0
    ) as client:
        with pytest.raises(AuthenticationError, match="Invalid API key"):
            await client.tool_router.session.create(user_id="T1:U1")
    assert not standin.sessions


async def test_a_deleted_session_is_gone(api: AsyncComposio, session: Session) -> None:
    await api.tool_router.session.delete(session.id)
    with pytest.raises(NotFoundError, match="Session not found"):
        await api.tool_router.session.retrieve(session.id)


async def test_a_failed_tool_is_an_answer_and_an_unknown_one_is_not_found(
    api: AsyncComposio, session: Session
) -> None:
    failed = await api.tool_router.session.execute(
        session.id, tool_slug="COMPOSIO_SEARCH_WEB", arguments={"query": ""}
    )
    assert failed.result_type == "failed"
    assert "query" in str(failed.error)
    with pytest.raises(NotFoundError, match="not found"):
        await api.tool_router.session.execute(session.id, tool_slug="NO_SUCH_TOOL", arguments={})


async def test_meta_tools_are_executed_by_their_own_call(
    api: AsyncComposio, session: Session
) -> None:
    done = await api.tool_router.session.execute_meta(
        session.id,
        slug="COMPOSIO_GET_TOOL_SCHEMAS",
        arguments={"tool_slugs": ["COMPOSIO_SEARCH_NEWS"]},
    )
    assert done.result_type == "completed"
    assert "COMPOSIO_SEARCH_NEWS" in str(done.data["tool_schemas"])


async def test_an_app_that_is_not_there_cannot_be_connected(
    api: AsyncComposio, session: Session
) -> None:
    with pytest.raises(NotFoundError, match="Jira is not part of this sandbox"):
        await api.tool_router.session.link(session.id, toolkit="jira")
    assert (await api.connected_accounts.list(user_ids=["T1:U1"])).items == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "user_id"),
        ({"user_id": ""}, "user_id"),
        ({"user_id": "U1", "surprise": 1}, "surprise"),
        ({"user_id": "U1", "toolkits": {"enabled": []}}, "toolkits"),
        ([], "object"),
    ],
)
async def test_a_session_with_a_wrong_body_names_the_fault(
    standin: ComposioStandIn, http: aiohttp.ClientSession, body: object, reason: str
) -> None:
    async with http.post(
        "/api/v3.1/tool_router/session", json=body, headers={"x-api-key": standin.api_key}
    ) as response:
        error = (await response.json())["error"]
    assert response.status == 400
    assert reason in error["message"]
    assert error["status"] == 400


async def test_a_body_that_is_not_json_is_refused(
    standin: ComposioStandIn, http: aiohttp.ClientSession
) -> None:
    async with http.post(
        "/api/v3.1/tool_router/session",
        data=b"{not json",
        headers={"x-api-key": standin.api_key},
    ) as response:
        assert response.status == 400


async def test_what_is_not_built_says_so_in_composios_envelope(
    standin: ComposioStandIn, http: aiohttp.ClientSession
) -> None:
    async with http.get(
        "/api/v3.1/triggers/active", headers={"x-api-key": standin.api_key}
    ) as response:
        error = (await response.json())["error"]
    assert response.status == 404
    assert set(error) == {"message", "slug", "status", "code", "request_id", "suggested_fix"}


async def test_every_path_asks_for_the_key(http: aiohttp.ClientSession) -> None:
    for path in ("/api/v3.1/connected_accounts", "/v3/mcp/trs_1", "/anything"):
        async with http.get(path) as response:
            assert response.status == 401


async def test_a_session_without_the_search_toolkit_cannot_search(api: AsyncComposio) -> None:
    created = await api.tool_router.session.create(
        user_id="U1", toolkits={"disable": ["composio_search"]}
    )
    assert "COMPOSIO_SEARCH_WEB" not in created.tool_router_tools
    with pytest.raises(NotFoundError):
        await api.tool_router.session.execute(
            created.session_id, tool_slug="COMPOSIO_SEARCH_WEB", arguments={"query": "x"}
        )


async def test_a_search_without_queries_is_a_bad_request(
    api: AsyncComposio, session: Session
) -> None:
    with pytest.raises(BadRequestError, match="queries"):
        await api.tool_router.session.search(session.id, queries=[])


async def test_two_stand_ins_run_side_by_side_and_stop() -> None:
    async with ComposioStandIn(PAGES) as one, ComposioStandIn(PAGES, clock=lambda: NOW) as two:
        assert one.base_url != two.base_url
        assert one.api_key != two.api_key
    async with aiohttp.ClientSession() as client:
        with pytest.raises(aiohttp.ClientConnectorError):
            await client.get(one.base_url)
