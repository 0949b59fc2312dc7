"""Turns as they are stored: what each is about, how far it is, what it waits for."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, cast

from pydantic import Discriminator, Tag, TypeAdapter
from sqlalchemy import Row

from agent_core.events import Outcome, PlannedAction
from agent_core.ids import ConsentId, SessionId, ToolCallId, TurnId, UserId
from agent_core.messages import INBOUND, InboundMessage

Status = Literal["queued", "running", "waiting", "finished"]

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
    """A wait for a person's answer to a tool call."""

    text: str
    options: tuple[str, ...] = ()
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


def _kind_of(value: object) -> str:
    """Waits that were stored before there were several kinds are questions."""
    if isinstance(value, dict):
        return str(cast("dict[str, object]", value).get("kind", "question"))
    return str(getattr(value, "kind", "question"))


Wait = Annotated[
    Annotated[Question, Tag("question")]
    | Annotated[ApprovalWait, Tag("approval")]
    | Annotated[ConnectionWait, Tag("connection")],
    Discriminator(_kind_of),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    id: TurnId
    session: SessionId
    seq: int
    """1 for the session's first turn."""
    status: Status
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


STOP: TypeAdapter[Stop] = TypeAdapter(Stop)
WAIT: TypeAdapter[Wait] = TypeAdapter(Wait)


def read_turn(row: Row[Any]) -> StoredTurn:
    """The turn in a row of the table."""
    return StoredTurn(
        id=TurnId(row.id),
        session=SessionId(row.session),
        seq=row.seq,
        status=row.status,
        generation=row.generation,
        inbound=INBOUND.validate_python(row.inbound),
        outcome=row.outcome,
        answer=row.answer,
        kind=row.kind,
        stop=STOP.validate_python(row.stop) if row.stop else None,
        wait=WAIT.validate_python(row.question) if row.question else None,
        taken_by=TurnId(row.taken_by) if row.taken_by else None,
    )
