"""Whose accounts there are, asked of the sandbox's Composio over its real wire."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from agent_core.errors import ToolServerError
from agent_core.ids import UserId
from agent_core.tools.composio_accounts import ComposioAccounts
from agent_core.tools.composio_api import ComposioApi
from bot.sandbox.composio import ComposioStandIn

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


async def test_a_service_that_does_not_answer_is_no_service_without_accounts() -> None:
    api = ComposioApi(api_key="ak_x", base_url="http://127.0.0.1:9")
    accounts = ComposioAccounts(api, lambda: 0.0)
    with pytest.raises(ToolServerError):
        await accounts.active(ANN, "gmail")
    with pytest.raises(ToolServerError):
        await accounts.tool("GMAIL_SEND_EMAIL")
    await api.close()
