"""What somebody has going on is theirs alone to see, and workspaces can be deleted."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_core.events import Usage
from agent_core.ids import SessionId, TurnId
from agent_core.runtime import Runtime
from agent_core.testing.accounts import FakeAccounts
from agent_core.testing.models import ScriptedModel, call
from tests.agent_core.runtime.threads import (
    ANN,
    BEN,
    begin,
    end_of,
    events_of,
    told,
)
from tests.runtimes import inbound, scripted_runtime

NOVEMBER = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[Runtime]:
    async with scripted_runtime(tmp_path, model=ScriptedModel(["One.", "Two.", "Three."])) as it:
        yield it


async def ask(runtime: Runtime, text: str, *, number: int = 1, thread: int = 1) -> TurnId:
    turn = await begin(runtime, inbound(text, number=number, thread=thread))
    await end_of(runtime, turn)
    return turn


async def test_a_person_sees_their_own_sessions_with_what_they_asked_first(
    runtime: Runtime,
) -> None:
    await ask(runtime, "write a report on batteries", number=1)
    await ask(runtime, "and on prices, please", number=2)
    await ask(runtime, "another thing entirely", number=3, thread=2)
    told = await runtime.overview.sessions(ANN)
    assert [each.asked for each in told] == [
        "another thing entirely",
        "write a report on batteries",
    ]
    assert all(each.began and each.newest.outcome == "answered" for each in told)
    assert await runtime.overview.sessions(BEN) == []
    assert await runtime.overview.askers(told[1].id) == [ANN, ANN]
    assert len(await runtime.overview.sessions("T1")) == 2
    assert await runtime.overview.unfinished(ANN) == []


async def test_what_was_spent_is_counted_from_a_day_on(runtime: Runtime) -> None:
    await ask(runtime, "write a report on batteries")
    spent = await runtime.overview.spent(ANN, NOVEMBER)
    assert spent.turns == 1
    stored = Usage()
    for session in await runtime.overview.sessions(ANN):
        for event in await events_of(runtime, session.newest.id):
            stored += getattr(event, "usage", Usage())
    assert spent.tokens == stored.total_tokens > 0
    assert spent.cost_usd == pytest.approx(stored.cost_usd)
    assert spent.unpriced_calls == stored.unpriced_calls
    assert await runtime.overview.spent("T1", NOVEMBER) == spent
    later = await runtime.overview.spent(ANN, NOVEMBER.replace(month=12))
    assert (later.turns, later.tokens) == (0, 0)
    assert (await runtime.overview.spent(BEN, NOVEMBER)).turns == 0


async def test_the_agent_tells_its_asker_of_their_accounts_and_use_and_nobody_elses(
    tmp_path: Path,
) -> None:
    model = ScriptedModel([call("my_account"), "You have Gmail."])
    accounts = FakeAccounts()
    accounts.connect(ANN, "gmail")
    accounts.connect(BEN, "github")
    async with scripted_runtime(tmp_path, model=model, accounts=accounts) as runtime:
        await ask(runtime, "which of my accounts do you know?")
    seen = told(model.requests[-1])
    assert "gmail: u1@example.com" in seen
    assert "github" not in seen
    assert "1 requests" in seen


async def test_a_deleted_workspace_is_gone_with_its_files_and_the_next_answer_says_so(
    runtime: Runtime,
) -> None:
    await ask(runtime, "write a report on batteries")
    session = SessionId("T1:C1:1.000001")
    workspace = await runtime.workspace(session, NOVEMBER)
    assert (workspace / "run.log").exists()
    assert await runtime.delete_workspace(session)
    assert not workspace.exists()
    assert not await runtime.delete_workspace(SessionId("T1:C1:9.000009"))
    turn = await ask(runtime, "and on prices, please", number=2)
    assert "files" in (await end_of(runtime, turn)).answer
