"""The seam to tools: a toolset lists specs and runs whole calls. A failing call is a value.

Read `registry.py` next, which every call goes through.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from agent_core.ids import RunId, SessionId, TurnId, UserId
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec

MAIN_AGENT = "universal-agent"
"""The name of the agent that answers people; the others are named in their definitions."""

JOINT = (
    "Not done: several people wrote while you worked on this, and it could be another's wish. Say "
    "that whoever wants it may ask for it once you have answered."
)
"""The error of a tool that works by the rights of its asker alone, where the work is joint."""

OnProgress = Callable[[str], Awaitable[None]]
"""Says how far a call is, in people's words; may be dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """On whose behalf and where a call runs."""

    session: SessionId
    turn: TurnId
    run: RunId
    asker: UserId
    workspace: Path
    """The session's directory, absolute."""
    agent: str = MAIN_AGENT
    """Which agent calls."""
    places: tuple[str, ...] = ()
    """As in the message that began the turn."""
    zone: str = ""
    """The asker's time zone, such as `Europe/Berlin`; empty where it is not known."""
    is_joint: bool = False
    """Several people had a word in the work: a wish of one is not granted by another's rights."""
    may_wait: bool = True
    """Whether a person can be asked before the call: not for sub-agents and scheduled turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file for the person that a trusted tool says it wrote."""

    path: str
    """Relative to the workspace."""
    title: str
    mimetype: str
    size_bytes: int
    citations: tuple[str, ...] = ()
    """The addresses that `[1]`, `[2]`, … stand for in it; empty where one is not cited."""
    follow_ups: tuple[str, ...] = ()
    """Questions that its reader may ask next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """How a call ended. `text` is for the model, `display` for the person."""

    text: str
    """What the model gets: the whole result, or head, tail and path of a huge one."""
    is_error: bool = False
    display: str = ""
    size_bytes: int = 0
    """Of the whole result."""
    saved_path: str = ""
    """Relative to the workspace: where the whole result lies when `text` is cut."""
    is_cut: bool = False
    """The tool sent more than is taken; nobody here has the rest."""
    artifacts: tuple[Artifact, ...] = ()
    picture: str = ""
    """Relative to the workspace: what a trusted tool shows beside its text."""
    is_ours: bool = False
    """The words are this bot's own: nothing of them comes from a server."""
    may_have_happened: bool = False
    """The result was lost: whether the call had its effect is not known."""
    started_at: datetime | None = None
    finished_at: datetime | None = None


class Toolset(Protocol):
    """Tools offered together.

    `run` MUST NOT raise except CancelledError; every failure is a ToolOutput with `is_error`, also
    arguments that do not fit the tool's schema, which only the toolset knows whole.
    """

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]: ...

    async def run(
        self,
        call: ToolCall,
        context: ToolContext,
        progress: OnProgress,
    ) -> ToolOutput: ...
