"""What the ingress needs from the rest of the bot."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from agent_core.ids import SessionId, TurnId
from agent_core.messages import Attachment, InboundMessage, JsonObject
from agent_core.sessions import StoredTurn
from bot.inbound import InboundPost, SlackFile
from bot.threads import ThreadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A gesture that the agent has."""

    text: str
    said_at: datetime
    """When it was said, or last edited."""
    is_at_work: bool
    """It was begun with, or is part of what was, and that has not ended."""


class Front(Protocol):
    """The agent's front door."""

    async def handle(self, message: InboundMessage) -> TurnId | None:
        """Begin or queue a turn; None when the gesture has one already."""
        ...

    async def revise(self, key: str, text: str) -> bool:
        """Another text stands in the place of the gesture's. False unless its turn waits."""
        ...

    async def withdraw(self, key: str, *, by: str = "") -> bool:
        """The gesture was taken back, or called off by whom `by` names: its turn ends.

        False where none can be ended.
        """
        ...

    async def taken(self, key: str) -> Taken | None:
        """What the agent has of a gesture; None when it has no turn."""
        ...

    async def stop_channel(self, team: str, channel: str, by: str, *, before_ts: str) -> bool:
        """End all work of a channel's threads that began before a post; False without any."""
        ...

    async def knows(self, session: SessionId) -> bool: ...


class Ledger(Protocol):
    """What was received. `record` returns once the payload is durable."""

    async def record(self, key: str, second_key: str, body: JsonObject) -> bool:
        """Whether this gesture is new. Either key makes it known; an empty one does not count."""
        ...

    async def settle(self, key: str) -> None:
        """The gesture was handed over; it needs no replay after a restart."""
        ...

    async def forget(self, key: str, second_key: str) -> None:
        """What was recorded was not for the bot; an edit may make it a gesture yet."""
        ...

    async def release(self, key: str) -> None:
        """Handling the gesture failed: it is to be taken up again, here or elsewhere."""
        ...

    async def unsettled(self) -> list[JsonObject]:
        """What was recorded and nobody alive works on; it is this process's from now on."""
        ...


class Marks(Protocol):
    """How far readers have come, by name. A mark moves on and never back."""

    async def load(self, prefix: str) -> dict[str, str]: ...

    async def save(self, values: Mapping[str, str]) -> None: ...


class KnownSessions(Protocol):
    """Which threads the agent knows, and what it has not answered in them."""

    async def newest_before(self, prefix: str, bound: str, *, limit: int) -> list[SessionId]:
        """Those whose ids begin with `prefix` and come before `prefix + bound`, last ones first."""
        ...

    async def unfinished(self, prefix: str, *, limit: int) -> list[StoredTurn]:
        """Turns that have not ended in such threads, those of the newest threads first."""
        ...


class Answers(Protocol):
    """What became of gestures that were handed over."""

    async def has_turn(self, key: str) -> bool:
        """Whether the gesture was taken up, however long ago."""
        ...

    async def ended(self, key: str) -> None:
        """Returns when the gesture's turn has ended; it may never do so."""
        ...


class Live(Protocol):
    """Who is told of posts as Slack delivers them."""

    def note(self, body: JsonObject, *, is_taken: bool) -> None:
        """A payload was received; not taken where nothing was to do."""
        ...

    def lose(self) -> None:
        """A payload could not be received."""
        ...

    async def let_earlier_pass(self, post: InboundPost) -> None:
        """Return once missed posts of the thread that are older than this one are handed over."""
        ...


class Signs(Protocol):
    """What a person sees at once: that the bot is at work on a post."""

    async def show(self, thread: ThreadRef, post_ts: str, *, may_be_left: bool = False) -> None: ...

    async def take_back(self, thread: ThreadRef, post_ts: str) -> None: ...


Fault = Literal["too_big", "not_given", "not_saved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A file that could not be brought into the workspace."""

    name: str
    """Safe to show."""
    fault: Fault


class FileKeeper(Protocol):
    """Brings files that a person attached into the session's workspace."""

    async def keep(
        self, session: SessionId, files: tuple[SlackFile, ...]
    ) -> tuple[Attachment | LeftOut, ...]:
        """What became of each file, in their order."""
        ...
