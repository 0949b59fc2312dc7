"""The audit: a row before the call, a row behind it, none altered, and the two read together."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import select

from agent_core.ids import AskId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.sessions import AuditedAction, AuditEntry, AuditLog, Database
from agent_core.sessions.schema import audit

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


async def stored(database: Database) -> list[Any]:
    return list(
        await database.run(lambda connection: connection.execute(select(audit)).mappings().all())
    )


async def test_a_call_is_read_as_it_began_and_as_it_ended(database: Database) -> None:
    log = AuditLog(database)
    await log.begin(SENDING)
    [begun] = await log.entries()
    assert (begun.entry, begun.outcome, begun.ended_at) == (SENDING, None, None)

    bare = replace(SENDING, at=LATER, digest="", ask=None, approved_by=None, actions=())
    await log.end(bare, "done")
    [done] = await log.entries()
    assert (done.entry, done.outcome, done.ended_at) == (SENDING, "done", LATER)


async def test_noting_the_same_twice_adds_nothing_and_alters_nothing(database: Database) -> None:
    log = AuditLog(database)
    for moment in (NOON, LATER):
        await log.begin(replace(SENDING, at=moment))
        await log.end(replace(SENDING, at=moment), "failed")
    rows = await stored(database)
    assert [row["outcome"] for row in rows] == ["begun", "failed"]
    [call] = await log.entries()
    assert call.entry.at == NOON


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
        await log.end(replace(entry, at=entry.at + timedelta(seconds=1)), "done")
    for wanted, found in FOUND:
        assert [call.entry for call in await log.entries(**wanted)] == found, wanted
