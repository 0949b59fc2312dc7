"""The state of a turn as its progress post shows it: a fold over events, and its text. Pure."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    Outcome,
    StepFinished,
    StepRetried,
    StepStarted,
    ToolCallFinished,
    ToolCallProgressed,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, child_run
from agent_core.prompts.language import detect_language
from bot.presenter.tools import describe, pages_read
from bot.presenter.words import WORDS, Words
from bot.render import limits, one_line

_INDENT = "      "
_TICKS = {"running": "▸", "done": "✓", "failed": "✗"}
BUSY_WAIT_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One tool call."""

    words: str
    pages: int
    state: Literal["running", "done", "failed"] = "running"
    detail: str = ""


REPORT = "text/html"


@dataclass(slots=True)
class Board:
    """What happened so far. Sub-agents' calls stand below the call that started them."""

    words: Words = field(default_factory=lambda: WORDS["en"])
    asker: str = ""
    started_at: datetime | None = None
    last_at: datetime | None = None
    outcome: Outcome | None = None
    tool_calls: int = 0
    pages: int = 0
    notice: str = ""
    artifacts: dict[str, ArtifactSaved] = field(default_factory=dict[str, ArtifactSaved])
    _lines: dict[RunId, dict[ToolCallId, Line]] = field(
        default_factory=dict[RunId, dict[ToolCallId, Line]]
    )

    def fold(self, event: AnyEvent) -> None:
        """Take an event into the picture."""
        self.last_at = event.at
        match event:
            case TurnStarted():
                self._start(event)
            case StepStarted():
                self.notice = self.words.thinking if event.run == ROOT_RUN else ""
            case StepFinished():
                self.notice = ""
            case StepRetried():
                self.notice = self.words.trying_again if event.wait_s >= BUSY_WAIT_S else ""
            case ToolCallStarted() | ToolCallProgressed() | ToolCallFinished():
                self._fold_call(event)
            case ArtifactSaved():
                self.artifacts.pop(event.path, None)
                self.artifacts[event.path] = event
            case TurnFinished():
                self.outcome = event.outcome
            case _:
                pass

    @property
    def final_artifacts(self) -> list[ArtifactSaved]:
        """What the person gets: of a run's reports the last one, since drafts are written again."""
        final: dict[str, ArtifactSaved] = {}
        for saved in self.artifacts.values():
            final[f"report of {saved.run}" if saved.mimetype == REPORT else saved.path] = saved
        return list(final.values())

    def progress(self, *, since_last_s: float = 0.0) -> str:
        """The progress post: a head, then at most `PROGRESS_LINES` lines."""
        head = " · ".join([f"*{self.words.working}*", *self._counts(since_last_s)])
        lines = self._folded(self._flat(ROOT_RUN, depth=0))
        notice = [f"_{self.notice}_"] if self.notice else []
        return "\n".join([head, *lines, *notice])

    def closed(self) -> str:
        """What the progress post becomes at the end: one short line."""
        outcome = self.outcome or "answered"
        form = {
            "answered": self.words.done,
            "limited": self.words.limited,
            "stopped": self.words.stopped,
            "failed": self.words.failed,
        }[outcome]
        time = spoken_time(self._elapsed_s())
        return " · ".join([form.format(time=time), *self._work()])

    def _start(self, event: TurnStarted) -> None:
        self.words = WORDS[detect_language(event.text, locale=event.author_locale)]
        self.asker = event.asker
        self.started_at = event.at

    def _fold_call(self, event: ToolCallStarted | ToolCallProgressed | ToolCallFinished) -> None:
        lines = self._lines.setdefault(event.run, {})
        if isinstance(event, ToolCallStarted):
            step = describe(event.tool, event.arguments, self.words)
            lines[event.call_id] = Line(words=step.words, pages=step.pages)
            self.tool_calls += 1
        elif (line := lines.get(event.call_id)) is not None:
            lines[event.call_id] = self._moved_on(line, event)

    def _moved_on(self, line: Line, event: ToolCallProgressed | ToolCallFinished) -> Line:
        if isinstance(event, ToolCallProgressed):
            return replace(line, detail=one_line(event.text, limits.PROGRESS_WORD_CHARS))
        if event.is_error:
            return replace(line, state="failed", detail="")
        if line.pages:
            self.pages += pages_read(event.display, event.preview, line.pages)
        detail = one_line(event.display, limits.PROGRESS_WORD_CHARS)
        return replace(line, state="done", detail=detail)

    def _flat(self, run: RunId, depth: int) -> list[tuple[bool, str]]:
        """Whether each line is finished, and its text; children below their parent."""
        flat: list[tuple[bool, str]] = []
        for call, line in self._lines.get(run, {}).items():
            detail = f" ({line.detail})" if line.detail else ""
            text = f"{_INDENT * depth}{_TICKS[line.state]} {line.words}{detail}"
            flat.append((line.state != "running", text))
            flat += self._flat(child_run(run, call), depth + 1)
        return flat

    def _folded(self, lines: list[tuple[bool, str]]) -> list[str]:
        """The newest lines; finished ones go first when there are too many."""
        surplus = len(lines) - limits.PROGRESS_LINES
        if surplus <= 0:
            return [text for _, text in lines]
        hidden = {index for index, (finished, _) in enumerate(lines) if finished}
        hidden = set(sorted(hidden)[: surplus + 1])
        shown = [text for index, (_, text) in enumerate(lines) if index not in hidden]
        if hidden:
            earlier = self.words.count(self.words.earlier_steps, len(hidden))
            shown.insert(0, f"{_TICKS['done']} {earlier}")
        return self._capped(shown)

    def _capped(self, shown: list[str]) -> list[str]:
        over = len(shown) - limits.PROGRESS_LINES
        if over <= 0:
            return shown
        kept = shown[: limits.PROGRESS_LINES - 1]
        return [*kept, f"… {self.words.more_steps.format(n=over + 1)}"]

    def _counts(self, since_last_s: float) -> list[str]:
        return [spoken_time(self._elapsed_s() + since_last_s), *self._work()]

    def _work(self) -> list[str]:
        counted = [(self.words.tool_calls, self.tool_calls), (self.words.pages_read, self.pages)]
        return [self.words.count(forms, n) for forms, n in counted if n]

    def _elapsed_s(self) -> float:
        if self.started_at is None or self.last_at is None:
            return 0.0
        return max(0.0, (self.last_at - self.started_at).total_seconds())


def spoken_time(seconds: float) -> str:
    """`42 s`, `3 min 5 s`, `2 h 10 min`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3_600} h {whole % 3_600 // 60} min"
