"""The `run_python` tool: a program that the model wrote, whose variables stay for its next one.

A program runs in one durable step. Where it waits for children its state is stored, so that the
step, begun again in another process, resumes where the program waited.
"""

import asyncio
from dataclasses import replace
from weakref import WeakValueDictionary

from pydantic import TypeAdapter

from agent_core.errors import ChildRefused
from agent_core.ids import RunId, TurnId
from agent_core.loop.agent import BodyTool, RunScope
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.programs.interpreter import (
    TYPES,
    Interpreter,
    Program,
    ProgramExecution,
    ProgramLimits,
)
from agent_core.prompts import prompt
from agent_core.sessions import ProgramStore, StoredProgram
from agent_core.tools import ToolOutput

RUN_PYTHON = "run_python"
_PROGRAM = TypeAdapter(Program)


class RunPython:
    """Offers the tool where programs can be run."""

    def __init__(self, interpreter: Interpreter, store: ProgramStore) -> None:
        self._interpreter = interpreter
        self._store = store
        self._last = WeakValueDictionary[tuple[TurnId, RunId], asyncio.Event]()

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
        code = call.arguments.get("code")
        if not code or not isinstance(code, str):
            return ToolOutput(text="run_python needs `code`: the program.", is_error=True)
        # Programs of one run share their variables: one after another, in the order of their calls.
        run = (scope.context.turn, scope.context.run)
        before = self._last.get(run)
        ended = asyncio.Event()
        self._last[run] = ended
        is_replay = True

        async def work() -> Program:
            nonlocal is_replay
            is_replay = False
            if before is not None:
                await before.wait()
            return await self._run(call, code, scope)

        try:
            program = await scope.steps.once(f"tool:{RUN_PYTHON}", work, _PROGRAM)
        finally:
            ended.set()
        if is_replay:
            await _find_children(call, program, scope)
        return program.output or ToolOutput(text="The program has no result.", is_error=True)

    async def _run(self, call: ToolCall, code: str, scope: RunScope) -> Program:
        started_at = scope.clock()
        context = scope.context
        stored = await self._store.last(context.turn, context.run)
        if stored is None or stored.call != call.id:
            old = stored.variables if stored else b""
            stored = StoredProgram(
                turn=context.turn,
                run=context.run,
                call=call.id,
                variables=old,
            )
        program = Program.model_validate(stored.body)
        await _find_children(call, program, scope)
        if program.output is not None:
            return program
        execution = ProgramExecution(
            interpreter=self._interpreter,
            program=program,
            context=context,
            start_child=lambda key, task: scope.fork(f"{call.id}.{key}", task),
        )
        state = stored.paused
        if not state:
            await scope.begin_effect(call.id)
            state = await execution.begin(code, stored.variables)
        while program.output is None:
            await self._keep(replace(stored, paused=state), program)
            answers = await first_answers(program.awaits, scope)
            # It may have waited for long: does this process still work on the session?
            await scope.begin_effect(call.id)
            state = await execution.resume(state, answers)
        program.output = replace(program.output, started_at=started_at, finished_at=scope.clock())
        variables = state or stored.variables
        await self._keep(replace(stored, variables=variables, paused=b""), program)
        return program

    async def _keep(self, stored: StoredProgram, program: Program) -> None:
        body = program.model_dump(mode="json")
        await self._store.keep(replace(stored, body=body))


async def _find_children(call: ToolCall, program: Program, scope: RunScope) -> None:
    """Make the program's children known to the run, which may be at work in a new process."""
    for key, prompt_or_id in program.children:
        if key:
            await scope.fork(f"{call.id}.{key}", prompt_or_id)
        else:
            await scope.children.wait(RunId(prompt_or_id))


async def first_answers(awaits: dict[int, RunId], scope: RunScope) -> dict[int, dict[str, object]]:
    """The results as soon as one of the children has ended, by the number of the call."""

    async def answer(run: RunId) -> dict[str, object]:
        try:
            return {"return_value": (await scope.children.wait(run)).text}
        except ChildRefused as refused:
            return {"exception": RuntimeError(str(refused))}

    async with scope.children.waiting():
        waits = {asyncio.create_task(answer(run)): number for number, run in awaits.items()}
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            return {waits[wait]: wait.result() for wait in done}
        finally:
            for each in waits:
                each.cancel()
            await asyncio.wait(waits)


def program_spec(limits: ProgramLimits) -> ToolSpec:
    """The tool as the model knows it."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"code": {"type": "string", "description": "The program."}},
        "required": ["code"],
        "additionalProperties": False,
    }
    description = prompt(
        RUN_PYTHON,
        seconds=f"{limits.max_s:g}",
        megabytes=f"{limits.max_memory_bytes // 1_000_000}",
        calls=f"{limits.max_calls}",
        files=f"{limits.max_files}",
        characters=f"{limits.max_printed_chars:,}",
        kinds=", ".join(TYPES),
    )
    return ToolSpec(name=RUN_PYTHON, description=description, input_schema=schema)
