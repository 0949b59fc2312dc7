"""Who runs: the main agent and the sub-agents, made for one turn."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from agent_core.loop.agent import Agent, BodyTool
from agent_core.loop.ask_user import ask_user_tool
from agent_core.loop.limits import Limits
from agent_core.models.retry import RetryingModel
from agent_core.prompts import fill, prompt
from agent_core.subagents.spec import SubagentSpec
from agent_core.subagents.task import task_tool
from agent_core.tools import MAIN_AGENT
from agent_core.tools.registry import Registry
from agent_core.tools.search import SearchableTools

MAX_NAME_CHARS = 60
MAIN_TOOLS = (
    "*",
    "!mcp__local_toolkit__save_corpus",
    "!mcp__local_toolkit__write_report",
)
"""Everything but what belongs to the report expert alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """Makes agents from definitions.

    Attributes:
        model: The main model.
        other_models: Models that a definition may name.
        registry: All tools; each agent gets its share.
        specs: The sub-agents.
        limits: Bounds on each run.
        main_name: What the main agent is called in events and records.
    """

    model: RetryingModel
    registry: Registry
    specs: Sequence[SubagentSpec]
    limits: Limits
    other_models: dict[str, RetryingModel] = field(default_factory=dict[str, RetryingModel])
    main_name: str = MAIN_AGENT

    def main(
        self, *, today: datetime, workspace: Path, author: str, is_digest: bool = False
    ) -> Agent:
        """The agent that answers the person; for a digest nobody is there to be asked back."""
        system = prompt(
            "system", today=_day(today), workspace=str(workspace), author=one_line(author)
        )
        return Agent(
            name=self.main_name,
            system="\n\n".join((system, prompt("digest"))) if is_digest else system,
            model=self.model,
            tools=SearchableTools(self.registry.restricted(MAIN_TOOLS)),
            body_tools=self._body_tools(may_ask=not is_digest),
            limits=self.limits,
        )

    def subagent(self, name: str, *, today: datetime, workspace: Path) -> Agent:
        """A sub-agent by name; KeyError when there is none."""
        spec = self.spec(name)
        return Agent(
            name=spec.name,
            system=fill(spec.instructions, today=_day(today), workspace=str(workspace)),
            model=self.other_models.get(spec.model, self.model),
            tools=SearchableTools(self.registry.restricted(spec.tools)),
            limits=self.limits,
        )

    def spec(self, name: str) -> SubagentSpec:
        return {spec.name: spec for spec in self.specs}[name]

    def _body_tools(self, *, may_ask: bool) -> tuple[BodyTool, ...]:
        tasks = (task_tool(self.specs),) if self.specs else ()
        return (*tasks, ask_user_tool()) if may_ask else tasks


def one_line(name: str) -> str:
    """A name that people chose themselves, so that it cannot pose as more than a name."""
    return " ".join(name.split())[:MAX_NAME_CHARS] or "Someone"


def _day(moment: datetime) -> str:
    return moment.strftime("%A, %d %B %Y")
