"""Blacklist of pages and hosts that failed for good, across sessions, and forgotten in days.

The file is shared with the bot, whose `agent_core.observers.blacklist` keeps the same rules for
pages that a reader service fetches.
"""

import secrets
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from mcp_local.sources import host_of

BLACKLIST_FILE = "webReader_blacklist.json"
THRESHOLD = 3
Standing = Literal["unknown", "failed", "blocked"]
FORGOTTEN_DAYS = 7
"""A failure is forgotten each day, and all of them after so many."""


class FailureRecord(BaseModel):
    """How often a page or a host failed for good."""

    failures: int
    last_failure: str
    """In UTC, without saying so, as described."""

    def remembered(self, now: datetime) -> int:
        """The failures that are not forgotten yet; none where the time cannot be read."""
        try:
            last = datetime.fromisoformat(self.last_failure).replace(tzinfo=UTC)
        except ValueError:
            return 0
        days = max((now - last).days, 0)
        return 0 if days >= FORGOTTEN_DAYS else max(self.failures - days, 0)


class BlacklistFile(BaseModel):
    """The file as it is stored."""

    domains: dict[str, FailureRecord] = Field(default_factory=dict[str, FailureRecord])
    """By host, or by address without its scheme for a page, which has a slash."""
    threshold: int = THRESHOLD


class Blacklist:
    """Counts permanent failures; the file is read anew at each use, as other processes write it.

    Reads and writes the disk; may be used in several threads.
    """

    def __init__(self, root: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = root / BLACKLIST_FILE
        self._now = now
        self._recording = threading.Lock()

    def blocks(self, url: str) -> bool:
        """Whether the page, or its host, has failed for good as often as the threshold says."""
        return self.standing(url) == "blocked"

    def standing(self, url: str) -> Standing:
        """Of the page or its host, whichever is worse."""
        stored = self._read()
        now = self._now()
        records = [stored.domains.get(key) for key in (host_of(url), _page_key(url))]
        failures = [record.remembered(now) for record in records if record]
        if not failures:
            return "unknown"
        return "blocked" if max(failures) >= stored.threshold else "failed"

    def record(self, url: str, *, is_host: bool = False) -> None:
        """Count a permanent failure against the page, or against its host where that is gone."""
        key = host_of(url) if is_host else _page_key(url)
        if not host_of(url):
            return
        with self._recording:
            stored = self._read()
            now = self._now().astimezone(UTC)
            stored.domains = {
                name: record for name, record in stored.domains.items() if record.remembered(now)
            }
            earlier = stored.domains.get(key)
            stored.domains[key] = FailureRecord(
                failures=(earlier.remembered(now) if earlier else 0) + 1,
                last_failure=now.replace(tzinfo=None).isoformat(timespec="microseconds"),
            )
            self._write(stored)

    def reset(self, url: str) -> None:
        """Forget the failures of a page that was read, and of its host."""
        with self._recording:
            stored = self._read()
            if _without(stored, (host_of(url), _page_key(url))):
                self._write(stored)

    def _read(self) -> BlacklistFile:
        """A missing or damaged file blocks nothing."""
        try:
            return BlacklistFile.model_validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            return BlacklistFile()

    def _write(self, stored: BlacklistFile) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._path.with_name(f".{BLACKLIST_FILE}.{secrets.token_hex(6)}")
        unfinished.write_text(stored.model_dump_json(indent=2), encoding="utf-8")
        unfinished.replace(self._path)


def _page_key(url: str) -> str:
    """The address without its scheme; "" where it names no host."""
    if not host_of(url):
        return ""
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{host_of(url)}{parts.path or '/'}{query}"


def _without(stored: BlacklistFile, keys: Iterable[str]) -> bool:
    """Take records out; whether there were any."""
    records = [stored.domains.pop(key, None) for key in keys]
    return any(records)
