"""A sub-agent's definition: a Markdown file, front matter for its name and tools, then orders."""

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from agent_core.errors import SettingsError
from agent_core.prompts import fill


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
    folder = Path(str(files("agent_core.subagents") / "definitions"))
    return tuple(_parsed(sorted(folder.glob("*.md"))))


def _parsed(paths: Iterable[Path]) -> Iterable[SubagentSpec]:
    for path in paths:
        yield parse_spec(path.read_text(encoding="utf-8"), source=path.name)
