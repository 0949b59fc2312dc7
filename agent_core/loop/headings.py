"""Headings of a text that a model is writing into a tool call, read while the call grows.

A report is written into one call for a minute and more; its headings are what people can follow.
"""

import json
import re

from agent_core.models import CallDelta

MAX_TAIL_CHARS = 400
"""So much is looked at again, since a heading may come in pieces."""

_HEADING = re.compile(r'(?:\\n|")## +((?:[^"\\]|\\[^n])+?)\s*\\n')
"""A Markdown section in a JSON string, where a line's end is written `\\n`."""
_NUMBERED = re.compile(r"\d+[.):]?\s")


class Headings:
    """Reads the headings of one model call."""

    def __init__(self) -> None:
        self._tail = ""
        self._count = 0

    def newest(self, piece: CallDelta) -> str:
        """The heading that this piece ends, with the number of its section; mostly empty."""
        self._tail += piece.text
        newest = ""
        end = 0
        for match in _HEADING.finditer(self._tail):
            self._count += 1
            newest = self._numbered(match[1])
            end = match.end(1)
        self._tail = self._tail[end:][-MAX_TAIL_CHARS:]
        return newest

    def _numbered(self, written: str) -> str:
        try:
            heading = str(json.loads(f'"{written}"'))
        except ValueError:
            heading = written
        if _NUMBERED.match(heading):
            return heading
        return f"{self._count} {heading}"
