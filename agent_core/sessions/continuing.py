"""A conversation that goes on in another session, as when people reply to what was told unasked."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from agent_core.ids import ROOT_RUN, SessionId, TurnId
from agent_core.messages import INBOUND, MESSAGE, Message, Text
from agent_core.sessions.database import Database
from agent_core.sessions.schema import cursors, messages, sessions, turns


async def go_on_in(
    database: Database,
    session: SessionId,
    ended: TurnId,
    *,
    reader: str,
    now: datetime,
    told: str = "",
) -> None:
    """Make `session` begin with what was said in a turn that has ended, in the same workspace.

    Safe to do again. Call it before anybody can write in the session.

    Args:
        database: Where both are.
        session: The new session.
        ended: A turn of another session, finished and stored.
        reader: Who is not to show the turn once more.
        now: When the session begins.
        told: What people got of it, where that is not the turn's last words.
    """
    turn = TurnId(f"{ended}:told")
    words = (
        select(messages)
        .where(messages.c.turn == ended, messages.c.run == ROOT_RUN)
        .order_by(messages.c.seq)
    )

    def copy(connection: Connection) -> None:
        found = connection.execute(select(turns).where(turns.c.id == ended))
        row = found.mappings().one()
        place = select(sessions.c.workspace).where(sessions.c.id == row["session"])
        begun = {"id": session, "workspace": connection.execute(place).scalar_one()}
        new = database.insert_if_new
        new(connection, sessions, {**begun, "created_at": now, "tainted_by": "an earlier session"})
        inbound = replace(INBOUND.validate_python(row["inbound"]), session=session)
        fields = {
            "id": turn,
            "session": session,
            "seq": 1,
            "inbound": INBOUND.dump_python(inbound, mode="json"),
        }
        new(connection, turns, {**row, **fields})
        new(connection, cursors, {"reader": reader, "turn": turn, "state": {}, "done": True})
        copies: list[dict[str, Any]] = [
            {**said, "turn": turn} for said in connection.execute(words).mappings()
        ]
        if copies and told:
            answer = Message(role="assistant", parts=(Text(text=told),))
            body = MESSAGE.dump_python(answer, mode="json")
            copies.append({**copies[-1], "seq": copies[-1]["seq"] + 1, "body": body})
        if copies:
            connection.execute(database.insert_new(messages), copies)

    await database.run(copy)
