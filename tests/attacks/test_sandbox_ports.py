"""The sandbox's own ports answer to their own names and pages, and to no other site."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import pytest

from bot.sandbox.composio import ComposioStandIn
from bot.sandbox.model import ModelStandIn
from bot.sandbox.page import SandboxPage
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.web import SmallWeb

PATHS = {
    "page": "/",
    "slack": "/api/auth.test",
    "composio": "/mailbox",
    "model": "/v1/messages",
    "web": "/",
}
STRANGERS = ("evil.test", "127.0.0.1.evil.test", "localhost.evil.test:80", "localhost:x", "[::2]")
ELSEWHERE = ("http://evil.test", "null", "http://127.0.0.1:1", "https://localhost")


@asynccontextmanager
async def ports() -> AsyncGenerator[dict[str, str]]:
    """An address at each port of the sandbox."""
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(SlackStandIn())
        page = await stack.enter_async_context(SandboxPage(slack))
        model = await stack.enter_async_context(ModelStandIn())
        small_web = await stack.enter_async_context(SmallWeb.builtin())
        composio = await stack.enter_async_context(ComposioStandIn(small_web.ready))
        bases = {
            "page": page.url.rstrip("/"),
            "slack": slack.base_url,
            "composio": composio.base_url,
            "model": model.base_url,
            "web": f"http://127.0.0.1:{small_web.port}",
        }
        yield {name: bases[name] + path for name, path in PATHS.items()}


@pytest.mark.proves("sandbox.ports")
@pytest.mark.parametrize("name", list(PATHS))
async def test_a_port_answers_to_its_own_name_and_to_no_other_site(name: str) -> None:
    async with ports() as urls, aiohttp.ClientSession() as session:
        refused = [
            *({"Host": host} for host in STRANGERS),
            *({"Origin": origin} for origin in ELSEWHERE),
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"},
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"},
        ]
        for headers in refused:
            for method in ("GET", "POST"):
                async with session.request(method, urls[name], headers=headers) as answer:
                    assert answer.status == 403, headers
        own = urls[name].removesuffix(PATHS[name])
        opened = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
        for headers in ({}, {"Origin": own}, {"Host": "localhost"}, opened):
            async with session.get(urls[name], headers=headers) as answer:
                assert answer.status != 403, headers
