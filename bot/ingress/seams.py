"""What the ingress needs from the rest of the bot."""

from dataclasses import dataclass
from typing import Literal, Protocol

from agent_core.ids import SessionId, TurnId
from agent_core.messages import Attachment, InboundMessage, JsonObject
from bot.inbound import SlackFile
from bot.threads import ThreadRef


class Front(Protocol):
    """The agent's front door."""

    async def handle(self, message: InboundMessage) -> TurnId | None:
        """Begin or queue a turn; None when the gesture has one already."""
        ...

    async def withdraw(self, key: str) -> bool:
        """The gesture was taken back: end its turn without an answer, unless it has begun."""
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
