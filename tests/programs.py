"""A run whose model writes programs: the real interpreter and storage, and children as told."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent_core.errors import ChildRefused
from agent_core.ids import ROOT_RUN, RunId, child_run
from agent_core.loop.agent import ChildResult, RunScope
from agent_core.programs import Interpreter, ProgramLimits, RunPython
from agent_core.sessions import Database, ProgramStore
from agent_core.testing.tools import tool_call
from agent_core.tools import ToolOutput
from agent_core.workspaces.layout import DIRECTORIES
from tests.scopes import NoChildren, Surroundings


class ToldChildren(NoChildren):
    """Children that find what they were asked; `held` ones end when they are let go."""

    def __init__(self) -> None:
        self.started: dict[RunId, str] = {}
        """Prompts in the order of the forks; a run that is forked again is not started again."""
        self.asked: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        """By prompt: set when somebody waits for it."""
        self.forked: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.held: dict[str, asyncio.Event] = {}
        self.given: list[str] = []
        """Prompts whose results were given, in that order."""

    async def fork(
        self, scope: RunScope, key: str, prompt: str, agent: str, title: str, context: str
    ) -> RunId:
        run = child_run(scope.context.run, key)
        self.started.setdefault(run, prompt)
        self.forked[prompt].set()
        return run

    async def wait(self, run: RunId) -> ChildResult:
        if run not in self.started:
            raise ChildRefused(f"There is no run {run!r} of yours.")
        prompt = self.started[run]
        self.asked[prompt].set()
        if prompt in self.held:
            await self.held[prompt].wait()
        self.given.append(prompt)
        is_error = prompt == "fail"
        text = "The sub-agent failed." if is_error else f"found {prompt}"
        return ChildResult(run=run, task=prompt, text=text, is_error=is_error)


@dataclass(slots=True, kw_only=True)
class ProgramRun:
    """One run of an agent in a workspace of its own."""

    workspace: Path
    python: RunPython
    surroundings: Surroundings
    children: ToldChildren = field(default_factory=ToldChildren)
    zone: str = ""
    run_id: RunId = ROOT_RUN
    calls: int = 0

    @property
    def scope(self) -> RunScope:
        scope = replace(self.surroundings.scope(self.run_id), children=self.children)
        return replace(scope, context=replace(scope.context, zone=self.zone))

    async def call(self, code: object, *, call_id: str = "") -> ToolOutput:
        """What the model gets for a program."""
        self.calls += 1
        call = tool_call("run_python", {"code": code}, id=call_id or f"call_{self.calls}")
        [tool] = self.python.tools()
        output = await tool.output(call, self.scope)
        assert isinstance(output, ToolOutput)
        return output

    async def run(self, code: str) -> str:
        """The text for the model of a program that ends well."""
        output = await self.call(code)
        assert not output.is_error, output.text
        return output.text

    async def fail(self, code: str) -> str:
        """The text for the model of one that does not."""
        output = await self.call(code)
        assert output.is_error, output.text
        return output.text

    async def until_asked(self, *prompts: str) -> None:
        """Until the program waits for these children."""
        for prompt in prompts:
            await asyncio.wait_for(self.children.asked[prompt].wait(), 60)


@asynccontextmanager
async def program_run(
    root: Path, *, limits: ProgramLimits | None = None, children: ToldChildren | None = None
) -> AsyncGenerator[ProgramRun]:
    """A run; another one over the same root is the same after a restart."""
    workspace = root / "session"
    for name in DIRECTORIES:
        (workspace / name).mkdir(parents=True, exist_ok=True)
    database = Database(f"sqlite:///{root}/state.sqlite")
    await database.open()
    interpreter = Interpreter(limits=limits or ProgramLimits())
    try:
        yield ProgramRun(
            workspace=workspace,
            python=RunPython(interpreter, ProgramStore(database)),
            surroundings=Surroundings(workspace=workspace),
            children=children or ToldChildren(),
        )
    finally:
        await database.close()
