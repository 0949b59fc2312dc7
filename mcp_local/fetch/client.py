"""HTTP client of the toolkit: guarded on every hop, bounded in size and time.

`Client.open` is one guarded request; `Client.page` follows redirects and reads a page's text, after
`Manners` has asked the host's robots.txt.
"""

import asyncio
import codecs
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final, Literal, Self
from weakref import WeakValueDictionary

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    ConnectionTimeoutError,
    TCPConnector,
)
from aiohttp.client_exceptions import (
    ClientConnectorCertificateError,
    ClientConnectorSSLError,
    InvalidURL,
)
from cachetools import TTLCache
from protego import Protego
from yarl import URL

from mcp_local.errors import FetchDenied, FetchError, FetchFailed, Unreached
from mcp_local.fetch import TextKind
from mcp_local.fetch.encoding import decode
from mcp_local.fetch.guard import (
    AddressGuard,
    LookUp,
    SocketFactory,
    open_socket,
    system_look_up,
)
from mcp_local.fetch.urls import Allowance, join_url, read_url

PRODUCT: Final = "UniversalAgentBot"
USER_AGENT: Final = f"Mozilla/5.0 (compatible; {PRODUCT}/0.1)"
MAX_REDIRECTS: Final = 5
MAX_CONNECTIONS_PER_HOST: Final = 4
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html,application/xhtml+xml,text/markdown;q=0.9,application/pdf;q=0.8,"
    "text/plain;q=0.8,*/*;q=0.1",
    "Accept-Language": "en;q=0.9,*;q=0.5",
    "Accept-Encoding": "gzip, deflate, br",
}

Validators = tuple[tuple[str, str], ...]
"""Headers that ask whether a page is as it was when it was served."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one page may cost."""

    max_bytes: int = 10_000_000
    """Decoded bytes of a body."""
    total_s: float = 30.0
    """From the first look-up to the last byte, redirects and waiting included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The last hop's answer."""

    url: str
    status: int
    content_type: str
    body: bytes
    validators: Validators


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """A page as it was served."""

    final_url: str
    """Where the redirects ended."""
    kind: TextKind
    content: str | bytes
    """Its text; of a PDF its bytes."""
    validators: Validators = ()
    """None where nobody else may be served the page, or where a redirect led to it."""
    is_unchanged: bool = False


