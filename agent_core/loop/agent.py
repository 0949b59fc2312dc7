"""What an agent is, and the surroundings in which one of its runs takes place."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

from pydantic import ValidationError

from agent_core.clock import UtcClock, local_time
from agent_core.consent import ConsentGate
from agent_core.durable import Steps
from agent_core.errors import ChildRefused
from agent_core.events import (
    ATTEMPTS_A_GENERATION,
    Emit,
    EventHeader,
    MessageTaken,
    RunStarted,
    StepRetried,
    slot_of,
)
from agent_core.ids import RunId, ToolCallId, TurnId, UserId
from agent_core.messages import AttachedFile, Message, ToolCall
from agent_core.models import AWAY_S, Retried, RetryingModel, ToolSpec
from agent_core.sessions import Ask
from agent_core.tools import ToolContext, ToolOutput, Toolset, app_name
from agent_core.words import Words

EXPLORER = "explorer"
"""The sub-agent that works on a sub-question, where no other is named."""

ROUTE_SLOTS = {
    "root": 0,
    "turn_started": 10,
    "route": 12,
    "turn_finished": 13,
    "question": 14,
    "decision": 15,
    "voided": 16,
    "plan": 17,
    "released": 18,  # and on, one for each Ask
    "product": 100,  # and on, one for each file
}
"""Places of a turn's own events within step 0 of its root run; the run's own are 0 and 1."""

Away = Callable[[ToolContext], Mapping[str, str]]
"""Tool servers that cannot be had just now, by name, and why."""

_OWN_SERVERS = {
    "composio": "away-composio",
    "local_toolkit": "away-local-toolkit",
    "run_python": "away-run-python",
}
"""What people are told of our own servers and tools, which they do not know by name."""


def names_away(away: Iterable[str], words: Words) -> str:
    """Tool servers as people know them; empty where none is away."""
    names = [words(_OWN_SERVERS[name]) if name in _OWN_SERVERS else app_name(name) for name in away]
    return ", ".join(sorted(names))


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeringMessage:
    """A message that a run takes in while it is at work."""

    turn: TurnId
    author: UserId
    """For whom tools act from then on; empty where that stays as it is."""
    author_name: str
    words: str
    """The person's own, for people to read."""
    whole: str
    """The words with the posts and files that came with them."""
    text: str
    """What the model gets while it is at work."""
    files: tuple[AttachedFile, ...] = ()
    author_zone: str = ""
    moment: str = ""
    """When it was written, for the model."""
    intervention: int = 0
    """The `n` of the `Intervened` that it is; 0 for a message of the thread."""
    again: RunStarted | None = None
    """A child that the run begins before it goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildResult:
    """What a child run came to."""

    run: RunId
    task: str
    text: str
    """With a correction for whoever delegated, when a rule was broken."""
    is_error: bool = False
    """It failed, or was stopped."""
    tokens: int = 0
    """Of its model calls, and of those of all runs below it."""


Arrival = SteeringMessage | ChildResult
"""What a run takes in from its inbox."""


class RunInbox(Protocol):
    """Hook: the inbox of one run. The same position of its history always gives the same.

    A position that is asked for again may give more, behind what it gave before.
    """

    async def take(self, seq: int) -> tuple[Arrival, ...]:
        """What came in for the run's next model call; `seq` is where its first message belongs."""
        ...

    async def answers(self, seq: int) -> tuple[SteeringMessage, ...]:
        """The messages of the thread alone, as answers to what the turn waited for."""
        ...

    async def has_messages(self) -> bool:
        """Whether somebody wrote in the thread what the turn has yet to take in."""
        ...


