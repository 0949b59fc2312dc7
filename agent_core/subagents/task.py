"""Sub-agents, and the `Task` tool that delegates to one, which works as a child run of its own.

A definition is a Markdown file: front matter for its name and tools, then its orders.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from agent_core.durable import as_recorded
from agent_core.errors import SettingsError
from agent_core.ids import RunId, child_run
from agent_core.loop.agent import BodyTool, RunScope
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.prompts import fill, prompt
from agent_core.tools import ToolOutput

TASK = "Task"


class SubagentSpec(BaseModel):
    """Front matter and body of a definition file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    description: str
    """For the delegating model: what the agent is for and what triggers it."""
    tools: tuple[str, ...]
    """Patterns over full tool names; one that begins with `!` denies."""
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


class TaskArguments(BaseModel):
    model_config = ConfigDict(extra="ignore")

    description: str = ""
    prompt: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    subagent_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildRequest:
    """What a child run is started with; stored with its workflow."""

    turn: str
    run: RunId
    parent: RunId
    agent: str
    prompt: str
    asker: str
    """For whom its tools act."""
    zone: str = ""
    """Their time zone; empty where it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildResult:
    """What a child run came to. `correction` is for the delegating model when a rule was broken."""

    text: str
    is_error: bool = False
    correction: str = ""


CHILD_REQUEST: TypeAdapter[ChildRequest] = TypeAdapter(ChildRequest)
CHILD_RESULT: TypeAdapter[ChildResult] = TypeAdapter(ChildResult)


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
    request = ChildRequest(
        turn=scope.context.turn,
        run=child_run(scope.context.run, call.id),
        parent=scope.context.run,
        agent=arguments.subagent_type,
        prompt=arguments.prompt,
        asker=scope.context.asker,
        zone=scope.context.zone,
    )
    started_at = scope.clock()
    key = f"{request.turn}#{scope.generation}/{request.run}"
    answer = await scope.steps.child(key, CHILD_REQUEST.dump_python(request, mode="json"))
    result = as_recorded(answer, CHILD_RESULT)
    text = f"{result.text}\n\n{result.correction}" if result.correction else result.text
    return ToolOutput(
        text=text,
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


def _fault(text: str) -> ToolOutput:
    return ToolOutput(text=text, is_error=True)
