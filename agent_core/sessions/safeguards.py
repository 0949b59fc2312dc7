"""The safeguards' records: the audit of effects, the egress budget, and pins of tools.

The audit has a record from before each call with an effect, and another one of how the call ended;
`audit_chain.py` says what else is in it, and how it is proved. A disclosure is what a call
told its owner after the session was tainted: `consent/egress.py` puts a price in bits on it, and
each call that was let through without a person is charged here, once. A pin is a tool's accepted
definition, with the one that waits to be accepted, if any.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Literal

from pydantic import TypeAdapter
from sqlalchemy import Connection, delete, select, update

from agent_core.ids import AskId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.json_values import as_object, json_in
from agent_core.messages import JsonObject
from agent_core.sessions.audit_chain import (
    RECORDS,
    AuditRecord,
    ChainReport,
    about_of,
    append,
    in_utc,
    operator_act,
    verify,
)
from agent_core.sessions.database import Store, columns_of
from agent_core.sessions.schema import audit_chain, disclosures, tool_pins

AuditOutcome = Literal["done", "failed", "unknown"]
"""`unknown`: the result was lost on the way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedAction:
    """One thing that a call did, without the texts it was done with."""

    slug: str
    account: str
    """Whose account it was done with; empty where none was used."""
    arguments_digest: str
    """SHA-256 in hex of the arguments' canonical JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """A call with an effect, as it was about to be made, and how it ended."""

    at: datetime
    session: SessionId
    turn: TurnId
    run: RunId
    call: ToolCallId
    asker: UserId
    tool: str
    """Full name of the tool that was called."""
    actions: tuple[AuditedAction, ...]
    digest: str = ""
    """What an approval was bound to; empty where none was needed."""
    ask: AskId | None = None
    approved_by: UserId | None = None
    """None where nobody had to approve it."""
    outcome: AuditOutcome | None = None
    """None while it is under way; for good when the program ended there: it may have happened."""
    ended_at: datetime | None = None


class AuditLog(Store):
    """The audit chain. What is noted again adds nothing, and nothing is ever altered."""

    async def begin(self, entry: AuditEntry) -> None:
        """Note a call. Returns when the record is stored: make the call after that."""
        about = {name: getattr(entry, name) for name in _CALL_IDS}
        key = f"call:{entry.turn}:{entry.run}:{entry.call}"
        contents = {"actions": entry.actions}
        await self.audit(AuditRecord(entry.at, "call", entry.asker, about, contents, key))

    async def end(
        self,
        turn: TurnId,
        run: RunId,
        call: ToolCallId,
        outcome: AuditOutcome,
        at: datetime,
    ) -> None:
        """Note how a call that began has ended; its first outcome holds."""
        about = {"turn": turn, "run": run, "call": call, "outcome": outcome}
        await self.audit(AuditRecord(at, "outcome", "", about, key=f"outcome:{turn}:{run}:{call}"))

    async def entries(self, *, since: datetime | None = None) -> list[AuditEntry]:
        """Calls that began since then, or all, newest first.

        Raises:
            DatabaseTrouble: the database cannot be read.
        """
        outcomes: dict[str, JsonObject] = {}
        entries: list[AuditEntry] = []
        for record in reversed(await self.records(since)):
            kind, _, call = record["key"].partition(":")
            about = record["about"]
            if kind == "outcome":
                outcomes[call] = {"outcome": about["outcome"], "ended_at": record["at"]}
            elif kind == "call":
                contents = as_object(json_in(record["body"] or ""))
                about |= {"at": record["at"], "asker": record["who"], **contents}
                entry = {"actions": (), **about, **outcomes.get(call, {})}
                entries.append(_ENTRY.validate_python(entry))
        return entries

    async def records(self, since: datetime | None = None) -> list[JsonObject]:
        """Records of all kinds since then, or all, in order; `body` has contents, or is None.

        Raises:
            DatabaseTrouble: the database cannot be read.
        """
        query = RECORDS.order_by(audit_chain.c.number)
        if since is not None:
            query = query.where(audit_chain.c.at >= in_utc(since))

        def read(connection: Connection) -> list[JsonObject]:
            rows = connection.execute(query).mappings()
            return [{**row, "about": about_of(row)} for row in rows]

        return await self._database.run(read)

    async def verify(self, head: str = "") -> ChainReport:
        """Check the whole chain; see `audit_chain.verify`."""
        work = partial(verify, exported_head=head)
        return await self._database.run(work)


_CALL_IDS = ("session", "turn", "run", "call", "tool", "digest", "ask", "approved_by")
_ENTRY = TypeAdapter(AuditEntry)


TurnPrice = tuple[TurnId, JsonObject]
"""What a call cost, with the turn in which it was made."""
Charge = Callable[[Sequence[TurnPrice]], JsonObject | None]
"""Makes the price of a call from the turns and prices of earlier ones; None: over the budget."""


class DisclosureStore(Store):
    """The egress budget of each session."""

    async def admit(
        self,
        id: str,
        session: SessionId,
        turn: TurnId,
        charge: Charge,
    ) -> bool:
        """Whether a call is within the budget; its price is stored then.

        `charge` is asked once for the same id, and never for two calls of a session at a time.
        """
        earlier = select(disclosures).filter_by(session=session)

        def admit(connection: Connection) -> bool:
            rows = connection.execute(earlier).all()
            if any(row.id == id for row in rows):
                return True
            price = charge([(row.turn, row.price) for row in rows])
            if price is None:
                return False
            row = {
                "id": id,
                "session": session,
                "turn": turn,
                "price": price,
            }
            return self._database.insert_if_new(connection, disclosures, row)

        return await self._database.change(admit)


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
                append(connection, operator_act(f"accept {pin.tool} of {pin.server}"))

        await self._database.run(write)
        return list(accepted)
