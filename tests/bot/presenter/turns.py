"""A turn's events, built in order as the core would announce them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from agent_core.events import (
    ApprovalRequested,
    ArtifactSaved,
    AskDecided,
    AskDecision,
    AuthRequired,
    Event,
    HeadingWritten,
    Intervened,
    MessageTaken,
    Outcome,
    PlanMade,
    PlannedAction,
    QuestionAsked,
    Route,
    RouteChosen,
    RunFinished,
    RunStarted,
    Source,
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
from agent_core.ids import ROOT_RUN, RunId, SessionId, TurnId, UserId
from agent_core.messages import JsonObject
from agent_core.words import detect_language
from bot.threads import ThreadRef


class MemoryState:
    """A bookmark in memory; two presenters that share it follow each other."""

    def __init__(self) -> None:
        self.saved: JsonObject | None = None

    async def save(self, state: JsonObject) -> None:
        self.saved = state


START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
WEEK = timedelta(days=7)
DIGEST = "0123456789ab" + "c" * 52


def action(tool: str = "GMAIL_SEND_EMAIL", *, asks: bool = True, **arguments: Any) -> PlannedAction:
    """What Ann's Gmail account would do."""
    return PlannedAction(
        tool=tool, toolkit="gmail", account="ann@example.com", arguments=arguments, asks=asks
    )


REPORT_TOOL = "mcp__local_toolkit__write_report"
AnyKind = TypeVar("AnyKind", bound=Event)


