"""The inbox of runs: messages, interventions and child results as rows of one queue.

A run takes its rows in right before a model call, at a position (`seq`) of its history, and a row
keeps that position. So the same position always gives the same rows: a step that is made again, or
a generation that goes on from the stored history, loses nothing and doubles nothing. Messages are
rows of the root run; a sub-agent at work gets a copy of each that the root run has yet to take in.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import TypeAdapter
from sqlalchemy import Connection, and_, bindparam, delete, select, update

from agent_core.events import Intervened, InterventionKind
from agent_core.fault_points import fault_point
from agent_core.ids import ROOT_RUN, ProcessId, RunId, TurnId, child_run, is_in_branch, parent_run
from agent_core.messages import JsonObject
from agent_core.sessions.database import Database, Store, columns_of, objects_of
from agent_core.sessions.schema import inbox, leases, turns
from agent_core.sessions.turns import TURN, StoredTurn

ENDINGS: tuple[InterventionKind, ...] = ("stop", "done", "retry")
"""Interventions that end the run that they are meant for, and all runs below it."""

HANDED_ON = 0
"""The `seq` of a row that no model call takes in: carried out, or given as a call's result."""
WITHDRAWN = -1
"""The `seq` of a row that nobody wants any more."""
NOBODY = RunId("")
"""The run of an intervention that a process carries out and no run takes in."""

