"""Cache of the hosts' robots.txt, each kept for an hour; Protego reads them."""

import asyncio
from collections.abc import Callable
from weakref import WeakValueDictionary

from cachetools import TTLCache
from protego import Protego
from yarl import URL

from mcp_local.errors import FetchDenied, FetchError
from mcp_local.fetch.client import PRODUCT, Client, Limits
from mcp_local.fetch.decoding import decode

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
