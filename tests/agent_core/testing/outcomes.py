"""What a turn must have come to, seen from outside: its events, its answer, its files."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

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
