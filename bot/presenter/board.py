"""The plan card of a turn: its cards, laid out from the turn's snapshot event by event. Pure.

Texts here are plain: the code that shows one where Slack reads markup makes it inert first.
"""

from datetime import datetime
from os.path import commonprefix
from typing import Literal

from agent_core.events import (
    REPORT,
    AnyEvent,
    ArtifactSaved,
    HeadingWritten,
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
)
from agent_core.ids import (
    ROOT_RUN,
    RunId,
    ToolCallId,
    TurnId,
    UserId,
)
from agent_core.runtime import spoken_time
from agent_core.snapshot import CallKey, CallSnapshot, TurnSnapshot
from agent_core.words import Words
from bot.presenter.tools import (
    REPORT_EXPERT,
    WITHOUT_CARD,
    describe,
    reading_title,
    short,
    writes,
)
from bot.render import limits
from bot.words import BOT

BUSY_WAIT_S = 3.0
"""A longer backoff before the next model call is shown: the model does not answer."""
ANSWER_CHARS = 200
"""A shorter text may only come before a tool call; a longer one is the answer."""

CardState = Literal["running", "waiting", "done", "stopped", "failed", "unsure"]
_ENDINGS: dict[Outcome, CardState] = {
    "stopped": "stopped",
    "failed": "failed",
}
_INTERVENED: dict[str, CardState] = {
    "stop": "stopped",
    "done": "done",
}
_BRANCH_ITSELF = ToolCallId("")
_WEIGHTS: dict[CardState, int] = {
    "unsure": 2,
    "waiting": 1,
    "running": 1,
}
"""A card has these states as soon as one of its calls has; heavier cards are folded last."""


