"""What the ingress needs from the rest of the bot."""

from typing import Protocol

from agent_core.ids import SessionId, TurnId
from agent_core.messages import Attachment, InboundMessage, JsonObject
from bot.inbound import SlackFile


class Front(Protocol):
    """The agent's front door."""

    async def handle(self, message: InboundMessage) -> TurnId | None: ...

    async def knows(self, session: SessionId) -> bool: ...


class Ledger(Protocol):
    """What was received. `record` returns once the payload is durable."""

    async def record(self, key: str, second_key: str, body: JsonObject) -> bool:
        """Whether this gesture is new. Either key makes it known; an empty one does not count."""
        ...

    async def settle(self, key: str) -> None:
        """The gesture was handed over; it needs no replay after a restart."""
        ...


class FileKeeper(Protocol):
    """Brings files that a person attached into the session's workspace."""

    async def keep(
        self, session: SessionId, files: tuple[SlackFile, ...]
    ) -> tuple[Attachment, ...]: ...
