"""What a presenter must remember to go on after a restart without posting anything twice."""

from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from agent_core.messages import JsonObject

READER = "slack"
"""The name under which bookmarks are kept among those of other readers."""


class PresenterState(Protocol):
    """Where one turn's presenter keeps its bookmark. `save` returns once it is durable."""

    async def load(self) -> JsonObject | None: ...

    async def save(self, state: JsonObject) -> None: ...


class MemoryState:
    """A state that lives as long as the object; two presenters that share it follow each other."""

    def __init__(self) -> None:
        self.saved: JsonObject | None = None

    async def load(self) -> JsonObject | None:
        return self.saved

    async def save(self, state: JsonObject) -> None:
        self.saved = state


class Bookmark(BaseModel):
    """How far one turn was shown."""

    model_config = ConfigDict(extra="ignore")

    progress: dict[str, str] = Field(default_factory=dict[str, str])
    """Op id of a progress post to its `ts`, once it is there."""
    waits: int = 0
    """How many of the turn's waits for a person are shown, their progress closed."""
    begun: set[str] = Field(default_factory=set[str])
    """Op ids of writes that were about to be made: they may or may not be in Slack."""
    done: set[str] = Field(default_factory=set[str])
    """Op ids of writes that Slack has taken."""
    files: dict[str, str] = Field(default_factory=dict[str, str])
    """Op id of an upload to Slack's id of the file, known before the file is visible."""
    consents: dict[str, str] = Field(default_factory=dict[str, str])
    """Op id of an approval or a connection to its post: channel and `ts`."""
    direct: str = ""
    """The direct conversation, as a session id, where the thread takes no answer."""
    finished: bool = False
    """Everything of the turn is in the thread."""
