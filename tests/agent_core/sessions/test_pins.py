"""Pinned definitions are written once, and change by a person's word alone."""

from dataclasses import replace

import pytest

from agent_core.sessions import NOT_ACCEPTED, Database, Pin, Proposal, ToolPins

PIN = Pin(server="mail", tool="send", digest="d1", definition={"name": "send"})
CHANGE = Proposal(digest="d2", definition={"name": "send", "description": "New."}, reason="why")


@pytest.fixture
async def pins(database: Database) -> ToolPins:
    """With one tool that was accepted."""
    pins = ToolPins(database)
    await pins.add([PIN])
    return pins


async def test_the_first_definition_stays(pins: ToolPins) -> None:
    await pins.add([replace(PIN, digest="other"), replace(PIN, tool="read")])

    assert await pins.load("mail") == {"read": replace(PIN, tool="read"), "send": PIN}
    assert await pins.load("mai") == {}


async def test_a_change_waits_until_it_is_accepted(pins: ToolPins) -> None:
    await pins.propose("mail", {"send": CHANGE})

    [waiting] = await pins.waiting()
    assert (waiting.digest, waiting.proposal) == ("d1", CHANGE)
    assert await pins.accept([waiting]) == ["send"]
    assert await pins.waiting() == []
    accepted = replace(PIN, digest="d2", definition=CHANGE.definition)
    assert await pins.load("mail") == {"send": accepted}


async def test_a_change_is_taken_back(pins: ToolPins) -> None:
    await pins.propose("mail", {"send": CHANGE})
    await pins.propose("mail", {"send": None})

    assert await pins.waiting() == []
    assert await pins.load("mail") == {"send": PIN}


async def test_what_changed_after_it_was_shown_is_not_accepted(pins: ToolPins) -> None:
    await pins.propose("mail", {"send": CHANGE})
    seen = await pins.waiting()
    await pins.propose("mail", {"send": replace(CHANGE, digest="d3")})

    assert await pins.accept(seen) == []
    assert (await pins.load("mail"))["send"].digest == "d1"


async def test_what_was_off_from_the_beginning_has_no_accepted_definition(
    database: Database,
) -> None:
    pins = ToolPins(database)
    await pins.add([replace(PIN, digest=NOT_ACCEPTED, definition={}, proposal=CHANGE)])

    [waiting] = await pins.waiting()
    assert not waiting.is_accepted
    assert await pins.accept([waiting]) == ["send"]
    assert (await pins.load("mail"))["send"].is_accepted
