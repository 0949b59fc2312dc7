"""The snapshot of a turn: one fold over its events, for every reader of how far the work is.

The status words, the plan card in Slack, the agent tree and trace.json read the same snapshot, so
that none of them pairs calls with results, or runs with their ends, by itself. An attempt that
makes a call again voids what the attempt before had come to. Live events may be missing.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from agent_core.events import (
    AnyEvent,
    ApprovalRequested,
    ArtifactSaved,
    AskDecided,
    AuthRequired,
    Intervened,
    MessageTaken,
    Outcome,
    PlanMade,
    QuestionAsked,
    RouteChosen,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallProgressed,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
    Usage,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId

READERS = ("crawl_parallel", "search_fetch_url_content", "webreader")
"""Tools that read pages; the pages of any other tool's result were only found."""
_READS_PAGES = re.compile(rf"(?:^|_)(?:{'|'.join(READERS)})$", re.IGNORECASE)

CallKey = tuple[RunId, ToolCallId]
CallStatus = Literal["running", "done", "failed", "unknown"]
Wait = QuestionAsked | ApprovalRequested | AuthRequired
"""Why a turn waits for a person."""

_AGREED = frozenset({"approved", "approved_thread", "edited", "connected"})


@dataclass(slots=True)
class CallSnapshot:
    """One tool call."""

    started: ToolCallStarted
    finished: ToolCallFinished | None = None
    progress: str = ""
    """How far a long call says that it is."""
    is_declined: bool = False
    """Nobody agreed to it, or connected the account that it needs."""

    @property
    def reads_pages(self) -> bool:
        """Whether its tool reads pages, and does not only find them."""
        return _READS_PAGES.search(self.started.tool) is not None

    @property
    def status(self) -> CallStatus:
        if self.finished is None:
            return "running"
        if self.finished.is_error:
            return "failed"
        return "unknown" if self.finished.may_have_happened else "done"


class RunSnapshot:
    """One agent's run. A run that is begun again goes on from what it was."""

    def __init__(self, run: RunId, created_at: datetime) -> None:
        self.id = run
        self.created_at = created_at
        self.started: RunStarted | None = None
        self.task = ""
        """As a person changed it last."""
        self.title = ""
        """Empty where nobody gave one; a run keeps it when a person changes the task."""
        self.first_task = ""
        self.before = ""
        """The task before a person's last change."""
        self.change: Intervened | None = None
        """That change."""
        self.ended: RunFinished | None = None
        self.outcome: Outcome | None = None
        """None while the run is at work; of the root run the turn's, once that has ended."""
        self.result: str | None = None
        self.finished_at: datetime | None = None
        self.begun_steps: list[StepStarted] = []
        self.steps: list[StepFinished] = []
        self.words: list[StepFinished | MessageTaken] = []
        """What the run said and was told, in order."""
        self.live = ""
        """Text of the model call under way."""
        self.calls: dict[ToolCallId, CallSnapshot] = {}
        self.interventions: list[Intervened] = []
        self.settled = set[int]()
        """`n` of the interventions that the run has taken in, or that came too late for it."""

    @property
    def agent(self) -> str:
        """Which agent it is of; empty before the run begins."""
        return self.started.agent if self.started else ""

    def fold(self, event: AnyEvent) -> None:
        """Take the run's next event in."""
        match event:
            case TurnStarted():
                self._set_task(event.text)
            case RunStarted():
                self._start(event)
            case RunFinished():
                self.ended = event
                self._finish(event, event.text)
            case TurnFinished():
                self._finish(event, event.answer)
            case Intervened():
                self._intervene(event)
            case _:
                self._fold_step(event)

    def _fold_step(self, event: AnyEvent) -> None:
        match event:
            case StepStarted():
                self.begun_steps.append(event)
                self.live = ""
            case StepFinished():
                self.steps.append(event)
                self.words.append(event)
                self.live = ""
            case MessageTaken():
                self.words.append(event)
                self.settled.add(event.intervention)
            case StepRetried() if self._is_under_way(event):
                self.live = ""
            case TextDelta() if self._is_under_way(event):
                self.live += event.text
            case ToolCallStarted():
                self.calls[event.call_id] = CallSnapshot(event)
            case ToolCallProgressed() if event.call_id in self.calls:
                self.calls[event.call_id].progress = event.text
            case ToolCallFinished() if event.call_id in self.calls:
                self.calls[event.call_id].finished = event
            case _:
                pass

    def _set_task(self, task: str) -> None:
        """The task of a root run is the message; TurnStarted holds it, before the run begins."""
        if not self.task:
            self.task = task
            self.first_task = task

    def _start(self, event: RunStarted) -> None:
        """A turn that is continued from its history begins its runs again: reset how they ended."""
        if self.started is None:
            self.title = event.title
        self.started = event
        self.ended = None
        self.outcome = None
        self.result = None
        self.finished_at = None
        self._set_task(event.task)

    def _finish(self, event: RunFinished | TurnFinished, text: str) -> None:
        self.outcome = event.outcome
        self.result = text
        self.finished_at = event.at
        self.live = ""
        self.settled.update(each.n for each in self.interventions)

    def _intervene(self, event: Intervened) -> None:
        self.interventions.append(event)
        if self.outcome is not None:
            self.settled.add(event.n)
        if event.what == "content":
            self.before = self.task
            self.change = event
            self.task = event.text

    def _is_under_way(self, event: StepRetried | TextDelta) -> bool:
        """Live text of a step that is finished comes too late."""
        if not self.steps:
            return True
        last = self.steps[-1]
        return (event.generation, event.step) > (last.generation, last.step)


