"""Sub-agents, and the tools that start them as child runs: `Task`, or `fork` and `wait`.

A definition is a Markdown file: front matter for its name and tools, then its orders.
"""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from agent_core.errors import ChildRefused
from agent_core.ids import RunId
from agent_core.loop.agent import EXPLORER, BodyTool, RunScope
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.programs import MAX_PROMPT_CHARS
from agent_core.prompts import prompt, schema
from agent_core.tools import ToolOutput

TASK, FORK, WAIT = "Task", "fork", "wait"


class SubagentSpec(BaseModel):
    """Front matter and body of a definition file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    description: str
    """For the delegating model: what the agent is for and what triggers it."""
    tools: tuple[str, ...]
    """Patterns over full tool names; one that begins with `!` denies. `fork`, `wait`: as such."""
    model: Literal["inherit"] = "inherit"
    """Every sub-agent has the main agent's."""
    complete_when: Literal["", "corpus_saved"] = ""
    """Names the rule that the run's result is checked against; empty for none."""
    instructions: str
    """The body: the system prompt, with the slots `today` and `workspace`."""


def parse_spec(text: str) -> SubagentSpec:
    """Read a definition: front matter between lines of `---`, then its orders."""
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    return SubagentSpec(**yaml.load(head, yaml.CSafeLoader), instructions=body.strip())


def shipped_specs() -> tuple[SubagentSpec, ...]:
    """The sub-agents that ship with the product."""
    paths = sorted(Path(str(files("agent_core.subagents") / "definitions")).glob("*.md"))
    return tuple(parse_spec(path.read_text(encoding="utf-8")) for path in paths)


Prompt = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True,
        min_length=1,
        max_length=MAX_PROMPT_CHARS,
    ),
]


class TaskArguments(BaseModel):
    model_config = ConfigDict(extra="ignore")

    prompt: Prompt
    subagent_type: str
    description: str = ""


class ForkArguments(TaskArguments):
    subagent_type: str = EXPLORER


class WaitArguments(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: Prompt


def child_tools(specs: Sequence[SubagentSpec]) -> tuple[BodyTool, ...]:
    """`Task`, `fork` and `wait` over these sub-agents."""
    names = [spec.name for spec in specs]

    async def start(call: ToolCall, arguments: TaskArguments, scope: RunScope) -> RunId:
        if arguments.subagent_type not in names:
            raise ChildRefused(
                f"There is no sub-agent {arguments.subagent_type!r}; there are {names}."
            )
        return await scope.fork(
            call.id,
            arguments.prompt,
            arguments.subagent_type,
            title=arguments.description,
        )

    async def task(call: ToolCall, scope: RunScope) -> ToolOutput:
        arguments = TaskArguments.model_validate(call.arguments)
        return await _result(await start(call, arguments, scope), scope)

    async def fork(call: ToolCall, scope: RunScope) -> ToolOutput:
        run = await start(call, ForkArguments.model_validate(call.arguments), scope)
        return ToolOutput(text=run, is_ours=True)

    async def wait(call: ToolCall, scope: RunScope) -> ToolOutput:
        return await _result(RunId(WaitArguments.model_validate(call.arguments).id), scope)

    task_spec, fork_spec, wait_spec = _specs(specs)
    return (
        BodyTool(spec=task_spec, run=task),
        BodyTool(spec=fork_spec, run=fork),
        BodyTool(spec=wait_spec, run=wait),
    )


async def _result(run: RunId, scope: RunScope) -> ToolOutput:
    started_at = scope.clock()
    result = await scope.children.wait(run)
    return ToolOutput(
        text=result.text,
        is_error=result.is_error,
        started_at=started_at,
        finished_at=scope.clock(),
    )


def _specs(specs: Sequence[SubagentSpec]) -> tuple[ToolSpec, ToolSpec, ToolSpec]:
    agents = "\n".join(f"- {spec.name}: {spec.description}" for spec in specs)
    task, fork = schema("task"), schema("fork")
    for each in (task, fork):
        each["properties"]["subagent_type"]["enum"] = [spec.name for spec in specs]
    return (
        ToolSpec(name=TASK, description=prompt("task", agents=agents), input_schema=task),
        ToolSpec(name=FORK, description=prompt("fork"), input_schema=fork),
        ToolSpec(name=WAIT, description=prompt("wait"), input_schema=schema("wait")),
    )
