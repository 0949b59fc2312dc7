"""Pins: each tool's accepted definition, and the one that waits to be accepted, if any."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, select, update

from agent_core.messages import JsonObject
from agent_core.sessions.database import Store, columns_of
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
    proposal: Proposal | None = None

    @property
    def is_accepted(self) -> bool:
        return self.digest != NOT_ACCEPTED


_IS_REFUSED = tool_pins.c.digest == _REFUSED
_PINS = select(tool_pins).order_by(
    tool_pins.c.server,
    tool_pins.c.tool,
)


class ToolPins(Store):
    """Rows that only a person's word changes once they are there."""

    async def load(self, server: str) -> dict[str, Pin]:
        """The pins of a server, by the tool's own name."""
        query = _PINS.filter_by(server=server).where(~_IS_REFUSED)
        pins = await self._database.read(query, Pin)
        return {pin.tool: pin for pin in pins}

    async def waiting(self) -> list[Pin]:
        """Every tool that is held back, in the order of servers and tools."""
        query = _PINS.where(~_IS_REFUSED, tool_pins.c.proposal.is_not(None))
        return await self._database.read(query, Pin)

    async def refused(self) -> list[tuple[str, str, str]]:
        """Server, name and reason of each tool that cannot be offered, in order."""
        rows = await self._database.rows(_PINS.where(_IS_REFUSED))
        return [(row.server, row.tool, row.definition["reason"]) for row in rows]

    async def refuse(self, server: str, reasons: Mapping[str, str]) -> None:
        """Note the tools of a server that cannot be offered, in place of those noted before."""

        def write(connection: Connection) -> None:
            connection.execute(delete(tool_pins).filter_by(server=server, digest=_REFUSED))
            for tool, reason in reasons.items():
                pin = Pin(server=server, tool=tool, digest=_REFUSED, definition={"reason": reason})
                self._database.insert_if_new(connection, tool_pins, columns_of(pin))

        await self._database.run(write)

    async def add(self, pins: Sequence[Pin]) -> None:
        """Store pins of new tools; a tool that is known already keeps its pin."""

        def write(connection: Connection) -> None:
            for pin in pins:
                self._database.insert_if_new(connection, tool_pins, columns_of(pin))

        await self._database.run(write)

    async def propose(self, server: str, proposals: Mapping[str, Proposal | None]) -> None:
        """Let definitions wait to be accepted; None where the accepted one is back."""

        def write(connection: Connection) -> None:
            for tool, proposal in sorted(proposals.items()):
                pin = update(tool_pins).filter_by(server=server, tool=tool)
                connection.execute(pin.values(proposal=proposal))

        if proposals:
            await self._database.run(write)

    async def accept(self, pins: Sequence[Pin]) -> list[str]:
        """Accept what these pins propose, if they still propose it. Returns the tools' names."""
        # Over all attempts: a commit may have been done although the answer was lost.
        accepted: dict[str, None] = {}

        def write(connection: Connection) -> None:
            for pin in pins:
                proposal = pin.proposal
                tool = {"server": pin.server, "tool": pin.tool}
                # Not a proposal that came since the person was shown this one.
                stored = connection.execute(select(tool_pins.c.proposal).filter_by(**tool))
                if proposal is None or stored.scalar() != asdict(proposal):
                    continue
                accept = update(tool_pins).filter_by(**tool)
                connection.execute(
                    accept.values(
                        digest=proposal.digest,
                        definition=proposal.definition,
                        proposal=None,
                    )
                )
                accepted[pin.tool] = None

        await self._database.run(write)
        return list(accepted)
