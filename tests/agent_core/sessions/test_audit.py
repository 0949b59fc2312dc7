"""The audit: a row before the call, none altered, and how the call ended."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agent_core.ids import AskId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.sessions import AuditedAction, AuditEntry, AuditLog, AuditOutcome, Database

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


FOUND: list[tuple[dict[str, Any], list[AuditEntry]]] = [
    ({}, [SENDING, WRITING]),
    ({"since": NOON - timedelta(minutes=1)}, [SENDING]),
    ({"since": NOON + timedelta(hours=1)}, []),
    ({"user": "T:U3"}, [WRITING]),
    ({"user": "U1"}, [SENDING]),
    ({"user": "U2"}, [SENDING]),
    ({"user": "U"}, []),
    ({"tool": "gmail_*"}, [SENDING]),
    ({"tool": "mcp__wiki__*"}, [WRITING]),
    ({"tool": "GMAIL"}, []),
    ({"tool": "*", "user": "U3"}, [WRITING]),
]


async def test_calls_are_found_newest_first(database: Database) -> None:
    log = AuditLog(database)
    for entry in (WRITING, SENDING):
        await log.begin(entry)
    for wanted, found in FOUND:
        assert await log.entries(**wanted) == found, wanted
