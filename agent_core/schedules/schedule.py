"""A schedule: what is to be done again and again, for whom, when, and where it is told."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NewType

from pydantic import TypeAdapter

from agent_core.ids import SessionId, UserId
from agent_core.schedules.rule import Rule

_STAMP = "%Y%m%dT%H%M%SZ"

ScheduleId = NewType("ScheduleId", str)

Status = Literal["proposed", "active", "paused", "over", "deleted"]
"""`proposed` waits for its owner's yes; `over` has no slot left, or has changed another one."""

WhenNothingNew = Literal["post", "say_so", "be_silent"]
"""What a run leads to that found only what was reported before."""

SlotState = Literal["due", "begun", "posted", "nothing_new", "failed", "left_out"]
"""`due` was claimed and its turn may not be there yet; all behind `begun` are final."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a person asks for."""

    team: str
    place: str
    """Where it is told: the surface's own name of a channel."""
    owner: UserId
    owner_name: str
    owner_locale: str
    task: str
    rule: Rule
    when_nothing_new: WhenNothingNew
    origin: SessionId
    """The conversation in which it was asked for."""
    owner_zone: str = ""
    """The zone in which the owner reads times; empty where it is the rule's."""
    reads: str = ""
    """The place whose posts it is about, as the surface calls it; empty where it is about none."""
    changes: ScheduleId = ScheduleId("")
    """Of a proposal: the schedule that is to be like this; empty where it orders a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """An order as it is stored."""

    id: ScheduleId
    number: int
    """By which people name it: 1 for the team's first; 0 as long as nobody has agreed to it."""
    order: Order
    status: Status
    reason: str
    """Why it is paused: a word of ours, empty when a person wanted it."""
    failures: int
    """How many runs in a row came to nothing."""
    next_due: datetime | None
    """Aware, in UTC; None when it is not active."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One moment at which a schedule was due, and what became of it."""

    schedule: ScheduleId
    at: datetime
    """Aware, in UTC. A run that a person wanted in between has the moment of the wish."""
    state: SlotState
    claimed_at: datetime
    left_out: int
    """How many earlier slots nobody was there for."""
    by_hand: bool
    root: str
    """The surface's own name of the post that told it; empty when none did."""

    @property
    def key(self) -> str:
        """The identity of the gesture that starts its turn."""
        return f"slot:{self.schedule}:{self.at.strftime(_STAMP)}"

    @property
    def session(self) -> SessionId:
        """The session of its turn, its own."""
        return SessionId(f"digest:{self.schedule}:{self.at.strftime(_STAMP)}")


ORDER: TypeAdapter[Order] = TypeAdapter(Order)


def slot_named(session: SessionId) -> tuple[ScheduleId, datetime] | None:
    """Whose slot a session is, and which; None when it is none's."""
    kind, _, rest = session.partition(":")
    schedule, _, stamp = rest.rpartition(":")
    if kind != "digest" or not schedule:
        return None
    return ScheduleId(schedule), datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
