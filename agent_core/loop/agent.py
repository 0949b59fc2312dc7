"""What an agent is, and the surroundings in which one of its runs takes place."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from agent_core.durable import Steps
from agent_core.events import Emit
from agent_core.ids import ToolCallId, TurnId, UserId
from agent_core.loop.limits import Limits
from agent_core.messages import Message, ToolCall
from agent_core.models import ToolSpec
from agent_core.models.retry import RetryingModel
from agent_core.sessions.turns import Question
from agent_core.tools import ToolContext, ToolOutput, Toolset

Clock = Callable[[], datetime]

ATTEMPTS_A_GENERATION = 100

ROUTE_SLOTS = {
    "turn_started": 10,
    "fallback": 11,
    "route": 12,
    "turn_finished": 13,
    "question": 14,
}
"""Places of a turn's own events within step 0 of its root run; the run's own are 0 and 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A message that a run takes in while it is at work."""

    turn: TurnId
    author: UserId
    author_name: str
    words: str
    """The person's own, for people to read."""
    said: str
    """The words with all that came with them."""
    text: str
    """What the model gets while it is at work."""


async def _nothing_came(_place: str) -> tuple[Taken, ...]:
    return ()


async def _nothing_waits() -> bool:
    return False


async def _always_new(_call: ToolCallId) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScope:
    """Where a run takes place: whose it is, where its work is recorded, who hears of it."""

    context: ToolContext
    steps: Steps
    emit: Emit
    clock: Clock
    save: Callable[[int, Sequence[Message]], Awaitable[None]]
    """Stores messages of this run from a number on."""
    after_tool_call: Callable[[ToolCall, ToolOutput, ToolContext], None]
    """Hook: told of each result; MUST NOT block or raise."""

    take_messages: Callable[[str], Awaitable[tuple[Taken, ...]]] = _nothing_came
    """What people wrote meanwhile; asked again for the same place, it gives the same and more."""
    has_messages: Callable[[], Awaitable[bool]] = _nothing_waits
    """Whether somebody wrote what the run has not taken in yet."""
    begin_effect: Callable[[ToolCallId], Awaitable[bool]] = _always_new
    """Notes a call before it is made; False when an earlier process had begun it."""
    generation: int = 1
    """2 or more: the turn goes on from its history, and its events are new attempts."""

    def acting_for(self, taken: Sequence[Taken]) -> "RunScope":
        """The scope after messages were taken in: tools act for the author of the last one."""
        if not taken:
            return self
        return replace(self, context=replace(self.context, asker=taken[-1].author))

    def at(self, step: int, n: int, attempt: int = 1) -> dict[str, Any]:
        """The fields that every event of this run carries."""
        return {
            "session": self.context.session,
            "turn": self.context.turn,
            "run": self.context.run,
            "step": step,
            "attempt": (self.generation - 1) * ATTEMPTS_A_GENERATION + attempt,
            "n": n,
            "at": self.clock(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyTool:
    """A tool that runs in the turn's body and not as a step, because it starts runs or waits."""

    spec: ToolSpec
    run: Callable[[ToolCall, RunScope], Awaitable[ToolOutput | Question]]
    """A Question ends the workflow: the turn waits for its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A model with its instructions and tools."""

    name: str
    system: str
    model: RetryingModel
    tools: Toolset
    body_tools: tuple[BodyTool, ...] = ()
    limits: Limits = Limits()
