"""Turns, their queue, and Asks: how far each turn is, and what it wants a person to decide.

A turn is a row of `turns` with a status; the process that holds its session's lease works on it. A
question, an approval of a tool call and a connection of accounts are the three kinds of an Ask.
Several people may decide, through several processes: the first decision wins, since deciding is
one UPDATE of an open row. `runtime/asks.py` says who may decide, `runtime/waits.py` how a turn
waits for an Ask.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter
from sqlalchemy import ColumnElement, Connection, Select, select, union, update

from agent_core.errors import SessionError
from agent_core.events import AskDecision, Outcome, PlannedAction
from agent_core.ids import AskId, ProcessId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.json_values import digest_of_json
from agent_core.messages import InboundMessage, JsonObject
from agent_core.sessions.audit_chain import AuditRecord, append
from agent_core.sessions.database import Database, Store, columns_of, objects_of
from agent_core.sessions.schema import asks, events, leases, quoted_authors, turns

AskKind = Literal["question", "approval", "connection"]

AskState = Literal["open", "decided", "used"]
"""An approved Ask is `used` from the moment in which its call begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of a tool call or, where the Ask has no call, of the planner."""

    text: str
    options: tuple[str, ...] = ()
    default: str = ""
    """The answer that is assumed at the deadline; empty where none is."""
    kind: Literal["question"] = "question"

    def option(self, answer: str) -> str:
        """The option that an answer names, by its words or its number in the list; else empty."""
        words = answer.strip().casefold()
        number = words.strip(" .)#")
        for option in self.options:
            if words == option.casefold():
                return option
        for position, option in enumerate(self.options, start=1):
            if number == str(position):
                return option
        return ""


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
    before: tuple[PlannedAction, ...] = ()
    """Those of the Ask whose place this one takes."""
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
    """Empty for the planner's question, and for an Ask that was released from its call."""
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
_KIND = asks.c.body["kind"].as_string()


def ask_id(
    turn: TurnId,
    run: RunId,
    call: ToolCallId,
    kind: AskKind,
    *,
    edition: int = 0,
) -> AskId:
    """The Ask's id, the same however often the call is judged. Nobody can guess it from outside."""
    return AskId(digest_of_json([turn, run, call, kind, edition])[:20])


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

    async def of_call(
        self, turn: TurnId, run: RunId, call: ToolCallId, kind: AskKind
    ) -> Ask | None:
        """The newest edition of a call's Ask of a kind; None where none was asked for."""
        query = (
            select(asks)
            .filter_by(turn=turn, run=run, call_id=call)
            .where(kind == _KIND)
            .order_by(asks.c.edition.desc())
        )
        return await self._database.first(query, Ask)

    async def release(self, ask: AskId) -> None:
        """Take an open Ask from its call, which has its result: it may be another's."""
        await self._move(ask, "open", call_id=ToolCallId(""))

    async def released(self, turn: TurnId) -> Sequence[Ask]:
        """Approvals and connections that are open without a call."""
        query = select(asks).filter_by(turn=turn, call_id="", state="open")
        return await self._database.read(query.where(_KIND != "question"), Ask)

    async def adopt(self, ask: AskId, call: ToolCallId) -> bool:
        """Give a released Ask to a call; False where it is no longer there to have."""
        statement = update(asks).filter_by(id=ask, call_id="", state="open").values(call_id=call)
        return await self._database.execute(statement)

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
        statement = update(asks).filter_by(id=ask, state="open").values(values).returning(asks)

        def decide(connection: Connection) -> bool:
            decided = objects_of(connection, statement, Ask)
            for each in decided:
                if each.kind == "approval":
                    append(connection, self._record_of(each))
            return bool(decided)

        return await self._database.change(decide)

    def _record_of(self, ask: Ask) -> AuditRecord:
        about = {"session": ask.session, "ask": ask.id, "decision": ask.decision}
        contents = {"reason": ask.reason}
        key = f"ask:{ask.id}"
        return AuditRecord(self._clock(), "approval", ask.decided_by or "", about, contents, key)

    async def use(self, ask: AskId) -> bool:
        """Whether the approved call may begin now; of several askers one is told True."""
        return await self._move(ask, "decided", state="used")

    async def void(self, ask: AskId) -> None:
        """The approval does not fit the call that would be made now."""
        await self._move(ask, "decided", decision="void")

    async def _move(self, ask: AskId, state: AskState, /, **values: Any) -> bool:
        statement = update(asks).filter_by(id=ask, state=state).values(values)
        return await self._database.execute(statement)


MAX_TRIES = 3
"""A turn is quarantined after it crashed so many processes without getting any further: one in
which other turns ran too, one in which only new turns ran beside it, and one that it had alone."""

