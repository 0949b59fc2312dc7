"""Turns as they are stored: what each is about, how far it is, what it waits for."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from agent_core.events import Outcome, PlannedAction
from agent_core.ids import ConsentId, SessionId, ToolCallId, TurnId, UserId
from agent_core.messages import InboundMessage

TurnState = Literal["queued", "running", "waiting", "finished"]

TurnKind = Literal["work", "at_once", "stop"]
"""`work` goes one after another in a session, `at_once` waits for nobody, `stop` ends the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A wish that a turn end now."""

    by: str
    """Who said so, by name; empty when nobody did."""
    why: Literal["asked", "deleted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What all waits of a turn have: a tool call that a person has to do something about."""

    call_id: ToolCallId
    asker: UserId
    """Who is asked."""
    deadline: datetime

    def is_over(self, now: datetime) -> bool:
        """Whether nobody is waited for any longer."""
        return self.deadline <= now


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Waiting):
    """A wait for a person's answer, to a tool call or, with an empty `call_id`, to the planner."""

    text: str
    options: tuple[str, ...] = ()
    default: str = ""
    """What is taken when nobody answers; empty where nothing is."""
    kind: Literal["question"] = "question"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalWait(Waiting):
    """A wait for a decision on a tool call, which has not been made yet."""

    consent: ConsentId
    tool: str
    actions: tuple[PlannedAction, ...]
    digest: str
    is_tainted: bool
    may_allow_thread: bool
    kind: Literal["approval"] = "approval"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionWait(Waiting):
    """A wait for accounts that the asker connects."""

    consent: ConsentId
    toolkits: tuple[str, ...]
    said: str | None
    """What the call came to, without any link; None where it is made after the wait."""
    kind: Literal["connection"] = "connection"


Wait = Annotated[Question | ApprovalWait | ConnectionWait, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    id: TurnId
    session: SessionId
    seq: int
    """1 for the session's first turn."""
    status: TurnState
    generation: int
    """1, or more when the turn went on from its history in a new workflow."""
    inbound: InboundMessage
    outcome: Outcome | None
    answer: str | None
    kind: TurnKind = "work"
    stop: Stop | None = None
    wait: Wait | None = None
    taken_by: TurnId | None = None
    """The turn whose work the message became part of."""
    tries: int = 0
    """How many processes in a row have been at work on it, or showed it, and did not end in order;
    the present one included."""
    tried_from: int = 0
    """How far it was when the last of them began: in the log and in what is shown of it."""


TURN: TypeAdapter[StoredTurn] = TypeAdapter(StoredTurn)
