"""A run's surroundings for tests: events and messages kept in lists, a clock that steps."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from agent_core.consent import ConsentGate
from agent_core.errors import ChildRefused
from agent_core.events import AnyEvent
from agent_core.ids import ROOT_RUN, RunId, SessionId, TurnId, UserId
from agent_core.loop.agent import Arrival, ChildResult, RunScope, SteeringMessage
from agent_core.messages import Message, ToolCall
from agent_core.models import ToolSpec
from agent_core.sessions import Ask
from agent_core.testing.steps import RecordedSteps
from agent_core.tools import OpenedCall, ToolContext, ToolOutput
from agent_core.words import CORE, FALLBACK

T = TypeVar("T")
START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def _always(answer: T) -> Callable[..., Awaitable[T]]:
    async def say(*_: object) -> T:
        return answer

    return say


@dataclass(slots=True, kw_only=True)
class SteppingClock:
    """Shows a later time at each look, by `step`."""

    step: timedelta = timedelta(milliseconds=1)
    now: datetime = START

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


class OpenGate(ConsentGate):
    """Lets everything through, as where nothing can have an effect."""

    def __init__(self) -> None:
        """It looks at nothing, so it needs nothing."""

    async def edited(self, call: ToolCall, context: ToolContext) -> ToolCall:
        return call

    async def before(
        self, call: OpenedCall, spec: ToolSpec | None, context: ToolContext
    ) -> ToolOutput | Ask | None:
        return None

    async def after(
        self, call: OpenedCall, output: ToolOutput, context: ToolContext
    ) -> ToolOutput | Ask:
        return output

    def spoken(self, progress: str) -> str:
        return progress


class NoChildren:
    """The children of a run that starts none."""

    tokens = 0
    authors: frozenset[UserId] = frozenset()

    @asynccontextmanager
    async def at_work(self) -> AsyncGenerator[None]:
        yield

    waiting = at_work

    async def fork(
        self, scope: RunScope, key: str, prompt: str, agent: str, title: str, context: str
    ) -> RunId:
        raise ChildRefused("There are no child runs here.")

    async def wait(self, run: RunId) -> ChildResult:
        raise ChildRefused("There are no child runs here.")

    async def take(self, result: ChildResult) -> None:
        """Nothing comes."""

    async def settle(self) -> bool:
        return False


class EmptyInbox:
    """The inbox of a run that nobody writes to."""

    async def take(self, seq: int) -> tuple[Arrival, ...]:
        return ()

    async def answers(self, seq: int) -> tuple[SteeringMessage, ...]:
        return ()

    async def has_messages(self) -> bool:
        return False


@dataclass(slots=True, kw_only=True)
class Surroundings:
    """What a run leaves behind."""

    workspace: Path
    clock: Callable[[], datetime] = field(default_factory=SteppingClock)
    zone: str = ""
    steps: RecordedSteps = field(default_factory=RecordedSteps)
    events: list[AnyEvent] = field(default_factory=list[AnyEvent])
    messages: dict[int, Message] = field(default_factory=dict[int, Message])
    observed: list[tuple[ToolCall, ToolOutput]] = field(
        default_factory=list[tuple[ToolCall, ToolOutput]]
    )

    def scope(self, run: RunId = ROOT_RUN) -> RunScope:
        """A scope whose events and messages land here."""
        return RunScope(
            context=ToolContext(
                session=SessionId("T1:C1:1.000001"),
                turn=TurnId("turn:T1:C1:1.000001"),
                run=run,
                asker=UserId("T1:U1"),
                workspace=self.workspace,
                zone=self.zone,
            ),
            steps=self.steps,
            emit=self._emit,
            clock=self.clock,
            save=self._save,
            after_tool_call=lambda call, output, _context: self.observed.append((call, output)),
            inbox=EmptyInbox(),
            begin_effect=_always(True),
            gate=OpenGate(),
            children=NoChildren(),
            words=CORE.of(FALLBACK),
        )

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    async def _emit(self, event: AnyEvent) -> None:
        self.events.append(event)

    async def _save(self, start: int, new: Sequence[Message]) -> None:
        self.messages.update(enumerate(new, start))
