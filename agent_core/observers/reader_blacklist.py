"""Counts pages that the reader service did not find into the blacklist that the crawler keeps.

The file is the local toolkit's (`webReader_blacklist.json`), which reads it anew at each use.
"""

import asyncio
import json
import logging
import secrets
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agent_core.messages import JsonObject
from agent_core.observers.executions import slug_of
from agent_core.observers.observing import ToolObserved, full_text
from agent_core.tools.payloads import is_object, parse, text_in

logger = logging.getLogger(__name__)

FILE_NAME = "webReader_blacklist.json"
THRESHOLD = 3
NOT_FOUND = "1214"
"""Does not pass by itself; 1234, a time-out, may, and is not counted."""


class ReaderBlacklist:
    """Knows the results of `webReader`; `root` is the directory of all workspaces."""

    def __init__(self, root: Path) -> None:
        self._path = root / FILE_NAME
        self._writing = asyncio.Lock()

    async def saw(self, observed: ToolObserved) -> Sequence[str]:
        """Count a page that is not there against its domain; leaves no file in the workspace."""
        if slug_of(observed.call.name) != "webReader":
            return ()
        async with self._writing:
            await asyncio.to_thread(self._look, observed)
        return ()

    def _look(self, observed: ToolObserved) -> None:
        domain = _domain(text_in(observed.call.arguments, "url"))
        said = full_text(observed).replace(" ", "")
        if domain and f'"code":"{NOT_FOUND}"' in said:
            self._count(domain, observed)

    def _count(self, domain: str, observed: ToolObserved) -> None:
        stored = self._read()
        domains: JsonObject = stored["domains"]
        record: Any = domains.get(domain)
        failures = int(record.get("failures", 0)) + 1 if is_object(record) else 1
        # The described format has times without a zone; as the crawler's, these are UTC.
        moment = observed.at.astimezone(UTC).replace(tzinfo=None)
        domains[domain] = {
            "failures": failures,
            "last_failure": moment.isoformat(timespec="microseconds"),
        }
        partial = self._path.with_name(f".{FILE_NAME}.{secrets.token_hex(6)}")
        partial.write_text(json.dumps(stored, indent=2), encoding="utf-8")
        partial.replace(self._path)
        if failures == stored["threshold"]:
            logger.warning("%s has failed for good %d times: skipped from now on", domain, failures)

    def _read(self) -> JsonObject:
        """A missing or damaged file holds nothing."""
        try:
            stored = parse(self._path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            stored = None
        kept = stored if is_object(stored) else {}
        domains, threshold = kept.get("domains"), kept.get("threshold")
        return {
            "domains": domains if is_object(domains) else {},
            "threshold": threshold if isinstance(threshold, int) else THRESHOLD,
        }


def _domain(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower().rstrip(".")
    except ValueError:
        return ""
