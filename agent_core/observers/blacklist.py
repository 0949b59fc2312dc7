"""Blacklist of pages and hosts that failed for good, for the crawler and the reader service alike.

By page first, by host only where that is gone; a failure is forgotten each day, and all of them
once the page was read. The toolkit's crawler is given what is blocked with each call, and its rows
say what is gone; all sessions and processes share the file.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from agent_core.clock import machine_time
from agent_core.json_values import is_list, is_object, parse_result, text_in, texts_in
from agent_core.messages import ToolCall
from agent_core.observers.observing import ToolObserved, full_text
from agent_core.tools import ToolOutput, slug_of
from agent_core.workspaces.layout import timestamp, write_text

logger = logging.getLogger(__name__)

BLACKLIST = "webReader_blacklist.json"
FORGOTTEN_DAYS = 7
READER = "webReader"
CRAWLER = "mcp__local_toolkit__crawl_parallel"
_NOT_FOUND = '"code":"1214"'
"""Does not pass by itself."""
_TIMED_OUT = '"code":"1234"'
"""May pass, and is not counted."""
_REFUSAL = "This page was not there, again and again, in the last days. Use another source."


class _Failures(BaseModel):
    failures: int
    last_failure: str

    def remembered(self, now: datetime) -> int:
        try:
            last = datetime.fromisoformat(self.last_failure).replace(tzinfo=UTC)
        except ValueError:
            return 0
        days = max((now - last).days, 0)
        return 0 if days >= FORGOTTEN_DAYS else max(self.failures - days, 0)


class _StoredFailures(BaseModel):
    """The file, which all processes read anew at each use."""

    domains: dict[str, _Failures] = Field(default_factory=dict[str, _Failures])
    threshold: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BlacklistEntry:
    """A page or a host, with the failures that are not forgotten."""

    name: str
    failures: int
    last_failure: str
    is_blocked: bool


class Blacklist:
    """Counts what was not there; `root` is the directory of all workspaces."""

    def __init__(self, root: Path, now: Callable[[], datetime] = machine_time) -> None:
        self._path = root / BLACKLIST
        self._now = now
        self._writing = asyncio.Lock()

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        """Count a page that is not there, forget one that is; leaves no file in the workspace."""
        if _asks_for_pages(observed.call.name):
            async with self._writing:
                await asyncio.to_thread(self._learn, observed)
        return ()

    async def blocked(self, call: ToolCall) -> list[str]:
        """The addresses in a call of either tool that are not to be asked for."""
        if not _asks_for_pages(call.name):
            return []
        entries = await asyncio.to_thread(self.entries)
        names = {entry.name for entry in entries if entry.is_blocked}
        return [text for text in texts_in(call.arguments) if not names.isdisjoint(_keys(text))]

    async def refuse(self, call: ToolCall) -> ToolOutput | None:
        """The answer to a call of `webReader` for what is blocked; None lets it be made."""
        if slug_of(call.name) != READER or not await self.blocked(call):
            return None
        return ToolOutput(text=_REFUSAL, is_error=True, is_ours=True)

    def entries(self) -> list[BlacklistEntry]:
        """What is remembered, blocked or not yet, the newest failure first."""
        stored = self._read()
        now = self._now()
        entries = [
            BlacklistEntry(
                name=name,
                failures=failures,
                last_failure=record.last_failure,
                is_blocked=failures >= stored.threshold,
            )
            for name, record in stored.domains.items()
            if (failures := record.remembered(now))
        ]
        return sorted(entries, key=lambda entry: entry.last_failure, reverse=True)

    def clear(self, name: str) -> int:
        """Forget a host with its pages, or one page, by name or address; all with "".

        Returns how many records there were.
        """
        stored = self._read()
        host, page = _keys(name) if "://" in name else (name.lower(), name)
        kept = {
            key: record
            for key, record in stored.domains.items()
            if name and key != page and (host != page or key.partition("/")[0] != host)
        }
        count = len(stored.domains) - len(kept)
        if count:
            stored.domains = kept
            self._write(stored)
        return count

    def _learn(self, observed: ToolObserved) -> None:
        stored = self._read()
        before = stored.model_dump()
        outcomes = _crawl_outcomes if observed.call.name == CRAWLER else _reader_outcomes
        for url, outcome in outcomes(observed):
            host, page = _keys(url)
            if outcome == "read":
                for key in (host, page):
                    stored.domains.pop(key, None)
            elif name := host if outcome == "host" else page:
                earlier = stored.domains.get(name)
                failures = (earlier.remembered(observed.at) if earlier else 0) + 1
                last = timestamp(observed.at)
                stored.domains[name] = _Failures(failures=failures, last_failure=last)
                if failures == stored.threshold:
                    logger.warning("%s failed for good %d times: skipped for now", name, failures)
        if stored.model_dump() != before:
            stored.domains = {
                name: record
                for name, record in stored.domains.items()
                if record.remembered(observed.at)
            }
            self._write(stored)

    def _read(self) -> _StoredFailures:
        """A missing or damaged file is begun anew."""
        try:
            return _StoredFailures.model_validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            return _StoredFailures()

    def _write(self, stored: _StoredFailures) -> None:
        write_text(self._path, stored.model_dump_json(indent=2))


def _asks_for_pages(name: str) -> bool:
    return name == CRAWLER or slug_of(name) == READER


def _crawl_outcomes(observed: ToolObserved) -> Iterator[tuple[str, str]]:
    """Each address of a crawl with what came of it: `read`, or what is gone, `page` or `host`."""
    answer = parse_result(full_text(observed))
    pages = answer.get("pages") if is_object(answer) else None
    for row in pages if is_list(pages) else ():
        outcome = "read" if text_in(row, "status") == "success" else text_in(row, "gone")
        if outcome:
            yield text_in(row, "url"), outcome


def _reader_outcomes(observed: ToolObserved) -> Iterator[tuple[str, str]]:
    """The address that the reader service was asked for, likewise."""
    url = text_in(observed.call.arguments, "url")
    text = full_text(observed).replace(" ", "")
    if _TIMED_OUT in text:
        host, _ = _keys(url)
        logger.warning("%s was not reached in time (1234); it can be tried again", host)
    if _NOT_FOUND in text:
        yield url, "page"
    elif not observed.output.is_error:
        yield url, "read"


def _keys(url: str) -> tuple[str, str]:
    """The names under which an address's host and page are counted; both "" without a host."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return "", ""
    query = f"?{parts.query}" if parts.query else ""
    return host, f"{host}{parts.path or '/'}{query}" if host else ""
