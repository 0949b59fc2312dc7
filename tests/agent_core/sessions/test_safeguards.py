"""The audit keeps a row from before each call; pins change by a person's word alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agent_core.ids import AskId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.sessions import (
    AuditedAction,
    AuditEntry,
    AuditLog,
    AuditOutcome,
    Database,
    Pin,
    Proposal,
    ToolPins,
)

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
SENDING = AuditEntry(
    at=NOON,
    session=SessionId("T:C:1"),
    turn=TurnId("turn_1"),
    run=RunId("root"),
    call=ToolCallId("call_1"),
    asker=UserId("T:U1"),
    tool="mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL",
    actions=(
        AuditedAction(slug="GMAIL_SEND_EMAIL", account="ada@x.test", arguments_digest="5d" * 32),
    ),
    digest="7f" * 32,
    ask=AskId("c1"),
    approved_by=UserId("T:U2"),
)
WRITING = replace(
    SENDING,
    at=NOON - timedelta(hours=1),
    session=SessionId("T:C:2"),
    call=ToolCallId("call_0"),
    asker=UserId("T:U3"),
    tool="mcp__wiki__create_page",
    actions=(AuditedAction(slug="create_page", account="", arguments_digest="00" * 32),),
    digest="",
    ask=None,
    approved_by=None,
)
LATER = NOON + timedelta(seconds=3)


async def end(log: AuditLog, entry: AuditEntry, outcome: AuditOutcome) -> None:
    await log.end(entry.turn, entry.run, entry.call, outcome, LATER)


async def test_a_call_is_noted_once_as_it_began_and_once_as_it_ended(database: Database) -> None:
    log = AuditLog(database)
    await log.begin(SENDING)
    await log.begin(replace(SENDING, at=LATER, actions=()))
    assert await log.entries() == [SENDING]
    await end(log, SENDING, "failed")
    await end(log, SENDING, "done")
    await log.begin(SENDING)
    assert await log.entries() == [replace(SENDING, outcome="failed", ended_at=LATER)]


async def test_calls_are_found_newest_first(database: Database) -> None:
    log = AuditLog(database)
    for entry in (WRITING, SENDING):
        await log.begin(entry)
    assert await log.entries() == [SENDING, WRITING]
    assert await log.entries(since=NOON - timedelta(minutes=1)) == [SENDING]
    assert await log.entries(since=NOON + timedelta(hours=1)) == []


PIN = Pin(server="mail", tool="send", digest="d1", definition={"name": "send"})
CHANGE = Proposal(digest="d2", definition={"name": "send", "description": "New."}, reason="why")


@pytest.fixture
async def pins(database: Database) -> ToolPins:
    """With one tool that was accepted."""
    pins = ToolPins(database)
    await pins.add([PIN])
    return pins


async def test_a_change_waits_until_it_is_accepted(pins: ToolPins) -> None:
    await pins.propose("mail", {"send": CHANGE})

    [waiting] = await pins.waiting()
    assert (waiting.digest, waiting.proposal) == ("d1", CHANGE)
    assert await pins.accept([waiting]) == ["send"]
    assert await pins.waiting() == []
    accepted = replace(PIN, digest="d2", definition=CHANGE.definition)
    assert await pins.load("mail") == {"send": accepted}
