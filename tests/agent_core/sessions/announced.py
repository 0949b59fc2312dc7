"""Events of a turn, made one after the other as the core announces them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agent_core.events import (
    AnyEvent,
    Intervened,
    StepFinished,
    TextDelta,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
    Usage,
)
from agent_core.ids import ROOT_RUN, SessionId, ToolCallId, TurnId, UserId

START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
TURN = TurnId("turn:1")
OTHER_TURN = TurnId("turn:2")


class Announced:
    """Each method makes the turn's next event."""

    def __init__(self, turn: TurnId = TURN) -> None:
        self._turn = turn
        self._n = 0

    def started(self, words: str = "What is new?") -> TurnStarted:
        return TurnStarted(**self._base(), asker=UserId("T1:U1"), author_name="Ann", text=words)

    def called(self, tool: str = "look", **arguments: Any) -> ToolCallStarted:
        call = ToolCallId(f"call_{self._n}")
        return ToolCallStarted(**self._base(), call_id=call, tool=tool, arguments=arguments)

    def delta(self, words: str) -> TextDelta:
        return TextDelta(**self._base(), text=words)

    def step_finished(self, usage: Usage) -> StepFinished:
        told: dict[str, Any] = {"text": "", "thinking": "", "model": "m", "stop_reason": "end_turn"}
        return StepFinished(**self._base(), **told, usage=usage, duration_s=0.1, tool_calls=0)

    def intervened(self) -> Intervened:
        by = UserId("T1:U2")
        return Intervened(**self._base(), key="a click", what="stop", text="", by=by, by_name="Ben")

    def finished(self, answer: str = "Nothing.") -> TurnFinished:
        return TurnFinished(**self._base(), outcome="answered", answer=answer, reference="ref42")

    def _base(self) -> dict[str, Any]:
        self._n += 1
        return {
            "session": SessionId("T1:C1:1.000001"),
            "turn": self._turn,
            "run": ROOT_RUN,
            "step": 1,
            "attempt": 1,
            "n": self._n,
            "at": START + timedelta(seconds=self._n),
        }


def whole_turn(turn: TurnId = TURN) -> list[AnyEvent]:
    """Four events that are stored."""
    made = Announced(turn)
    return [made.started(), made.called("look"), made.called("read"), made.finished()]