TurnState = Literal["queued", "running", "waiting", "finished"]

TurnKind = Literal["work", "at_once", "aside", "stop", "refused"]
"""`work` goes one after another in a session, `at_once` waits for nobody, an `aside` is answered
beside the Ask that it is about, `stop` ends the work, and what is `refused` has met a cap."""


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


def authors_in(connection: Connection, session: SessionId) -> frozenset[UserId]:
    """Authorship: everybody whose words a session holds, by whatever door they came.

    A run may read what another run of the session was told or wrote down, so all of them count for
    each, from the moment in which their words are stored.
    """
    stepped_in = select(events.c.body["by"].as_string())
    decided = select(asks.c.decided_by).where((asks.c.reason != "") | (asks.c.decision == "edited"))
    by_hand = union(
        stepped_in.filter_by(session=session, kind="intervened"),
        decided.filter_by(session=session),
        select(quoted_authors.c.author).filter_by(session=session),
    )
    authors = set(connection.execute(by_hand).scalars())
    for turn in objects_of(connection, select(turns).filter_by(session=session), StoredTurn):
        authors |= turn.inbound.authors
    return frozenset(authors)


class TurnQueue(Store):
    """Reads the queue, and marks turns that are to stop. Every write is idempotent."""

    async def news(self, process: ProcessId, now: datetime) -> list[StoredTurn]:
        """Turns of the process's sessions that something is to be done about.

        They are queued, or are to stop, or wait for an Ask that is decided or expired.
        """
        ask = turns.c.wait["ask"].as_string()
        is_over = (
            select(asks.c.id)
            .where(
                asks.c.id == ask,
                ends_wait(now),
            )
            .exists()
        )
        is_to_stop = turns.c.status.in_(("running", "waiting")) & turns.c.stop.is_not(None)
        is_queued = turns.c.status == "queued"
        has_waited = (turns.c.status == "waiting") & is_over
        return await self._of(process, is_queued | is_to_stop | has_waited)

    async def of_process(self, process: ProcessId, status: TurnState) -> list[StoredTurn]:
        """Turns of the process's sessions with a status."""
        return await self._of(process, turns.c.status == status)

    async def absorbed_by(self, turn: TurnId) -> list[StoredTurn]:
        """All messages that became part of a turn, in order."""
        query = select(turns).filter_by(taken_by=turn).order_by(turns.c.seq)
        return await self._database.read(query, StoredTurn)

    async def left_out(self, turn: StoredTurn) -> list[StoredTurn]:
        """Messages behind a turn that nothing took in, as a stop ended it all, in order."""
        is_stopped = turns.c.stop["why"].as_string() == "asked"
        query = (
            select(turns)
            .filter_by(
                session=turn.session,
                kind="work",
                taken_by=None,
            )
            .where(turns.c.seq > turn.seq, is_stopped)
            .order_by(turns.c.seq)
        )
        return await self._database.read(query, StoredTurn)

    async def stop(
        self,
        session: SessionId,
        stop: Stop,
        *,
        before: int | None = None,
    ) -> list[StoredTurn]:
        """Mark all unfinished work of a session to stop; the turns that this concerns.

        Of several wishes for a turn the first one holds. `before`: only turns of a lower number, as
        what was written after the wish stays.
        """
        query = select(turns).filter_by(session=session, kind="work")
        if before is not None:
            query = query.where(turns.c.seq < before)
        return await self._mark(stop, query)

    async def stop_turn(self, turn: TurnId, stop: Stop) -> list[StoredTurn]:
        """Mark one turn; empty when it has ended, or is small talk that is being answered."""
        can_end = (turns.c.kind == "work") | (turns.c.status == "queued")
        return await self._mark(stop, select(turns).filter_by(id=turn).where(can_end))

    async def _of(self, process: ProcessId, which: ColumnElement[bool]) -> list[StoredTurn]:
        query = (
            select(turns)
            .where(which)
            .join(leases, leases.c.session == turns.c.session)
            .filter_by(process=process)
            .order_by(turns.c.session, turns.c.seq)
        )
        return await self._database.read(query, StoredTurn)

    async def _mark(self, stop: Stop, query: Select[Any]) -> list[StoredTurn]:
        unfinished = query.where(turns.c.status != "finished").order_by(turns.c.seq)
        unmarked = update(turns).filter_by(stop=None).values(stop=stop)

        def mark(connection: Connection) -> list[StoredTurn]:
            stopped = objects_of(connection, unfinished, StoredTurn)
            ids = [turn.id for turn in stopped]
            connection.execute(unmarked.where(turns.c.id.in_(ids)))
            return stopped

        return await self._database.run(mark)
