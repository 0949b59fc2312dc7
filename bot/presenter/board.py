"""The state of a turn as its plan shows it: a fold over events, and its cards. Pure.

All texts here are plain: whoever shows them where markup is read makes them inert there.
"""

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
    StepRetried,
    StepStarted,
    ToolCallFinished,
    ToolCallProgressed,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, TurnId, UserId
from agent_core.runtime import Language, detect_language, read_language, spoken_time
from agent_core.words import Words
from bot.presenter.tools import (
    REPORT_EXPERT,
    TOLD_OTHERWISE,
    describe,
    pages_of,
    reading_title,
    short,
)
from bot.render import limits
from bot.words import BOT

BUSY_WAIT_S = 3.0

Wait = QuestionAsked | ApprovalRequested | AuthRequired
"""What a turn waits for a person with."""

CardState = Literal["running", "done", "stopped", "failed", "unsure"]
_ENDINGS: dict[Outcome, CardState] = {"stopped": "stopped", "failed": "failed"}

_AGREED = {"approved", "edited", "connected"}
_OWN = ToolCallId("")
_FIRST: dict[CardState, int] = {"unsure": 2, "running": 1}
"""What a card shows if one of its calls is so, and what such a one weighs."""


@dataclass(slots=True, kw_only=True, eq=False)
class Card:
    """Calls that are told in the same words, all that a branch does, or what somebody added."""

    title: str
    details: str = ""
    calls: dict[ToolCallId, CardState] = field(default_factory=dict[ToolCallId, CardState])
    """A branch stands for itself under an empty id."""
    sources: dict[str, str] = field(default_factory=dict[str, str])
    """Title of each page that was read, by its address."""
    branch: RunId | None = None

    @property
    def state(self) -> CardState:
        states: list[CardState] = [*self.calls.values()]
        for state in _FIRST:
            if state in states:
                return state
        return states[-1] if states else "done"