class Children(Protocol):
    """Hook: the child runs of one run, which are at work beside it."""

    def at_work(self) -> AbstractAsyncContextManager[None]:
        """The time in which the run itself is at work."""
        ...

    def waiting(self) -> AbstractAsyncContextManager[None]:
        """The run only waits within, also where it cancels waits; behind it, it is at work."""
        ...

    @property
    def tokens(self) -> int:
        """Of the children whose results were taken in."""
        ...

    async def fork(
        self,
        scope: "RunScope",
        key: str,
        prompt: str,
        agent: str,
        title: str,
        context: str,
    ) -> RunId:
        """As `RunScope.fork`."""
        ...

    async def wait(self, run: RunId) -> ChildResult:
        """The result of a child of this run, as soon as it is there; a failure is one, too.

        Raises:
            ChildRefused: this run has no such child.
        """
        ...

    async def take(self, result: ChildResult) -> None:
        """The run has this result now. Safe to do again."""
        ...

    async def settle(self) -> bool:
        """Wait until all children have ended; False when the run has been given every result."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    max_steps: int = 40
    max_duration_s: float = 30 * 60
    max_tokens: int = 12_000_000
    """All tokens of the run's model calls and its children's, cached ones included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScope:
    """Where a run takes place: whose it is, where its work is recorded, who hears of it."""

    context: ToolContext
    steps: Steps
    emit: Emit
    clock: UtcClock
    save: Callable[[int, Sequence[Message]], Awaitable[None]]
    """Stores messages of this run from a number on."""
    after_tool_call: Callable[[ToolCall, ToolOutput, ToolContext], None]
    """Hook: told of each result; MUST NOT block or raise."""

    inbox: RunInbox
    begin_effect: Callable[[ToolCallId], Awaitable[bool]]
    """Notes a call before it is made; False when an earlier process had begun it."""
    gate: ConsentGate
    """Hook: stands before and behind each call of a tool."""
    children: Children
    left: RunLimits = RunLimits()
    """What the run's own work has left to it and to its children, who know what they use."""
    history: tuple[Message, ...] = ()
    """What earlier generations of the run have stored."""
    generation: int = 1
    """2 or more: the turn goes on from its history, and its events are new attempts."""
    words: Words
    """For what the run itself says to people."""

    def acting_for(self, arrivals: Sequence[Arrival]) -> "RunScope":
        """The scope after something came in: tools act for the author of the last message."""
        scope = self
        for each in arrivals:
            if isinstance(each, SteeringMessage) and each.author:
                scope = scope.acting_as(each.author, each.author_zone)
        return scope

    def acting_as(self, asker: UserId, zone: str) -> "RunScope":
        """The scope in which tools act for a person, whose time zone this is."""
        return replace(self, context=replace(self.context, asker=asker, zone=zone))

    async def fork(
        self,
        key: str,
        prompt: str,
        agent: str = EXPLORER,
        *,
        title: str = "",
        context: str = "",
    ) -> RunId:
        """Start a child run, which works beside this one; returns at once.

        `title` says for people what it is after, in a few words; `context` is for the model alone.

        A key that the run has used gives the child that it started: so whatever is begun again
        starts nothing twice.

        Raises:
            ChildRefused: too deep, too many at once, or nothing left for it to work with.
        """
        return await self.children.fork(
            self,
            key,
            prompt,
            agent,
            title,
            context,
        )

    async def announce(self, arrivals: Sequence[Arrival], step: int) -> None:
        """Tell the run's readers what it took in. Safe to do again."""
        for each in arrivals:
            if isinstance(each, ChildResult):
                await self.children.take(each)
            else:
                await self.emit(self._message_taken(each, step))

    def _message_taken(self, message: SteeringMessage, step: int) -> MessageTaken:
        # The same slot whatever else is taken in beside it when the step is made again.
        slot = slot_of(f"{message.turn}{message.intervention}")
        return MessageTaken(
            **self.at(step, slot),
            author=message.author,
            author_name=message.author_name,
            text=message.words,
            taken=message.turn,
            intervention=message.intervention,
        )

    def at(self, step: int, n: int, attempt: int = 1) -> EventHeader:
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

    def retried(self, item: Retried, step: int, n: int) -> StepRetried:
        """The event of a model call that is made again."""
        given_up_at = None
        if item.away_s >= AWAY_S:
            end = self.clock() + timedelta(seconds=item.left_s)
            given_up_at = local_time(end, self.context.zone)
        return StepRetried(
            **self.at(step, n, item.attempt),
            reason=item.reason,
            wait_s=item.wait_s,
            given_up_at=given_up_at,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyTool:
    """A tool that runs in the turn's body and not as a step, because it starts runs or waits."""

    spec: ToolSpec
    run: Callable[[ToolCall, RunScope], Awaitable[ToolOutput | Ask]]
    """An Ask ends the workflow: the turn waits for the answer."""

    async def output(self, call: ToolCall, scope: RunScope) -> ToolOutput | Ask:
        """What a call comes to; arguments that do not fit, and a refusal, are results."""
        try:
            return await self.run(call, scope)
        except ValidationError as error:
            needed = " and ".join(f"`{name}`" for name in self.spec.input_schema["required"])
            return ToolOutput(text=f"{call.name} needs {needed}: {error}", is_error=True)
        except ChildRefused as refused:
            return ToolOutput(text=str(refused), is_error=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A model with its instructions and tools."""

    name: str
    system: str
    model: RetryingModel
    tools: Toolset
    body_tools: tuple[BodyTool, ...] = ()
    owes: str = ""
    """The tool by which a run gives its result; one that ends without is reminded of it once."""
    limits: RunLimits = RunLimits()
    away: Away = lambda _: {}
    """Whose tools cannot be had just now, for the model to know."""
