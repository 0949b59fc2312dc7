"""Turns as they are stored: what each is about, how far it is, what it waits for."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import Row

from agent_core.events import Outcome
from agent_core.ids import SessionId, ToolCallId, TurnId, UserId
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
class Question:
    """What a turn waits for: a person's answer to a tool call."""

    call_id: ToolCallId
    asker: UserId
    """Who is asked."""
    text: str
    options: tuple[str, ...] = ()
    deadline: datetime


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
    question: Question | None = None
    taken_by: TurnId | None = None
    """The turn whose work the message became part of."""


STOP: TypeAdapter[Stop] = TypeAdapter(Stop)
QUESTION: TypeAdapter[Question] = TypeAdapter(Question)


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
        question=QUESTION.validate_python(row.question) if row.question else None,
        taken_by=TurnId(row.taken_by) if row.taken_by else None,
    )
