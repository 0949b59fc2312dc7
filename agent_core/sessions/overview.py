"""Sessions as surfaces look for them: by person or team, by their ids, by their answers.

`whose` is a person, `team:user`, or a whole team; of a scheduled turn that is its owner.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    case,
    distinct,
    func,
    literal,
    or_,
    select,
    update,
)

from agent_core.events import REPORT
from agent_core.ids import ROOT_RUN, SessionId, TurnId, UserId
from agent_core.messages import JsonObject, Message, Text
from agent_core.sessions.database import Store
from agent_core.sessions.schema import (
    asks,
    cursors,
    events,
    ledger,
    marks,
    messages,
    quoted_authors,
    sessions,
    turns,
    verdicts,
)
from agent_core.sessions.turns import MAX_TRIES, TURN, StoredTurn, authors_in
from agent_core.snapshot import READERS

UNFINISHED = ("queued", "running", "waiting")
MAX_READ = 300
"""Of the newest turns: who has more is told of these."""

_MODEL_CALLS = ("step_finished", "route_chosen", "plan_made")
"""Events of model calls."""
_USAGE = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_TOKENS = sum(
    (func.coalesce(events.c.body["usage", name].as_integer(), 0) for name in _USAGE),
    literal(0),
)
_COST = func.coalesce(events.c.body["usage", "cost_usd"].as_float(), 0.0)
_UNPRICED = func.coalesce(events.c.body["usage", "unpriced_calls"].as_integer(), 0)
_WAITING = ("ask_user", "fork", "run_python", "task", "wait")
"""Tools whose time is that of a person, or of other calls."""
_RECEIVED_AT = turns.c.inbound["received_at"].as_string()
_IS_WORK = turns.c.kind == "work"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """A session as somebody sees it who asked in it."""

    id: SessionId
    newest: StoredTurn
    """Of those that are theirs."""
    asked: str
    """Their first words in it."""
    began: bool
    """Whether it was they who began it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What came of the work that was asked for, and what it took."""

    turns: int
    reports: int = 0
    pages: int = 0
    """That were read."""
    minutes: int = 0
    """Of model and tool calls."""
    tokens: int = 0
    cost_usd: float = 0.0
    """Of the model calls whose price is known."""
    unpriced_calls: int = 0
    simple: int = 0
    """Turns on the fast path."""
    fallbacks: int = 0
    """Fast answers that were given up."""
    calls: int = 0
    """Of tools."""
    errors: int = 0
    """Calls that failed."""


class Overview(Store):
    """Reads only, and never more than the newest of what there is."""

    async def fate(self, post: str) -> str:
        """What became of the gesture whose key ends so.

        It is its turn's outcome (`set_aside` for a quarantined one) or status; or the verdict of
        the ingress, which is kept for some days; `received` or `settled`, where it needed no turn;
        or else `heard` or `unheard`, by the watermark.
        """
        query = select(turns).where(turns.c.id.endswith(post))
        turn = await self._database.first(query, StoredTurn)
        if turn is not None:
            if turn.outcome == "failed" and turn.tries >= MAX_TRIES:
                return "set_aside"
            return turn.outcome or turn.status
        verdict = select(verdicts.c.verdict).where(verdicts.c.key.endswith(post))
        settled = select(ledger.c.settled).where(ledger.c.key.endswith(post))
        heard = select(marks.c.name).where(marks.c.value > post.rpartition(":")[2])
        if known := await self._database.scalar(verdict):
            return known
        is_settled = await self._database.scalar(settled)
        if is_settled is not None:
            return "settled" if is_settled else "received"
        if await self._database.scalar(heard):
            return "heard"
        return "unheard"

    async def sessions(self, whose: str) -> list[SessionState]:
        """Sessions in which somebody asked, newest first; those of schedules left out."""
        by_session: dict[SessionId, list[StoredTurn]] = {}
        for turn in await self._newest(_of(whose), _IS_WORK):
            if not turn.inbound.scheduled:
                by_session.setdefault(turn.session, []).append(turn)
        states: list[SessionState] = []
        for session, theirs in by_session.items():
            first = theirs[-1]
            state = SessionState(
                id=session,
                newest=theirs[0],
                asked=first.inbound.title or first.inbound.text,
                began=first.seq == 1,
            )
            states.append(state)
        return states

    async def unfinished(self, whose: str) -> list[StoredTurn]:
        """Work that goes on or waits, newest first."""
        return await self._newest(_of(whose), _IS_WORK, turns.c.status != "finished")

    async def askers(self, session: SessionId) -> list[str]:
        """Who asked for something in a session; who began it comes first."""
        query = select(turns.c.asker).filter_by(session=session).order_by(turns.c.seq)
        return await self._database.column(query)

    async def report_titles(self, whose: str, *, limit: int) -> list[str]:
        """Titles of the reports that somebody asked for, newest first, without those taken away."""
        theirs = select(turns.c.id).where(_of(whose), _IS_WORK, turns.c.answer != "")
        title = events.c.body["title"].as_string()
        query = (
            select(title)
            .filter_by(kind="artifact_saved")
            .where(events.c.body["mimetype"].as_string() == REPORT)
            .where(events.c.turn.in_(theirs))
            .group_by(title)
            .order_by(func.max(events.c.id).desc())
            .limit(limit)
        )
        return await self._database.column(query)

    async def spent(self, whose: str, since: datetime) -> Spent:
        """Turns that were asked for since a day, and what came of them."""
        is_theirs = _asked_since(whose, since)
        count = select(func.count(turns.c.id)).where(is_theirs, _IS_WORK)
        body = events.c.body
        tool = func.lower(func.coalesce(body["tool"].as_string(), ""))
        reads = or_(*(tool.endswith(name) for name in READERS))
        is_report = body["mimetype"].as_string() == REPORT
        path = events.c.turn.concat(body["path"].as_string())
        is_call = events.c.kind.in_(_MODEL_CALLS)
        sums = (
            select(
                func.count(distinct(case((is_report, path)))),
                func.sum(case((reads, func.json_array_length(body["sources"])))),
                func.sum(case((tool.not_in(_WAITING), body["duration_s"].as_float()))),
                func.sum(case((is_call, _TOKENS))),
                func.sum(case((is_call, _COST))),
                func.sum(case((is_call, _UNPRICED))),
                func.count(case((body["route"].as_string() == "SIMPLE", 1))),
                func.count(case((body["fallback"].as_string() != "", 1))),
                func.count(case((events.c.kind == "tool_call_finished", 1))),
                func.count(case((body["is_error"].as_boolean(), 1))),
            )
            .where(events.c.turn.in_(select(turns.c.id).where(is_theirs)))
            .where(events.c.kind.in_((*_MODEL_CALLS, "artifact_saved", "tool_call_finished")))
        )
        [row] = await self._database.rows(sums)
        reports, pages, seconds, tokens, cost, unpriced, *counts = (
            float(each or 0) for each in row
        )
        simple, fallbacks, calls, errors = map(int, counts)
        return Spent(
            turns=await self._database.scalar(count),
            reports=int(reports),
            pages=int(pages),
            minutes=round(seconds / 60),
            tokens=int(tokens),
            cost_usd=cost,
            unpriced_calls=int(unpriced),
            simple=simple,
            fallbacks=fallbacks,
            calls=calls,
            errors=errors,
        )

    async def latencies_s(self, whose: str, since: datetime) -> list[int]:
        """How long each turn took that was asked for since a day, ordered.

        Without those that waited for somebody, or were interrupted.
        """
        theirs = select(turns.c.id).where(_asked_since(whose, since), _IS_WORK)
        at_once = theirs.filter_by(status="finished", generation=1)
        at = events.c.body["at"].as_string()
        ends = select(func.min(at), func.max(at)).where(events.c.turn.in_(at_once))
        query = ends.group_by(events.c.turn)
        spans = [map(datetime.fromisoformat, row) for row in await self._database.rows(query)]
        return sorted(math.ceil((end - begin).total_seconds()) for begin, end in spans)

    async def load(self) -> dict[str, int]:
        """What is at work just now, of all processes; by indexes, so that it may be asked often.

        Turns that have not ended by their status; open `asks`; `payloads` that are not handed over;
        the database's `bytes`.
        """
        waiting = select(turns.c.id).filter_by(status="waiting")
        queries = {
            status: select(func.count()).select_from(turns).filter_by(status=status)
            for status in UNFINISHED
        }
        open_asks = select(func.count()).select_from(asks).filter_by(state="open")
        queries["asks"] = open_asks.where(asks.c.turn.in_(waiting))
        queries["payloads"] = select(func.count()).select_from(ledger).filter_by(settled=False)
        load = {name: await self._database.scalar(query) for name, query in queries.items()}
        return load | {"bytes": await self._database.size_bytes()}

    async def _newest(self, *conditions: ColumnElement[bool]) -> list[StoredTurn]:
        query = (
            select(turns)
            .where(*conditions)
            .order_by(_RECEIVED_AT.desc(), turns.c.seq.desc())
            .limit(MAX_READ)
        )
        return await self._database.read(query, StoredTurn)


def _asked_since(whose: str, since: datetime) -> ColumnElement[bool]:
    return _of(whose) & (f"{since:%Y-%m-%d}" <= _RECEIVED_AT)


def _of(whose: str) -> ColumnElement[bool]:
    if ":" in whose:
        return turns.c.asker == whose
    return turns.c.asker.startswith(f"{whose}:")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredTurn:
    """A turn that was answered, with what there is to read of it."""

    turn: StoredTurn
    answer: str
    workspace: Path
    tainted_by: str | None
    reports: tuple[tuple[str, str], ...]
    """Path and title of each."""
    is_calling: bool = False
    """Whether it called one of the tools that were looked for."""


class KnownSessions(Store):
    """Sessions by their ids; a new session that goes on from another one's last turn."""

    async def newest_before(
        self,
        prefix: str,
        bound: str,
        *,
        limit: int,
    ) -> list[SessionId]:
        """Sessions whose ids begin with `prefix` and come before `prefix + bound`, last ones first.

        With ids that end in a time of one width these are the newest that are older than it.
        """
        query = (
            select(sessions.c.id)
            .where(sessions.c.id.startswith(prefix, autoescape=True))
            .where(sessions.c.id < prefix + bound)
            .order_by(sessions.c.id.desc())
            .limit(limit)
        )
        return await self._database.column(query)

    async def turns_of(self, session: SessionId) -> list[TurnId]:
        """The turns of a session, oldest first."""
        query = select(turns.c.id).filter_by(session=session).order_by(turns.c.seq)
        return await self._database.column(query)

    async def unfinished(self, prefix: str, *, limit: int | None = None) -> list[StoredTurn]:
        """Turns that have not ended, in sessions whose ids begin with `prefix`.

        Those of the newest sessions come first; in one session they come in their order.
        """
        query = (
            select(turns)
            .join(sessions, sessions.c.id == turns.c.session)
            .where(turns.c.session.startswith(prefix, autoescape=True))
            .where(turns.c.status != "finished")
            .order_by(sessions.c.created_at.desc(), turns.c.session, turns.c.seq)
            .limit(limit)
        )
        return await self._database.read(query, StoredTurn)

    async def answers_in(
        self,
        prefix: str,
        *,
        limit: int,
        calling: Sequence[str] = (),
    ) -> list[AnsweredTurn]:
        """Answered turns of the newest sessions whose ids begin with `prefix`, the newest first.

        `calling` are names of tools, for `is_calling`.
        """
        query = (
            select(turns, sessions.c.workspace, sessions.c.tainted_by)
            .filter_by(status="finished")
            .where(turns.c.session.startswith(prefix, autoescape=True), turns.c.answer != "")
            .join(sessions, sessions.c.id == turns.c.session)
            .order_by(sessions.c.created_at.desc(), turns.c.session, turns.c.seq.desc())
            .limit(limit)
        )
        rows = await self._database.run(lambda each: each.execute(query).mappings().all())
        of_these = events.c.turn.in_([row["id"] for row in rows])
        saved = select(events).filter_by(kind="artifact_saved").where(of_these)
        reports: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for event in await self._database.rows(saved.order_by(events.c.id)):
            if event.body["mimetype"] == REPORT:
                reports[event.turn][event.body["path"]] = event.body["title"]
        is_sought = events.c.body["tool"].as_string().in_(calling)
        calls = select(events.c.turn).filter_by(kind="tool_call_started")
        callers = await self._database.column(calls.where(of_these, is_sought))
        return [
            AnsweredTurn(
                turn=TURN.validate_python(dict(row)),
                answer=row["answer"],
                workspace=Path(row["workspace"]),
                tainted_by=row["tainted_by"],
                reports=tuple(reports[row["id"]].items()),
                is_calling=row["id"] in callers,
            )
            for row in rows
        ]

    async def note_quoted(self, session: SessionId, authors: Iterable[UserId]) -> None:
        """Note whose words a tool brings into a session."""

        def note(connection: Connection) -> None:
            for author in authors:
                row = {"session": session, "author": author}
                self._database.insert_if_new(connection, quoted_authors, row)

        await self._database.run(note)

    async def authors(self, sessions: Iterable[SessionId]) -> frozenset[UserId]:
        """Everybody whose words these sessions hold."""

        def read(connection: Connection) -> frozenset[UserId]:
            each = [authors_in(connection, session) for session in sessions]
            return frozenset[UserId]().union(*each)

        return await self._database.run(read)

    async def replace_answer(self, turn: TurnId, answer: str) -> None:
        """Replace a turn's answer, as people read another one; empty where it was taken away."""
        await self._database.execute(update(turns).filter_by(id=turn).values(answer=answer))

    async def go_on_in(
        self,
        session: SessionId,
        ended: TurnId,
        *,
        reader: str,
        now: datetime,
        text: str,
    ) -> None:
        """Make `session` begin with the messages of a turn that has ended, in the same workspace.

        Idempotent. Call it before anybody can write in the session.

        Args:
            session: The new session.
            ended: A turn of another session, finished and stored.
            reader: Who is not to show the turn once more.
            now: When the session begins.
            text: What people got of it.
        """
        copied = TurnId(f"{ended}:copy")
        history = select(messages).filter_by(turn=ended, run=ROOT_RUN).order_by(messages.c.seq)

        def copy(connection: Connection) -> None:
            turn = connection.execute(select(turns).filter_by(id=ended)).mappings().one()
            authors = list(authors_in(connection, turn["session"]))
            workspace = select(sessions.c.workspace).filter_by(id=turn["session"])
            new_session: JsonObject = {
                "id": session,
                "workspace": connection.execute(workspace).scalar_one(),
                "created_at": now,
                "tainted_by": "an earlier session",
            }
            new_turn: JsonObject = {
                **turn,
                "id": copied,
                "session": session,
                "seq": 1,
                "inbound": turn["inbound"] | {"session": session, "background_authors": authors},
                "asker": "",
            }
            cursor: JsonObject = {"reader": reader, "turn": copied, "state": {}, "done": True}
            for table, row in ((sessions, new_session), (turns, new_turn), (cursors, cursor)):
                self._database.insert_if_new(connection, table, row)
            rows = connection.execute(history).mappings()
            copies: list[dict[str, Any]] = [{**row, "turn": copied} for row in rows]
            copies.append(
                {
                    "turn": copied,
                    "run": ROOT_RUN,
                    "seq": len(copies),
                    "body": Message(role="assistant", parts=(Text(text=text),)),
                }
            )
            connection.execute(self._database.insert_new(messages), copies)

        await self._database.run(copy)
