"""Sub-agents, and the tools that start them as child runs: `Task`, or `fork` and `wait`.

A definition is a Markdown file: front matter for its name and tools, then its orders.
"""

from collections.abc import Sequence
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from agent_core.errors import ChildRefused, SettingsError
from agent_core.ids import RunId
from agent_core.loop.agent import EXPLORER, BodyTool, ChildResult, RunScope
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.prompts import fill, prompt
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


def parse_spec(text: str, *, source: str) -> SubagentSpec:
    """Read a definition.

    Raises:
        SettingsError: the file has no front matter, or a field of it is missing, unknown or wrong.
    """
    head, fence, body = text.removeprefix("---\n").partition("\n---\n")
    if not text.startswith("---\n") or not fence:
        raise SettingsError(f"{source}: a sub-agent begins with front matter between --- lines.")
    try:
        spec = SubagentSpec(**yaml.safe_load(head), instructions=body.strip())
        fill(spec.instructions, today="", workspace="")
    except (yaml.YAMLError, TypeError, ValueError, KeyError) as error:
        raise SettingsError(f"{source}: {error}") from error
    return spec


def shipped_specs() -> tuple[SubagentSpec, ...]:
    """The sub-agents that ship with the product."""
    paths = sorted(Path(str(files("agent_core.subagents") / "definitions")).glob("*.md"))
    return tuple(parse_spec(path.read_text(encoding="utf-8"), source=path.name) for path in paths)


Prompt = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class TaskArguments(BaseModel):
    model_config = ConfigDict(extra="ignore")

    description: str = ""
    prompt: Prompt
    subagent_type: str


class ForkArguments(BaseModel):
    model_config = ConfigDict(extra="ignore")

    prompt: Prompt
    subagent_type: str = EXPLORER


class WaitArguments(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: Prompt


def task_tool(specs: Sequence[SubagentSpec]) -> BodyTool:
    """The `Task` tool over these sub-agents."""
    names = [spec.name for spec in specs]

    async def run(call: ToolCall, scope: RunScope) -> ToolOutput:
        try:
            arguments = TaskArguments.model_validate(call.arguments)
        except ValidationError as error:
            return _fault(f"Task needs `prompt` and `subagent_type`: {error}")
        if arguments.subagent_type not in names:
            return _fault(f"There is no sub-agent {arguments.subagent_type!r}; there are {names}.")
        return await _delegate(call, arguments, scope)

    return BodyTool(spec=_tool_spec(specs), run=run)


async def _delegate(call: ToolCall, arguments: TaskArguments, scope: RunScope) -> ToolOutput:
    started_at = scope.clock()
    try:
        run = await scope.fork(call.id, arguments.prompt, arguments.subagent_type)
        result = await scope.wait(run)
    except ChildRefused as refused:
        return _fault(str(refused))
    return _output(result, scope, started_at)


def fork_tools(specs: Sequence[SubagentSpec]) -> tuple[BodyTool, ...]:
    """`fork` and `wait` over these sub-agents."""
    names = [spec.name for spec in specs]

    async def fork(call: ToolCall, scope: RunScope) -> ToolOutput:
        try:
            arguments = ForkArguments.model_validate(call.arguments)
        except ValidationError as error:
            return _fault(f"fork needs `prompt`: {error}")
        if arguments.subagent_type not in names:
            return _fault(f"There is no sub-agent {arguments.subagent_type!r}; there are {names}.")
        try:
            text = await scope.fork(call.id, arguments.prompt, arguments.subagent_type)
        except ChildRefused as refused:
            return _fault(str(refused))
        return ToolOutput(text=text, is_ours=True)

    async def wait(call: ToolCall, scope: RunScope) -> ToolOutput:
        started_at = scope.clock()
        try:
            run = WaitArguments.model_validate(call.arguments).id
            return _output(await scope.wait(RunId(run)), scope, started_at)
        except ValidationError as error:
            return _fault(f"wait needs `id`: {error}")
        except ChildRefused as refused:
            return _fault(str(refused))

    return BodyTool(spec=_fork_spec(names), run=fork), BodyTool(spec=WAIT_SPEC, run=wait)


def _output(result: ChildResult, scope: RunScope, started_at: datetime) -> ToolOutput:
    return ToolOutput(
        text=result.said,
        is_error=result.is_error,
        started_at=started_at,
        finished_at=scope.clock(),
    )


def _tool_spec(specs: Sequence[SubagentSpec]) -> ToolSpec:
    agents = "\n".join(f"- {spec.name}: {spec.description}" for spec in specs)
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "description": {"type": "string", "description": "The task in three to five words."},
            "prompt": {"type": "string", "description": "Everything the sub-agent needs to know."},
            "subagent_type": {"type": "string", "enum": [spec.name for spec in specs]},
        },
        "required": ["description", "prompt", "subagent_type"],
        "additionalProperties": False,
    }
    return ToolSpec(name=TASK, description=prompt("task", agents=agents), input_schema=schema)


def _fork_spec(names: Sequence[str]) -> ToolSpec:
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "prompt": {"type": "string", "description": "Everything the sub-agent needs to know."},
            "subagent_type": {
                "type": "string",
                "enum": list(names),
                "description": f"`{EXPLORER}` where you name none.",
            },
        },
        "required": ["prompt"],
        "additionalProperties": False,
    }
    return ToolSpec(name=FORK, description=prompt("fork"), input_schema=schema)


WAIT_SPEC = ToolSpec(
    name=WAIT,
    description=prompt("wait"),
    input_schema={
        "type": "object",
        "properties": {"id": {"type": "string", "description": "What `fork` returned."}},
        "required": ["id"],
        "additionalProperties": False,
    },
)


def _fault(text: str) -> ToolOutput:
    return ToolOutput(text=text, is_error=True)
