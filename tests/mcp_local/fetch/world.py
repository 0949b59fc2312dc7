"""A small internet for tests: names, addresses and sites, of which only loopback is real."""

import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, cast

from aiohttp import web

from mcp_local.errors import FetchFailed
from mcp_local.fetch.client import Client, Limits
from mcp_local.fetch.guard import AddressInfo
from mcp_local.fetch.urls import Allowance

PUBLIC = "93.184.215.14"
OTHER_PUBLIC = "2606:2800:21f:cb07:6820:80da:af6b:8b2c"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Names:
    """DNS as a table; each question takes a name's next answer, the last one stays."""

    def __init__(self, answers: dict[str, list[list[str]]]) -> None:
        self._answers = {name: list(turns) for name, turns in answers.items()}
        self.asked: list[str] = []

    async def addresses(self, host: str) -> list[str]:
        self.asked.append(host)
        turns = self._answers.get(host)
        if turns is None:
            raise FetchFailed("no such host", permanent=True)
        return turns.pop(0) if len(turns) > 1 else turns[0]


class ReroutedSocket(socket.socket):
    """A socket that reaches a loopback server, whatever address it is told to dial."""

    port = 0

    def connect(self, address: object, /) -> None:
        super().connect(("127.0.0.1", self.port))


class Wire:
    """Records every address that is dialled and leads it to the loopback server, if any."""

    def __init__(self, port: int | None = None) -> None:
        self._port = port
        self.dialled: list[tuple[str, int]] = []

    def __call__(self, target: AddressInfo, /) -> socket.socket:
        self.dialled.append((str(target[4][0]), int(target[4][1])))
        if self._port is None:
            raise OSError("no network in tests")
        rerouted = ReroutedSocket(socket.AF_INET, socket.SOCK_STREAM)
        rerouted.port = self._port
        return rerouted


class Site:
    """A loopback web server; `pages` answer by path, `hits` are the paths asked for."""

    def __init__(self) -> None:
        self.pages: dict[str, Handler] = {}
        self.hits: list[str] = []
        self.hosts: list[str] = []
        self.port = 0

    def html(self, path: str, body: str, **options: Any) -> None:
        """Serve a text as HTML, or as what the options of aiohttp's Response say."""
        options = {"content_type": "text/html", **options}
        self.answer(path, lambda: web.Response(text=body, **options))

    def raw(self, path: str, body: bytes, **headers: str) -> None:
        """Serve bytes; underscores in header names become hyphens."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answer(path, lambda: web.Response(body=body, headers=named))

    def redirect(self, path: str, location: str, status: int = 302) -> None:
        headers = {"Location": location}
        self.answer(path, lambda: web.Response(status=status, headers=headers))

    def answer(self, path: str, make: Callable[[], web.Response]) -> None:
        async def handler(_: web.Request) -> web.StreamResponse:
            return make()

        self.pages[path] = handler

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.hits.append(request.path_qs)
        self.hosts.append(request.host)
        handler = self.pages.get(request.path)
        return await handler(request) if handler else web.Response(status=404)


@asynccontextmanager
async def serving() -> AsyncGenerator[Site]:
    """A site on a free loopback port."""
    site = Site()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", site.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    listener = socket.create_server(("127.0.0.1", 0))
    site.port = cast("tuple[str, int]", listener.getsockname())[1]
    await web.SockSite(runner, listener).start()
    try:
        yield site
    finally:
        await runner.cleanup()


def client_for(
    site: Site | None = None,
    *,
    names: Names | None = None,
    wire: Wire | None = None,
    allowance: Allowance | None = None,
    limits: Limits | None = None,
) -> Client:
    """A client in whose world every public address leads to the site."""
    return Client(
        allowance or Allowance(),
        limits=limits or Limits(total_s=10.0),
        look_up=(names or Names({"news.example": [[PUBLIC]]})).addresses,
        make_socket=wire or Wire(site.port if site else None),
    )


def paragraphs(count: int, topic: str = "robots") -> str:
    """Distinct sentences, enough of them to be taken for an article."""
    return "".join(_paragraphs(count, topic))


def _paragraphs(count: int, topic: str) -> Iterator[str]:
    for n in range(count):
        yield (
            f"<p>Paragraph {n} tells in full sentences what was measured about {topic}, "
            f"and that the value number {n} was {n * 37 + 11} on the day of the test.</p>"
        )


def article(title: str = "On robots") -> str:
    """A whole page with navigation around its article."""
    return (
        f"<!doctype html><html><head><title>{title}</title></head><body>"
        '<nav><a href="/">Home</a> <a href="/about">About us</a></nav>'
        f"<article><h1>{title}</h1>{paragraphs(12, title)}</article>"
        "<footer>All rights reserved</footer></body></html>"
    )
