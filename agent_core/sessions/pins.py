"""The tool definitions that were accepted, and those that wait to be, by server and tool."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from pydantic import TypeAdapter
from sqlalchemy import Connection, select

from agent_core.messages import JsonObject
from agent_core.sessions.database import Database, columns_of
from agent_core.sessions.schema import tool_pins

NOT_ACCEPTED = ""
"""The digest of a pin that was held back at first sight: nothing of it was ever accepted."""
_REFUSED = "refused"
"""The digest of a tool that nobody can accept; its row says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A definition that waits to be accepted."""

    digest: str
    definition: JsonObject
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What is known of one tool."""

    server: str
    tool: str
    digest: str
    """Of the accepted definition, or NOT_ACCEPTED."""
    definition: JsonObject
    """The accepted one; empty when nothing was accepted."""
    accepted_at: datetime
    proposal: Proposal | None = None

    @property
    def is_accepted(self) -> bool:
        return self.digest != NOT_ACCEPTED


_IN_ORDER = (tool_pins.c.server, tool_pins.c.tool)
PIN: TypeAdapter[Pin] = TypeAdapter(Pin)


class ToolPins:
    """Rows that only a person's word changes once they are there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, server: str) -> dict[str, Pin]:
        """By its own name each tool of the server."""
        query = select(tool_pins).where(tool_pins.c.server == server)
        pins = await self._database.read(query, PIN)
        return {pin.tool: pin for pin in pins if pin.digest != _REFUSED}

    async def waiting(self) -> list[Pin]:
        """Every tool that is held back, in the order of servers and tools."""
        query = select(tool_pins).where(tool_pins.c.digest != _REFUSED)
        pins = await self._database.read(query.order_by(*_IN_ORDER), PIN)
        return [pin for pin in pins if pin.proposal is not None]

    async def refused(self) -> list[tuple[str, str, str]]:
        """Server, name and reason of each tool that cannot be offered, in order."""
        query = select(tool_pins).where(tool_pins.c.digest == _REFUSED).order_by(*_IN_ORDER)
        pins = await self._database.read(query, PIN)
        return [(pin.server, pin.tool, pin.definition["reason"]) for pin in pins]

    async def refuse(self, server: str, reasons: Mapping[str, str], at: datetime) -> None:
        """Note the tools of a server that cannot be offered, in place of those noted before."""
        known = {tool: why for owner, tool, why in await self.refused() if owner == server}

        def write(connection: Connection) -> None:
            noted = tool_pins.delete().where(
                tool_pins.c.server == server,
                tool_pins.c.digest == _REFUSED,
            )
            connection.execute(noted)
            for tool, reason in reasons.items():
                row = {
                    "server": server,
                    "tool": tool,
                    "digest": _REFUSED,
                    "accepted_at": at,
                    "definition": {"reason": reason},
                    "proposal": None,
                }
                self._database.insert_if_new(connection, tool_pins, row)

        if known != reasons:
            await self._database.run(write)

    async def add(self, pins: Sequence[Pin]) -> None:
        """Write tools down for the first time; one that is known already stays as it is."""

        def write(connection: Connection) -> None:
            for pin in pins:
                self._database.insert_if_new(connection, tool_pins, columns_of(pin))

        if pins:
            await self._database.run(write)

    async def propose(self, server: str, proposals: Mapping[str, Proposal | None]) -> None:
        """Let definitions wait to be accepted; None where the accepted one is back."""

        def write(connection: Connection) -> None:
            for tool, proposal in sorted(proposals.items()):
                pin = tool_pins.update().where(
                    tool_pins.c.server == server,
                    tool_pins.c.tool == tool,
                )
                connection.execute(pin.values(proposal=proposal))

        if proposals:
            await self._database.run(write)

    async def accept(self, pins: Sequence[Pin], at: datetime) -> list[str]:
        """Accept what these pins propose, if they still propose it. Returns the tools' names."""
        accepted: dict[str, None] = {}

        def write(connection: Connection) -> None:
            for pin in pins:
                if _accept(connection, pin, at):
                    accepted[pin.tool] = None

        await self._database.run(write)
        return list(accepted)


def _accept(connection: Connection, seen: Pin, at: datetime) -> bool:
    """Only what the person was shown is accepted, not what came since."""
    here = (tool_pins.c.server == seen.server) & (tool_pins.c.tool == seen.tool)
    stored = connection.execute(select(tool_pins.c.proposal).where(here)).scalar()
    proposal = seen.proposal
    if proposal is None or stored != asdict(proposal):
        return False
    accepted = {
        "digest": proposal.digest,
        "definition": proposal.definition,
        "accepted_at": at,
        "proposal": None,
    }
    connection.execute(tool_pins.update().where(here).values(accepted))
    return True
