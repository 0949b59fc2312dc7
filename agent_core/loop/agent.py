"""What an agent is, and the surroundings in which one of its runs takes place."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agent_core.durable import Steps
from agent_core.events import Emit
from agent_core.loop.limits import Limits
from agent_core.messages import Message, ToolCall
from agent_core.models import ToolSpec
from agent_core.models.retry import RetryingModel
from agent_core.tools import ToolContext, ToolOutput, Toolset

Clock = Callable[[], datetime]

ATTEMPTS_A_GENERATION = 100

ROUTE_SLOTS = {"turn_started": 10, "fallback": 11, "route": 12, "turn_finished": 13}
"""Places of a turn's own events within step 0 of its root run; the run's own are 0 and 1."""


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

    generation: int = 1
    """2 or more: the turn goes on from its history, and its events are new attempts."""

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
    run: Callable[[ToolCall, RunScope], Awaitable[ToolOutput]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A model with its instructions and tools."""

    name: str
    system: str
    model: RetryingModel
    tools: Toolset
    body_tools: tuple[BodyTool, ...] = ()
    limits: Limits = Limits()
