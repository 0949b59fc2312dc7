"""Asks: what a turn wants a person to decide, and the decision.

A question, an approval of a tool call and a connection of accounts are the three kinds of one row.
Several people may decide, through several processes: the first decision wins, since deciding is
one UPDATE of an open row. `runtime/asks.py` says who may decide, `runtime/waits.py` how a turn
waits for an Ask.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter
from sqlalchemy import ColumnElement, select, update

from agent_core.errors import SessionError
from agent_core.events import PlannedAction
from agent_core.ids import AskId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.messages import JsonObject
from agent_core.sessions.database import Database, columns_of
from agent_core.sessions.schema import asks

AskKind = Literal["question", "approval", "connection"]

AskState = Literal["open", "decided", "used"]
"""An approved Ask is `used` from the moment in which its call begins."""

AskDecision = Literal[
    "answered",
    "approved",
    "approved_thread",
    "rejected",
    "edited",
    "connected",
    "skipped",
    "expired",
    "overtaken",
    "void",
]
"""`approved_thread`: also for later calls of the thread. `edited`: a new edition asks for the call
with other arguments. `overtaken`: a message or a stop came first. `void`: the approved call is not
the call that would be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of a tool call or, where the Ask has no call, of the planner."""

    text: str
    options: tuple[str, ...] = ()
    default: str = ""
    """The answer that is assumed at the deadline; empty where none is."""
    kind: Literal["question"] = "question"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallApproval:
    """A tool call that is made only once a person approves exactly this call."""

    tool: str
    actions: tuple[PlannedAction, ...]
    digest: str
    """Of everything that the approval is bound to."""
    grant: tuple[str, ...]
    """The tools and accounts that an approval for the thread covers."""
    is_tainted: bool
    owner_only: bool = False
    """Others than the asker had a word in the work: nobody else decides for the asker."""
    may_allow_thread: bool
    arguments: JsonObject
    """The whole call's, as it would be made: with what a person edited."""
    kind: Literal["approval"] = "approval"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountConnection:
    """Apps that the asker connects an account of."""

    toolkits: tuple[str, ...]
    output: str | None
    """The call's output, without links; None where the call is made after the wait."""
    link: str = ""
    """Where the newest link leads, without its secret part."""
    kind: Literal["connection"] = "connection"


