"""Disclosures: what calls told the outside after the session was tainted, and what that cost.

A call that reads a page or asks a tool server tells its owner something. `consent/egress.py` puts
a price in bits on it; here each call that was let through without a person is charged, once.
"""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, select

from agent_core.ids import SessionId, TurnId
from agent_core.messages import JsonObject
from agent_core.sessions.database import Database
from agent_core.sessions.schema import disclosures

TurnPrice = tuple[TurnId, JsonObject]
"""What a call cost, with the turn in which it was made."""
Charge = Callable[[Sequence[TurnPrice]], JsonObject | None]
"""Makes the price of a call from the turns and prices of earlier ones; None: over the budget."""


class DisclosureStore:
    """The egress budget of each session."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
