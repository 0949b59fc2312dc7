"""The `run_python` tool: a program that the model wrote, whose variables stay for its next one.

A program runs in one step. Where it waits for children it is stored, so that a step that is begun
again, in another process, goes on where the program waited.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter

from agent_core.errors import ChildRefused
from agent_core.ids import RunId, TurnId
from agent_core.loop.agent import BodyTool, RunScope
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.prompts import prompt
from agent_core.sessions.programs import ProgramStore, StoredProgram
from agent_core.tools import Artifact, ToolOutput
from agent_core.tools.interpreter import (
    TYPES,
    Answer,
    Ended,
    Host,
    Interpreter,
    Paused,
    Program,
    ProgramLimits,
    artifacts_of,
)

RUN_PYTHON = "run_python"
AS_BEFORE = "\nVariables are as they were before this program."


class PythonArguments(BaseModel):
    model_config = ConfigDict(extra="ignore")

    code: Annotated[str, StringConstraints(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """A call as it is recorded, and stored with the program."""

    output: ToolOutput | None
    """None while it waits for `awaits`."""
    program: Program
    awaits: dict[int, RunId]


_DONE: TypeAdapter[_Done] = TypeAdapter(_Done)


class RunPython:
    """Offers the tool where programs can be run."""

    def __init__(self, interpreter: Interpreter, store: ProgramStore) -> None:
        self._interpreter = interpreter
        self._store = store
        self._last: dict[tuple[TurnId, RunId], asyncio.Event] = {}

    @property
    def away(self) -> dict[str, str]:
        """Why the tool is not offered, by its name; empty where it is."""
        return {RUN_PYTHON: self._interpreter.fault} if self._interpreter.fault else {}

    def tools(self) -> tuple[BodyTool, ...]:
        """The tool, or nothing."""
        if self.away:
            return ()
        return (BodyTool(spec=program_spec(self._interpreter.limits), run=self._call),)

    async def _call(self, call: ToolCall, scope: RunScope) -> ToolOutput:
        code = PythonArguments.model_validate(call.arguments).code
        # Programs of one run share their variables: one after another, in the order of their calls.
        run = (scope.context.turn, scope.context.run)
        before, self._last[run] = self._last.get(run), (ended := asyncio.Event())
        is_replay = True

        async def work() -> _Done:
            nonlocal is_replay
            is_replay = False
            if before is not None:
                await before.wait()
            return await self._run(call, code, scope)

        try:
            done = await scope.steps.once(f"tool:{RUN_PYTHON}", work, _DONE)
            if is_replay:
                await _find_children(call, done.program, scope)
        finally:
            ended.set()
            if self._last[run] is ended:
                del self._last[run]
        return done.output or ToolOutput(text="The program has no result.", is_error=True)

    async def _run(self, call: ToolCall, code: str, scope: RunScope) -> _Done:
        started_at, context = scope.clock(), scope.context
        host = Host(
            workspace=context.workspace,
            zone=context.zone,
            fork=lambda key, task: scope.fork(f"{call.id}.{key}", task),
        )
        stored = await self._store.last(context.turn, context.run)
        if stored is not None and stored.call == call.id:
            known = _DONE.validate_python(stored.body)
            await _find_children(call, known.program, scope)
            if known.output is not None:
                return known
            program, state = known.program, Paused(awaits=known.awaits, state=stored.paused)
        else:
            program, old = Program(), stored.variables if stored else b""
            stored = StoredProgram(
                turn=context.turn, run=context.run, call=call.id, body={}, variables=old, paused=b""
            )
            await scope.begin_effect(call.id)
            state = await self._interpreter.begin(program, code, old, host)
        while isinstance(state, Paused):
            waiting = _Done(output=None, program=program, awaits=dict(state.awaits))
            await self._keep(replace(stored, paused=state.state), waiting)
            answers = await _first_answers(waiting.awaits, scope)
            # It may have waited for long: does this process still work on the session?
            await scope.begin_effect(call.id)
            state = await self._interpreter.resume(program, state.state, answers, host)
        artifacts = await asyncio.to_thread(artifacts_of, program, context.workspace)
        output = replace(
            _told(program, state, artifacts), started_at=started_at, finished_at=scope.clock()
        )
        done = _Done(output=output, program=program, awaits={})
        await self._keep(replace(stored, variables=state.variables or stored.variables), done)
        return done

    async def _keep(self, stored: StoredProgram, done: _Done) -> None:
        await self._store.keep(replace(stored, body=_DONE.dump_python(done, mode="json")))


async def _find_children(call: ToolCall, program: Program, scope: RunScope) -> None:
    """Make the program's children known to the run, which may be at work in a new process."""
    for key, task in program.forks:
        run = await scope.fork(f"{call.id}.{key}", task)
        if run in program.waited:
            await scope.children.wait(run)
    for run in program.waited:
        await scope.children.wait(run)


async def _first_answers(awaits: dict[int, RunId], scope: RunScope) -> dict[int, Answer]:
    """What there is as soon as one of the children has ended, by the number of the call."""

    async def answer(run: RunId) -> Answer:
        try:
            return Answer(run=run, text=(await scope.children.wait(run)).said)
        except ChildRefused as refused:
            return Answer(run=run, text=str(refused), is_refused=True)

    waits = {asyncio.create_task(answer(run)): number for number, run in awaits.items()}
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        return {number: wait.result() for wait, number in waits.items() if wait in done}
    finally:
        for each in waits:
            each.cancel()
        await asyncio.wait(waits)


def _told(program: Program, ended: Ended, artifacts: tuple[Artifact, ...]) -> ToolOutput:
    cut = program.printed_chars - len(program.printed)
    more = f"\n[limit reached: {cut:,} more characters were printed and left out]" if cut else ""
    parts = {
        "Printed": program.printed.rstrip("\n") + more,
        "Value": ended.value,
        "Error": ended.error and f"{ended.error}{'' if ended.variables else AS_BEFORE}",
        "Files for the person": ", ".join(artifact.path for artifact in artifacts),
    }
    said = "\n\n".join(f"{name}:\n{text}" for name, text in parts.items() if text)
    text = said or "The program has ended. It printed nothing."
    return ToolOutput(text=text, is_error=bool(ended.error), artifacts=artifacts)


def program_spec(limits: ProgramLimits) -> ToolSpec:
    """The tool as the model knows it."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"code": {"type": "string", "description": "The program."}},
        "required": ["code"],
        "additionalProperties": False,
    }
    told = prompt(
        RUN_PYTHON,
        seconds=f"{limits.max_s:g}",
        megabytes=f"{limits.max_memory_bytes // 1_000_000}",
        calls=f"{limits.max_calls}",
        files=f"{limits.max_files}",
        characters=f"{limits.max_printed_chars:,}",
        kinds=", ".join(TYPES),
    )
    return ToolSpec(name=RUN_PYTHON, description=told, input_schema=schema)