class Turn:
    """Each method makes the next event, one second after the one before."""

    def __init__(self, thread: ThreadRef, *, turn: str = "turn1", asker: str = "T1:U1") -> None:
        self.session: SessionId = thread.session
        self.turn = TurnId(turn)
        self.asker = UserId(asker)
        self._n = 0
        self._passed = timedelta()

    def started(self, text: str = "What is new in batteries?") -> TurnStarted:
        return self._next(
            TurnStarted,
            asker=self.asker,
            author_name="Ann",
            text=text,
            language=detect_language(text),
        )

    def routed(self, route: Route) -> RouteChosen:
        return self._next(RouteChosen, route=route, reason="classifier", raw=route)

    def planned(self, *titles: str, question: str = "") -> PlanMade:
        """Parts of the work by their titles."""
        asks = tuple("what does it cost?" for _ in titles)
        return self._next(
            PlanMade, question=question, default="", sub_questions=asks, titles=titles
        )

    def thought(self, run: RunId = ROOT_RUN) -> StepStarted:
        return self._next(StepStarted, run)

    def call(
        self, call: str, tool: str, run: RunId = ROOT_RUN, **arguments: Any
    ) -> ToolCallStarted:
        return self._next(ToolCallStarted, run, call_id=call, tool=tool, arguments=arguments)

    def progressed(self, call: str, text: str) -> ToolCallProgressed:
        return self._next(ToolCallProgressed, call_id=call, tool="", text=text)

    def returned(self, call: str, run: RunId = ROOT_RUN, **ended: Any) -> ToolCallFinished:
        plain = {"tool": "", "is_error": False, "preview": "", "size_bytes": 0, "duration_s": 1.0}
        told: dict[str, Any] = {"call_id": call, **plain, **ended}
        return self._next(ToolCallFinished, run, **told)

    def branch(
        self,
        run: RunId,
        title: str,
        *,
        task: str = "Find out about it.",
        agent: str = "explorer",
        parent: RunId = ROOT_RUN,
    ) -> RunStarted:
        return self._next(RunStarted, run, parent=parent, agent=agent, task=task, title=title)

    def read(self, call: str, *titled: tuple[str, str], run: RunId = ROOT_RUN) -> ToolCallFinished:
        """What `crawl_parallel` read: addresses and titles."""
        sources = tuple(Source(url=url, title=title) for url, title in titled)
        return self.returned(call, run, tool="crawl_parallel", sources=sources)

    def branch_ended(self, run: RunId, outcome: Outcome = "answered") -> RunFinished:
        return self._next(RunFinished, run, outcome=outcome, text="")

    def taken(
        self,
        text: str,
        author_name: str = "Ben",
        ts: str = "9.000009",
        run: RunId = ROOT_RUN,
        step: int = 1,
    ) -> MessageTaken:
        author = self.asker if author_name == "Ann" else f"T1:{author_name.upper()}"
        taken = f"turn:T1:C1:{ts}"
        told = {"author": author, "author_name": author_name, "text": text, "taken": taken}
        return self._next(MessageTaken, run, step, **told)

    def commented(self, text: str, number: int, run: RunId) -> MessageTaken:
        """What Ben said to one run alone."""
        told: dict[str, Any] = {"author": "T1:BEN", "author_name": "Ben", "text": text}
        return self._next(MessageTaken, run, **told, taken="", intervention=number)

    def stopped_branch(self, number: int, run: RunId) -> Intervened:
        told: dict[str, Any] = {"what": "stop", "text": "", "by": "T1:BEN", "by_name": "Ben"}
        return self._next(Intervened, run, key=f"stop {number}", **told)

    def changed_task(self, text: str, run: RunId) -> Intervened:
        told: dict[str, Any] = {"what": "content", "text": text, "by": "T1:BEN", "by_name": "Ben"}
        return self._next(Intervened, run, key="change", **told)

    def asked(
        self, question: str, *options: str, call: str = "q1", patience: timedelta = WEEK
    ) -> QuestionAsked:
        return self._next(
            QuestionAsked,
            ask=f"ask of {call}",
            call_id=call,
            asker=self.asker,
            question=question,
            options=options,
            deadline=self._at(1) + patience,
        )

    def requested(
        self,
        *actions: PlannedAction,
        ask: str = "ask1",
        is_tainted: bool = False,
        may_allow_thread: bool = False,
    ) -> ApprovalRequested:
        return self._next(
            ApprovalRequested,
            **self._about(ask),
            asker=self.asker,
            tool="mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL",
            actions=actions or (action(recipient_email="bob@example.com", body="Hello"),),
            digest=DIGEST,
            is_tainted=is_tainted,
            may_allow_thread=may_allow_thread,
            deadline=self._at(1) + timedelta(minutes=15),
        )

    def decided(
        self, verdict: AskDecision = "approved", *, ask: str = "ask1", **how: Any
    ) -> AskDecided:
        plain: dict[str, Any] = {"by": "T1:U1", "reason": ""}
        about = self._about(ask)
        return self._next(AskDecided, **about, verdict=verdict, **{**plain, **how})

    def auth_required(self, *toolkits: str) -> AuthRequired:
        about, deadline = self._about("ask1"), self._at(1) + timedelta(days=1)
        return self._next(
            AuthRequired, **about, asker=self.asker, toolkits=toolkits, deadline=deadline
        )

    def wait(self, time: timedelta) -> None:
        """Let time pass before the next event."""
        self._passed += time

    def headed(self, heading: str, run: RunId = ROOT_RUN) -> HeadingWritten:
        return self._next(HeadingWritten, run, tool=REPORT_TOOL, heading=heading)

    def retried(self, wait_s: float, given_up_at: datetime | None = None) -> StepRetried:
        why = "overloaded"
        return self._next(StepRetried, reason=why, wait_s=wait_s, given_up_at=given_up_at)

    def saved(self, path: str, title: str = "The report", **more: Any) -> ArtifactSaved:
        told: dict[str, Any] = {"mimetype": "text/html", "size_bytes": 1, **more}
        return self._next(ArtifactSaved, path=path, title=title, **told)

    def said(self, text: str, *, step: int = 1, attempt: int = 1) -> TextDelta:
        """A piece of what the model writes; step 0 is the fast answer's."""
        return replace(self._next(TextDelta, step=step, text=text), attempt=attempt)

    def stepped(self, *, tool_calls: int) -> StepFinished:
        told: dict[str, Any] = {"text": "", "thinking": "", "model": "m", "stop_reason": ""}
        return self._next(
            StepFinished, **told, usage=Usage(), duration_s=1.0, tool_calls=tool_calls
        )

    def finished(self, answer: str, outcome: Outcome = "answered") -> TurnFinished:
        return self._next(TurnFinished, outcome=outcome, answer=answer, reference="ref42")

    def _next(
        self, kind: type[AnyKind], run: RunId = ROOT_RUN, step: int = 1, **more: Any
    ) -> AnyKind:
        self._n += 1
        place = {"session": self.session, "turn": self.turn, "run": run, "step": step, "attempt": 1}
        return kind(**place, n=self._n, at=self._at(), **more)

    def _at(self, later: int = 0) -> datetime:
        return START + timedelta(seconds=self._n + later) + self._passed

    @staticmethod
    def _about(ask: str) -> dict[str, Any]:
        return {"ask": ask, "call_id": f"call of {ask}"}
