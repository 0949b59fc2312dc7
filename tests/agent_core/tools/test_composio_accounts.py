"""Whose accounts there are, asked of the sandbox's Composio over its real wire."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agent_core.errors import ToolServerError
from agent_core.ids import UserId
from agent_core.tools.composio_api import ComposioAccounts, ComposioApi
from bot.sandbox.composio import ComposioStandIn
from tests.agent_core.tools.loopback import serve

ANN, BEN = UserId("T1:U1"), UserId("T1:U2")


@asynccontextmanager
async def accounts_at(
    service: ComposioStandIn, clock: Callable[[], float] = lambda: 0.0
) -> AsyncGenerator[ComposioAccounts, None]:
    api = ComposioApi(api_key=service.api_key, base_url=service.base_url)
    try:
        yield ComposioAccounts(api, clock)
    finally:
        await api.close()


@pytest.fixture
async def service() -> AsyncGenerator[ComposioStandIn, None]:
    async with ComposioStandIn(()) as service:
        yield service


async def test_an_account_is_its_persons_alone(service: ComposioStandIn) -> None:
    service.connect(ANN, "gmail", identity="ann@example.com")
    async with accounts_at(service) as accounts:
        mine = await accounts.active(ANN, "gmail")
        assert mine is not None
        assert (mine.toolkit, mine.identity) == ("gmail", "ann@example.com")
        assert await accounts.active(BEN, "gmail") is None
        assert await accounts.active(ANN, "github") is None


async def test_an_expired_account_is_none(service: ComposioStandIn) -> None:
    service.connect(ANN, "gmail")
    now = [0.0]
    async with accounts_at(service, lambda: now[0]) as accounts:
        assert await accounts.active(ANN, "gmail") is not None
        service.accounts.expire(ANN, "gmail")
        assert await accounts.active(ANN, "gmail", afresh=True) is None
        assert await accounts.active(ANN, "gmail") is None


async def test_a_link_makes_an_account_of_whom_it_was_made_for(service: ComposioStandIn) -> None:
    async with accounts_at(service) as accounts:
        link = await accounts.link(ANN, "gmail")
        service.follow_link(link)
        assert await accounts.active(ANN, "gmail") is not None
        assert await accounts.active(BEN, "gmail") is None


async def test_a_link_is_to_be_had_after_composio_has_forgotten_the_session(
    service: ComposioStandIn,
) -> None:
    async with accounts_at(service) as accounts:
        await accounts.link(ANN, "gmail")
        service.sessions.clear()
        service.follow_link(await accounts.link(ANN, "gmail"))
        assert await accounts.active(ANN, "gmail") is not None


async def test_a_tool_says_of_which_app_it_is_and_whether_it_needs_an_account(
    service: ComposioStandIn,
) -> None:
    async with accounts_at(service) as accounts:
        mail = await accounts.tool("GMAIL_SEND_EMAIL")
        news = await accounts.tool("COMPOSIO_SEARCH_NEWS")
        odd = await accounts.tool("ODD_SEND_NOTE")
    assert (mail.toolkit, mail.needs_account) == ("gmail", True)
    assert news.needs_account is False
    assert (odd.toolkit, odd.needs_account, odd.schema_digest) == ("odd", None, "")
    assert len({mail.schema_digest, news.schema_digest, ""}) == 3


def anywhere(answer: Callable[[Request], Awaitable[Response]]) -> Starlette:
    """One answer to whatever is asked."""
    return Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])


@asynccontextmanager
async def accounts_told(*answers: Response) -> AsyncGenerator[ComposioAccounts, None]:
    """Accounts at a service that answers one question after the other so."""
    left = iter(answers)

    async def answer(_: Request) -> Response:
        return next(left)

    async with serve(anywhere(answer)) as port:
        api = ComposioApi(api_key="ak_x", base_url=f"http://127.0.0.1:{port}")
        yield ComposioAccounts(api, lambda: 0.0)
        await api.close()


async def test_a_tool_that_was_defined_anew_is_seen_when_it_is_asked_for_afresh() -> None:
    """Between the asking for an approval and the call no process has to be restarted."""
    old, new = ({"description": text} for text in ("Makes a note.", "Mails it to everybody."))
    async with accounts_told(JSONResponse(old), JSONResponse(new)) as accounts:
        first = await accounts.tool("NOTES_CREATE_NOTE")
        assert await accounts.tool("NOTES_CREATE_NOTE") == first
        second = await accounts.tool("NOTES_CREATE_NOTE", afresh=True)
        assert second.schema_digest != first.schema_digest
        assert await accounts.tool("NOTES_CREATE_NOTE") == second


async def test_a_tool_that_was_not_known_yet_is_looked_up_again() -> None:
    known = JSONResponse({"no_auth": True})
    async with accounts_told(Response(status_code=404), known) as accounts:
        assert (await accounts.tool("NOTES_CREATE_NOTE")).needs_account is None
        assert (await accounts.tool("NOTES_CREATE_NOTE")).needs_account is False


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_another_origin_neither_hears_a_question_nor_answers_it(status: int) -> None:
    """It could say whose account is whose, or give a link of its own to connect one."""
    heard: list[str] = []

    async def answer(request: Request) -> Response:
        heard.append(request.url.path)
        return JSONResponse({"items": [], "redirect_url": "https://evil.example/connect"})

    async with serve(anywhere(answer)) as other:
        away = Response(status_code=status, headers={"location": f"http://127.0.0.1:{other}/away"})
        async with accounts_told(away, away, away) as accounts:
            with pytest.raises(ToolServerError):
                await accounts.active(ANN, "gmail")
            with pytest.raises(ToolServerError):
                await accounts.tool("GMAIL_SEND_EMAIL")
            with pytest.raises(ToolServerError):
                await accounts.link(ANN, "gmail")
    assert heard == []


async def test_whose_account_it_is_is_asked_again_where_it_could_not_be_told() -> None:
    """The people who approve would read a code in the place of an address for good."""
    account = {"id": "ca_1", "status": "ACTIVE", "user_id": ANN, "toolkit": {"slug": "gmail"}}
    told = {"gmail": {"current_user_info": {"email": "ann@example.com"}}}
    is_down = [True]

    async def answer(request: Request) -> Response:
        if request.url.path.endswith("/connected_accounts"):
            return JSONResponse({"items": [account]})
        if request.url.path.endswith("/execute_meta"):
            answer = JSONResponse({"data": {"results": told}})
            return Response(status_code=500) if is_down[0] else answer
        return JSONResponse({"session_id": "trs_1", "mcp": {"url": str(request.base_url)}})

    async with serve(anywhere(answer)) as port:
        api = ComposioApi(api_key="ak_x", base_url=f"http://127.0.0.1:{port}")
        accounts = ComposioAccounts(api, lambda: 0.0)
        first = await accounts.active(ANN, "gmail")
        is_down[0] = False
        second = await accounts.active(ANN, "gmail", afresh=True)
        await api.close()
    assert first is not None
    assert second is not None
    assert (first.identity, second.identity) == ("ca_1", "ann@example.com")


async def test_a_refusal_does_not_repeat_the_key() -> None:
    refused = JSONResponse({"error": {"message": "Invalid API key: ak_x"}}, status_code=401)
    async with accounts_told(refused) as accounts:
        with pytest.raises(ToolServerError) as caught:
            await accounts.active(ANN, "gmail")
    assert "Invalid API key" in str(caught.value)
    assert "ak_x" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://would-read-the-key.test"])
async def test_a_service_that_cannot_be_asked_is_no_service_without_accounts(url: str) -> None:
    api = ComposioApi(api_key="ak_x", base_url=url)
    accounts = ComposioAccounts(api, lambda: 0.0)
    with pytest.raises(ToolServerError):
        await accounts.active(ANN, "gmail")
    with pytest.raises(ToolServerError):
        await accounts.tool("GMAIL_SEND_EMAIL")
    await api.close()
