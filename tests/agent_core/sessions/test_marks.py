"""Marks of how far a reader has come."""

from agent_core.sessions import Database
from agent_core.sessions.ledger import Marks


async def test_marks_are_found_by_the_beginning_of_their_names(database: Database) -> None:
    marks = Marks(database)
    await marks.save({"a:1": "5", "a:2": "6", "a_1": "7", "b:1": "8"})

    assert await marks.load("a:") == {"a:1": "5", "a:2": "6"}
    assert await marks.load("a_") == {"a_1": "7"}


async def test_a_mark_moves_on_and_never_back(database: Database) -> None:
    marks = Marks(database)
    await marks.save({"a": "1795000000.000002", "b": "1795000000.000002"})
    await marks.save({"a": "1795000000.000001", "b": "1795000001.000000"})

    assert await marks.load("") == {"a": "1795000000.000002", "b": "1795000001.000000"}


async def test_nothing_to_save_is_no_error(database: Database) -> None:
    await Marks(database).save({})

    assert await Marks(database).load("") == {}
