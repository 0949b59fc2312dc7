"""Durable records of turns that have ended: the engine needs them no more, and they hold words."""

from collections.abc import Collection

from dbos import DBOSClient

from agent_core.durable.engine import make_system_engine
from agent_core.ids import TurnId


def delete_records(url: str, turns: Collection[TurnId]) -> None:
    """Delete what the engine recorded of these turns and their child runs, also beside a bot."""
    if not turns:
        return  # no prefix would be every workflow's
    engine = make_system_engine(url)
    client = DBOSClient(system_database_engine=engine)
    # Behind its turn's id, a workflow's has a generation, or a child run.
    prefixes = [f"{turn}{mark}" for turn in turns for mark in "#/"]
    workflows = client.list_workflows(
        workflow_id_prefix=prefixes,
        load_input=False,
        load_output=False,
    )
    client.delete_workflows([each.workflow_id for each in workflows])
    client.destroy()
    engine.dispose()