InboxKind = Literal["message", "result", "comment", "content", "stop", "retry", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """One thing that a run has yet to take in, or has taken in."""

    turn: TurnId
    run: RunId
    """The run that takes it in, or NOBODY."""
    item: str
    """The message's turn, the intervention's `n`, or the child run whose result it is."""
    kind: InboxKind
    body: JsonObject
    """A StoredTurn, an Intervened or a ChildResult."""
    seq: int | None = None
    """The position in the run's history; None while the row waits."""

    @property
    def message(self) -> StoredTurn:
        """The queued turn that became part of this one."""
        return TURN.validate_python(self.body)

    @property
    def intervention(self) -> Intervened:
        return _INTERVENED.validate_python(self.body)


_INTERVENED = TypeAdapter(Intervened)

_taker = turns.alias()
_running_taker = select(_taker.c.id).filter_by(
    id=bindparam("taker"),
    status="running",
    stop=None,
)
_takes_messages = _running_taker.exists()
"""Not while it waits for a person: a message may be the answer. Nor once it is to stop."""
_queued = and_(
    turns.c.session == bindparam("of_session"),
    turns.c.status == "queued",
    turns.c.kind == "work",
    turns.c.seq > bindparam("behind"),
    turns.c.stop.is_(None),
    _takes_messages,
)
_waits = inbox.c.seq.is_(None)
_is_intervention = inbox.c.kind.not_in(("message", "result"))

# Each step of each run asks these; they are made once, for making them takes longer than asking.
_ANY_QUEUED = select(turns.c.id).where(_queued).limit(1)
_ABSORB = (
    update(turns)
    .where(_queued)
    .values(
        status="finished",
        outcome="steered",
        taken_by=bindparam("taker"),
    )
    .returning(turns)
)
_OF_TAKER = select(inbox).filter_by(turn=bindparam("taker")).order_by(inbox.c.id)
_UNTAKEN_BY_ROOT = _OF_TAKER.filter_by(
    run=ROOT_RUN,
    kind="message",
    seq=None,
)
_is_due = _waits | (inbox.c.seq >= bindparam("position"))
_TO_TAKE = _OF_TAKER.filter_by(run=bindparam("of_run")).where(_is_due)


class Inbox(Store):
    """The rows of all turns. Every write is idempotent."""

    async def take(
        self,
        turn: StoredTurn,
        run: RunId,
        seq: int,
        kinds: Sequence[InboxKind] = (),
    ) -> list[InboxRow]:
        """The rows that `run` takes in at this position of its history, in a lasting order.

        Queued messages of the session become part of the turn for good, unless it waits or is to
        stop. `kinds`: rows of these alone.
        """
        values = _values_of(turn) | {"of_run": run, "position": seq}

        def take(connection: Connection) -> list[InboxRow]:
            if connection.execute(_ANY_QUEUED, values).first():
                self._absorb(connection, turn)
            if run != ROOT_RUN:
                self._copy_messages(connection, turn, run)
            rows = objects_of(
                connection,
                _TO_TAKE,
                InboxRow,
                values,
            )
            rows = [row for row in rows if not kinds or row.kind in kinds]
            moved = [row.item for row in rows if row.seq != seq]
            if moved:
                of_run = update(inbox).filter_by(turn=turn.id, run=run).values(seq=seq)
                connection.execute(of_run.where(inbox.c.item.in_(moved)))
            return rows

        fault_point("inbox.before")
        rows = await self._database.run(take)
        fault_point("inbox.after")
        return rows

    async def has_messages(self, turn: StoredTurn) -> bool:
        """Whether people wrote what the root run has yet to take in."""
        values = _values_of(turn)

        def look(connection: Connection) -> bool:
            queries = (_ANY_QUEUED, _UNTAKEN_BY_ROOT)
            return any(connection.execute(query, values).first() for query in queries)

        return await self._database.run(look)

    async def rows(self, turn: TurnId, *kinds: InboxKind) -> list[InboxRow]:
        """All rows of a turn, oldest first; `kinds`: of these alone."""
        query = select(inbox).filter_by(turn=turn).order_by(inbox.c.id)
        if kinds:
            query = query.where(inbox.c.kind.in_(kinds))
        return await self._database.read(query, InboxRow)

    async def ending(self, turn: TurnId, run: RunId) -> Intervened | None:
        """The first intervention by which a run is to end: its own, or one at a run above it."""
        for row in await self.rows(turn, *ENDINGS):
            intervention = row.intervention
            if is_in_branch(run, intervention.run):
                return intervention
        return None

    async def put_result(
        self,
        turn: TurnId,
        parent: RunId,
        child: RunId,
        body: JsonObject,
    ) -> None:
        """A child has ended: its parent gets its result, and what it had yet to take in."""
        row = InboxRow(
            turn=turn,
            run=parent,
            item=child,
            kind="result",
            body=body,
        )
        untaken = update(inbox).filter_by(
            turn=turn,
            run=child,
            seq=None,
        )
        left = untaken.where(_is_intervention)

        def put(connection: Connection) -> None:
            if self._database.insert_if_new(connection, inbox, columns_of(row)):
                connection.execute(left.values(run=parent))

        await self._database.run(put)

    async def hand_on(self, turn: TurnId, *items: str) -> None:
        """These rows wait for no model call any more."""
        untaken = update(inbox).filter_by(turn=turn, seq=None).values(seq=HANDED_ON)
        await self._database.execute(untaken.where(inbox.c.item.in_(items)))

    async def to_carry_out(self, process: ProcessId) -> list[Intervened]:
        """Interventions that the process has to see to in the sessions that it holds, in order.

        They end a run, or came too late for their turn.
        """
        is_over = turns.c.status == "finished"
        query = (
            select(inbox)
            .where(_waits, _is_intervention, inbox.c.kind.in_(ENDINGS) | is_over)
            .join(turns, turns.c.id == inbox.c.turn)
            .join(leases, leases.c.session == turns.c.session)
            .filter_by(process=process)
            .order_by(inbox.c.id)
        )
        rows = await self._database.read(query, InboxRow)
        return [row.intervention for row in rows]

    def _absorb(self, connection: Connection, turn: StoredTurn) -> None:
        """Make the queued messages part of the turn: rows of its root run."""
        values = _values_of(turn)
        absorbed = objects_of(
            connection,
            _ABSORB,
            StoredTurn,
            values,
        )
        # Through several processes they may be stored in another order than they were said.
        for message in sorted(absorbed, key=lambda each: (each.inbound.received_at, each.seq)):
            row = InboxRow(
                turn=turn.id,
                run=ROOT_RUN,
                item=message.id,
                kind="message",
                body=TURN.dump_python(message, mode="json"),
            )
            self._database.insert_if_new(connection, inbox, columns_of(row))

    def _copy_messages(
        self,
        connection: Connection,
        turn: StoredTurn,
        run: RunId,
    ) -> None:
        """Give a sub-agent the messages that the root run has yet to take in."""
        untaken = objects_of(
            connection,
            _UNTAKEN_BY_ROOT,
            InboxRow,
            {"taker": turn.id},
        )
        for row in untaken:
            self._database.insert_if_new(connection, inbox, columns_of(replace(row, run=run)))


def put_intervention(
    database: Database,
    connection: Connection,
    event: Intervened,
) -> None:
    """Put an intervention into the inbox, in the transaction that stores its event.

    A stop takes back what was asked of the branch before. A retry that is asked for while the same
    is being done again counts for nothing.
    """
    rows = objects_of(connection, select(inbox).filter_by(turn=event.turn), InboxRow)
    status = select(turns.c.status).filter_by(id=event.turn)
    is_over = connection.execute(status).scalar() == "finished"
    if event.what in ("stop", "done"):
        _withdraw(connection, event, rows)
    seq = None
    if event.what == "retry" and not is_over and pending_retries(rows, event.run):
        seq = WITHDRAWN
    row = InboxRow(
        turn=event.turn,
        run=_recipient(event, rows),
        item=str(event.n),
        kind=event.what,
        body=_INTERVENED.dump_python(event, mode="json"),
        seq=seq,
    )
    database.insert_if_new(connection, inbox, columns_of(row))


def close_inbox(connection: Connection, turn: TurnId) -> None:
    """Clear the inbox of a turn, in the transaction that stores its end.

    Interventions that it did not take in are left, to begin another turn, unless it was stopped.
    """
    stopped = select(turns.c.id).filter_by(id=turn).where(turns.c.stop.is_not(None))
    is_done = ~_is_intervention | (inbox.c.seq > HANDED_ON)
    connection.execute(delete(inbox).filter_by(turn=turn).where(is_done))
    untaken = update(inbox).filter_by(turn=turn, seq=None).values(seq=WITHDRAWN)
    connection.execute(untaken.where(inbox.c.run != NOBODY, stopped.exists()))


def pending_retries(rows: Sequence[InboxRow], run: RunId) -> list[Intervened]:
    """Retries of a run that no run or turn has carried out to its end yet, as far as rows tell."""
    ended = {row.item for row in rows if row.kind == "result"}
    pending: list[Intervened] = []
    for row in rows:
        if row.kind != "retry" or row.seq == WITHDRAWN:
            continue
        retry = row.intervention
        if retry.run == run and again_run(row.run, retry) not in ended:
            pending.append(retry)
    return pending


def again_run(parent: RunId, retry: Intervened) -> RunId:
    """The child that a run begins for a retry."""
    return child_run(parent, f"again-{retry.n}")


def _recipient(event: Intervened, rows: Iterable[InboxRow]) -> RunId:
    """Who takes it in: the run, or the one above where it has ended or is begun again."""
    if event.what in ("stop", "done") or event.run == ROOT_RUN:
        return NOBODY
    ended = {row.item for row in rows if row.kind == "result"}
    run = parent_run(event.run) if event.what == "retry" else event.run
    while run in ended:
        run = parent_run(run)
    return run


def _withdraw(
    connection: Connection,
    stop: Intervened,
    rows: Iterable[InboxRow],
) -> None:
    """Withdraw interventions at runs of the branch, which have yet to take them in."""
    for row in rows:
        if row.seq is not None or row.run == NOBODY or row.kind in ("message", "result"):
            continue
        if is_in_branch(row.intervention.run, stop.run):
            withdrawn = update(inbox).filter_by(
                turn=row.turn,
                run=row.run,
                item=row.item,
            )
            connection.execute(withdrawn.values(seq=WITHDRAWN))


def _values_of(turn: StoredTurn) -> dict[str, object]:
    return {"taker": turn.id, "of_session": turn.session, "behind": turn.seq}
