"""Events of a turn, made one after the other as the core announces them."""

from typing import Any

from agent_core.events import AnyEvent, TurnFinished, Usage
from agent_core.ids import SessionId, TurnId
from tests.agent_core.turn_events import made

SESSION = SessionId("T1:C1:1.000001")
TURN = TurnId("turn:1")
OTHER_TURN = TurnId("turn:2")


class Announced:
    """Each method makes the turn's next event."""

    def __init__(self, turn: TurnId = TURN) -> None:
        self._turn = turn
        self._n = 0

    def started(self, words: str = "What is new?") -> AnyEvent:
        return self._next("turn_started", text=words)

    def called(self, tool: str = "look", **arguments: Any) -> AnyEvent:
        call = f"call_{self._n}"
        return self._next("tool_call_started", call_id=call, tool=tool, arguments=arguments)

    def delta(self, words: str) -> AnyEvent:
        return self._next("text_delta", text=words)

    def step_finished(self, usage: Usage) -> AnyEvent:
        return self._next("step_finished", usage=usage)

    def intervened(self) -> AnyEvent:
        by = {"by": "T1:U2", "by_name": "Ben"}
        return self._next("intervened", key="a click", what="stop", text="", **by)

    def finished(self, answer: str = "Nothing.") -> TurnFinished:
        event = self._next("turn_finished", answer=answer)
        assert isinstance(event, TurnFinished)
        return event

    def _next(self, kind: str, **fields: Any) -> AnyEvent:
        self._n += 1
        return made(kind, self._n, session=SESSION, turn=self._turn, n=self._n, **fields)


def whole_turn(turn: TurnId = TURN) -> list[AnyEvent]:
    """Four events that are stored."""
    events = Announced(turn)
    return [events.started(), events.called("look"), events.called("read"), events.finished()]
