"""A browser's side of the page, without a browser: acts, and the stream of changes."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from bot.sandbox.page import Page
from bot.sandbox.slack import SlackStandIn

Json = dict[str, Any]
PATIENCE_S = 10.0


class Stream:
    """The facts of one open page, read in order."""

    def __init__(self, answer: aiohttp.ClientResponse, *, patience_s: float = PATIENCE_S) -> None:
        self._answer = answer
        self._patience_s = patience_s
        self.facts: Json = {}
        """By key, as they were at the beginning."""

    async def begin(self) -> None:
        self.facts = dict(await self._read("snapshot"))

    def all(self, kind: str) -> list[Any]:
        """The values at the beginning whose keys begin so, as `post/C1/`."""
        return [value for key, value in self.facts.items() if key.startswith(kind)]

    async def change(self, kind: str, where: Callable[[Any], object] = lambda value: True) -> Any:
        """The next change of a kind; the others before it are passed over."""
        while True:
            key, value = await self._read("change")
            if key.startswith(kind) and where(value):
                return value

    async def changes(self, count: int) -> list[tuple[str, Any]]:
        """The next changes, whatever they are."""
        return [tuple(await self._read("change")) for _ in range(count)]

    async def line(self) -> str:
        """The next line as it is; "" at the end of the stream."""
        async with asyncio.timeout(self._patience_s):
            return (await self._answer.content.readline()).decode()

    async def ended(self) -> bool:
        """Read on to the end."""
        while await self.line():
            continue
        return True

    async def _read(self, event: str) -> Any:
        while line := await self.line():
            if line == f"event: {event}\n":
                return json.loads((await self.line()).removeprefix("data: "))
        raise AssertionError(f"the stream ended before a {event} came")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Talks to a page over HTTP as the page's own script does."""

    slack: SlackStandIn
    page: Page
    http: aiohttp.ClientSession

    @property
    def general(self) -> str:
        return self.slack.channels["general"]

    def id(self, name: str) -> str:
        return self.slack.users[name]

    async def act(self, who: str, name: str, /, **fields: Any) -> Json:
        """Do something that the page does."""
        status, answer = await self.send(name, {"as": self.id(who), **fields})
        assert (status, answer.pop("ok")) == (200, True), answer
        return answer

    async def refusal(self, who: str, name: str, /, **fields: Any) -> str:
        """Do something that the page refuses, and give its sentence."""
        status, answer = await self.send(name, {"as": self.id(who), **fields})
        assert (status, answer["ok"]) == (400, False)
        return answer["error"]

    async def send(self, name: str, fields: Json) -> tuple[int, Json]:
        return await self.post(name, json=fields)

    async def post(self, name: str, **sent: Any) -> tuple[int, Json]:
        """Post whatever to an act, with the page's own origin unless `headers` say otherwise."""
        sent = {"headers": {"Origin": self.page.url.rstrip("/")}, **sent}
        async with self.http.post(f"{self.page.url}acts/{name}", **sent) as answer:
            return answer.status, await answer.json()

    async def say(self, who: str, text: str, **fields: Any) -> str:
        """Say something in #general; returns the ts."""
        return (await self.act(who, "say", channel=self.general, text=text, **fields))["ts"]

    @asynccontextmanager
    async def watch(self, who: str) -> AsyncGenerator[Stream]:
        """Open the page as someone."""
        address = f"{self.page.url}events?as={self.id(who)}"
        async with self.http.get(address) as answer:
            assert answer.status == 200
            stream = Stream(answer)
            await stream.begin()
            yield stream

    async def facts(self, who: str) -> Stream:
        """What someone's page begins with."""
        async with self.watch(who) as stream:
            return stream

    async def posts(self, who: str, channel: str = "general") -> list[Json]:
        """What someone's page shows in a channel."""
        return (await self.facts(who)).all(f"post/{self.slack.channels[channel]}/")


@asynccontextmanager
async def visit(
    slack: SlackStandIn | None = None,
    *,
    port: int = 0,
    commands: tuple[Mapping[str, str], ...] = (),
    heartbeat_s: float = 15.0,
) -> AsyncGenerator[Visitor]:
    """A page over a stand-in, which is a new one unless it is given, and a visitor to it."""
    async with AsyncExitStack() as stack:
        slack = slack or await stack.enter_async_context(SlackStandIn())
        page = Page(slack, port=port, commands=commands, heartbeat_s=heartbeat_s)
        http = aiohttp.ClientSession(read_bufsize=2**24)
        await stack.enter_async_context(page)
        await stack.enter_async_context(http)
        yield Visitor(slack=slack, page=page, http=http)
