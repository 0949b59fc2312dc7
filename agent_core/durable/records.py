"""Durable records of turns that have ended: the engine needs them no more, and they hold words."""

import re
from collections.abc import Collection

from sqlalchemy import bindparam, make_url, text

from agent_core.durable.engine import make_system_engine
from agent_core.ids import TurnId

_TABLES = ("operation_outputs", "workflow_input", "workflow_output", "workflow_status")
_WORKFLOWS = "SELECT workflow_uuid FROM {}workflow_status"
_DELETE = "DELETE FROM {}{} WHERE workflow_uuid IN :ids"
_TAIL = re.compile(r"[#/]")
"""Behind its turn's id, a workflow's has a generation, or a child run."""


def delete_records(url: str, turns: Collection[TurnId]) -> None:
    """Delete what the engine recorded of these turns and their child runs, also beside a bot.

    Raises:
        SQLAlchemyError: the system database cannot be used.
    """
    schema = "" if make_url(url).get_backend_name() == "sqlite" else "dbos."
    engine = make_system_engine(url)
    with engine.begin() as connection:
        workflows = connection.execute(text(_WORKFLOWS.format(schema))).scalars().all()
        ids = [each for each in workflows if _TAIL.split(each)[0] in turns]
        for table in _TABLES:
            statement = text(_DELETE.format(schema, table))
            listed = statement.bindparams(bindparam("ids", expanding=True))
            connection.execute(listed, {"ids": ids})
    engine.dispose()
