"""Files to and from Slack: a post with files in the calls it takes, made once, and downloads.

A post's files are read and sent one after another, so that no two are in memory. Downloads come
piece by piece, so that none is ever whole in memory; they are fetched with the bot's
token from Slack and from nobody else.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import BinaryIO
from urllib.parse import urljoin, urlsplit

import aiohttp

from agent_core.fault_points import fault_point
from agent_core.messages import JsonObject
from bot.slack_api.calls import BACKOFF, Calls
from bot.slack_api.errors import (
    DownloadRefused,
    FileTooBig,
    SlackRefused,
    SlackUnavailable,
)
from bot.slack_api.records import shared_in
from bot.threads import ThreadRef

TRANSFER_LIMIT_S = 60.0
MAX_REDIRECTS = 5
CHUNK_BYTES = 262_144
_SLACK_DOMAINS = ("slack.com", "slack-edge.com", "slack-files.com", "slack-gov.com")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
SHARE_CHECKS = 3

Remember = Callable[[Sequence[str]], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file to be posted."""

    name: str
    read: Callable[[], bytes]
    """Its content, asked for when its turn comes. OSError: it cannot be had any more."""
    title: str
    alt_text: str = ""
    """What a picture shows, in words."""


@dataclass(frozen=True, slots=True)
class Files:
    """Uploads that appear once, and downloads with the bot's token."""

    _calls: Calls
    _settle_s: float

    async def share(
        self,
        thread: ThreadRef,
        uploads: Sequence[Upload],
        *,
        blocks: Sequence[JsonObject] = (),
        remember: Remember | None = None,
    ) -> list[tuple[Upload, SlackRefused]]:
        """Post files into the thread once, all in one post with the blocks; what was refused.

        `remember` is awaited with the files' ids before the post becomes visible, so that a later
        process can ask `is_shared` and need not post again. Raises SlackRefused where no file, or
        not the post, is taken.
        """
        files: list[dict[str, str]] = []
        refused: list[tuple[Upload, SlackRefused]] = []
        for upload in uploads:
            try:
                file_id = await self._send_one(upload)
            except SlackRefused as error:
                refused.append((upload, error))
            else:
                files.append({"id": file_id, "title": upload.title})
        if not files:
            raise refused[0][1]
        ids = [file["id"] for file in files]
        if remember is not None:
            await remember(ids)
        shared = {
            "files": files,
            "channel_id": thread.channel,
            "thread_ts": thread.root_ts,
        }
        if blocks:
            shared["blocks"] = list(blocks)
        await self._calls.insist(
            lambda: self._calls.single("files.completeUploadExternal", shared),
            find=partial(self._find_shared, ids[0], thread.channel),
        )
        return refused

    async def _send_one(self, upload: Upload) -> str:
        """The id of a file whose bytes are with Slack, seen by nobody yet. Raises SlackError."""
        try:
            content = await asyncio.to_thread(upload.read)
        except OSError as error:
            raise SlackRefused("files.upload", detail=str(error)) from error
        about = {"filename": upload.name, "length": len(content)}
        about |= {"alt_txt": upload.alt_text} if upload.alt_text else {}
        reserved = await self._calls.repeatable("files.getUploadURLExternal", about)
        fault_point("upload_bytes.before")
        await self._calls.insist(partial(self._send, reserved["upload_url"], content))
        fault_point("upload_bytes.after")
        return str(reserved["file_id"])

    async def is_shared(self, file_id: str, channel: str) -> bool:
        """Whether a file that an earlier process has begun to share is visible in the channel.

        It is asked late enough for a request that was still under way.
        """
        await self._calls.clock.sleep(self._settle_s)
        return await self._find_shared(file_id, channel) is not None

    async def _find_shared(self, file_id: str, channel: str) -> JsonObject | None:
        """The file if it is shared. Slack shows a new one late, so it is asked thrice."""
        for wait_s in islice(BACKOFF.waits_s(), SHARE_CHECKS):
            file = await self.about(file_id)
            if shared_in(file, channel):
                return file
            await self._calls.clock.sleep(wait_s)
        return None

    async def about(self, file_id: str) -> JsonObject:
        """What Slack knows of a file: its mode alone of one that was deleted, nothing of none."""
        try:
            answer = await self._calls.repeatable("files.info", {"file": file_id})
        except SlackRefused as refused:
            if refused.code in {"file_not_found", "file_deleted"}:
                return {"mode": "tombstone"} if refused.code == "file_deleted" else {}
            raise
        return answer["file"]

    async def delete(self, file_id: str) -> None:
        """Take a file of the bot away; one that is gone is fine."""
        fine = {"file_not_found", "file_deleted"}
        await self._calls.repeatable("files.delete", {"file": file_id}, fine=fine)

    async def download(self, url: str, into: BinaryIO, *, max_bytes: int) -> int:
        """Write a file into an open one and return its size. What is written at an error stays.

        Raises:
            FileTooBig: It has more than `max_bytes`; no more than these were written.
            DownloadRefused: It lies elsewhere than with Slack, could not be fetched, or a sign-in
                page came in its place.
            OSError: `into` could not be written.
        """
        headers = {"Authorization": f"Bearer {self._calls.client.token}"}
        try:
            async with (
                asyncio.timeout(TRANSFER_LIMIT_S),
                aiohttp.ClientSession(headers=headers) as session,
            ):
                return await self._follow(session, url, into, max_bytes)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise DownloadRefused("download", detail=type(error).__name__) from error

    async def _send(self, url: str, content: bytes) -> None:
        """Bytes sent twice to one address are one file."""
        try:
            async with (
                asyncio.timeout(TRANSFER_LIMIT_S),
                aiohttp.ClientSession() as session,
                session.post(url, data=content) as answer,
            ):
                status = answer.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise SlackUnavailable("files.upload", detail=type(error).__name__) from error
        if status != 200:
            raise SlackUnavailable("files.upload", detail=f"status {status}")

    async def _follow(
        self,
        session: aiohttp.ClientSession,
        url: str,
        into: BinaryIO,
        max_bytes: int,
    ) -> int:
        """Redirects are followed here: Slack's own keep the token, and no other may have it."""
        for _ in range(MAX_REDIRECTS + 1):
            self._check_origin(url)
            async with session.get(url, allow_redirects=False) as answer:
                if answer.status not in _REDIRECTS:
                    return await _pour(answer, into, max_bytes)
                url = urljoin(url, answer.headers.get("Location", ""))
        raise DownloadRefused("download", detail="too many redirects")

    def _check_origin(self, url: str) -> None:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
        is_slack = parts.scheme == "https" and any(
            host == domain or host.endswith(f".{domain}") for domain in _SLACK_DOMAINS
        )
        if not is_slack and _origin(url) != _origin(self._calls.client.base_url):
            raise DownloadRefused("download", detail="the file does not lie with Slack")


async def _pour(answer: aiohttp.ClientResponse, into: BinaryIO, max_bytes: int) -> int:
    # Slack answers a download without rights with an HTML page and status 200.
    is_page = answer.content_type == "text/html"
    wants_page = answer.url.path.lower().endswith((".html", ".htm"))
    if answer.status != 200 or (is_page and not wants_page):
        raise DownloadRefused("download", detail=f"status {answer.status}, not the file")
    size_bytes = 0
    async for chunk in answer.content.iter_chunked(CHUNK_BYTES):
        size_bytes += len(chunk)
        if size_bytes > max_bytes:
            raise FileTooBig("download", detail=f"more than {max_bytes} bytes")
        await asyncio.to_thread(into.write, chunk)
    return size_bytes


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
