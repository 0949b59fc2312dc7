"""Asks: of several who decide the first one wins, and what ends the wait for an Ask."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from agent_core.events import AskDecision
from agent_core.ids import ROOT_RUN, AskId, SessionId, ToolCallId, TurnId, UserId
from agent_core.sessions import Ask, AskStore, Database, Question

AT = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
ANN = UserId("T1:U1")
ASK = Ask(
    id=AskId("a1"),
    session=SessionId("T1:C1:1.000001"),
    turn=TurnId("turn:1"),
    run=ROOT_RUN,
    call_id=ToolCallId("c1"),
    asker=ANN,
    deadline=AT + timedelta(minutes=15),
    body=Question(text="Which grid?", options=("Poland", "Chile")),
)


async def test_an_ask_is_stored_once_and_decided_once(database: Database) -> None:
    asks = AskStore(database, lambda: AT)
    assert await asks.add(ASK) == ASK
    people = [UserId(f"T1:U{number}") for number in range(5)]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asks.decide(ASK.id, "answered", by=each)) for each in people]
    won = [task.result() for task in tasks]
    assert sum(won) == 1
    stored = await asks.add(ASK)
    assert (stored.state, stored.decision) == ("decided", "answered")
    assert stored.decided_by == people[won.index(True)]


@pytest.mark.parametrize(
    ("decision", "ends"), [("skipped", True), ("expired", True), ("answered", False)]
)
async def test_a_decision_ends_the_wait_but_an_answer_waits_for_its_message(
    database: Database, decision: AskDecision, ends: bool
) -> None:
    asks = AskStore(database, lambda: AT)
    await asks.add(ASK)
    assert not await asks.ends_wait(ASK.id)
    await asks.decide(ASK.id, decision)
    assert await asks.ends_wait(ASK.id) == ends
    assert await AskStore(database, lambda: ASK.deadline).ends_wait(ASK.id)
