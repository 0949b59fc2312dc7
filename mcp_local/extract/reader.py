"""The pages' readers: a few worker processes, each replaced when a page stalls or crashes it."""

import asyncio
import os
import re
import resource
from contextlib import suppress
from functools import cache
from typing import Literal

from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

from mcp_local.errors import FetchFailed
from mcp_local.extract import Article

MAX_MEMORY_BYTES = 2_000_000_000
"""Of one worker; a page that breaks it ends the process, which is replaced."""


class Readers:
    """A fixed number of workers, started when they are needed and ended with the event loop."""

    def __init__(self, *, count: int = 2, limit_s: float = 20.0) -> None:
        self._free = asyncio.Semaphore(count)
        self._limit_s = limit_s

    async def read(self, kind: Literal["html", "text"], text: str, url: str) -> Article:
        """The article of a page; FetchFailed when it has none or cannot be read."""
        try:
            async with self._free, asyncio.timeout(self._limit_s):
                article = await to_process.run_sync(
                    read_page, kind, text, url, cancellable=True, limiter=CapacityLimiter(1)
                )
        except (TimeoutError, BrokenWorkerProcess):
            raise FetchFailed("the page's text could not be taken out") from None
        if article.lack:
            raise FetchFailed(article.lack)
        return article


def read_page(kind: Literal["html", "text"], text: str, url: str) -> Article:
    """The article of a page of either kind; runs in a worker."""
    _limit_memory()
    try:
        if kind == "text":
            return extract_text(text)
        # Imported here: the process that only asks its workers shall not load the libraries.
        from mcp_local.extract.html import extract_html

        return extract_html(text, url)
    except Exception:  # noqa: BLE001  a page may break the libraries in any way
        os._exit(1)


@cache
def _limit_memory() -> None:
    # Some systems know no such limit; the time limit of the other end holds everywhere.
    with suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, hard))


_HEADING = re.compile(r"^##? (.+)$", re.M)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def extract_text(text: str) -> Article:
    """The text with plain line ends; the title is its first heading or first line."""
    lines = (_CONTROLS.sub("", line).rstrip() for line in text.splitlines())
    plain = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    if not plain:
        return Article(lack="no text on the page")
    heading = _HEADING.search(plain)
    title = heading[1].strip("# ") if heading else plain.partition("\n")[0]
    return Article(title=title[:200], markdown=plain)
