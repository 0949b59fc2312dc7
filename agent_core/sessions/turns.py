"""Turns as they are stored: what each is about, how far it is, what it waits for."""

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from agent_core.events import Outcome
from agent_core.ids import SessionId, TurnId
from agent_core.messages import InboundMessage
from agent_core.sessions.asks import Wait

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


TURN = TypeAdapter(StoredTurn)
