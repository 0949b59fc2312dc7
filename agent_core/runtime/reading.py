"""Whether a turn tried to read pages and could read none. Pure."""

import re
from collections.abc import Sequence

from agent_core.events import AnyEvent, ToolCallFinished

_READER = re.compile(r"(?:^|__)crawl_parallel$")
_SUCCESSES = re.compile(r'"successful": ?(\d+)')


def read_nothing(events: Sequence[AnyEvent]) -> bool:
    """Whether pages were asked for, by whatever agent, and each and every one failed."""
    counts = [_pages_read(event) for event in events if _is_reading(event)]
    return bool(counts) and not any(counts)


def _is_reading(event: AnyEvent) -> bool:
    return isinstance(event, ToolCallFinished) and _READER.search(event.tool) is not None


def _pages_read(event: AnyEvent) -> int:
    """As the tool counted them, at the beginning of its result; none if the call failed."""
    preview = event.preview if isinstance(event, ToolCallFinished) else ""
    counted = _SUCCESSES.search(preview)
    return int(counted[1]) if counted else 0
