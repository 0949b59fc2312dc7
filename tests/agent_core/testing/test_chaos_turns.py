"""Two hundred turns with a model whose answers are legal but arbitrary."""

import asyncio
import gc
import json
import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from agent_core.durable import first_cause
from agent_core.errors import ModelError
from agent_core.events import (
    LIVE_ONLY,
    AnyEvent,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    ToolCallFinished,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
)
from tests.agent_core.testing.chaos_model import CANARY
from tests.agent_core.testing.chaos_world import TURNS_A_SESSION, LivedSession, LivedTurn, live

BATCHES = 4
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


RAW = re.compile(
    r"Traceback|\b[A-Z]\w*(?:Error|Exception|Group|Unavailable|Rejected|Truncated|TooLarge)\b"
)
LOG_LINE = re.compile(r"\[\d\d:\d\d:\d\d\.\d{3}\] | {15}|$")


def faults_of_events(events: Sequence[AnyEvent]) -> Iterator[str]:
    """Where the events of a turn do not begin, pair up or end as they must."""
    if not isinstance(events[0], TurnStarted) or not isinstance(events[-1], TurnFinished):
        yield "the turn does not begin with its start and end with its finish"
    kinds = Counter(event.kind for event in events)
    if (kinds["turn_started"], kinds["turn_finished"]) != (1, 1):
        yield "the turn has not one start and one finish"
    stored = [event for event in events if not isinstance(event, LIVE_ONLY)]
    identities = {(event.run, event.step, event.attempt, event.n) for event in stored}
    if len(identities) != len(stored):
        yield "two events have the same identity"
    runs = Counter(event.run for event in events if isinstance(event, RunStarted))
    for run in runs:
        yield from (f"run {run}: {fault}" for fault in _faults_of_run(events, run))
    yield from _faults_of_calls(events)


def _faults_of_run(events: Sequence[AnyEvent], run: str) -> Iterator[str]:
    own = [event for event in events if event.run == run and isinstance(event, _OF_A_RUN)]
    if not isinstance(own[0], RunStarted) or not isinstance(own[-1], RunFinished):
        yield "it does not begin with its start and end with its finish"
    kinds = Counter(event.kind for event in own)
    if (kinds["run_started"], kinds["run_finished"]) != (1, 1):
        yield "it has not one start and one finish"
    begun = [event.step for event in own if isinstance(event, StepStarted)]
    ended = [event.step for event in own if isinstance(event, StepFinished)]
    failed = any(isinstance(event, RunFinished) and event.outcome == "failed" for event in own)
    if begun != list(range(1, len(begun) + 1)):
        yield f"its steps are numbered {begun}"
    if ended != begun and not (failed and ended == begun[:-1]):
        yield f"steps {begun} began and {ended} finished"


_OF_A_RUN = (RunStarted, RunFinished, StepStarted, StepFinished, ToolCallStarted, ToolCallFinished)


def _faults_of_calls(events: Sequence[AnyEvent]) -> Iterator[str]:
    open_calls: set[object] = set()
    made: Counter[object] = Counter()
    for event in events:
        match event:
            case ToolCallStarted():
                made[event.run, event.step] += 1
                open_calls.add((event.run, event.step, event.call_id, event.tool))
            case ToolCallFinished():
                call = (event.run, event.step, event.call_id, event.tool)
                if call not in open_calls:
                    yield f"call {call} finished and had not started, or twice"
                open_calls.discard(call)
            case _:
                pass
    if open_calls:
        yield f"calls {open_calls} never finished"
    for event in events:
        if isinstance(event, StepFinished) and made[event.run, event.step] != event.tool_calls:
            yield f"step {event.step} of {event.run} made other calls than it asked for"


def faults_of_answer(finished: TurnFinished) -> Iterator[str]:
    """Where an answer is nothing for a person to read."""
    if not any(unicodedata.category(sign)[0] not in "CZ" for sign in finished.answer):
        yield f"the answer {finished.answer[:50]!r} has nothing to see"
    if CANARY in finished.answer or RAW.search(finished.answer):
        yield f"the answer shows an error raw: {finished.answer[:200]!r}"
    if not finished.reference:
        yield "there is no reference"


def faults_of_workspace(workspace: Path, turns: Sequence[str]) -> Iterator[str]:
    """Where the files that so many turns left cannot be read as what they are."""
    traces = [workspace / "trace.json", *(workspace / "traces").glob("*.json")]
    told = sorted(str(strict_json(trace)["turn_id"]) for trace in traces)
    if told != sorted(turns):
        yield f"the traces are of turns {told}"
    summary = (workspace / "summary.txt").read_text(encoding="utf-8")
    headings = [f"== Execution summary of turn {turn} ==" for turn in turns]
    if [line for line in summary.split("\n") if line.startswith("== ")] != headings:
        yield "the summary has other turns, or in another order"
    log = (workspace / "run.log").read_text(encoding="utf-8").split("\n")
    yield from (f"run.log has a line {line[:80]!r}" for line in log if not LOG_LINE.match(line))
    for path in workspace.rglob("*"):
        if path.suffix == ".json":
            strict_json(path)
        if path.suffix == ".part":
            yield f"{path.name} was left behind"


def strict_json(path: Path) -> dict[str, object]:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{path} has {constant}")

    value: dict[str, object] = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    return value