class Client:
    """An open set of connections; use it as an async context manager.

    `look_up` and `make_socket` are the seams through which tests answer for DNS and the wire.
    """

    def __init__(
        self,
        allowance: Allowance,
        *,
        limits: Limits | None = None,
        look_up: LookUp = system_look_up,
        make_socket: SocketFactory = open_socket,
    ) -> None:
        self._allowance = allowance
        self._limits = limits or Limits()
        self._guard = AddressGuard(look_up, allowance, make_socket)
        self._session: ClientSession

    async def __aenter__(self) -> Self:
        self._session = ClientSession(
            connector=TCPConnector(
                resolver=self._guard,
                use_dns_cache=False,
                socket_factory=self._guard.socket_for,
                limit_per_host=MAX_CONNECTIONS_PER_HOST,
            ),
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

    async def page(
        self,
        url: str,
        manners: "Manners | None" = None,
        validators: Validators = (),
    ) -> FetchedPage:
        """Fetch a page, without its text where it is as it was when it gave the `validators`.

        FetchDenied or FetchFailed say in plain words why not.
        """
        response = await self.get(
            url,
            limits=self._limits,
            manners=manners,
            validators=validators,
        )
        if response.status == 304 and validators:
            return FetchedPage(final_url=response.url, kind="html", content="", is_unchanged=True)
        _require_success(response.status)
        kind = kind_of(response.body, response.content_type)
        body = response.body
        return FetchedPage(
            final_url=response.url,
            kind=kind,
            content=body if kind == "pdf" else decode(body, response.content_type),
            validators=response.validators,
        )

    async def get(
        self,
        url: str,
        *,
        limits: Limits,
        manners: "Manners | None" = None,
        validators: Validators = (),
    ) -> Response:
        """The answer after all redirects, whatever its status; `manners` are asked at each hop."""
        target = read_url(url, self._allowance)
        try:
            async with asyncio.timeout(limits.total_s):
                return await self._follow(target, limits.max_bytes, manners, validators)
        except TimeoutError:
            raise FetchFailed("too slow") from None

    async def _follow(
        self,
        url: URL,
        max_bytes: int,
        manners: "Manners | None",
        validators: Validators,
    ) -> Response:
        for hop in range(MAX_REDIRECTS + 1):
            if manners:
                await manners.require(url, self)
            headers = {**_HEADERS, **dict(validators)} if hop == 0 else _HEADERS
            async with self.open("GET", url, headers=headers) as response:
                location = response.headers.get("Location")
                if response.status not in _REDIRECTS or not location:
                    answer = await _read(url, response, max_bytes)
                    return answer if hop == 0 else replace(answer, validators=())
            url = join_url(url, location, self._allowance)
        raise FetchFailed("too many redirects")

    @asynccontextmanager
    async def open(
        self,
        method: Literal["GET", "POST", "PUT"],
        url: URL,
        *,
        headers: Mapping[str, str],
        data: bytes | None = None,
    ) -> AsyncGenerator[ClientResponse]:
        """One request, not followed and never repeated; its errors become FetchErrors.

        Raises:
            Unreached: There was no connection, so nothing has happened.
        """
        self._guard.pass_literal(url.raw_host or "", url.port or 0)
        try:
            async with self._session.request(
                method,
                url,
                data=data,
                headers=headers,
                allow_redirects=False,
            ) as response:
                yield response
        except (ClientConnectorCertificateError, ClientConnectorSSLError):
            raise FetchFailed("the site's certificate is not valid") from None
        except InvalidURL:
            raise FetchDenied("not allowed: not a proper URL") from None
        except (ClientConnectorError, ConnectionTimeoutError) as error:
            raise Unreached("the site could not be reached") from error
        except ClientError as error:
            reason = "the site's answer broke off, is damaged or is not proper HTTP"
            raise FetchFailed(reason) from error
        except OSError as error:
            raise FetchFailed("the site could not be reached") from error


async def read_body(response: ClientResponse, max_bytes: int) -> bytes:
    """The body, unpacked; FetchFailed where it is larger than `max_bytes`."""
    body = bytearray()
    async for received in response.content.iter_any():
        body += received
        if len(body) > max_bytes:
            raise FetchFailed(f"too large (over {max_bytes / 1_000_000:g} MB)")
    return bytes(body)


async def _read(url: URL, response: ClientResponse, max_bytes: int) -> Response:
    return Response(
        url=str(url),
        status=response.status,
        content_type=response.headers.get("Content-Type", ""),
        body=await read_body(response, max_bytes),
        validators=_validators(response.headers),
    )


def _validators(headers: Mapping[str, str]) -> Validators:
    """The headers by which a shared cache may ask again; none for what is one visitor's own."""
    rules = headers.get("Cache-Control", "").lower()
    varies = headers.get("Vary", "").lower()
    is_shared = not re.search(r"no-store|private", rules) and "Set-Cookie" not in headers
    if not is_shared or re.search(r"\*|cookie|authorization", varies):
        return ()
    names = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
    return tuple((asked, headers[name]) for name, asked in names.items() if name in headers)


_NOT_SHOWN = "the site does not show it to us"
_REASONS = {
    401: _NOT_SHOWN,
    402: _NOT_SHOWN,
    403: _NOT_SHOWN,
    404: "not found",
    410: "gone",
    429: "the site asks to come back later",
    451: _NOT_SHOWN,
}


def _require_success(status: int) -> None:
    if status == 200:
        return
    other = "the site has an error" if status >= 500 else "the site gave no page"
    reason = _REASONS.get(status, other)
    raise FetchFailed(f"{reason} ({status})", permanent=status in (404, 410))


MAX_ROBOTS_BYTES = 500 * 1024
_KEPT_S = 3600.0
_MAX_HOSTS = 2_000
_LIMITS = Limits(max_bytes=MAX_ROBOTS_BYTES, total_s=10.0)


class Manners:
    """The robots.txt of every host met; a missing or failing one forbids nothing."""

    def __init__(self, clock_s: Callable[[], float]) -> None:
        self._kept: TTLCache[str, Protego] = TTLCache(_MAX_HOSTS, ttl=_KEPT_S, timer=clock_s)
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def require(self, url: URL, client: Client) -> None:
        """Raises FetchDenied when the host's robots.txt forbids this page to us."""
        origin = str(url.origin())
        lock = self._asking.setdefault(origin, asyncio.Lock())
        async with lock:
            robots = self._kept.get(origin)
            if robots is None:
                text = await _ask(origin, client)
                robots = await asyncio.to_thread(Protego.parse, text)
                self._kept[origin] = robots
        if url.raw_path != "/robots.txt" and not robots.can_fetch(str(url), PRODUCT):
            raise FetchDenied("robots.txt refuses")


async def _ask(origin: str, client: Client) -> str:
    try:
        response = await client.get(f"{origin}/robots.txt", limits=_LIMITS)
    except FetchError:
        return ""
    if response.status != 200:
        return ""
    return decode(response.body, response.content_type)


_HEAD_BYTES = 4096
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BINARY_BYTES = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LEADING = re.compile(rb"(?:\s+|<\?xml[^>]*\?>|<!--.*?-->|<!doctype[^>]*>)*", re.I | re.S)
_PDF_START = b"%PDF-"
_FOREIGN_START = re.compile(rb"<svg[ >]", re.I)
_HTML_START = re.compile(rb"<(?:html|head|body|title|meta|div|p|h1|article|main)[\s/>]", re.I)
_HTML_TYPES = {"text/html", "application/xhtml+xml"}
_TEXT_TYPES = {"text/plain", "text/markdown", "text/x-markdown"}
_UNDECIDED_TYPES = {"", "application/octet-stream", "application/xml", "text/xml"}


def kind_of(body: bytes, content_type: str) -> TextKind:
    """A page's kind by its bytes; FetchFailed when it is no page, whatever its header says."""
    declared, _, _ = content_type.partition(";")
    declared = declared.strip().lower()
    head = body[:_HEAD_BYTES].removeprefix(codecs.BOM_UTF8)
    if head.lstrip().startswith(_PDF_START):
        return "pdf"
    if head.startswith(_WIDE_MARKS):
        head = head[2:].replace(b"\x00", b"")
        is_binary = False
    else:
        is_binary = _BINARY_BYTES.search(head) is not None
    start = _LEADING.sub(b"", head, count=1)
    if not is_binary and not _FOREIGN_START.match(start):
        looks_html = _HTML_START.match(start) or b"<!doctype html" in head[:512].lower()
        if declared in _HTML_TYPES or (declared in _UNDECIDED_TYPES and looks_html):
            return "html"
        if declared in _TEXT_TYPES:
            return "text"
    name = re.sub(r"[^a-z0-9.+/-]", "", declared)[:60]
    raise FetchFailed(f"not a text page ({name or 'unknown type'})")
