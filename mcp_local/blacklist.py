"""Domains that keep failing for good, remembered across sessions in webReader_blacklist.json."""

import logging
import secrets
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from cachetools import FIFOCache
from pydantic import BaseModel, Field, ValidationError

FILE_NAME = "webReader_blacklist.json"
THRESHOLD = 3

logger = logging.getLogger(__name__)


class DomainRecord(BaseModel):
    """How often a domain failed for good."""

    failures: int
    last_failure: str


class BlacklistFile(BaseModel):
    """The file as it is stored."""

    domains: dict[str, DomainRecord] = Field(default_factory=dict[str, DomainRecord])
    threshold: int = THRESHOLD


class Blacklist:
    """Counts permanent failures; the file is read anew at each use, as other processes write it.

    Reads and writes the disk; may be used in several threads.
    """

    def __init__(self, root: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = root / FILE_NAME
        self._now = now
        self._counted: FIFOCache[str, bool] = FIFOCache(10_000)
        self._recording = threading.Lock()

    def blocks(self, url: str) -> bool:
        """Whether the URL's domain has failed for good as often as the threshold says."""
        stored = self._read()
        record = stored.domains.get(_domain(url))
        return record is not None and record.failures >= stored.threshold

    def record(self, url: str) -> None:
        """Count a permanent failure against the URL's domain, once for each URL."""
        domain = _domain(url)
        with self._recording:
            if domain and url not in self._counted:
                self._counted[url] = True
                self._count(domain)

    def _count(self, domain: str) -> None:
        stored = self._read()
        earlier = stored.domains.get(domain)
        # The described format has local-looking times without a zone; ours are UTC.
        moment = self._now().astimezone(UTC).replace(tzinfo=None)
        failures = (earlier.failures if earlier else 0) + 1
        stored.domains[domain] = DomainRecord(
            failures=failures, last_failure=moment.isoformat(timespec="microseconds")
        )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        partial = self._path.with_name(f".{FILE_NAME}.{secrets.token_hex(6)}")
        partial.write_text(stored.model_dump_json(indent=2), encoding="utf-8")
        partial.replace(self._path)
        if failures == stored.threshold:
            logger.warning("%s has failed for good %d times: skipped from now on", domain, failures)

    def _read(self) -> BlacklistFile:
        """A missing or damaged file blocks nothing."""
        try:
            return BlacklistFile.model_validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            return BlacklistFile()


def _domain(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower().rstrip(".")
    except ValueError:
        return ""
