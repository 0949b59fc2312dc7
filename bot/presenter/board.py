"""The state of a turn as its progress posts show it: a fold over events, and its text. Pure.

A post has a head and a line for each step, in order, the old ones folded away.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from agent_core.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    ArtifactSaved,
    AuthEnded,
    AuthRequired,
    MessageTaken,
    Outcome,
    QuestionAsked,
    StepFinished,
    StepRetried,
    StepStarted,
    ToolCallFinished,
    ToolCallProgressed,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, UserId, child_run
from agent_core.runtime import Language, detect_language, read_language, spoken_time
from agent_core.words import Words
from bot.presenter.apps import app_names
from bot.presenter.tools import ASK_USER, describe, pages_read
from bot.render import limits, one_line
from bot.words import BOT

BUSY_WAIT_S = 3.0
REPORT = "text/html"

Wait = QuestionAsked | ApprovalRequested | AuthRequired
"""What a turn waits for a person with."""

_ENDS_A_QUESTION = (MessageTaken, StepStarted, TurnFinished)


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
            texts.insert(0, f"{_TICKS['done']} {words('progress-earlier-steps', n=len(hidden))}")
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
    return [*kept, f"… {words('progress-more-steps', n=over + 1)}"]


@dataclass(slots=True)
class Board:
    """What happened so far.

    A wait for a person ends one progress post, and what comes after it is told in the next one,
    below the answer: `part` is the number of the post that is written now.
    """

    language: Language = "en"
    asker: UserId = field(default_factory=lambda: UserId(""))
    started_at: datetime | None = None
    last_at: datetime | None = None
    outcome: Outcome | None = None
    tool_calls: int = 0
    pages: int = 0
    notice: str = ""
    artifacts: dict[str, ArtifactSaved] = field(default_factory=dict[str, ArtifactSaved])
    waits: dict[str, Wait] = field(default_factory=dict[str, Wait])
    """What the turn waits for now, by call or consent; several where a batch asks for several."""
    asked: list[str] = field(default_factory=list[str])
    """For each wait so far the line that its progress post becomes when it has ended."""
    _waited_s: float = 0.0
    _waiting_since: datetime | None = None
    _names: dict[UserId, str] = field(default_factory=dict[UserId, str])
    _lines: Lines = field(default_factory=Lines)

    @property
    def words(self) -> Words:
        return BOT.of(self.language)

    @property
    def part(self) -> int:
        return len(self.asked) - (1 if self.waits else 0)

    @property
    def final_artifacts(self) -> list[ArtifactSaved]:
        """What the person gets: of a run's reports the last one, since drafts are written again."""
        final: dict[str, ArtifactSaved] = {}
        for saved in self.artifacts.values():
            final[f"report of {saved.run}" if saved.mimetype == REPORT else saved.path] = saved
        return list(final.values())

    def fold(self, event: AnyEvent) -> None:
        """Take an event into the picture."""
        self.last_at = event.at
        match event:
            case TurnStarted():
                self._start(event)
            case ToolCallStarted() | ToolCallProgressed() | ToolCallFinished():
                self._fold_call(event)
            case StepStarted() | StepFinished() | StepRetried():
                self._fold_step(event)
            case MessageTaken():
                self._take_in(event)
            case QuestionAsked() | ApprovalRequested() | AuthRequired():
                self._wait(event)
            case ArtifactSaved():
                self.artifacts.pop(event.path, None)
                self.artifacts[event.path] = event
            case TurnFinished():
                self.outcome = event.outcome
            case _:
                pass
        self._end_waits(event)

    def progress(self, *, since_last_s: float = 0.0) -> str:
        """The progress post: a head, then at most `PROGRESS_LINES` lines."""
        time = spoken_time(self._elapsed_s() + since_last_s)
        head = " · ".join([f"*{self.words('progress-working')}*", time, *self._counts()])
        notice = [f"_{self.notice}_"] if self.notice else []
        return "\n".join([head, *self._lines.shown(self.part, self.words), *notice])

    def waiting(self) -> str:
        """What the progress post becomes while the turn waits: one line, in which no clock runs."""
        said = [self._told(wait, "waiting") for wait in self.waits.values()]
        return " · ".join([*dict.fromkeys(said), *self._work()])

    def closed(self) -> str:
        """What the last progress post becomes at the end: one short line."""
        ended = "done" if self.outcome in {None, "answered", "steered"} else self.outcome
        said = self.words(f"progress-ended-{ended}", time=spoken_time(self._elapsed_s()))
        return " · ".join([said, *self._work()])

    def _start(self, event: TurnStarted) -> None:
        told = read_language(event.language)
        self.language = told or detect_language(event.text, locale=event.author_locale)
        self.asker = event.asker
        self.started_at = event.at
        self._names[event.asker] = event.author_name

    def _fold_step(self, event: StepStarted | StepFinished | StepRetried) -> None:
        match event:
            case StepStarted():
                self.notice = self.words("progress-thinking") if event.run == ROOT_RUN else ""
            case StepFinished():
                self.notice = ""
            case StepRetried():
                self.notice = (
                    self.words("progress-trying-again") if event.wait_s >= BUSY_WAIT_S else ""
                )

    def _take_in(self, event: MessageTaken) -> None:
        self._names[event.author] = event.author_name
        is_answer = any(isinstance(wait, QuestionAsked) for wait in self.waits.values())
        key = "progress-answered-by" if is_answer else "progress-took-in"
        said = f"“{one_line(event.text, limits.PROGRESS_WORD_CHARS)}”"
        told = self.words(key, who=self._name(event.author), what=said)
        line = Line(words=told, part=len(self.asked), state="taken")
        self._lines.put(event.run, ToolCallId(f"taken {event.taken}"), line)

    def _wait(self, event: Wait) -> None:
        """A second one while the turn waits belongs to the same wait."""
        key = _key(event)
        if key in self.waits:
            return  # told again
        self.notice = ""
        if not self.waits:
            self._waiting_since = event.at
            line = self._told(event, "asked")
            self.asked.append(" · ".join([line, *self._work()]))
        self.waits[key] = event

    def _end_waits(self, event: AnyEvent) -> None:
        """A question ends with what comes next, a consent with its own last event."""
        if isinstance(event, ApprovalDecided | AuthEnded):
            self.waits.pop(event.consent, None)
        elif isinstance(event, TurnFinished):
            self.waits.clear()
        elif isinstance(event, _ENDS_A_QUESTION):
            for key, wait in list(self.waits.items()):
                if isinstance(wait, QuestionAsked):
                    del self.waits[key]
        if self._waiting_since is not None and not self.waits:
            self._waited_s += (event.at - self._waiting_since).total_seconds()
            self._waiting_since = None

    def _told(self, wait: Wait, form: Literal["waiting", "asked"]) -> str:
        who, time = self._name(wait.asker), spoken_time(self._elapsed_s())
        match wait:
            case QuestionAsked():
                return self.words(f"progress-{form}-answer", who=who, time=time)
            case ApprovalRequested():
                return self.words(f"progress-{form}-approval", who=who, time=time)
            case AuthRequired():
                what = app_names(wait.toolkits, self.words("consent-conjunction"))
                return self.words(f"progress-{form}-connection", who=who, time=time, what=what)

    def _fold_call(self, event: ToolCallStarted | ToolCallProgressed | ToolCallFinished) -> None:
        if event.tool == ASK_USER:
            return  # the question is told by a post of its own
        if isinstance(event, ToolCallStarted):
            step = describe(event.tool, event.arguments, self.words)
            line = Line(words=step.words, part=self.part, pages=step.pages)
            self._lines.put(event.run, event.call_id, line)
            self.tool_calls += 1
        elif (line := self._lines.get(event.run, event.call_id)) is not None:
            self._lines.put(event.run, event.call_id, self._moved_on(line, event))

    def _moved_on(self, line: Line, event: ToolCallProgressed | ToolCallFinished) -> Line:
        if isinstance(event, ToolCallProgressed):
            return replace(line, detail=one_line(event.text, limits.PROGRESS_WORD_CHARS))
        if event.may_have_happened:
            return replace(line, state="unsure", detail=self.words("progress-unsure"))
        if event.is_error:
            return replace(line, state="failed", detail="")
        if line.pages:
            self.pages += pages_read(event.display, event.preview, line.pages)
        detail = one_line(event.display, limits.PROGRESS_WORD_CHARS)
        return replace(line, state="done", detail=detail)

    def _counts(self) -> list[str]:
        counted = {"progress-tool-calls": self.tool_calls, "progress-pages-read": self.pages}
        return [self.words(key, n=n) for key, n in counted.items() if n]

    def _work(self) -> list[str]:
        """What a line counts that stands alone, with no steps below it."""
        unsure = self._lines.count("unsure")
        told = [self.words("progress-unsure-steps", n=unsure)] if unsure else []
        return [*self._counts(), *told]

    def _elapsed_s(self) -> float:
        """Time at work: what people took to answer is left out."""
        if self.started_at is None or self.last_at is None:
            return 0.0
        return max(0.0, (self.last_at - self.started_at).total_seconds() - self._waited_s)

    def _name(self, person: UserId) -> str:
        return one_line(self._names.get(person, ""), limits.PROGRESS_WORD_CHARS) or "…"


def _key(wait: Wait) -> str:
    return wait.call_id if isinstance(wait, QuestionAsked) else wait.consent