class Board:
    """What happened so far."""

    def __init__(self) -> None:
        self.language: Language = "en"
        self.asker = UserId("")
        self.text = ""
        """What they wrote."""
        self.outcome: Outcome | None = None
        self.doing = ""
        """The newest that was begun; empty before anything was."""
        self.artifacts: dict[str, ArtifactSaved] = {}
        self.waits: dict[str, Wait] = {}
        """What the turn waits for now, by call or consent; several where a batch asks for more."""
        self.cards: list[Card] = []
        self._last_at: datetime | None = None
        self._worked_s = self._told_s = 0.0
        self._calls: dict[tuple[RunId, ToolCallId], tuple[Card, list[str]]] = {}
        """Where a call is told, and the addresses that it reads."""
        self._titles: dict[str, str] = {}
        """Of the pages that were found or read, by address."""
        self._read = set[str]()
        self._branches: dict[RunId, Card] = {}
        """By run; one that a branch began belongs to it."""
        self._declined = set[ToolCallId]()
        """Calls that nobody agreed to."""
        self._taken: dict[TurnId, tuple[Card, MessageTaken]] = {}
        """What people added to the work, each message once, whatever agents took it in."""

    @property
    def words(self) -> Words:
        return BOT.of(self.language)

    @property
    def branches(self) -> dict[RunId, str]:
        """Titles of those that somebody could stop."""
        at_work = (card for card in self.cards if card.calls.get(_OWN) == "running")
        return {card.branch: card.title for card in at_work if card.branch}

    def fold(self, event: AnyEvent) -> None:
        """Take an event into the picture."""
        self._pass_time(event.at)
        match event:
            case TurnStarted():
                self._start(event)
            case MessageTaken() if event.text:
                self._take_in(event)
            case Intervened(what="stop" | "done" | "retry"):
                self._intervene(event)
            case QuestionAsked() | ApprovalRequested() | AuthRequired():
                is_connection = isinstance(event, AuthRequired)
                self.waits[event.ask if is_connection else event.call_id] = event
            case ArtifactSaved():
                self._save(event)
            case TurnFinished():
                self._finish(event)
            case _:
                self._fold_work(event)
        self._end_waits(event)

    def _fold_work(self, event: AnyEvent) -> None:
        match event:
            case RunStarted():
                self._begin_run(event)
            case RunFinished():
                self._end_run(event)
            case ToolCallStarted() | ToolCallProgressed() | ToolCallFinished():
                self._fold_call(event)
            case StepStarted() if event.run == ROOT_RUN:
                self.doing = self.words("progress-thinking")
            case StepRetried() if event.wait_s >= BUSY_WAIT_S:
                self.doing = self.words("progress-trying-again")
            case _:
                pass

    def time(self, now: datetime | None = None) -> str:
        """At work, which never goes back and stands still while a person is waited for.

        In the end only what the events tell counts: lines of a turn that is shown anew run ahead.
        """
        if self.outcome is not None:
            return spoken_time(self._worked_s)
        idle_s = 0.0
        if now and self._last_at and not self.waits:
            idle_s = max(0.0, (now - self._last_at).total_seconds())
        self._told_s = max(self._told_s, self._worked_s + idle_s)
        return spoken_time(self._told_s)

    def title(self) -> str:
        """What the plan is called: at work, or for how long; how it ended says the post below."""
        said = [self.words("progress-working")]
        if self.outcome is not None:
            ended = "done" if self.outcome in {"answered", "steered"} else "early"
            said = [self.words(f"progress-ended-{ended}", time=self.time())]
        if pages := len(self._read):
            said.append(self.words("progress-pages-read", n=pages))
        return " · ".join(said)

    def visible_cards(self) -> list[Card]:
        """At most `PLAN_CARDS`: others are folded, first what has ended, and single steps of that.

        What nobody knows the end of is folded last.
        """
        surplus = len(self.cards) - limits.PLAN_CARDS
        if surplus <= 0:
            return self.cards
        steps_first = sorted(self.cards, key=lambda card: bool(card.branch) or not card.calls)
        folded = sorted(steps_first, key=lambda card: _FIRST.get(card.state, 0))[: surplus + 1]
        earlier = Card(title=self.words("progress-earlier-steps", n=len(folded)))
        if any(card.state == "running" for card in folded):
            earlier.calls[_OWN] = "running"
        return [earlier, *(card for card in self.cards if card not in folded)]

    def _pass_time(self, now: datetime) -> None:
        if self._last_at and not self.waits:
            self._worked_s += max(0.0, (now - self._last_at).total_seconds())
        self._last_at = max(now, self._last_at or now)

    def _start(self, event: TurnStarted) -> None:
        told = read_language(event.language)
        self.language = told or detect_language(event.text, locale=event.author_locale)
        self.asker = event.asker
        self.text = event.text

    def _save(self, event: ArtifactSaved) -> None:
        self.artifacts.pop(event.path, None)
        self.artifacts[event.path] = event
        for card, taken in self._taken.values() if event.mimetype == REPORT else ():
            card.title = self._told(taken, "progress-took-in")

    def _finish(self, event: TurnFinished) -> None:
        """What was cut off has not come to its end."""
        self.outcome = event.outcome
        ending = _ENDINGS.get(event.outcome, "done")
        for card in self.cards:
            for call, state in card.calls.items():
                if state == "running":
                    card.calls[call] = ending
                    card.details = card.details if ending == "done" else self.words("progress-cut")

    def _begin_run(self, event: RunStarted) -> None:
        """A branch is told by what it is after; one that begins again goes on."""
        if event.parent is None:
            return
        if (card := self._branches.get(event.run)) is None:
            if (card := self._branches.get(event.parent)) is None:
                after = event.title.strip() or event.task.strip().partition("\n")[0]
                if event.agent == REPORT_EXPERT:
                    after = self.words("progress-purpose-write-report")
                card = self._add(short(after[:1].upper() + after[1:]), branch=event.run)
            self._branches[event.run] = card
        if card.branch == event.run:
            card.calls[_OWN], self.doing = "running", card.title

    def _end_run(self, event: RunFinished) -> None:
        """Who stopped it stays told."""
        card = self._branches.get(event.run)
        if card is None or card.branch != event.run:
            return
        if event.outcome != "stopped" and card.state != "unsure":
            pages = len(card.sources)
            read = self.words("progress-pages-read", n=pages) if pages else ""
            card.details = self.words("progress-failed") if event.outcome == "failed" else read
        card.calls[_OWN] = _ENDINGS.get(event.outcome, "done")

    def _add(self, title: str, branch: RunId | None = None) -> Card:
        self.cards.append(Card(title=title, branch=branch))
        return self.cards[-1]

    def _intervene(self, event: Intervened) -> None:
        """Who ended a branch, or wants it again."""
        if card := self._branches.get(event.run):
            card.details = self.words(f"progress-{event.what}-branch", who=short(event.by_name))
            if card.branch == event.run and event.what != "retry":
                card.calls[_OWN] = "stopped" if event.what == "stop" else "done"

    def _take_in(self, event: MessageTaken) -> None:
        """The answer to a question is told with the question."""
        asks = any(isinstance(wait, QuestionAsked) for wait in self.waits.values())
        if asks and event.run == ROOT_RUN:
            return
        taken = event.taken or TurnId(f"{event.run} {event.intervention}")
        if taken not in self._taken:
            is_late = any(each.mimetype == REPORT for each in self.artifacts.values())
            told = self._told(event, "progress-took-in-late" if is_late else "progress-took-in")
            self._taken[taken] = self._add(told), event
        card, _ = self._taken[taken]
        if (branch := self._branches.get(event.run)) and branch.title not in card.details:
            card.details = short("; ".join(filter(None, (card.details, branch.title))))

    def _told(self, event: MessageTaken, key: str) -> str:
        return self.words(key, who=short(event.author_name), what=short(event.text))

    def _end_waits(self, event: AnyEvent) -> None:
        """A question ends with what comes next, a consent with its own last event.

        An approval that was edited goes on as that which takes its place, or ends with the call.
        """
        if isinstance(event, ApprovalDecided | AuthEnded):
            ended = event.outcome if isinstance(event, AuthEnded) else event.verdict
            if ended not in _AGREED:
                self._declined.add(event.call_id)
        if isinstance(event, AuthEnded):
            self.waits.pop(event.ask, None)
        elif isinstance(event, ApprovalDecided | ToolCallFinished):
            is_edited = isinstance(event, ApprovalDecided) and event.verdict == "edited"
            if isinstance(self.waits.get(event.call_id), ApprovalRequested) and not is_edited:
                del self.waits[event.call_id]
        elif isinstance(event, TurnFinished):
            self.waits.clear()
        elif isinstance(event, MessageTaken | StepStarted) and event.run == ROOT_RUN:
            waits = self.waits.items()
            self.waits = {key: wait for key, wait in waits if not isinstance(wait, QuestionAsked)}

    def _fold_call(self, event: ToolCallStarted | ToolCallProgressed | ToolCallFinished) -> None:
        if event.tool.lower() in TOLD_OTHERWISE:
            return
        if isinstance(event, ToolCallStarted):
            self._begin(event)
        elif told := self._calls.get((event.run, event.call_id)):
            card, asked = told
            if isinstance(event, ToolCallFinished):
                self._end(event, card, is_reading=bool(asked))
            elif asked and not card.branch:
                card.details = short(event.text)

    def _begin(self, event: ToolCallStarted) -> None:
        self.doing = describe(event.tool, event.arguments, self.words, self._titles)
        if card := self._branches.get(event.run):
            card.details = self.doing if self.doing != card.title else ""
        else:
            card = next((each for each in self.cards if each.title == self.doing), None)
            if card is None or card.branch:
                card = self._add(self.doing)
            card.calls[event.call_id] = "running"
        self._calls[event.run, event.call_id] = card, pages_of(event.tool, event.arguments)

    def _end(self, event: ToolCallFinished, card: Card, *, is_reading: bool) -> None:
        self._titles.update((source.url, source.title) for source in event.sources)
        read = [source.url for source in event.sources] if is_reading else []
        self._read.update(read)
        card.sources |= {url: self._titles[url] for url in read}
        if event.may_have_happened:
            card.calls[event.call_id], card.details = "unsure", self.words("progress-unsure")
        elif not card.branch:
            is_lost = event.is_error or (is_reading and not read)
            lost: CardState = "stopped" if event.call_id in self._declined else "failed"
            card.calls[event.call_id] = lost if is_lost else "done"
            if read:
                card.title = reading_title(read, self.words, self._titles)
            if card.state != "unsure":
                why = self.words(f"progress-{lost}")
                card.details = why if is_lost else short(event.display)
