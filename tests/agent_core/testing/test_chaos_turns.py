"""Five hundred turns with a model whose answers are legal but arbitrary."""

import asyncio
import gc
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_core.durable import first_cause
from agent_core.errors import ModelError
from agent_core.events import TurnFinished
from tests.agent_core.testing.chaos_world import TURNS_A_SESSION, LivedSession, LivedTurn, live
from tests.agent_core.testing.outcomes import (
    faults_of_answer,
    faults_of_events,
    faults_of_workspace,
)

BATCHES = 10
SESSIONS_A_BATCH = 10


@pytest.mark.parametrize("seed", range(BATCHES))
async def test_no_reply_of_a_model_makes_a_turn_crash_or_a_history_invalid(
    seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    sessions, model = await live(tmp_path, seed=seed, sessions=SESSIONS_A_BATCH)
    turns = [turn for session in sessions for turn in session.turns]

    assert len(turns) == SESSIONS_A_BATCH * TURNS_A_SESSION
    assert model.requests > len(turns), f"seed {seed}: too little happened"
    assert model.faults == [], f"seed {seed}"
    assert [fault for session in sessions for fault in faults_of(session)] == [], f"seed {seed}"
    assert list(crashes(caplog.records)) == [], f"seed {seed}"
    assert asyncio.all_tasks() == {asyncio.current_task()}, f"seed {seed}"


def faults_of(session: LivedSession) -> Iterator[str]:
    """What is wrong with a session's turns, each fault with the turn that has it."""
    worked = [turn for turn in session.turns if ending(turn).outcome != "steered"]
    steered = [turn for turn in session.turns if ending(turn).outcome == "steered"]
    for turn in steered:
        if [event.kind for event in turn.events] != ["turn_started", "turn_finished"]:
            yield f"{turn.asked.key}: it was taken in and did something all the same"
    for turn in worked:
        finished = ending(turn)
        for fault in (*faults_of_events(turn.events), *faults_of_answer(finished)):
            yield f"{turn.asked.key}: {fault}"
    ids = [str(turn.events[0].turn) for turn in worked]
    for fault in faults_of_workspace(session.workspace, ids):
        yield f"{session.id}: {fault}"


def ending(turn: LivedTurn) -> TurnFinished:
    last = turn.events[-1]
    assert isinstance(last, TurnFinished)
    return last


def crashes(records: list[logging.LogRecord]) -> Iterator[str]:
    """What was logged as an exception, except that the model failed for good."""
    gc.collect()  # a task's exception that nobody looked at is logged when the task is gone
    for record in records:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and isinstance(first_cause(error), ModelError):
            continue
        yield f"{record.name}: {record.getMessage()} {error!r}"
