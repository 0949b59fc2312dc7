"""Sessions as others look for them: by their ids, by what was answered, to go on in a new one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, select, update

from agent_core.events import REPORT
from agent_core.ids import ROOT_RUN, SessionId, TurnId
from agent_core.messages import Message, Text
from agent_core.sessions.database import Database
from agent_core.sessions.schema import cursors, events, messages, sessions, turns
from agent_core.sessions.turns import TURN, StoredTurn


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


ANSWERED_TURN: TypeAdapter[AnsweredTurn] = TypeAdapter(AnsweredTurn)


class KnownSessions:
    """Finds sessions by their ids, and lets one go on from what another has told."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest_before(self, prefix: str, bound: str, *, limit: int) -> list[SessionId]:
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
        rows = await self._database.rows(query)
        return [SessionId(row.id) for row in rows]

    async def turns_of(self, session: SessionId) -> list[TurnId]:
        """The turns of a session, oldest first."""
        query = select(turns.c.id).where(turns.c.session == session).order_by(turns.c.seq)
        rows = await self._database.rows(query)
        return [TurnId(row.id) for row in rows]

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
        return await self._database.read(query, TURN)

    async def told_in(
        self, prefix: str, *, limit: int, calling: Sequence[str] = ()
    ) -> list[AnsweredTurn]:
        """Answered turns of the newest sessions whose ids begin with `prefix`, the newest first.

        `calling` are names of tools, for `is_calling`.
        """
        ended = (turns.c.status == "finished") & (turns.c.answer != "")
        query = (
            select(turns, sessions.c.workspace, sessions.c.tainted_by)
            .join(sessions, sessions.c.id == turns.c.session)
            .where(
                turns.c.session.startswith(prefix, autoescape=True),
                ended,
            )
            .order_by(sessions.c.created_at.desc(), turns.c.session, turns.c.seq.desc())
            .limit(limit)
        )
        rows = await self._database.run(lambda each: each.execute(query).mappings().all())
        ids = [row["id"] for row in rows]
        reports = await self._reports_of(ids)
        calling_turns = await self._turns_calling(ids, calling) if calling else set[str]()
        answered: list[AnsweredTurn] = []
        for row in rows:
            fields = {
                **row,
                "turn": dict(row),
                "reports": [*reports[row["id"]].items()],
                "is_calling": row["id"] in calling_turns,
            }
            answered.append(ANSWERED_TURN.validate_python(fields))
        return answered

    async def _reports_of(self, ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """The titles of each turn's reports, by path."""
        saved = select(events.c.turn, events.c.body).where(
            events.c.turn.in_(ids),
            events.c.kind == "artifact_saved",
        )
        reports: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for file in await self._database.rows(saved.order_by(events.c.id)):
            if file.body["mimetype"] == REPORT:
                reports[file.turn][file.body["path"]] = file.body["title"]
        return reports

    async def _turns_calling(self, ids: Sequence[str], tools: Sequence[str]) -> set[str]:
        """Those of the turns that called one of the tools."""
        called = select(events.c.turn).where(
            events.c.turn.in_(ids),
            events.c.kind == "tool_call_started",
            events.c.body["tool"].as_string().in_(tools),
        )
        return {row.turn for row in await self._database.rows(called)}

    async def retell(self, turn: TurnId, answer: str) -> None:
        """People read another answer of a turn from now on; empty where it was taken away."""
        statement = update(turns).where(turns.c.id == turn).values(answer=answer)
        await self._database.execute(statement)

    async def go_on_in(
        self, session: SessionId, ended: TurnId, *, reader: str, now: datetime, told: str = ""
    ) -> None:
        """Make `session` begin with what was said in a turn that has ended, in the same workspace.

        Safe to do again. Call it before anybody can write in the session.

        Args:
            session: The new session.
            ended: A turn of another session, finished and stored.
            reader: Who is not to show the turn once more.
            now: When the session begins.
            told: What people got of it, where that is not the turn's last words.
        """
        turn = TurnId(f"{ended}:told")
        words = (
            select(messages)
            .where(
                messages.c.turn == ended,
                messages.c.run == ROOT_RUN,
            )
            .order_by(messages.c.seq)
        )

        def copy(connection: Connection) -> None:
            found = connection.execute(select(turns).where(turns.c.id == ended))
            row = found.mappings().one()
            workspace = select(sessions.c.workspace).where(sessions.c.id == row["session"])
            add = self._database.insert_if_new
            new_session = {
                "id": session,
                "workspace": connection.execute(workspace).scalar_one(),
                "created_at": now,
                "tainted_by": "an earlier session",
            }
            add(connection, sessions, new_session)
            new_turn = {
                **row,
                "id": turn,
                "session": session,
                "seq": 1,
                "inbound": {**row["inbound"], "session": session},
                "asker": "",
            }
            add(connection, turns, new_turn)
            add(connection, cursors, {"reader": reader, "turn": turn, "state": {}, "done": True})
            copies: list[dict[str, Any]] = [
                {**said, "turn": turn} for said in connection.execute(words).mappings()
            ]
            if copies and told:
                answer = Message(role="assistant", parts=(Text(text=told),))
                copies.append({**copies[-1], "seq": copies[-1]["seq"] + 1, "body": answer})
            if copies:
                connection.execute(self._database.insert_new(messages), copies)

        await self._database.run(copy)
