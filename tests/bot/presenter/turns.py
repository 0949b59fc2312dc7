"""A turn's events, built in order as the core would announce them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agent_core.events import (
    ApprovalDecided,
    ApprovalRequested,
    ApprovalVerdict,
    ArtifactSaved,
    AuthEnded,
    AuthOutcome,
    AuthRequired,
    MessageTaken,
    Outcome,
    PlannedAction,
    QuestionAsked,
    Route,
    RouteChosen,
    StepRetried,
    StepStarted,
    ToolCallFinished,
    ToolCallProgressed,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, ConsentId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.messages import JsonObject
from bot.threads import ThreadRef


class MemoryState:
    """A bookmark in memory; two presenters that share it follow each other."""

    def __init__(self) -> None:
        self.saved: JsonObject | None = None

    async def load(self) -> JsonObject | None:
        return self.saved

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


class Turn:
    """Each method makes the next event, one second after the one before."""

    def __init__(self, thread: ThreadRef, *, turn: str = "turn1", asker: str = "T1:U1") -> None:
        self.session: SessionId = thread.session
        self.turn = TurnId(turn)
        self.asker = UserId(asker)
        self._n = 0
        self._passed = timedelta()

    def started(self, text: str = "What is new in batteries?") -> TurnStarted:
        return TurnStarted(**self._base(), asker=self.asker, author_name="Ann", text=text)

    def routed(self, route: Route) -> RouteChosen:
        return RouteChosen(**self._base(), route=route, reason="classifier", raw=route)

    def thought(self, run: RunId = ROOT_RUN) -> StepStarted:
        return StepStarted(**self._base(run))

    def call(
        self, call: str, tool: str, run: RunId = ROOT_RUN, **arguments: Any
    ) -> ToolCallStarted:
        base = self._base(run)
        return ToolCallStarted(**base, call_id=ToolCallId(call), tool=tool, arguments=arguments)

    def progressed(self, call: str, text: str, run: RunId = ROOT_RUN) -> ToolCallProgressed:
        base = self._base(run)
        return ToolCallProgressed(**base, call_id=ToolCallId(call), tool="", text=text)

    def returned(
        self,
        call: str,
        run: RunId = ROOT_RUN,
        *,
        is_error: bool = False,
        tool: str = "",
        preview: str = "",
        display: str = "",
        may_have_happened: bool = False,
    ) -> ToolCallFinished:
        return ToolCallFinished(
            **self._base(run),
            call_id=ToolCallId(call),
            tool=tool,
            is_error=is_error,
            preview=preview,
            size_bytes=0,
            duration_s=1.0,
            display=display,
            may_have_happened=may_have_happened,
        )

    def taken(self, text: str, author_name: str = "Ben", ts: str = "9.000009") -> MessageTaken:
        author = UserId(f"T1:{author_name.upper()}")
        taken = TurnId(f"turn:T1:C1:{ts}")
        base = self._base()
        return MessageTaken(**base, author=author, author_name=author_name, text=text, taken=taken)

    def asked(
        self, question: str, *options: str, call: str = "q1", patience: timedelta = WEEK
    ) -> QuestionAsked:
        base = self._base()
        return QuestionAsked(
            **base,
            call_id=ToolCallId(call),
            asker=self.asker,
            question=question,
            options=options,
            deadline=base["at"] + patience,
        )

    def requested(
        self,
        *actions: PlannedAction,
        consent: str = "consent1",
        is_tainted: bool = False,
        may_allow_thread: bool = False,
    ) -> ApprovalRequested:
        base = self._base()
        return ApprovalRequested(
            **base,
            consent=ConsentId(consent),
            call_id=ToolCallId(f"call of {consent}"),
            asker=self.asker,
            tool="mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL",
            actions=actions or (action(recipient_email="bob@example.com", body="Hello"),),
            digest=DIGEST,
            is_tainted=is_tainted,
            may_allow_thread=may_allow_thread,
            deadline=base["at"] + timedelta(minutes=15),
        )

    def decided(
        self,
        verdict: ApprovalVerdict = "approved",
        *,
        by: str | None = "T1:U1",
        reason: str = "",
        for_thread: bool = False,
        consent: str = "consent1",
    ) -> ApprovalDecided:
        return ApprovalDecided(
            **self._base(),
            consent=ConsentId(consent),
            call_id=ToolCallId(f"call of {consent}"),
            verdict=verdict,
            by=UserId(by) if by else None,
            reason=reason,
            for_thread=for_thread,
        )

    def auth_required(self, *toolkits: str, consent: str = "consent1") -> AuthRequired:
        base = self._base()
        return AuthRequired(
            **base,
            consent=ConsentId(consent),
            call_id=ToolCallId(f"call of {consent}"),
            asker=self.asker,
            toolkits=toolkits,
            deadline=base["at"] + timedelta(days=1),
        )

    def auth_ended(
        self, *toolkits: str, outcome: AuthOutcome = "connected", consent: str = "consent1"
    ) -> AuthEnded:
        return AuthEnded(
            **self._base(),
            consent=ConsentId(consent),
            call_id=ToolCallId(f"call of {consent}"),
            asker=self.asker,
            toolkits=toolkits,
            outcome=outcome,
        )

    def wait(self, time: timedelta) -> None:
        """Let time pass before the next event."""
        self._passed += time

    def retried(self, wait_s: float) -> StepRetried:
        return StepRetried(**self._base(), reason="overloaded", wait_s=wait_s)

    def saved(self, path: str, title: str = "The report") -> ArtifactSaved:
        base = self._base()
        return ArtifactSaved(**base, path=path, title=title, mimetype="text/html", size_bytes=1)

    def finished(
        self, answer: str, outcome: Outcome = "answered", reference: str = "ref42"
    ) -> TurnFinished:
        return TurnFinished(**self._base(), outcome=outcome, answer=answer, reference=reference)

    def _base(self, run: RunId = ROOT_RUN) -> dict[str, Any]:
        self._n += 1
        return {
            "session": self.session,
            "turn": self.turn,
            "run": run,
            "step": 1,
            "attempt": 1,
            "n": self._n,
            "at": START + timedelta(seconds=self._n) + self._passed,
        }
