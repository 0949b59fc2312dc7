"""Files that people attached, fetched with the bot's token from Slack and from nobody else.

They come piece by piece: none is ever whole in memory.
"""

import asyncio
from typing import BinaryIO
from urllib.parse import urljoin, urlsplit

import aiohttp

from bot.slack_api.errors import DownloadRefused, FileTooBig
from bot.slack_api.wire import Wire

TRANSFER_LIMIT_S = 60.0
MAX_REDIRECTS = 5
CHUNK_BYTES = 262_144
_SLACK_DOMAINS = ("slack.com", "slack-edge.com", "slack-files.com", "slack-gov.com")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Downloads:
    """Downloads that are what they say, or an error."""

    def __init__(self, wire: Wire) -> None:
        self._token = wire.client.token or ""
        self._api_place = _place(wire.client.base_url)

    async def fetch(self, url: str, into: BinaryIO, *, max_bytes: int) -> int:
        """Write a file into an open one and return its size. What is written at an error stays.

        Raises:
            FileTooBig: It has more than `max_bytes`; no more than these were written.
            DownloadRefused: It lies elsewhere than with Slack, could not be fetched, or a sign-in
                page came in its place.
            OSError: `into` could not be written.
        """
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            async with (
                asyncio.timeout(TRANSFER_LIMIT_S),
                aiohttp.ClientSession(headers=headers) as session,
            ):
                return await self._follow(session, url, into, max_bytes)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise DownloadRefused("download", detail=type(error).__name__) from error

    async def _follow(
        self, session: aiohttp.ClientSession, url: str, into: BinaryIO, max_bytes: int
    ) -> int:
        """Redirects are followed here: Slack's own keep the token, and no other may have it."""
        for _ in range(MAX_REDIRECTS + 1):
            self._check_place(url)
            async with session.get(url, allow_redirects=False) as answer:
                if answer.status not in _REDIRECTS:
                    return await _pour(answer, into, max_bytes)
                url = urljoin(url, answer.headers.get("Location", ""))
        raise DownloadRefused("download", detail="too many redirects")

    def _check_place(self, url: str) -> None:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
        is_slack = parts.scheme == "https" and any(
            host == domain or host.endswith(f".{domain}") for domain in _SLACK_DOMAINS
        )
        if not is_slack and _place(url) != self._api_place:
            raise DownloadRefused("download", detail="the file does not lie with Slack")


async def _pour(answer: aiohttp.ClientResponse, into: BinaryIO, max_bytes: int) -> int:
    if answer.status != 200 or _is_sign_in_page(answer):
        raise DownloadRefused("download", detail=f"status {answer.status}, not the file")
    size_bytes = 0
    async for chunk in answer.content.iter_chunked(CHUNK_BYTES):
        size_bytes += len(chunk)
        if size_bytes > max_bytes:
            raise FileTooBig("download", detail=f"more than {max_bytes} bytes")
        await asyncio.to_thread(into.write, chunk)
    return size_bytes


def _is_sign_in_page(answer: aiohttp.ClientResponse) -> bool:
    """Slack answers a download without rights with an HTML page and status 200."""
    wants_html = answer.url.path.lower().endswith((".html", ".htm"))
    return answer.content_type == "text/html" and not wants_html


def _place(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