class TurnSnapshot:
    """A turn as far as its events tell; they are folded oldest first."""

    def __init__(self) -> None:
        self.id = TurnId("")
        self.started: TurnStarted | None = None
        self.finished: TurnFinished | None = None
        self.runs: dict[RunId, RunSnapshot] = {}
        """In the order in which they began, the root run first."""
        self.calls: dict[CallKey, CallSnapshot] = {}
        """The calls of all runs, in the order in which they began first."""
        self.waits: dict[str, Wait] = {}
        """Open waits, by call or, of a connection, by Ask."""
        self.pages: dict[str, str] = {}
        """Title of each page that was found or read, by address."""
        self.read: dict[str, str] = {}
        """Title of each page that was read, by address."""
        self.artifacts: dict[str, ArtifactSaved] = {}
        """By path, the newest last."""
        self.usage = Usage()
        """Of all model calls of the turn."""

    @property
    def open_calls(self) -> dict[CallKey, CallSnapshot]:
        """Calls that have not returned."""
        return {key: call for key, call in self.calls.items() if call.finished is None}

    def wait_of(self, run: RunId) -> Wait | None:
        """A run's wait for a person; of several the newest."""
        waits = [wait for wait in self.waits.values() if wait.run == run]
        return waits[-1] if waits else None

    def fold(self, event: AnyEvent) -> None:
        """Take the turn's next event in."""
        self.id = event.turn
        run = self.runs.get(event.run)
        if run is None:
            run = RunSnapshot(event.run, event.at)
            self.runs[event.run] = run
        run.fold(event)
        if isinstance(event, StepFinished | RouteChosen | PlanMade):
            self.usage += event.usage
        match event:
            case TurnStarted():
                self.started = event
            case TurnFinished():
                self.finished = event
                self.waits.clear()
            case ArtifactSaved():
                self.artifacts.pop(event.path, None)
                self.artifacts[event.path] = event
            case ToolCallStarted():
                self.calls[event.run, event.call_id] = run.calls[event.call_id]
            case ToolCallFinished():
                pages = {page.url: page.title for page in event.sources}
                self.pages |= pages
                call = run.calls.get(event.call_id)
                if call is not None and call.reads_pages:
                    self.read |= pages
                self._end_approval(event)
            case StepStarted() | MessageTaken():
                self._end_questions(event.run)
            case _:
                self._fold_wait(event)

    def _fold_wait(self, event: AnyEvent) -> None:
        match event:
            case QuestionAsked() | ApprovalRequested():
                self.waits[event.call_id] = event
            case AuthRequired():
                self.waits[event.ask] = event
            case AskDecided():
                call = self.calls.get((event.run, event.call_id))
                if call is not None and event.verdict not in _AGREED:
                    call.is_declined = True
                self.waits.pop(event.ask, None)
                if event.verdict != "edited":  # the edited approval takes its place
                    self._end_approval(event)
            case _:
                pass

    def _end_approval(self, event: AskDecided | ToolCallFinished) -> None:
        """An edited approval without a later edition ends with its call."""
        if isinstance(self.waits.get(event.call_id), ApprovalRequested):
            del self.waits[event.call_id]

    def _end_questions(self, run: RunId) -> None:
        """The next step of a run ends its question."""
        for key, wait in list(self.waits.items()):
            if isinstance(wait, QuestionAsked) and wait.run == run:
                del self.waits[key]


def branch_of(run: RunId) -> RunId:
    """The part of the work that a run belongs to: a child of the root run, or the root run."""
    if run == ROOT_RUN:
        return run
    return RunId(".".join(run.split(".")[:2]))