AskBody = Annotated[Question | CallApproval | AccountConnection, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Which Ask a turn waits for, with what its dispatcher and its readers must know of the Ask."""

    ask: AskId
    kind: AskKind
    call_id: ToolCallId
    """The tool call that asks; empty for the planner."""
    asker: UserId
    """Who is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One decision that a turn asks a person for."""

    id: AskId
    session: SessionId
    turn: TurnId
    run: RunId
    call_id: ToolCallId
    asker: UserId
    """Who is asked: on whose behalf the call is made."""
    deadline: datetime
    body: AskBody
    edition: int = 0
    """How often a person edited the call before this Ask."""
    state: AskState = "open"
    decision: AskDecision | None = None
    decided_by: UserId | None = None
    """None where nobody decided, as at the deadline."""
    reason: str = ""
    """The person's own words: why they rejected, or what they answered."""

    @property
    def kind(self) -> AskKind:
        return self.body.kind

    @property
    def wait(self) -> Wait:
        """The turn's wait for this Ask."""
        return Wait(
            ask=self.id,
            kind=self.kind,
            call_id=self.call_id,
            asker=self.asker,
        )

    @property
    def approval(self) -> CallApproval:
        """The body of an approval; SessionError where the Ask is of another kind."""
        if not isinstance(self.body, CallApproval):
            raise SessionError(f"The ask {self.id} is no approval.")
        return self.body

    @property
    def connection(self) -> AccountConnection:
        """The body of a connection; SessionError where the Ask is of another kind."""
        if not isinstance(self.body, AccountConnection):
            raise SessionError(f"The ask {self.id} is no connection.")
        return self.body

    @property
    def is_approved(self) -> bool:
        """Whether the call may be made, or was."""
        return self.decision in ("approved", "approved_thread")

    @property
    def is_edited(self) -> bool:
        """Whether the approval's arguments are a person's, and not the model's."""
        return self.edition > 0 or self.decision == "edited"

    def is_expired(self, now: datetime) -> bool:
        """Whether the deadline has passed."""
        return self.deadline <= now


ASK = TypeAdapter(Ask)


def ask_id(
    turn: TurnId,
    run: RunId,
    call: ToolCallId,
    kind: AskKind,
    *,
    edition: int = 0,
) -> AskId:
    """The Ask's id, the same however often the call is judged. Nobody can guess it from outside."""
    identity = json.dumps([turn, run, call, kind, edition])
    return AskId(hashlib.sha256(identity.encode()).hexdigest()[:20])


def ends_wait(now: datetime) -> ColumnElement[bool]:
    """SQL: whether the turn of an Ask need not wait any longer.

    An answer does not end the wait: the message that brings it does.
    """
    is_decided = (asks.c.state != "open") & (asks.c.decision != "answered")
    return is_decided | (asks.c.deadline <= now)


class AskStore:
    """Asks and their decisions. Every write is idempotent."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    async def add(self, ask: Ask) -> Ask:
        """Store an Ask; returns the stored one where its id is there already."""
        await self._database.add(asks, columns_of(ask))
        return await self.get(ask.id)

    async def find(self, ask: AskId) -> Ask | None:
        """An Ask by id; None where there is none."""
        return await self._database.first(select(asks).filter_by(id=ask), Ask)

    async def get(self, ask: AskId) -> Ask:
        """An Ask by id; SessionError where there is none."""
        stored = await self.find(ask)
        if stored is None:
            raise SessionError(f"There is no ask {ask}.")
        return stored

    async def approval_of(self, turn: TurnId, run: RunId, call: ToolCallId) -> Ask | None:
        """The newest edition of a call's approval; None where none was asked for."""
        query = (
            select(asks)
            .filter_by(turn=turn, run=run, call_id=call)
            .where(asks.c.body["kind"].as_string() == "approval")
            .order_by(asks.c.edition.desc())
        )
        return await self._database.first(query, Ask)

    async def thread_approvals(self, session: SessionId, asker: UserId) -> Sequence[Ask]:
        """Approvals that cover later calls of one person in a thread."""
        query = select(asks).filter_by(
            session=session,
            asker=asker,
            decision="approved_thread",
        )
        return await self._database.read(query, Ask)

    async def ends_wait(self, ask: AskId) -> bool:
        """Whether the Ask is decided or its deadline has passed; see the function."""
        query = select(asks.c.id).filter_by(id=ask).where(ends_wait(self._clock()))
        return await self._database.scalar(query) is not None

    async def amend(self, ask: AskId, body: AskBody) -> None:
        """Replace the body of an Ask, as with a newer link."""
        await self._database.execute(update(asks).filter_by(id=ask).values(body=body))

    async def decide(
        self,
        ask: AskId,
        decision: AskDecision,
        *,
        by: UserId | None = None,
        reason: str = "",
        body: AskBody | None = None,
    ) -> bool:
        """Decide an open Ask; False where it was decided before.

        `body` replaces the Ask's own, as with the arguments that a person edited.
        """
        values: dict[str, Any] = {
            "state": "decided",
            "decision": decision,
            "decided_by": by,
            "reason": reason,
        }
        if body is not None:
            values["body"] = body
        return await self._move(ask, "open", **values)

    async def use(self, ask: AskId) -> bool:
        """Whether the approved call may begin now; of several askers one is told True."""
        return await self._move(ask, "decided", state="used")

    async def void(self, ask: AskId) -> None:
        """The approval does not fit the call that would be made now."""
        await self._move(ask, "decided", decision="void")

    async def _move(self, ask: AskId, state: AskState, /, **values: Any) -> bool:
        statement = update(asks).filter_by(id=ask, state=state).values(values)
        return await self._database.execute(statement)