class Card:
    """One row of the plan: calls with the same title, a branch, or a message added to the work."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.branch: RunId | None = None
        self.is_report = False
        """A branch that writes one, which most of its steps prepare."""
        self.details = ""
        self.calls: dict[ToolCallId, CardState] = {}
        """A branch itself has an empty id."""
        self.sources: dict[str, str] = {}
        """Title of each page that was read, by its address."""
        self.waits_for = ""
        """Whom its call waits for, as a sentence; empty while it waits for nobody."""

    @property
    def state(self) -> CardState:
        if self.waits_for:
            return "waiting"
        states = list(self.calls.values())
        for state in _WEIGHTS:
            if state in states:
                return state
        return states[-1] if states else "done"

    @property
    def weight(self) -> tuple[int, bool]:
        """Sort key for folding: a single step that has ended is folded first."""
        is_single_step = self.branch is None and bool(self.calls)
        return _WEIGHTS.get(self.state, 0), not is_single_step


class Board:
    """The cards so far, and the words for how long the turn has been at work."""

    def __init__(self) -> None:
        self.turn = TurnSnapshot()
        self.words = BOT.of("en")
        self.activity = ""
        """The newest step in words; empty before the first one."""
        self.cards: list[Card] = []
        self._drafted_chars = 0
        """Of the text that the main run's step has written so far."""
        self._last_at: datetime | None = None
        self._worked_s = 0.0
        self._shown_s = 0.0
        self._call_cards: dict[CallKey, Card] = {}
        self._outage: Card | None = None
        """Of the language model."""
        self._names: dict[UserId, str] = {}
        """Of those who wrote in the turn."""
        self._planned: list[Card] = []
        """Branches of the plan that have not begun."""
        self._branch_cards: dict[RunId, Card] = {}
        """By run; a run that a branch began belongs to that branch."""
        self._message_cards: dict[TurnId, tuple[Card, str]] = {}
        """Messages that people added to the work: one card each, however many runs took it in;
        with its title once a report holds it."""

    @property
    def asker(self) -> UserId:
        return self.turn.started.asker if self.turn.started else UserId("")

    @property
    def text(self) -> str:
        """What the asker wrote."""
        return self.turn.started.text if self.turn.started else ""

    @property
    def branches(self) -> dict[RunId, str]:
        """Titles of the branches at work: those that a person can stop."""
        return {
            card.branch: card.title
            for card in self.cards
            if card.branch and card.calls.get(_BRANCH_ITSELF) == "running"
        }

    def fold(self, event: AnyEvent) -> None:
        """Take the turn's next event in."""
        self._pass_time(event.at)
        asked = self.turn.wait_of(ROOT_RUN)
        self.turn.fold(event)
        if isinstance(event, MessageTaken):
            self._names[event.author] = event.author_name
        match event:
            case TurnStarted():
                self.words = words_of(event)
                self._names[event.asker] = event.author_name
            case MessageTaken() if event.text and not _is_answer(event, asked):
                self._add_message(event)
            case Intervened(what="stop" | "done" | "retry"):
                self._intervene(event)
            case ArtifactSaved() if event.mimetype == REPORT:
                for card, title in self._message_cards.values():
                    card.title = title
            case TurnFinished():
                self._finish(event)
            case _:
                self._fold_work(event)
        self._mark_waits()

    def _fold_work(self, event: AnyEvent) -> None:
        match event:
            case RunStarted():
                self._begin_run(event)
            case RunFinished():
                self._end_run(event)
            case ToolCallStarted() | ToolCallProgressed() | ToolCallFinished():
                self._fold_call(event)
            case PlanMade() if not self._branch_cards and not event.question:
                self._lay_out(event)
            case RouteChosen(route="COMPLEX"):
                self.activity = self.words("progress-thinking")
            case StepStarted():
                self._begin_step(event)
            case HeadingWritten() | TextDelta():
                self._write(event)
            case StepRetried():
                self._try_again(event)
            case StepFinished():
                self._end_outage("progress-model-back", "done")
            case _:
                pass

    def time(self, now: datetime) -> str:
        """The time at work: monotonic, and it stands still while the turn waits for a person.

        Once the turn has finished only the events count: the status line of a turn that is shown
        anew runs ahead of them.
        """
        if self.turn.finished:
            return spoken_time(self._worked_s)
        worked_s = self._worked_s
        if self._last_at and not self.turn.waits:
            worked_s += max(0.0, (now - self._last_at).total_seconds())
        self._shown_s = max(self._shown_s, worked_s)
        return spoken_time(self._shown_s)

    def title(self) -> str:
        """The plan's title: at work, or for how long; the answer's post says how it ended."""
        title = self.words("progress-working")
        if self.turn.waits:
            *_, wait = self.turn.waits.values()
            title = self._waiting_for(wait.asker)
        elif self.turn.finished:
            key = "done" if self.turn.finished.outcome in ("answered", "steered") else "early"
            time = spoken_time(self._worked_s)
            title = self.words(f"progress-ended-{key}", time=time)
        if self.turn.read:
            pages = self.words("progress-pages-read", n=len(self.turn.read))
            title = f"{title} · {pages}"
        return title

    def visible_cards(self) -> list[Card]:
        """At most `PLAN_CARDS`: others are folded, first those that have ended and single steps."""
        surplus = len(self.cards) - limits.PLAN_CARDS
        if surplus <= 0:
            return self.cards
        lightest_first = sorted(self.cards, key=lambda card: card.weight)
        folded = lightest_first[: surplus + 1]
        earlier = Card(self.words("progress-earlier-steps", n=len(folded)))
        if any(card.state == "running" for card in folded):
            earlier.calls[_BRANCH_ITSELF] = "running"
        kept = [card for card in self.cards if card not in folded]
        return [earlier, *kept]

    def _pass_time(self, now: datetime) -> None:
        if self._last_at is None:
            self._last_at = now
        if not self.turn.waits:
            self._worked_s += max(0.0, (now - self._last_at).total_seconds())
        self._last_at = max(now, self._last_at)

    def _finish(self, event: TurnFinished) -> None:
        """Calls that are still running were cut off."""
        ending = _ENDINGS.get(event.outcome, "done")
        self._end_outage("progress-model-gone", "failed")
        for card in self.cards:
            if "running" in card.calls.values() and ending != "done":
                card.details = self.words("progress-cut")
            for call, state in card.calls.items():
                if state == "running":
                    card.calls[call] = ending

    def _waiting_for(self, asker: UserId) -> str:
        """Whom the turn waits for, by name; somebody who wrote nothing in the turn has none."""
        name = self._names.get(asker)
        if name is None:
            return self.words("progress-waiting")
        return self.words("progress-waiting-for", who=short(name))

    def _mark_waits(self) -> None:
        """A call that a person has to agree to is not in progress: it waits for that person."""
        for card in self.cards:
            card.waits_for = ""
        for wait in self.turn.waits.values():
            card = self._call_cards.get((wait.run, wait.call_id))
            if card is not None:
                card.waits_for = self._waiting_for(wait.asker)

    def _lay_out(self, event: PlanMade) -> None:
        """The whole plan at once: a card for each branch, before the first of them begins."""
        if self._planned:
            return
        for title, question in zip(event.titles, event.sub_questions, strict=False):
            card = self._add_card(_capitalized(title or question))
            card.calls[_BRANCH_ITSELF] = "running"
            self._planned.append(card)

    def _begin_step(self, event: StepStarted) -> None:
        """A model call begins: the run thinks, and what it did last is over."""
        card = self._branch_cards.get(event.run)
        if card is None:
            self._drafted_chars = 0
            self.activity = self.words("progress-thinking")
        else:
            self.activity = self._work_of(card)
        if event.away and all(card.title != event.away for card in self.cards):
            self._add_card(event.away)

    def _try_again(self, event: StepRetried) -> None:
        """A model that is away for long has a card, which says until when it is tried."""
        if event.given_up_at is None:
            if event.wait_s >= BUSY_WAIT_S:
                self.activity = self.words("progress-trying-again")
            return
        time = event.given_up_at.strftime("%H:%M")
        self.activity = self.words("progress-model-away", time=time)
        if self._outage is None:
            self._outage = self._add_card(self.activity)
        self._outage.title = self.activity
        self._outage.calls[_BRANCH_ITSELF] = "running"

    def _end_outage(self, key: str, state: CardState) -> None:
        if self._outage is not None and self._outage.state == "running":
            self._outage.title = self.words(key)
            self._outage.calls[_BRANCH_ITSELF] = state

    def _work_of(self, card: Card) -> str:
        """What a branch does between its calls."""
        return self.words("progress-report-ahead") if card.is_report else card.title

    def _write(self, event: HeadingWritten | TextDelta) -> None:
        """The answer is written, or a report: the line and the card have its newest section."""
        if isinstance(event, TextDelta):
            self._end_outage("progress-model-back", "done")
            if event.run == ROOT_RUN:
                self._drafted_chars += len(event.text)
                if self._drafted_chars >= ANSWER_CHARS:
                    self.activity = self.words("progress-writing-answer")
            return
        if not writes(event.tool):
            return
        self.activity = self.words("progress-writing", what=short(event.heading))
        card = self._branch_cards.get(event.run)
        if card is not None:
            card.details = self.activity

    def _begin_run(self, event: RunStarted) -> None:
        """A branch is shown under its title; a retried branch keeps its card."""
        if event.parent is None:
            return
        cards = self._branch_cards
        card = cards.get(event.run) or cards.get(event.parent)
        if card is None:
            title = branch_title(event.agent, event.title, event.task, self.words)
            card = self._planned_card(title) or self._add_card(title)
            card.branch = event.run
            card.is_report = event.agent == REPORT_EXPERT
        self._branch_cards[event.run] = card
        if card.branch == event.run:
            card.calls[_BRANCH_ITSELF] = "running"
            self.activity = self._work_of(card)

    def _planned_card(self, title: str) -> Card | None:
        """The card that the plan has for a branch; branches begin in any order."""
        for card in self._planned:
            if card.title == title:
                self._planned.remove(card)
                return card
        return None

    def _end_run(self, event: RunFinished) -> None:
        """The details of a stopped branch keep the name of the person who stopped it."""
        card = self._branch_cards.get(event.run)
        if card is None or card.branch != event.run:
            return
        if event.outcome != "stopped" and card.state != "unsure":
            card.details = ""
            if event.outcome == "failed":
                card.details = self.words("progress-failed")
            elif card.sources:
                card.details = self.words("progress-pages-read", n=len(card.sources))
        card.calls[_BRANCH_ITSELF] = _ENDINGS.get(event.outcome, "done")

    def _add_card(self, title: str) -> Card:
        card = Card(title)
        self.cards.append(card)
        return card

    def _intervene(self, event: Intervened) -> None:
        """Name the person who stopped, completed or retried a branch."""
        card = self._branch_cards.get(event.run)
        if card is None:
            return
        who = short(event.by_name)
        card.details = self.words(f"progress-{event.what}-branch", who=who)
        state = _INTERVENED.get(event.what)
        if state and card.branch == event.run:
            card.calls[_BRANCH_ITSELF] = state

    def _add_message(self, event: MessageTaken) -> None:
        message = event.taken or TurnId(f"{event.run} {event.intervention}")
        if message not in self._message_cards:
            who = short(event.author_name)
            what = short(event.text)
            title = self.words("progress-took-in", who=who, what=what)
            late = self.words("progress-took-in-late", who=who, what=what)
            run = self.turn.runs[event.run]
            if run.change and run.change.n == event.intervention:
                old, new = difference(run.before, event.text)
                late = title = self.words("progress-changed", who=who, old=old, new=new)
            card = self._add_card(title)
            self._message_cards[message] = (card, title)
            if any(artifact.mimetype == REPORT for artifact in self.turn.artifacts.values()):
                card.title = late
        card, _ = self._message_cards[message]
        branch = self._branch_cards.get(event.run)
        if branch is not None and branch.title not in card.details:
            titles = [card.details, branch.title] if card.details else [branch.title]
            card.details = short("; ".join(titles))

    def _fold_call(self, event: ToolCallStarted | ToolCallProgressed | ToolCallFinished) -> None:
        if event.tool.lower() in WITHOUT_CARD:
            return
        if isinstance(event, ToolCallStarted):
            self._begin_call(event)
            return
        key = (event.run, event.call_id)
        card = self._call_cards.get(key)
        if card is None:
            return
        call = self.turn.calls[key]
        if isinstance(event, ToolCallFinished):
            self._end_call(event, call, card)
        elif call.reads_pages and not card.branch:
            card.details = short(event.text)

    def _begin_call(self, event: ToolCallStarted) -> None:
        self.activity = describe(event.tool, event.arguments, self.words, self.turn.pages)
        card = self._branch_cards.get(event.run)
        if card is not None:
            card.details = "" if self.activity == card.title else self.activity
        else:
            steps = {step.title: step for step in self.cards if not step.branch}
            card = steps.get(self.activity)
            if card is None:
                card = self._add_card(self.activity)
            card.calls[event.call_id] = "running"
        self._call_cards[event.run, event.call_id] = card

    def _end_call(self, event: ToolCallFinished, call: CallSnapshot, card: Card) -> None:
        pages: list[str] = []
        if call.reads_pages:
            for source in event.sources:
                pages.append(source.url)
                card.sources[source.url] = source.title
        if event.may_have_happened:
            card.calls[event.call_id] = "unsure"
            card.details = self.words("progress-unsure")
            return
        if card.branch:
            return
        if pages:
            card.title = reading_title(pages, self.words, self.turn.pages)
        state: CardState = "done"
        details = ""
        if event.is_error or (call.reads_pages and not pages):
            state = "stopped" if call.is_declined else "failed"
            details = self.words(f"progress-{state}")
        card.calls[event.call_id] = state
        if card.state != "unsure":
            card.details = details


def words_of(started: TurnStarted) -> Words:
    """The sentences of a turn, in its language."""
    return BOT.of(started.language)


def branch_title(agent: str, title: str, task: str, words: Words) -> str:
    """A branch's name for people, the same in the thread and in the live view."""
    if agent == REPORT_EXPERT:
        return short(words("progress-purpose-write-report"))
    first_line, _, _ = task.strip().partition("\n")
    return _capitalized(title.strip() or first_line)


def difference(old: str, new: str) -> list[str]:
    """Each text from the first word on in which they differ."""
    alike = commonprefix([old, new])  # noqa: RUF071 (of texts, not of paths)
    begin = alike.rfind(" ") + 1
    lead = "… " if begin else ""
    return [short(lead + text[begin:]) for text in (old, new)]


def _capitalized(title: str) -> str:
    return short(title[:1].upper() + title[1:])


def _is_answer(event: MessageTaken, asked: AnyEvent | None) -> bool:
    """Whether a message answers the open question of the main run, whose post shows it."""
    if not isinstance(asked, QuestionAsked) or event.run != ROOT_RUN:
        return False
    return event.author == asked.asker
