"""Workers for what is read from foreign bytes: processes with limits, in a fair queue."""

import asyncio
import os
import re
import resource
import signal
from collections.abc import Callable, Hashable
from contextlib import AsyncExitStack, suppress
from datetime import date
from functools import cache
from typing import TypeVar, TypeVarTuple

from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

from mcp_local.errors import FetchFailed, NoReaderFree, ReadingFailed, ToolkitError
from mcp_local.extract import (
    GOES_ON,
    MAX_NAME_CHARS,
    MAX_TITLE_CHARS,
    NO_TEXT,
    ExtractedPage,
)
from mcp_local.fair_semaphore import FairSemaphore
from mcp_local.fetch import TextKind

MAX_MEMORY_BYTES = 200_000_000
"""Of one worker's own data; with its libraries it stays below 256 MB."""
PATIENCE_S = 120.0
"""How long a piece of work waits for a worker."""

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


class Readers:
    """At most `count` workers: each is started when all others are busy, and ends when idle.

    Sessions are served in turns.
    """

    def __init__(
        self,
        *,
        count: int = 2,
        cpu_s: float = 4.0,
        limit_s: float = 20.0,
        idle_s: float = 60.0,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """One piece of work may take `cpu_s` of a processor and `limit_s` of the clock."""
        self._patience_s = patience_s
        self._slots = FairSemaphore(count)
        self._cpu_s = cpu_s
        self._limit_s = limit_s
        self._idle_s = idle_s
        self._busy = 0
        self._started = 0
        self._ending: asyncio.Task[None] | None = None

    async def run(
        self,
        function: Callable[[*Arguments], T],
        *arguments: *Arguments,
        session: Hashable,
    ) -> T:
        """What `function`, which stands in a module, returns from a worker; all of it is pickled.

        A ToolkitError that it raises comes through. ReadingFailed: anything else went wrong in
        there, or a limit was met. NoReaderFree: no worker was free in time.
        """
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout(self._patience_s):
                    await held.enter_async_context(self._slots.slot(session))
            except TimeoutError:
                raise NoReaderFree("too much else is being read, try it later") from None
            try:
                async with asyncio.timeout(self._limit_s):
                    return await self._work(
                        _limited,
                        function,
                        arguments,
                        self._cpu_s,
                    )
            except (TimeoutError, BrokenWorkerProcess):
                raise ReadingFailed("the text could not be taken out") from None

    async def _work(self, function: Callable[[*Arguments], T], *arguments: *Arguments) -> T:
        """Take the worker that was idle last, or start one where none is: anyio does both."""
        if self._ending:
            self._ending.cancel()
        self._busy += 1
        self._started = max(self._started, self._busy)
        try:
            return await to_process.run_sync(
                function,
                *arguments,
                cancellable=True,
                limiter=CapacityLimiter(1),
            )
        except (asyncio.CancelledError, BrokenWorkerProcess):
            self._started -= 1
            raise
        finally:
            self._busy -= 1
            if not self._busy:
                self._ending = asyncio.create_task(self._end_idle())

    async def _end_idle(self) -> None:
        await asyncio.sleep(self._idle_s)
        while self._started:
            self._started -= 1
            with suppress(BrokenWorkerProcess):
                await to_process.run_sync(os._exit, 0, limiter=CapacityLimiter(1))


def _limited(function: Callable[[*Arguments], T], arguments: tuple[*Arguments], cpu_s: float) -> T:
    """Runs in a worker, which the system ends by a signal when a limit is met."""
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    _limit_memory()
    try:
        return function(*arguments)
    except ToolkitError:
        raise
    except BaseException:  # noqa: BLE001  foreign bytes may break a library, or make it panic
        os._exit(1)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


@cache
def _limit_memory() -> None:
    # Some systems know no such limit; the time limit of the other end holds everywhere.
    with suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, hard))


def read_page(kind: TextKind, content: str | bytes, url: str) -> ExtractedPage:
    """The text of a page of any kind and what it says of itself; runs in a worker.

    Raises:
        ToolkitError: There is no text to be had.
    """
    # Imported here: the process that only asks its workers shall not load the libraries.
    if isinstance(content, bytes):
        from mcp_local.extract.documents import read_pdf_page

        return read_pdf_page(content)
    if kind == "text":
        return extract_text(content)
    from mcp_local.extract.html import extract_html

    return extract_html(content, url)


MAX_TEXT_CHARS = 4_000_000
"""What stands behind is left out of a plain text."""

_HEAD_CHARS = 2_000
"""Of a plain text; within, a line such as `Author: Ada` or of YAML front matter is a fact."""
_FACT = re.compile(r"^(title|author|date): +[\"']?(.+?)[\"']?$", re.M | re.I)
_HEADING = re.compile(r"^##? (.+)$", re.M)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def extract_text(text: str) -> ExtractedPage:
    """The text with plain line ends; the title is its first heading or first line."""
    lines = (_CONTROLS.sub("", line).rstrip() for line in text[:MAX_TEXT_CHARS].splitlines())
    plain = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    if not plain:
        raise FetchFailed(NO_TEXT)
    note = GOES_ON if len(text) > MAX_TEXT_CHARS else ""
    facts = {name.lower(): value for name, value in _FACT.findall(plain[:_HEAD_CHARS])}
    heading = _HEADING.search(plain)
    title = heading[1].strip("# ") if heading else plain.partition("\n")[0]
    day: date | None = None
    with suppress(ValueError):
        day = date.fromisoformat(facts.get("date", "")[:10])
    return ExtractedPage(
        title=facts.get("title", title)[:MAX_TITLE_CHARS],
        markdown=plain,
        author=facts.get("author", "")[:MAX_NAME_CHARS],
        published=day,
        note=note,
    )
