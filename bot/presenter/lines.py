"""The lines of a progress post: a turn's steps in order, the old ones folded away. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from agent_core.ids import ROOT_RUN, RunId, ToolCallId, child_run
from bot.presenter.words import Words
from bot.render import limits

_INDENT = "      "
_TICKS = {"running": "▸", "done": "✓", "failed": "✗", "unsure": "?", "taken": "+"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One tool call, or a message that was taken in."""

    words: str
    part: int
    """The number of the progress post in which it began."""
    pages: int = 0
    state: Literal["running", "done", "failed", "unsure", "taken"] = "running"
    detail: str = ""

    @property
    def may_fold(self) -> bool:
        """Not while it runs, nor if nobody knows how it ended."""
        return self.state not in {"running", "unsure"}

    def text(self, depth: int) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{_INDENT * depth}{_TICKS[self.state]} {self.words}{detail}"


class Lines:
    """Lines by run and call. Sub-agents' calls stand below the call that started them."""

    def __init__(self) -> None:
        self._lines: dict[RunId, dict[ToolCallId, Line]] = {}

    def get(self, run: RunId, call: ToolCallId) -> Line | None:
        return self._lines.get(run, {}).get(call)

    def put(self, run: RunId, call: ToolCallId, line: Line) -> None:
        """Add a line as the newest of its run, or put another one in its place."""
        self._lines.setdefault(run, {})[call] = line

    def count(self, state: str) -> int:
        """How many are in this state."""
        return sum(line.state == state for run in self._lines.values() for line in run.values())

    def shown(self, part: int, words: Words) -> list[str]:
        """At most `PROGRESS_LINES` for the post of this number: finished ones are folded first."""
        rows = list(self._rows(ROOT_RUN, depth=0))
        hidden = _hidden([line for line, _ in rows], part)
        texts = [text for index, (_, text) in enumerate(rows) if index not in hidden]
        if hidden:
            texts.insert(0, f"{_TICKS['done']} {words.count(words.earlier_steps, len(hidden))}")
        return _capped(texts, words)

    def _rows(self, run: RunId, depth: int) -> Iterator[tuple[Line, str]]:
        for call, line in self._lines.get(run, {}).items():
            yield line, line.text(depth)
            yield from self._rows(child_run(run, call), depth + 1)


def _hidden(lines: Sequence[Line], part: int) -> set[int]:
    """Those of earlier posts, and the oldest of this one where there are too many."""
    foldable = [index for index, line in enumerate(lines) if line.may_fold]
    hidden = {index for index in foldable if lines[index].part < part}
    room = limits.PROGRESS_LINES - (1 if hidden else 0)
    surplus = len(lines) - len(hidden) - room
    if surplus > 0:
        rest = [index for index in foldable if index not in hidden]
        hidden.update(rest[: surplus if hidden else surplus + 1])
    return hidden


def _capped(texts: list[str], words: Words) -> list[str]:
    over = len(texts) - limits.PROGRESS_LINES
    if over <= 0:
        return texts
    kept = texts[: limits.PROGRESS_LINES - 1]
    return [*kept, f"… {words.more_steps.format(n=over + 1)}"]
