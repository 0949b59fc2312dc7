"""Fetches one page over HTTP: guarded on every hop, bounded in size and time."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Self

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout, TCPConnector
from aiohttp.client_exceptions import (
    ClientConnectorCertificateError,
    ClientConnectorSSLError,
    InvalidURL,
)
from yarl import URL

from mcp_local.errors import FetchDenied, FetchFailed
from mcp_local.fetch.allowance import Allowance
from mcp_local.fetch.decoding import TextKind, decode, kind_of
from mcp_local.fetch.resolver import (
    AddressGuard,
    Resolver,
    SocketFactory,
    SystemResolver,
    open_socket,
)
from mcp_local.fetch.urls import join_url, read_url

PRODUCT: Final = "UniversalAgentBot"
USER_AGENT: Final = f"Mozilla/5.0 (compatible; {PRODUCT}/0.1)"
MAX_REDIRECTS: Final = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.1",
    "Accept-Language": "en;q=0.9,*;q=0.5",
    "Accept-Encoding": "gzip, deflate, br",
}
_PACKINGS = frozenset({"", "identity", "gzip", "deflate", "br"})
"""Those that aiohttp undoes, in pieces of bounded size; a bomb is cut where the body is."""


Permit = Callable[[URL], Awaitable[None]]
"""Asked before every hop; raises FetchDenied to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one page may cost."""

    max_bytes: int = 10_000_000
    """Decoded bytes of a body."""
    total_s: float = 30.0
    """From the first look-up to the last byte, redirects and waiting included."""
    connections_per_host: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The last hop's answer."""

    url: str
    status: int
    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """A page's text as it was served."""

    url: str
    final_url: str
    http_status: int
    kind: TextKind
    text: str


class Client:
    """An open set of connections; use it as an async context manager.

    `resolver` and `make_socket` are the seams through which tests answer for DNS and the wire.
    """

    def __init__(
        self,
        allowance: Allowance,
        *,
        limits: Limits | None = None,
        resolver: Resolver | None = None,
        make_socket: SocketFactory = open_socket,
    ) -> None:
        self._allowance = allowance
        self._limits = limits or Limits()
        self._gate = AddressGuard(resolver or SystemResolver(), allowance, make_socket)
        self._session: ClientSession

    async def __aenter__(self) -> Self:
        self._session = ClientSession(
            connector=TCPConnector(
                resolver=self._gate,
                use_dns_cache=False,
                socket_factory=self._gate.socket_for,
                limit_per_host=self._limits.connections_per_host,
            ),
            headers=_HEADERS,
            timeout=ClientTimeout(total=None, sock_connect=10),
            trust_env=False,
            cookie_jar=None,
            max_line_size=8190,
            max_field_size=8190,
            max_headers=128,
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._session.close()

    async def page(self, url: str, permit: Permit | None = None) -> FetchedPage:
        """Fetch a page; FetchDenied or FetchFailed say in plain words why not."""
        response = await self.get(url, limits=self._limits, permit=permit)
        _require_success(response.status)
        return FetchedPage(
            url=url,
            final_url=response.url,
            http_status=response.status,
            kind=kind_of(response.body, response.content_type),
            text=decode(response.body, response.content_type),
        )

    async def get(self, url: str, *, limits: Limits, permit: Permit | None = None) -> Response:
        """The answer after all redirects, whatever its status."""
        target = read_url(url, self._allowance)
        try:
            async with asyncio.timeout(limits.total_s):
                return await self._follow(target, limits.max_bytes, permit)
        except TimeoutError:
            raise FetchFailed("too slow") from None

    async def _follow(self, url: URL, max_bytes: int, permit: Permit | None) -> Response:
        for _ in range(MAX_REDIRECTS + 1):
            if permit:
                await permit(url)
            async with self._open(url) as response:
                location = response.headers.get("Location")
                if response.status not in _REDIRECTS or not location:
                    return await _read(url, response, max_bytes)
            url = join_url(url, location, self._allowance)
        raise FetchFailed("too many redirects")

    @asynccontextmanager
    async def _open(self, url: URL) -> AsyncGenerator[ClientResponse]:
        """One request; its errors become ours."""
        self._gate.pass_literal(url.raw_host or "", url.port or 0)
        try:
            async with self._session.get(url, allow_redirects=False) as response:
                yield response
        except (ClientConnectorCertificateError, ClientConnectorSSLError):
            raise FetchFailed("the site's certificate is not valid") from None
        except InvalidURL:
            raise FetchDenied("not allowed: not a proper URL") from None
        except ClientError as error:
            raise FetchFailed(_plain(error)) from error
        except OSError as error:
            raise FetchFailed("the site could not be reached") from error


async def _read(url: URL, response: ClientResponse, max_bytes: int) -> Response:
    packing = response.headers.get("Content-Encoding", "").strip().lower()
    if packing not in _PACKINGS:
        raise FetchFailed(f"the page is packed in a way we do not read ({packing[:40]})")
    body = bytearray()
    async for received in response.content.iter_any():
        body += received
        if len(body) > max_bytes:
            raise FetchFailed(f"too large (over {max_bytes / 1_000_000:g} MB)")
    return Response(
        url=str(url),
        status=response.status,
        content_type=response.headers.get("Content-Type", ""),
        body=bytes(body),
    )


def _require_success(status: int) -> None:
    match status:
        case 404:
            raise FetchFailed("not found (404)", permanent=True)
        case 410:
            raise FetchFailed("gone (410)", permanent=True)
        case 401 | 402 | 403 | 451:
            raise FetchFailed(f"the site does not show it to us ({status})")
        case 429:
            raise FetchFailed("the site asks to come back later (429)")
        case _ if status >= 500:
            raise FetchFailed(f"the site has an error ({status})")
        case _ if status != 200:
            raise FetchFailed(f"the site gave no page ({status})")
        case _:
            return


def _plain(error: ClientError) -> str:
    if isinstance(error, TimeoutError):
        return "too slow"
    text = type(error).__name__
    if "Payload" in text or "Disconnected" in text:
        return "the site's answer broke off or is damaged"
    if "Response" in text:
        return "the site's answer is not proper HTTP"
    return "the site could not be reached"
