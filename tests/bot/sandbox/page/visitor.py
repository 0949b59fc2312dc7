"""A browser's side of the page, without a browser: acts, and the stream of changes."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from bot.sandbox.page import SandboxPage
from bot.sandbox.slack import App
from tests.faulty_slack import FaultySlack

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

    async def _line(self) -> str:
        async with asyncio.timeout(self._patience_s):
            return (await self._answer.content.readline()).decode()

    async def _read(self, event: str) -> Any:
        while line := await self._line():
            if line == f"event: {event}\n":
                return json.loads((await self._line()).removeprefix("data: "))
        raise AssertionError(f"the stream ended before a {event} came")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Talks to a page over HTTP as the page's own script does."""

    slack: FaultySlack
    page: SandboxPage
    http: aiohttp.ClientSession

    def id(self, name: str) -> str:
        return self.slack.users[name]

    async def act(self, who: str, name: str, /, **fields: Any) -> tuple[int, Json]:
        """Do something that the page does."""
        headers = {"Origin": self.page.url.rstrip("/")}
        body = json.dumps({"as": self.id(who), **fields})
        return await self.post(name, headers, data={"body": body})

    async def post(self, name: str, headers: dict[str, str], **sent: Any) -> tuple[int, Json]:
        address = f"{self.page.url}acts/{name}"
        async with self.http.post(address, headers=headers, **sent) as answer:
            return answer.status, await answer.json()

    async def get(self, path: str, **headers: str) -> tuple[int, Any]:
        """The status and the headers of an answer."""
        url = self.page.url.rstrip("/") + path
        async with self.http.get(url, headers=headers) as answer:
            return answer.status, answer.headers

    @asynccontextmanager
    async def watch(self, who: str) -> AsyncGenerator[Stream]:
        """Open the page as someone."""
        async with self.http.get(f"{self.page.url}events?as={self.id(who)}") as answer:
            stream = Stream(answer)
            await stream.begin()
            yield stream


@asynccontextmanager
async def visit() -> AsyncGenerator[Visitor]:
    """A page over a new stand-in, and a visitor to it."""
    async with (
        FaultySlack(App(commands=({"command": "/ops"},))) as slack,
        SandboxPage(slack) as page,
        aiohttp.ClientSession(read_bufsize=2**24) as http,
    ):
        yield Visitor(slack=slack, page=page, http=http)
