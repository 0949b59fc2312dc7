"""SSRF guard: resolves a host to addresses that may be dialled; nothing else is ever dialled."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from mcp_local.errors import FetchDenied, FetchFailed, HostGone
from mcp_local.fetch.urls import NOT_PUBLIC, Allowance, is_public, parse_address

_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]
"""One entry as `getaddrinfo` gives it; the last member starts with address and port."""


LookUp = Callable[[str], Awaitable[list[str]]]
"""Asks DNS: all addresses of a name; FetchFailed when it has none."""


async def system_look_up(host: str) -> list[str]:
    """The machine's own resolver; HostGone when the name does not exist."""
    loop = asyncio.get_running_loop()
    try:
        infos = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        if error.errno in _NO_SUCH_NAME:
            raise HostGone from error
        raise FetchFailed("the host's name could not be looked up") from error
    except UnicodeError:
        raise HostGone from None
    return [str(info[4][0]) for info in infos]


SocketFactory = Callable[[AddressInfo], socket.socket]
"""Makes the socket for an address that is about to be dialled."""


def open_socket(target: AddressInfo) -> socket.socket:
    """An ordinary stream socket."""
    family, kind, protocol = target[:3]
    return socket.socket(family=family, type=kind, proto=protocol)


class AddressGuard(AbstractResolver):
    """Stands between aiohttp and the network: resolves, checks, and remembers what it passed.

    aiohttp skips its resolver for hosts that it reads as literals. Its sockets come from the
    guard too, and the guard makes none for an address that it has not passed before.
    """

    def __init__(
        self,
        look_up: LookUp,
        allowance: Allowance,
        make_socket: SocketFactory,
    ) -> None:
        self._look_up = look_up
        self._allowance = allowance
        self._make_socket = make_socket
        self._passed: set[tuple[str, int]] = set()

    def pass_literal(self, host: str, port: int) -> None:
        """Let a host that is an address be dialled, if it may; a name is left to `resolve`."""
        address = parse_address(host)
        if address is None:
            return
        if is_public(address) or self._allowance.lets_through(host, port):
            self._passed.add((str(address), port))

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,
    ) -> list[ResolveResult]:
        """The question aiohttp asks; all of a name's addresses must be public, or none is given."""
        endpoint = self._allowance.endpoint(host, port)
        if endpoint:
            return [self._passing(host, *endpoint)]
        addresses = await self._look_up(host)
        if not self._allowance.lets_through(host, port):
            _require_public(addresses)
        unique = dict.fromkeys(filter(parse_address, addresses))
        return [self._passing(host, address, port) for address in unique]

    async def close(self) -> None:
        """Nothing is held open."""

    def socket_for(self, target: AddressInfo) -> socket.socket:
        """The last step before aiohttp dials."""
        host, port = target[4][:2]
        address = parse_address(str(host))
        if (str(address), int(port)) not in self._passed:
            raise FetchDenied(NOT_PUBLIC)
        return self._make_socket(target)

    def _passing(self, host: str, address: str, port: int) -> ResolveResult:
        self._passed.add((str(parse_address(address)), port))
        return ResolveResult(
            hostname=host,
            host=address,
            port=port,
            family=socket.AF_INET6 if ":" in address else socket.AF_INET,
            proto=socket.IPPROTO_TCP,
            flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
        )


def _require_public(addresses: list[str]) -> None:
    if not addresses:
        raise HostGone
    for text in addresses:
        address = parse_address(text)
        if address is None or not is_public(address):
            raise FetchDenied(NOT_PUBLIC)
