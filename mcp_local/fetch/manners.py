"""Asks each host's robots.txt once and remembers the answer for an hour."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from yarl import URL

from mcp_local.errors import FetchDenied, FetchError
from mcp_local.fetch.charset import decode
from mcp_local.fetch.client import PRODUCT, Client, Limits
from mcp_local.fetch.robots import MAX_ROBOTS_BYTES, Robots, parse_robots

_KEPT_S = 3600.0
_MAX_HOSTS = 2_000
_LIMITS = Limits(max_bytes=MAX_ROBOTS_BYTES, total_s=10.0)


@dataclass(slots=True, kw_only=True)
class _Host:
    robots: Robots | None = None
    asked_at_s: float = 0.0
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)


class Manners:
    """The robots.txt of every host met; a missing or failing one forbids nothing."""

    def __init__(self, clock_s: Callable[[], float]) -> None:
        self._clock_s = clock_s
        self._hosts: dict[str, _Host] = {}

    async def require(self, url: URL, client: Client) -> None:
        """Raises FetchDenied when the host's robots.txt forbids this page to us."""
        robots = await self._robots(str(url.origin()), client)
        if not robots.allows(url.raw_path_qs):
            raise FetchDenied("robots.txt refuses")

    async def _robots(self, origin: str, client: Client) -> Robots:
        if len(self._hosts) >= _MAX_HOSTS:
            self._hosts.clear()
        host = self._hosts.setdefault(origin, _Host())
        async with host.asking:
            if host.robots is None or self._clock_s() - host.asked_at_s > _KEPT_S:
                host.robots = await _ask(origin, client)
                host.asked_at_s = self._clock_s()
            return host.robots


async def _ask(origin: str, client: Client) -> Robots:
    try:
        response = await client.get(f"{origin}/robots.txt", limits=_LIMITS)
    except FetchError:
        return Robots()
    if response.status != 200:
        return Robots()
    return parse_robots(decode(response.body, response.content_type), PRODUCT)
