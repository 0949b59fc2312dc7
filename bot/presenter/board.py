"""The state of a turn as its progress posts show it: a fold over events, and its text. Pure.

A post has a head and a line for each step, in order, the old ones folded away.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from agent_core.events import (
    REPORT,
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    ArtifactSaved,
    AuthEnded,
    AuthRequired,
    Intervened,
    MessageTaken,
    Outcome,
    QuestionAsked,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    ToolCallFinished,
    ToolCallProgressed,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId, UserId, child_run
from agent_core.runtime import Language, detect_language, read_language, spoken_time
from agent_core.words import Words
from bot.presenter.apps import app_names
from bot.presenter.tools import TOLD_OTHERWISE, agent_name, describe, pages_read
from bot.render import foreign_line, limits
from bot.words import BOT

BUSY_WAIT_S = 3.0

Wait = QuestionAsked | ApprovalRequested | AuthRequired
"""What a turn waits for a person with."""

MAX_PLACES = 2
"""Of a message that many agents took in at once."""

_ENDS_A_QUESTION = (MessageTaken, StepStarted)

_INDENT = "      "
_TICKS = {"running": "▸", "done": "✓", "failed": "✗", "unsure": "?", "taken": "+"}


@dataclass(slots=True, kw_only=True)
class Line:
    """One tool call, or a message that was taken in."""

    words: str
    part: int
    """The number of the progress post in which it began."""
    state: Literal["running", "done", "failed", "unsure", "taken"] = "running"
    detail: str = ""
    places: list[str] = field(default_factory=list[str])
    """Which agents took a message in, and from which of their steps on."""
    is_late: bool = False
    """A report was written before, and none since."""

    @property
    def may_fold(self) -> bool:
        """Not while it runs, nor if nobody knows how it ended."""
        return self.state not in {"running", "unsure"}

    def text(self, depth: int) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{_INDENT * depth}{_TICKS[self.state]} {self.words}{detail}"


@dataclass(slots=True)
class Board:
    """What happened so far.

    A wait for a person ends one progress post, and what comes after it is told in the next one,
    below the answer: `part` is the number of the post that is written now.
    """

    language: Language = "en"
    asker: UserId = field(default_factory=lambda: UserId(""))
    text: str = ""
    """What they wrote."""
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
    """For each wait so far the line that its progress post becomes: no clock runs in it."""
    _waited_s: float = 0.0
    _waiting_since: datetime | None = None
    _names: dict[UserId, str] = field(default_factory=dict[UserId, str])
    _agents: dict[RunId, str] = field(default_factory=dict[RunId, str])
    _taken: dict[TurnId, Line] = field(default_factory=dict[TurnId, Line])
    """What people added to the work, each message once, whatever agents took it in."""
    _branches: dict[RunId, Line] = field(default_factory=dict[RunId, Line])
    """Runs that were started to work beside their parent."""
    _lines: defaultdict[RunId, dict[str, Line]] = field(default_factory=lambda: defaultdict(dict))
    """By run and call."""

    @property
    def words(self) -> Words:
        return BOT.of(self.language)

    @property
    def part(self) -> int:
        return len(self.asked) - (1 if self.waits else 0)

    def fold(self, event: AnyEvent) -> None:
        """Take an event into the picture."""
        self.last_at = event.at
        match event:
            case TurnStarted():
                self._start(event)
            case RunStarted() | RunFinished():
                self._fold_run(event)
            case ToolCallStarted() | ToolCallProgressed() | ToolCallFinished():
                self._fold_call(event)
            case StepStarted() | StepFinished() | StepRetried():
                self._fold_step(event)
            case MessageTaken() if event.text:
                self._take_in(event)
            case Intervened(what="stop" | "done" | "retry") if event.run != ROOT_RUN:
                self._end_branch(event)
            case QuestionAsked() | ApprovalRequested() | AuthRequired():
                self._wait(event)
            case ArtifactSaved():
                self._save(event)
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
        return "\n".join([head, *self._shown(), *notice])

    def closed(self) -> str:
        """What the last progress post becomes at the end: a short line, and what was added."""
        ended = "done" if self.outcome in {None, "answered", "steered"} else self.outcome
        said = self.words(f"progress-ended-{ended}", time=spoken_time(self._elapsed_s()))
        added = [line.text(depth=0) for line in self._taken.values()][-limits.PROGRESS_LINES :]
        return "\n".join([" · ".join([said, *self._work()]), *added])

    def _start(self, event: TurnStarted) -> None:
        told = read_language(event.language)
        self.language = told or detect_language(event.text, locale=event.author_locale)
        self.asker = event.asker
        self.started_at = event.at
        self.text = event.text
        self._names[event.asker] = event.author_name

    def _save(self, event: ArtifactSaved) -> None:
        self.artifacts.pop(event.path, None)
        self.artifacts[event.path] = event
        for line in self._taken.values() if event.mimetype == REPORT else ():
            line.is_late = False
            self._place(line)

    def _fold_run(self, event: RunStarted | RunFinished) -> None:
        """A branch is told by what it is after, in the place of the call that forked it."""
        if isinstance(event, RunFinished):
            if branch := self._branches.get(event.run):
                branch.state = "failed" if event.outcome in {"failed", "stopped"} else "done"
            return
        self._agents[event.run] = event.agent
        key = event.run.removeprefix(f"{event.parent}.")
        if event.parent is None or event.run in self._branches or key in self._lines[event.parent]:
            return  # the main run, or one that its call tells of
        after = foreign_line(event.task.strip().partition("\n")[0], limits.PROGRESS_WORD_CHARS)
        line = Line(words=self.words("progress-exploring", what=after), part=self.part)
        self._branches[event.run] = self._lines[event.parent][key] = line

    def _fold_step(self, event: StepStarted | StepFinished | StepRetried) -> None:
        self.notice = ""
        if isinstance(event, StepStarted) and event.run == ROOT_RUN:
            self.notice = self.words("progress-thinking")
        elif isinstance(event, StepRetried) and event.wait_s >= BUSY_WAIT_S:
            self.notice = self.words("progress-trying-again")

    def _take_in(self, event: MessageTaken) -> None:
        self._names[event.author] = event.author_name
        asks = any(isinstance(wait, QuestionAsked) for wait in self.waits.values())
        is_answer = asks and event.run == ROOT_RUN
        key = "progress-answered-by" if is_answer else "progress-took-in"
        said = f"“{foreign_line(event.text, limits.PROGRESS_WORD_CHARS)}”"
        told = self.words(key, who=self._name(event.author), what=said)
        taken = event.taken or TurnId(f"{event.run} {event.intervention}")
        line = self._taken.get(taken)
        if line is None:
            line = Line(words=told, part=len(self.asked), state="taken")
            self._lines[event.run][f"taken {taken}"] = line
            if is_answer:
                return
            line.is_late = any(each.mimetype == REPORT for each in self.artifacts.values())
            self._taken[taken] = line
        place = self.words("progress-taken-from", n=event.step)
        if event.run != ROOT_RUN:
            agent = agent_name(self._agents.get(event.run, ""), self.words)
            line.places.append(f"{agent}, {place}")
        elif not line.places:
            line.places.append(place)
        self._place(line)

    def _end_branch(self, event: Intervened) -> None:
        """Below the branch that a person has ended; what they say to one is told once taken in."""
        who = foreign_line(event.by_name, limits.PROGRESS_WORD_CHARS)
        line = Line(
            words=self.words(f"progress-{event.what}-branch", who=who), part=len(self.asked)
        )
        line.state = "taken"
        self._lines[event.run][f"intervened {event.n}"] = line

    def _place(self, line: Line) -> None:
        """Say where a message was taken in, and whether a report went without it."""
        more = len(line.places) - MAX_PLACES
        told = [*line.places[:MAX_PLACES]]
        told += [self.words("progress-more-steps", n=more)] if more > 0 else []
        told += [self.words("progress-taken-late")] if line.is_late else []
        line.detail = "; ".join(told)

    def _wait(self, event: Wait) -> None:
        """A second one while the turn waits belongs to the same wait."""
        key = _key(event)
        if key in self.waits:
            return  # told again
        self.notice = ""
        if not self.waits:
            self._waiting_since = event.at
            self.asked.append(" · ".join([self._told(event), *self._work()]))
        self.waits[key] = event

    def _end_waits(self, event: AnyEvent) -> None:
        """A question ends with what comes next, a consent with its own last event."""
        if isinstance(event, AuthEnded):
            self.waits.pop(event.consent, None)
        elif isinstance(event, ApprovalDecided | ToolCallFinished):
            self._end_approval(event)
        elif isinstance(event, TurnFinished):
            self.waits.clear()
        elif isinstance(event, _ENDS_A_QUESTION) and event.run == ROOT_RUN:
            for key, wait in list(self.waits.items()):
                if isinstance(wait, QuestionAsked):
                    del self.waits[key]
        if self._waiting_since is not None and not self.waits:
            self._waited_s += (event.at - self._waiting_since).total_seconds()
            self._waiting_since = None

    def _end_approval(self, event: ApprovalDecided | ToolCallFinished) -> None:
        """One that was edited goes on as the one that takes its place, or ends with the call."""
        is_edited = isinstance(event, ApprovalDecided) and event.verdict == "edited"
        if isinstance(self.waits.get(event.call_id), ApprovalRequested) and not is_edited:
            del self.waits[event.call_id]

    def _told(self, wait: Wait) -> str:
        who, time = self._name(wait.asker), spoken_time(self._elapsed_s())
        match wait:
            case QuestionAsked():
                return self.words("progress-asked-answer", who=who, time=time)
            case ApprovalRequested():
                return self.words("progress-asked-approval", who=who, time=time)
            case AuthRequired():
                what = app_names(wait.toolkits, self.words("consent-conjunction"))
                return self.words("progress-asked-connection", who=who, time=time, what=what)

    def _fold_call(self, event: ToolCallStarted | ToolCallProgressed | ToolCallFinished) -> None:
        if event.tool in TOLD_OTHERWISE:
            return
        calls = self._lines[event.run]
        if isinstance(event, ToolCallStarted):
            words = describe(event.tool, event.arguments, self.words)
            calls[event.call_id] = Line(words=words, part=self.part)
            self.tool_calls += 1
        elif (line := calls.get(event.call_id)) is not None:
            self._move_on(line, event)

    def _move_on(self, line: Line, event: ToolCallProgressed | ToolCallFinished) -> None:
        told = event.text if isinstance(event, ToolCallProgressed) else event.display
        line.detail = foreign_line(told, limits.PROGRESS_WORD_CHARS)
        if isinstance(event, ToolCallProgressed):
            return
        if event.may_have_happened:
            line.state, line.detail = "unsure", self.words("progress-unsure")
        elif event.is_error:
            line.state, line.detail = "failed", ""
        else:
            line.state = "done"
            self.pages += pages_read(event)

    def _shown(self) -> list[str]:
        """At most `PROGRESS_LINES`: those of earlier posts and the oldest are folded into one."""
        rows = list(self._rows(ROOT_RUN, depth=0))
        foldable = [line for line, _ in rows if line.may_fold]
        earlier = sum(line.part < self.part for line in foldable)
        surplus = len(rows) - limits.PROGRESS_LINES
        # What is folded has a line itself.
        folds = max(earlier, surplus + 1 if earlier or surplus > 0 else 0)
        foldable.sort(key=lambda line: line.part)
        folded = {id(line) for line in foldable[:folds]}
        texts = [text for line, text in rows if id(line) not in folded]
        if folded:
            told = self.words("progress-earlier-steps", n=len(folded))
            texts.insert(0, f"{_TICKS['done']} {told}")
        over = len(texts) - limits.PROGRESS_LINES
        if over > 0:  # so many run at once
            more = self.words("progress-more-steps", n=over + 1)
            texts[limits.PROGRESS_LINES - 1 :] = [f"… {more}"]
        return texts

    def _rows(self, run: RunId, depth: int) -> Iterator[tuple[Line, str]]:
        """Sub-agents' calls stand below the call that started them."""
        for call, line in self._lines.get(run, {}).items():
            yield line, line.text(depth)
            yield from self._rows(child_run(run, ToolCallId(call)), depth + 1)

    def _counts(self) -> list[str]:
        counted = {"progress-tool-calls": self.tool_calls, "progress-pages-read": self.pages}
        return [self.words(key, n=n) for key, n in counted.items() if n]

    def _work(self) -> list[str]:
        """What a line counts that stands alone, with no steps below it."""
        lines = [line for calls in self._lines.values() for line in calls.values()]
        unsure = sum(line.state == "unsure" for line in lines)
        told = [self.words("progress-unsure-steps", n=unsure)] if unsure else []
        return [*self._counts(), *told]

    def _elapsed_s(self) -> float:
        """Time at work: what people took to answer is left out."""
        if self.started_at is None or self.last_at is None:
            return 0.0
        return max(0.0, (self.last_at - self.started_at).total_seconds() - self._waited_s)

    def _name(self, person: UserId) -> str:
        return foreign_line(self._names.get(person, ""), limits.PROGRESS_WORD_CHARS) or "…"


def _key(wait: Wait) -> str:
    return wait.consent if isinstance(wait, AuthRequired) else wait.call_id
