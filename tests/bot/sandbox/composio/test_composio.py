"""The Composio stand-in, through the clients that its users have: REST, MCP and a browser."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import httpx2
import pytest

from bot.sandbox.composio import ComposioStandIn
from bot.sandbox.web import WebPage

if TYPE_CHECKING:
    from composio_client import AsyncComposio

ADA = "T1:U1"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PAGES = (
    WebPage(
        url="http://a.test/retries",
        title="Retries without harm",
        text="Retries need a key.\nA stable idempotency key makes a second attempt harmless.",
        date=datetime(2026, 1, 23, 8, tzinfo=UTC),
        source="A blog",
        kind="web",
    ),
    WebPage(
        url="http://b.test/cafe",
        title="The café report",
        text="The Café Zähringer sold 410 cups of coffee on Monday.",
        date=None,
        source="b.test",
        kind="web",
    ),
    WebPage(
        url="http://n.test/outage",
        title="Retry storm prolongs outage",
        text="A retry storm kept the chat platform down for two hours on Wednesday.",
        date=NOW - timedelta(hours=2, minutes=10),
        source="The Daily",
        kind="news",
    ),
    WebPage(
        url="http://n.test/old",
        title="Outage of last winter",
        text="The platform was down for a day, and bots repeated their posts.",
        date=datetime(2026, 1, 23, 8, tzinfo=UTC),
        source="The Daily",
        kind="news",
    ),
)
MAIL = {"recipient_email": "bob@example.com", "subject": "Lunch", "body": "At twelve."}


async def pages() -> Sequence[WebPage]:
    return PAGES


class Clock:
    """Stands at NOW until a test moves it on."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def standin(clock: Clock) -> AsyncGenerator[ComposioStandIn]:
    async with ComposioStandIn(pages, clock=clock, name={ADA: "Ada <3"}.get) as running:
        yield running


def caller(standin: ComposioStandIn, key: str) -> AsyncComposio:
    """Loaded here, not by every worker that lists the tests: that takes it four seconds."""
    from composio_client import AsyncComposio, ProjectAuth

    return AsyncComposio(auth=ProjectAuth(key), base_url=standin.base_url, max_retries=0)


@pytest.fixture
async def api(standin: ComposioStandIn) -> AsyncGenerator[AsyncComposio]:
    async with caller(standin, standin.api_key) as client:
        yield client


@pytest.fixture
async def session(standin: ComposioStandIn, api: AsyncComposio) -> str:
    created = await api.tool_router.session.create(user_id=ADA)
    return created.session_id


@pytest.fixture
async def browser(standin: ComposioStandIn) -> AsyncGenerator[httpx2.AsyncClient]:
    """Somebody without the key."""
    async with httpx2.AsyncClient(base_url=standin.base_url) as client:
        yield client


async def meta(
    api: AsyncComposio, session: str, slug: str, arguments: dict[str, Any]
) -> dict[str, Any]:
    """The data of a meta tool over REST, with its `error`."""
    execute = cast("Any", api.tool_router.session.execute_meta)
    done = await execute(session, slug=f"COMPOSIO_{slug}", arguments=arguments)
    return {"error": done.error, **done.data}


async def batch(
    api: AsyncComposio, session: str, *tools: tuple[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """The results of a batch over REST, one for each tool."""
    items = [{"tool_slug": slug, "arguments": arguments} for slug, arguments in tools]
    body = {"tools": items, "sync_response_to_workbench": False}
    return (await meta(api, session, "MULTI_EXECUTE_TOOL", body))["results"]


async def test_a_link_connects_its_person_once_within_ten_minutes(
    standin: ComposioStandIn,
    api: AsyncComposio,
    session: str,
    browser: httpx2.AsyncClient,
    clock: Clock,
) -> None:
    asked = await meta(api, session, "MANAGE_CONNECTIONS", {"toolkits": ["gmail"]})
    link = asked["results"]["gmail"]["redirect_url"]
    page = await browser.get(link)
    assert "Connect Gmail for Ada &lt;3" in page.text
    assert "script" not in page.headers["content-security-policy"]
    form = {"decision": "allow", "identity": "<b>ada</b>@example.com"}
    assert "<b>" not in (await browser.post(link, data=form)).text
    assert (await browser.get(link)).status_code == 410
    again = await meta(api, session, "MANAGE_CONNECTIONS", {"toolkits": ["gmail"]})
    assert again["results"]["gmail"]["status"] == "active"
    made = await api.tool_router.session.link(session, toolkit="github")
    clock.now += timedelta(minutes=11)
    assert (await browser.get(made.redirect_url)).status_code == 410
    listed = await api.connected_accounts.list(user_ids=[ADA])
    assert [(one.toolkit.slug, one.status) for one in listed.items] == [
        ("gmail", "ACTIVE"),
        ("github", "EXPIRED"),
    ]


async def test_a_mailbox_can_be_looked_at_without_a_key(
    standin: ComposioStandIn, api: AsyncComposio, session: str, browser: httpx2.AsyncClient
) -> None:
    standin.connect(ADA, "gmail")
    await batch(api, session, ("GMAIL_SEND_EMAIL", MAIL | {"subject": "<script>alert(1)"}))
    shown = (await browser.get("/mailbox")).text
    assert "&lt;script&gt;alert(1)" in shown
    assert "<h2>Ada &lt;3</h2>" in shown


async def test_searches_find_the_best_page_first_and_say_when_it_was_written(
    api: AsyncComposio, session: str
) -> None:
    [web, news] = await batch(
        api,
        session,
        ("COMPOSIO_SEARCH_WEB", {"query": "idempotency key for retrying"}),
        ("COMPOSIO_SEARCH_NEWS", {"query": "outages of the chat platform"}),
    )
    search = web["response"]["data"]
    assert search["citations"][0] == {
        "id": "http://a.test/retries",
        "url": "http://a.test/retries",
        "title": "Retries without harm",
        "snippet": "Jan 23, 2026 · Retries need a key. A stable idempotency key makes a second "
        "attempt harmless.",
    }
    fresh, old = news["response"]["data"]["news_results"]
    assert (fresh["link"], fresh["date"]) == ("http://n.test/outage", "Nov 21, 2026")
    assert old["date"] == "Jan 23, 2026"
